package edge

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

// frontEnd is a real web server in front of the legacy site, set up with the
// snippet that administrators get.
type frontEnd struct {
	name, mode string
	command    string // which shows that it is installed
	// start writes what the snippet is pasted into and says how to run it.
	start func(t testing.TB, at place, parts []string) []string
	// allHosts is true if the snippet stands where several hosts are served.
	allHosts bool
}

// alias is another name of the legacy site's host.
const alias = "www.repo.example.edu"

// place is where a front end of the tests lives.
type place struct {
	dir, address, origin string
}

func (p place) file(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func (p place) port() string {
	_, port, _ := net.SplitHostPort(p.address)
	return port
}

var frontEnds = []frontEnd{
	{"nginx", LookupMode, "nginx", startNginx, false},
	{"nginx", MapMode, "nginx", startNginx, false},
	{"apache", MapMode, "apache2", startApache, false},
	{"caddy", LookupMode, "caddy", startCaddy, false},
	{"haproxy", MapMode, "haproxy", startHAProxy, true},
	{"varnish", LookupMode, "varnishd", startVarnish, true},
}

func startNginx(t testing.TB, at place, parts []string) []string {
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	conf := at.file(t, "nginx.conf", fmt.Sprintf(`
daemon off; master_process off; pid %[1]s/pid; error_log stderr; %[2]s
events {}
http {
  access_log off;
  client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
  %[3]s
  server {
    listen %[4]s;
    %[5]s
    location / { proxy_pass http://%[6]s; proxy_set_header Host $host; }
  }
}`, at.dir, user, parts[0], at.address, parts[1], at.origin))
	return []string{"nginx", "-p", at.dir, "-e", "stderr", "-c", conf}
}

func startApache(t testing.TB, at place, parts []string) []string {
	var modules strings.Builder
	for _, m := range []string{"mpm_event", "authz_core", "lua", "headers", "proxy", "proxy_http"} {
		fmt.Fprintf(&modules, "LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", m, m)
	}
	conf := at.file(t, "apache.conf", fmt.Sprintf(`%[1]s
ServerRoot %[2]s
DefaultRuntimeDir %[2]s
PidFile %[2]s/pid
ErrorLog /dev/stderr
ServerName repo.example.edu
User www-data
Group www-data
Listen %[3]s
StartServers 1
<VirtualHost *:%[4]s>
%[5]s
ProxyPreserveHost On
ProxyPass / http://%[6]s/
</VirtualHost>
`, modules.String(), at.dir, at.address, at.port(), parts[0], at.origin))
	return []string{"apache2", "-DFOREGROUND", "-d", at.dir, "-f", conf}
}

func startCaddy(t testing.TB, at place, parts []string) []string {
	conf := at.file(t, "Caddyfile", fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n}\nhttp://:%s {\n\tbind 127.0.0.1\n%s\n}\n", at.port(), parts[0]))
	return []string{"caddy", "run", "--adapter", "caddyfile", "--config", conf}
}

func startHAProxy(t testing.TB, at place, parts []string) []string {
	conf := at.file(t, "haproxy.cfg", fmt.Sprintf(`
global
%s
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend site
    bind %s
%s
    default_backend repository
backend repository
    server origin %s
`, parts[0], at.address, parts[1], at.origin))
	return []string{"haproxy", "-db", "-f", conf}
}

func startVarnish(t testing.TB, at place, parts []string) []string {
	vcl := at.file(t, "default.vcl", "vcl 4.1;\n"+parts[0])
	return []string{"varnishd", "-F", "-j", "none", "-n", filepath.Join(at.dir, "v"), "-T", "none", "-a", at.address, "-s", "malloc,16m", "-f", vcl}
}

func TestWebServersAddLinks(t *testing.T) {
	for _, f := range frontEnds {
		t.Run(f.name+", "+f.mode, func(t *testing.T) {
			t.Parallel()
			f.need(t)
			g := newLookupGateway(t)
			at := newPlace(t)
			run(t, at, f.start(t, at, f.parts(t, at, g.address)))
			base := "http://" + at.address
			checkFrontEnd(t, base, bigLanding)
			if f.allHosts {
				if a := ask(t, base, "GET", landing, "Host: other.example.edu"); a.StatusCode != 200 || len(a.links()) > 0 {
					t.Errorf("a page of another host: want it as before, got %d, %q", a.StatusCode, a.links())
				}
			}
			if f.mode == LookupMode {
				checkFailsOpen(t, base, g)
			}
		})
	}
}

// need skips the test on a machine without the server, but not where all must
// have been installed.
func (f frontEnd) need(t testing.TB) {
	t.Helper()
	if _, err := program(f.command); err == nil {
		return
	}
	if os.Getenv("FINGERPOST_CI") != "" {
		t.Fatalf("%s is not installed", f.command)
	}
	t.Skipf("%s is not installed here: its snippet is not tested", f.command)
}

// program finds a server too where a user's PATH does not lead to it.
func program(name string) (string, error) {
	file, err := exec.LookPath(name)
	if err != nil {
		return exec.LookPath("/usr/sbin/" + name)
	}
	return file, nil
}

func newPlace(t testing.TB) place {
	t.Helper()
	return place{dir: readableDir(t), address: freeAddress(t), origin: start(t, legacySite()).Listener.Addr().String()}
}

// parts exports the files and returns the snippet, cut at its headings: each
// says where its part belongs.
func (f frontEnd) parts(t testing.TB, at place, gateway string) []string {
	t.Helper()
	return f.partsFor(t, at, gateway, "^/(handle/|bitstream/|oai[?]|record[.]php[?])", knownPages())
}

func (f frontEnd) partsFor(t testing.TB, at place, gateway, pattern string, pages []Page) []string {
	t.Helper()
	if _, err := Export(t.Context(), at.dir, repoHosts, each(pages...)); err != nil {
		t.Fatal(err)
	}
	snippet, err := Snippet(f.name, f.mode, Site{
		ID: "main", Base: public, Hosts: []string{alias}, Pattern: pattern, Gateway: gateway, Origin: at.origin, Dir: at.dir, Signmap: "https://links.example.org/main/signmap.xml",
	})
	if err != nil {
		t.Fatal(err)
	}
	const heading = "\n# ---- "
	parts := strings.Split(snippet, heading)[1:]
	for i := range parts {
		parts[i] = heading + parts[i]
	}
	return parts
}

// readableDir is a temporary folder that a server can read which gives up its
// rights.
func readableDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fingerpost-edge-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run runs a server until the test ends. It returns once the server answers.
func run(t testing.TB, at place, command []string) (pid int) {
	t.Helper()
	var output lockedBuffer
	file, err := program(command[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, command[1:]...)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Env = append(os.Environ(), "HOME="+at.dir, "XDG_CONFIG_HOME="+at.dir, "XDG_DATA_HOME="+at.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its workers
		<-ended
		if t.Failed() {
			t.Logf("%s said:\n%s", command[0], output.String())
		}
	})
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		conn, err := net.Dial("tcp", at.address)
		if err == nil {
			conn.Close()
			return cmd.Process.Pid
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", command[0], err, output.String())
		case <-deadline.C:
			t.Fatalf("%s does not listen: %v", command[0], err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// checkFrontEnd looks at all of the legacy site, and at pages with many links.
func checkFrontEnd(t testing.TB, base string, large ...string) {
	t.Helper()
	for _, path := range large {
		if diff := cmp.Diff(known()[public+path], linksOf(t, ask(t, base, "GET", path), path)); diff != "" {
			t.Errorf("%s: links (-want +got):\n%s", path, diff)
		}
	}
	for _, path := range []string{bigLanding, hugeLanding} {
		if a := ask(t, base, "GET", path); a.StatusCode != 200 || len(linksOf(t, a, path).Rel("linkset")) != 1 {
			t.Errorf("%s: want at least the link set, got %d, %q", path, a.StatusCode, a.links())
		}
	}
	tag := fmt.Sprintf(`If-None-Match: "page-%d"`, len(legacyPage))
	type test struct {
		path   string
		header []string
		status int
		body   string
		linked bool
	}
	tests := []test{
		{landing, nil, 200, legacyPage, true},
		{landing + "/", nil, 200, legacyPage, true},
		{queryLanding, nil, 200, legacyPage, true},
		{file, nil, 200, string(pdf), true},
		{file, []string{"Range: bytes=10-29"}, 206, string(pdf[10:30]), true},
		{metadata, nil, 200, "<OAI-PMH/>", true},
		{landing, []string{tag}, 304, "", true},
		{zipLanding, []string{"Accept-Encoding: gzip"}, 200, legacyPage, true},
		{goneLanding, nil, 404, "404 page not found\n", false},
		{deleted + "404", nil, 404, "", true},
		{deleted + "410", nil, 410, "", true},
		{landing + "?show=full", nil, 200, legacyPage, false},
		{aboutPage, nil, 200, "<html><head><title>About</title></head></html>", false},
	}
	for _, status := range linkedStatuses {
		tests = append(tests, test{fmt.Sprint(withStatus, status), nil, status, "", true}, test{fmt.Sprint("/other/", status), nil, status, "", false})
	}
	for _, tt := range tests {
		var want linkset.LinkSet
		page := strings.TrimRight(tt.path, "/")
		if tt.linked {
			want = known()[public+page]
		}
		for _, method := range []string{"GET", "HEAD"} {
			a := ask(t, base, method, tt.path, tt.header...)
			if a.StatusCode != tt.status {
				t.Errorf("%s %s: want %d, got %d", method, tt.path, tt.status, a.StatusCode)
			}
			if diff := cmp.Diff(want, linksOf(t, a, page)); diff != "" {
				t.Errorf("%s %s %v: links (-want +got):\n%s", method, tt.path, tt.header, diff)
			}
			if body := unzipped(t, a); method == "GET" && tt.body != "" && body != tt.body {
				t.Errorf("%s: want %q, got %q", tt.path, head(tt.body), head(body))
			}
		}
	}
	got := linksOf(t, ask(t, base, "GET", signed), signed)
	for _, want := range append(linkset.LinkSet{{Anchor: public + signed, Rel: "preload", Href: public + "/style.css"}}, known()[public+signed]...) {
		if !slices.Contains(got, want) {
			t.Errorf("%s: %v is missing", signed, want)
		}
	}
	if a := ask(t, base, "GET", landing, "Host: "+alias); len(a.links()) == 0 {
		t.Errorf("another name of the host: want links, got none")
	}
	visitor := ask(t, base, "GET", visitorsPage, "Cookie: session=1", "Authorization: Basic eDp5")
	if want := "repo.example.edu[session=1] [Basic eDp5]"; visitor.body != want || len(visitor.links()) == 0 {
		t.Errorf("the repository gets %q of its visitor, want %q", visitor.body, want)
	}
	if got := linksOf(t, ask(t, base, "POST", landing), landing); got != nil {
		t.Errorf("POST: want no links, got %v", got)
	}
}

func linksOf(t testing.TB, a answer, path string) linkset.LinkSet {
	t.Helper()
	if len(a.links()) == 0 {
		return nil
	}
	links, err := linkset.ParseHeader(a.links(), public+path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return links
}

func unzipped(t testing.TB, a answer) string {
	t.Helper()
	if a.Header.Get("Content-Encoding") != "gzip" || a.body == "" {
		return a.body
	}
	z, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkFailsOpen asks for pages that were not asked for before, while the
// gateway is not well.
func checkFailsOpen(t testing.TB, base string, g *lookupGateway) {
	t.Helper()
	states := []struct {
		name string
		set  func()
	}{
		{"hangs", g.hang}, {"fails", g.fail}, {"forbids", g.forbid}, {"is elsewhere", g.move}, {"is closed by law", g.prohibit}, {"is gone", g.close},
	}
	for i, s := range states {
		s.set()
		for _, method := range []string{"GET", "HEAD", "POST"} {
			path := fmt.Sprintf("%s%d-%s", unseenLanding, i, method)
			a := ask(t, base, method, path)
			if a.StatusCode != 200 || method == "GET" && a.body != legacyPage || len(a.links()) > 0 {
				t.Errorf("the gateway %s: %s: want the page as before, got %d, %q, %q", s.name, method, a.StatusCode, a.links(), head(a.body))
			}
		}
		if a := ask(t, base, "GET", goneLanding+s.name[:1]); a.StatusCode != 404 {
			t.Errorf("the gateway %s: want the repository's 404, got %d", s.name, a.StatusCode)
		}
	}
	g.open(t)
	back := time.NewTimer(5 * time.Second) // some wait before they try again
	defer back.Stop()
	for linksOf(t, ask(t, base, "GET", unseenLanding), unseenLanding) == nil {
		select {
		case <-back.C:
			t.Fatal("the gateway is back: want links")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// lookupGateway answers /links as the gateway does, or not.
type lookupGateway struct {
	address string
	server  *http.Server
	mu      sync.Mutex
	answer  http.HandlerFunc
}

func newLookupGateway(t testing.TB) *lookupGateway {
	t.Helper()
	g := &lookupGateway{address: "127.0.0.1:0"}
	g.open(t)
	t.Cleanup(g.close)
	return g
}

func (g *lookupGateway) open(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", g.address)
	if err != nil {
		t.Fatal(err)
	}
	g.address = l.Addr().String() // the same after it was closed
	links := known()
	g.set(func(w http.ResponseWriter, r *http.Request) {
		uri := r.Header.Get("X-Fingerpost-URI")
		if uri == "" {
			uri = strings.TrimPrefix(r.URL.RawQuery, "uri=")
		}
		for _, secret := range []string{"Cookie", "Authorization"} {
			if r.Header.Get(secret) != "" {
				t.Errorf("the gateway gets the visitor's %s", secret)
			}
		}
		if l, ok := links[strings.TrimRight(uri, "/")]; ok && r.URL.Path == "/links" {
			w.Header().Set("Link", l.Joined())
		}
		w.WriteHeader(http.StatusNoContent)
	})
	g.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		answer := g.answer
		g.mu.Unlock()
		answer(w, r)
	})}
	go g.server.Serve(l)
}

func (g *lookupGateway) set(answer http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = answer
}

func (g *lookupGateway) hang() {
	g.set(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // until the web server gives up
	})
}

func (g *lookupGateway) fail() {
	g.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
}

func (g *lookupGateway) forbid() {
	g.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
}

// move answers as what stands before a gateway that is reached by TLS only.
func (g *lookupGateway) move() {
	g.set(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://links.example.org"+r.URL.Path, http.StatusMovedPermanently)
	})
}

func (g *lookupGateway) prohibit() {
	g.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnavailableForLegalReasons) })
}

func (g *lookupGateway) close() { g.server.Close() }

// Apache uses a new export without a restart. Without the folder, pages are served
// as before.
func TestApacheFollowsTheExport(t *testing.T) {
	f := apacheFront(t)
	at := newPlace(t)
	run(t, at, f.start(t, at, f.parts(t, at, "127.0.0.1:9")))
	base := "http://" + at.address
	if got := linksOf(t, ask(t, base, "GET", landing), landing); len(got) < 2 {
		t.Errorf("want all links, got %v", got)
	}
	pages := knownPages()
	for i := range pages {
		if pages[i].URI == public+landing {
			pages[i].Links = pages[i].Links[:1]
		}
	}
	if _, err := Export(t.Context(), at.dir, repoHosts, each(pages...)); err != nil {
		t.Fatal(err)
	}
	if got := linksOf(t, ask(t, base, "GET", landing), landing); len(got) != 1 {
		t.Errorf("exported anew: want one link, got %v", got)
	}
	if err := os.RemoveAll(at.dir); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, base, "GET", queryLanding); a.StatusCode != 200 || a.body != legacyPage || len(a.links()) > 0 {
		t.Errorf("without the files: want the page as before, got %d %q", a.StatusCode, head(a.body))
	}
}

// A visitor cannot fill the cache of lookups by asking for their address.
func TestVarnishKeepsLinksApart(t *testing.T) {
	f := frontEnds[slices.IndexFunc(frontEnds, func(f frontEnd) bool { return f.name == "varnish" })]
	f.need(t)
	at := newPlace(t)
	run(t, at, f.start(t, at, f.parts(t, at, newLookupGateway(t).address)))
	for _, when := range []string{"before", "after"} {
		if a := ask(t, "http://"+at.address, "GET", "/links?uri="+public+landing); a.StatusCode != 404 || len(a.links()) > 0 {
			t.Errorf("%s: want the repository's 404, got %d and %q", when, a.StatusCode, a.links())
		}
		if a := ask(t, "http://"+at.address, "GET", landing); a.StatusCode != 200 || len(a.links()) == 0 {
			t.Errorf("%s: want the page with links, got %d and %q", when, a.StatusCode, a.links())
		}
	}
}

// The snippet lets nobody in who was kept out: not where all conditions must be
// met and, as it says itself, where any is enough only with "auth_request off".
func TestNginxKeepsVisitorsOut(t *testing.T) {
	f := frontEnds[0]
	f.need(t)
	at := newPlace(t)
	parts := f.parts(t, at, newLookupGateway(t).address)
	if mind := `"satisfy any"`; !strings.Contains(parts[1], mind) {
		t.Errorf("the snippet does not mention %s", mind)
	}
	parts[1] += fmt.Sprintf(`
    location = %[1]s { deny all; proxy_pass http://%[3]s; }
    location = %[2]s { satisfy any; auth_request off; deny all; proxy_pass http://%[3]s; }`, landing, bigLanding, at.origin)
	run(t, at, f.start(t, at, parts))
	for _, path := range []string{landing, bigLanding} {
		if a := ask(t, "http://"+at.address, "GET", path); a.StatusCode != 403 || len(a.links()) > 0 {
			t.Errorf("%s: want 403 and no links, got %d, %q", path, a.StatusCode, a.links())
		}
	}
}

// The address of the request counts, not that of the script that answers it.
func TestNginxWithPagesMadeByAScript(t *testing.T) {
	f := frontEnds[slices.IndexFunc(frontEnds, func(f frontEnd) bool { return f.name == "nginx" && f.mode == MapMode })]
	f.need(t)
	at := newPlace(t)
	parts := f.parts(t, at, "127.0.0.1:9")
	parts[1] += fmt.Sprintf(`
    location /handle/ { rewrite ^ %[1]s?q=$uri last; }
    location /bitstream/ { try_files /none %[1]s?$args; }
    location = %[1]s { proxy_pass http://%[2]s; }`, aboutPage, at.origin)
	run(t, at, f.start(t, at, parts))
	for page, asked := range map[string]string{landing: "/h%61ndle/1/20/", bigLanding: bigLanding, file: file} {
		if diff := cmp.Diff(known()[public+page], linksOf(t, ask(t, "http://"+at.address, "GET", asked), page)); diff != "" {
			t.Errorf("%s: links (-want +got):\n%s", asked, diff)
		}
	}
}

// A page for whose links HAProxy has no room comes without them. How much of the
// buffer the page has filled by then is chance.
func TestHAProxyWithoutRoomForLinks(t *testing.T) {
	f := frontEnds[slices.IndexFunc(frontEnds, func(f frontEnd) bool { return f.name == "haproxy" })]
	f.need(t)
	at := newPlace(t)
	parts := f.parts(t, at, "127.0.0.1:9")
	parts[0] = "" // as if it had not been pasted
	run(t, at, f.start(t, at, parts))
	for range 20 {
		if a := ask(t, "http://"+at.address, "GET", bigLanding); a.StatusCode != 200 || !strings.HasPrefix(a.body, legacyPage) {
			t.Fatalf("want the page, got %d, %q", a.StatusCode, head(a.body))
		}
	}
}
