# Harvests a repository with Catmandu, and prints it.
use strict;
use warnings;
use Catmandu::Importer::OAI;

binmode STDOUT, ':utf8';
my $importer = Catmandu::Importer::OAI->new(url => $ARGV[0], metadataPrefix => 'oai_dc', handler => 'raw');
$importer->each(sub {
    my $r = shift;
    print join("\t", $r->{_identifier}, $r->{_status} // '', $r->{_metadata} // ''), "\n";
});
