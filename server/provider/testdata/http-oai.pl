# Harvests a repository with HTTP::OAI, and prints it.
use strict;
use warnings;
use HTTP::OAI;

binmode STDOUT, ':utf8';

sub show {
    my $r = shift;
    my ($metadata) = $r->metadata ? $r->metadata->dom->findnodes('*/*') : ();
    print join("\t", $r->identifier, $r->status // '', $metadata ? $metadata->toString : ''), "\n";
}

my $harvester = HTTP::OAI::Harvester->new(baseURL => $ARGV[0]);
my $identify = $harvester->Identify;
die $identify->message if $identify->is_error;
my $list = $harvester->ListRecords(metadataPrefix => 'oai_dc', onRecord => \&show);
die $list->message if $list->is_error;
