package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// apacheFront is Apache with its snippet.
func apacheFront(t testing.TB) frontEnd {
	t.Helper()
	f := frontEnds[slices.IndexFunc(frontEnds, func(f frontEnd) bool { return f.name == "apache" })]
	f.need(t)
	return f
}

// apacheSite is a repository that Apache itself serves.
type apacheSite struct {
	name   string
	module string   // file that must be installed
	load   []string // further modules
	server string   // what cannot stand in a <VirtualHost>; MODULE is the module's file
	config string   // of its <VirtualHost>; ROOT is a folder of its own
	files  map[string]string
	denied string // a page that is forbidden before any script runs
}

const modules = "/usr/lib/apache2/modules/"

// php serves every page by a script, which .htaccess leads to, as OJS and Omeka do.
var php = apacheSite{
	name:   "mod_php and .htaccess",
	module: "libphp*.so",
	load:   []string{"dir", "mime", "rewrite", "auth_basic", "authn_core", "authn_file", "authz_user"},
	server: "LoadModule php_module MODULE\nTypesConfig /dev/null",
	config: `<FilesMatch "[.]php$">
SetHandler application/x-httpd-php
</FilesMatch>
DocumentRoot ROOT
<Directory ROOT>
AllowOverride All
Options FollowSymLinks
Require all granted
</Directory>
<Location "/handle/1/21">
AuthType Basic
AuthName repository
AuthUserFile /dev/null
Require valid-user
</Location>
ErrorDocument 403 /error.php
ErrorDocument 404 /error.php
`,
	files: map[string]string{
		".htaccess": "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php/$1 [QSA,L]\n",
		"index.php": `<?php
if (strpos($_SERVER['REQUEST_URI'], '403')) { http_response_code(403); }
if (strpos($_SERVER['REQUEST_URI'], '404')) { http_response_code(404); }
echo 'page ' . $_SERVER['REQUEST_URI'];`,
		"error.php": `<?php echo 'error';`,
	},
	denied: "/handle/1/21",
}

// perl answers the translation of addresses itself, as EPrints does: no rewrite
// rule of the server runs after it.
var perl = apacheSite{
	name:   "mod_perl with a PerlTransHandler",
	module: "mod_perl.so",
	load:   []string{"authn_core"},
	server: "LoadModule perl_module MODULE\nPerlSwitches -IROOT",
	config: "PerlTransHandler Legacy",
	files: map[string]string{"Legacy.pm": `package Legacy;
use Apache2::RequestRec ();
use Apache2::RequestIO ();
use Apache2::RequestUtil ();
use Apache2::Const -compile => qw(OK FORBIDDEN);

sub handler {
    my $r = shift;
    $r->handler('perl-script');
    $r->set_handlers(PerlResponseHandler => \&page);
    $r->push_handlers(PerlAccessHandler => sub { Apache2::Const::FORBIDDEN }) if $r->uri eq '/handle/1/21';
    return Apache2::Const::OK;
}

sub page {
    my $r = shift;
    $r->status(403) if $r->uri =~ /403$/;
    $r->status(404) if $r->uri =~ /404$/;
    print 'page ' . $r->unparsed_uri;
    return Apache2::Const::OK;
}
1;
`},
	denied: "/handle/1/21",
}

func (s apacheSite) start(t testing.TB, at place, snippet string) []string {
	t.Helper()
	root := filepath.Join(at.dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range s.files {
		at.file(t, filepath.Join("root", name), text)
	}
	var load strings.Builder
	for _, m := range slices.Concat([]string{"mpm_prefork", "authz_core", "lua", "headers"}, s.load) {
		fmt.Fprintf(&load, "LoadModule %s_module %smod_%s.so\n", m, modules, m)
	}
	places := strings.NewReplacer("ROOT", root, "MODULE", needModule(t, s.module))
	conf := at.file(t, "apache.conf", fmt.Sprintf(`%[1]s%[2]s
ServerRoot %[3]s
DefaultRuntimeDir %[3]s
PidFile %[3]s/pid
ErrorLog /dev/stderr
ServerName repo.example.edu
User www-data
Group www-data
Listen %[4]s
StartServers 1
<VirtualHost *:%[5]s>
%[6]s
%[7]s
</VirtualHost>
`, load.String(), places.Replace(s.server), at.dir, at.address, at.port(), snippet, places.Replace(s.config)))
	return []string{"apache2", "-DFOREGROUND", "-d", at.dir, "-f", conf}
}

// The snippet is one for all that Apache serves, whatever answers the phases of
// a request, and changes nothing about the pages.
func TestApacheAddsLinksToWhatItServesItself(t *testing.T) {
	f := apacheFront(t)
	for _, s := range []apacheSite{php, perl} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			at := newPlace(t)
			run(t, at, s.start(t, at, f.parts(t, at, "127.0.0.1:9")[0]))
			pages := map[string]int{
				landing: 200, queryLanding: 200, file: 200, metadata: 200, aboutPage: 200, goneLanding: 404,
				withStatus + "403": 403, deleted + "404": 404, "/other/404": 404, "/other/403": 403, s.denied: 0,
			}
			for path, status := range pages {
				for _, method := range []string{"GET", "HEAD"} {
					checkApachePage(t, ask(t, "http://"+at.address, method, path), method, path, status)
				}
			}
		})
	}
}

func checkApachePage(t *testing.T, a answer, method, path string, status int) {
	t.Helper()
	if status == 0 { // refused by Apache: 401 or 403
		if a.StatusCode != 401 && a.StatusCode != 403 {
			t.Errorf("%s %s: want it refused, got %d", method, path, a.StatusCode)
		}
	} else if a.StatusCode != status || status == 200 && method == "GET" && a.body != "page "+path {
		t.Errorf("%s %s: want %d and the page, got %d and %q", method, path, status, a.StatusCode, head(a.body))
	}
	want := known()[public+path]
	if path == goneLanding {
		want = nil
	}
	if diff := cmp.Diff(want, linksOf(t, a, path)); diff != "" {
		t.Errorf("%s %s: links (-want +got):\n%s", method, path, diff)
	}
}

// needModule returns the file of a module. It skips the test on a machine
// without it, but not where all must have been installed.
func needModule(t testing.TB, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(modules + pattern)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(files) > 0:
		return files[0]
	case os.Getenv("FINGERPOST_CI") != "":
		t.Fatalf("%s%s is not installed", modules, pattern)
	}
	t.Skipf("%s is not installed here", pattern)
	return ""
}
