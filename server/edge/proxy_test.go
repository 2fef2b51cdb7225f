package edge

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// front starts a proxy in front of origin. With change nil it is that of the
// legacy site's administrator: links in headers only.
func front(t testing.TB, origin http.Handler, lookup Lookup, change func(*Config)) *httptest.Server {
	t.Helper()
	c := Config{Origin: mustParse(start(t, origin).URL), Public: mustParse(public)}
	if change != nil {
		change(&c)
	}
	p, err := New(c, lookup)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, p)
}

func withHTML(c *Config) { c.HTML = true }

// answer is what came back.
type answer struct {
	*http.Response
	body string
}

func (a answer) links() []string { return a.Header.Values("Link") }

// ask sends a request as it is: no redirect is followed, nothing is added.
func ask(t testing.TB, base, method, path string, header ...string) answer {
	t.Helper()
	a, err := try(base, method, path, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func try(base, method, path string, header ...string) (answer, error) {
	r, err := http.NewRequest(method, base+path, nil)
	if err != nil {
		return answer{}, err
	}
	r.Host = strings.TrimPrefix(public, "https://")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Add(name, value)
	}
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	res, err := transport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{res, string(body)}, err
}

func TestLinksAreAddedWhereTheyBelong(t *testing.T) {
	proxy := front(t, legacySite(), lookupIn(known()), nil)
	of := func(path string) []string { return known()[public+path].Header() }
	type test struct {
		name, path string
		header     []string
		status     int
		links      []string
	}
	tests := []test{
		{"a landing page", landing, nil, 200, of(landing)},
		{"a landing page with a query", queryLanding, nil, 200, of(queryLanding)},
		{"a file", file, nil, 200, of(file)},
		{"a part of a file", file, []string{"Range: bytes=0-99"}, 206, of(file)},
		{"metadata", metadata, nil, 200, of(metadata)},
		{"a page that has not changed", landing, []string{`If-None-Match: "page-` + fmt.Sprint(len(legacyPage)) + `"`}, 304, of(landing)},
		{"a page that is compressed", zipLanding, []string{"Accept-Encoding: gzip"}, 200, of(zipLanding)},
		{"a page under a name that is not the repository's", landing, []string{"Host: evil.example"}, 200, of(landing)},
		{"a page that is not found", goneLanding, nil, 404, nil},
		{"a page whose object was deleted", deleted + "404", nil, 404, of(deleted + "404")},
		{"a page that is gone", deleted + "410", nil, 410, of(deleted + "410")},
		{"a range that cannot be", file, []string{"Range: bytes=999999-"}, 416, nil},
		{"a page that is no landing page", aboutPage, nil, 200, nil},
		{"a query that the landing page does not have", landing + "?show=full", nil, 200, nil},
	}
	for _, status := range linkedStatuses {
		path := fmt.Sprint(withStatus, status)
		tests = append(tests, test{fmt.Sprint("a landing page with status ", status), path, nil, status, of(path)})
		tests = append(tests, test{fmt.Sprint("a page without links, with status ", status), fmt.Sprint("/other/", status), nil, status, nil})
	}
	for _, tt := range tests {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(method+" "+tt.name, func(t *testing.T) {
				a := ask(t, proxy.URL, method, tt.path, tt.header...)
				if a.StatusCode != tt.status {
					t.Errorf("status: want %d, got %d", tt.status, a.StatusCode)
				}
				if diff := cmp.Diff(tt.links, a.links()); diff != "" {
					t.Errorf("links (-want +got):\n%s", diff)
				}
			})
		}
	}
	if a := ask(t, proxy.URL, "POST", landing); len(a.links()) > 0 {
		t.Errorf("POST: want no links, got %q", a.links())
	}
}

// A repository can send broken Link headers.
func TestLinksOfTheRepositoryThatAreNone(t *testing.T) {
	page := public + landing
	links := linkset.LinkSet{{Anchor: page, Rel: "item", Href: "https://[broken"}, {Anchor: page, Rel: "item", Href: public + file}}
	for _, header := range []string{`<https://[broken>; rel="item"`, `nothing`, `<`, `<>; rel="item"`} {
		if got := without(links, ownLinks([]string{header}, page)); !slices.Contains(got, links[1]) {
			t.Errorf("%s: want the file, got %v", header, got)
		}
	}
}

// FAIR Signposting, 2.1.1: a landing page has one cite-as link.
func TestTheRepositorySaysWhatToCiteItsPageAs(t *testing.T) {
	page := public + landing
	links := linkset.LinkSet{{Anchor: page, Rel: "cite-as", Href: "https://doi.org/10.5072/ours"}, {Anchor: page, Rel: "item", Href: public + file}}
	for header, want := range map[string]linkset.LinkSet{
		`<https://hdl.handle.net/2027/theirs>; rel="Cite-As"`:                                      links[1:],
		`<https://hdl.handle.net/2027/theirs>; rel="cite-as"; anchor="https://elsewhere.example/"`: links,
		`<https://hdl.handle.net/2027/theirs>; rel="item"`:                                         links,
	} {
		if got := without(links, ownLinks([]string{header}, page)); !slices.Equal(got, want) {
			t.Errorf("%s: want %v, got %v", header, want, got)
		}
	}
}

func TestOnlyWhatTheBudgetHoldsIsAdded(t *testing.T) {
	proxy := front(t, legacySite(), lookupIn(known()), func(c *Config) { c.Budget = linkset.Budget{Bytes: 1000} })
	a := ask(t, proxy.URL, "GET", bigLanding)
	want := known()[public+bigLanding].Except("item").Header()
	if diff := cmp.Diff(want, a.links()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestWhatTheRepositorySaysIsKeptAndNotRepeated(t *testing.T) {
	proxy := front(t, legacySite(), lookupIn(known()), nil)
	got := ask(t, proxy.URL, "GET", signed).links()
	want := append([]string{`</style.css>; rel="preload", <https://doi.org/10.5072/own>; rel="cite-as"`},
		known()[public+signed].Except("cite-as").Header()...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestAPageUnderAnotherNameOfTheHost(t *testing.T) {
	asked := make(chan string, 1)
	proxy := front(t, legacySite(), func(_ context.Context, uri string) (linkset.LinkSet, bool) {
		asked <- uri
		return nil, false
	}, func(c *Config) { c.Hosts = []string{"www.repo.example.edu", "repo.example.edu:8080"} })
	for host, want := range map[string]string{
		"repo.example.edu":         public + landing,
		"REPO.example.edu:8080":    public + landing,
		"www.repo.example.edu:443": "https://www.repo.example.edu" + landing,
		"evil.example":             public + landing,
	} {
		ask(t, proxy.URL, "GET", landing, "Host: "+host)
		if got := <-asked; got != want {
			t.Errorf("%s: want %s to be looked up, got %s", host, want, got)
		}
	}
}

// The page comes as before, whatever becomes of the lookup.
func TestABrokenLookupCostsThePageNothing(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	lookups := map[string]Lookup{
		"panics": func(context.Context, string) (linkset.LinkSet, bool) { panic("broken") },
		"hangs":  func(context.Context, string) (linkset.LinkSet, bool) { <-release; return nil, false },
		"obeys its deadline": func(ctx context.Context, _ string) (linkset.LinkSet, bool) {
			<-ctx.Done()
			return nil, false
		},
		"knows nothing": func(context.Context, string) (linkset.LinkSet, bool) { return nil, true },
	}
	for name, lookup := range lookups {
		for _, change := range []func(*Config){nil, withHTML} {
			proxy := front(t, legacySite(), lookup, change)
			a := ask(t, proxy.URL, "GET", landing)
			if a.StatusCode != 200 || a.body != legacyPage || len(a.links()) > 0 {
				t.Errorf("%s: got status %d, links %q, body %q", name, a.StatusCode, a.links(), a.body)
			}
		}
	}
}

func TestLookupsThatHangAreBounded(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	l := &lookups{slots: make(chan struct{}, 3), lookup: func(context.Context, string) (linkset.LinkSet, bool) {
		<-release
		return nil, false
	}}
	for i := range 10 {
		p := l.start(t.Context(), "https://repo.example.edu/")
		select {
		case <-p.links:
			if i < 3 {
				t.Errorf("lookup %d: want it under way, got its end", i)
			}
		default:
			if i >= 3 {
				t.Errorf("lookup %d: want none, got one under way", i)
			}
		}
	}
}

func TestWhatOnlyAnOpenProxyTakesIsRefused(t *testing.T) {
	var reached atomic.Bool
	proxy := front(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }), lookupIn(nil), nil)
	tests := []struct {
		request string
		status  int
	}{
		{"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n", 421},
		{"GET http://evil.example/ HTTP/1.1\r\nHost: repo.example.edu\r\n", 421},
		{"GET ftp://repo.example.edu/ HTTP/1.1\r\nHost: repo.example.edu\r\n", 421},
		{"GET http:evil HTTP/1.1\r\nHost: repo.example.edu\r\n", 400},
		{"GET evil.example/ HTTP/1.1\r\nHost: repo.example.edu\r\n", 400},
		{"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n", 405},
		{"CONNECT repo.example.edu:443 HTTP/1.1\r\nHost: repo.example.edu:443\r\n", 405},
		{"TRACE / HTTP/1.1\r\nHost: repo.example.edu\r\n", 405},
		{"TRACK / HTTP/1.1\r\nHost: repo.example.edu\r\n", 405},
		{"GET / HTTP/1.1\r\nHost: repo.example.edu\r\nCDN-Loop: fingerpost\r\n", 508},
	}
	for _, tt := range tests {
		line, _, _ := strings.Cut(tt.request, "\r\n")
		res := raw(t, proxy.URL, tt.request+"Connection: close\r\n\r\n")
		if res.StatusCode != tt.status {
			t.Errorf("%s: want %d, got %d", line, tt.status, res.StatusCode)
		}
		if reached.Swap(false) {
			t.Errorf("%s: reached the origin", line)
		}
	}
	res := raw(t, proxy.URL, "GET http://repo.example.edu/x HTTP/1.1\r\nHost: repo.example.edu\r\nConnection: close\r\n\r\n")
	if res.StatusCode != 200 || !reached.Load() {
		t.Errorf("the repository's own absolute address: want 200 from the origin, got %d", res.StatusCode)
	}
}

// raw sends bytes and reads an answer.
func raw(t *testing.T, base, request string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	return res
}

func TestAddressesReachTheOriginByteForByte(t *testing.T) {
	got := make(chan string, 1)
	proxy := front(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.RequestURI }), lookupIn(nil), nil)
	for _, path := range []string{
		"/", "/a%2Fb", "/a%2fb|c", "/it's", "/x;jsessionid=1?y;z=%zz&a=b", "/x?", "/a//b/../c", "//evil.example/x",
		`/a%2Fb"c`, "/[x]", "/%E4", "/a+b", "/x?a=http://b/?c",
	} {
		raw(t, proxy.URL, "GET "+path+" HTTP/1.1\r\nHost: repo.example.edu\r\nConnection: close\r\n\r\n")
		if got := <-got; got != path {
			t.Errorf("want %s, got %s", path, got)
		}
	}
}

// Clients that are older than the Host header reach the repository too.
func TestARequestWithoutHost(t *testing.T) {
	got := make(chan []string, 1)
	proxy := front(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- append(r.Header["X-Forwarded-Host"], r.Host)
	}), lookupIn(known()), nil)
	res := raw(t, proxy.URL, "GET "+landing+" HTTP/1.0\r\n\r\n")
	if hosts := <-got; !slices.Equal(hosts, []string{"repo.example.edu", "repo.example.edu"}) || len(res.Header["Link"]) == 0 {
		t.Errorf("want repo.example.edu as Host and X-Forwarded-Host, and links, got %q, %q", hosts, res.Header["Link"])
	}
}

func TestForwardingHeaders(t *testing.T) {
	got := make(chan *http.Request, 1)
	origin := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r })
	claims := []string{
		"X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http", "X-Forwarded-Host: evil.example", "X-Forwarded-Port: 1",
		"X_Forwarded_For: 192.0.2.8", "X-Forwarded_Proto: http", "X_Real-IP: 192.0.2.8",
		"X-Real-IP: 192.0.2.7", "Forwarded: for=192.0.2.7", "Connection: X-Secret", "X-Secret: 1", "Proxy-Authorization: Basic eDp5", "Keep-Alive: 1",
	}
	tests := []struct {
		name    string
		trusted []netip.Prefix
		want    map[string]string
	}{
		{"from anybody", nil, map[string]string{
			"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "repo.example.edu"}},
		{"from anybody, with a server in front elsewhere", []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, map[string]string{
			"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "repo.example.edu"}},
		{"from a server in front", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, map[string]string{
			"X-Forwarded-For": "192.0.2.7, 127.0.0.1", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example",
			"X-Forwarded-Port": "1", "X-Real-Ip": "192.0.2.7"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			proxy := front(t, origin, lookupIn(nil), func(c *Config) { c.Trusted = tt.trusted })
			ask(t, proxy.URL, "GET", landing, claims...)
			r := <-got
			if r.Host != "repo.example.edu" {
				t.Errorf("Host: want the client's, got %s", r.Host)
			}
			for name, values := range r.Header {
				if want := tt.want[name]; name != loopHeader && name != "User-Agent" && strings.Join(values, ",") != want {
					t.Errorf("%s: want %q, got %q", name, want, values)
				}
			}
			for name := range tt.want {
				if r.Header[name] == nil {
					t.Errorf("%s is missing", name)
				}
			}
		})
	}
}

func TestAnswersComeAsTheOriginSentThem(t *testing.T) {
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Content-Type"], h["Date"] = nil, nil
		h.Set("Content-Security-Policy", "default-src 'self'")
		h.Add("Set-Cookie", "a=1")
		h.Add("Set-Cookie", "b=2")
		h.Set("Trailer", "Checksum")
		io.WriteString(w, "<html>")
		h.Set("Checksum", "42")
	}), lookupIn(nil), nil)
	a := ask(t, proxy.URL, "GET", "/")
	if got, ok := a.Header["Content-Type"]; ok {
		t.Errorf("Content-Type: want none, got %q", got)
	}
	if got := a.Header.Get("Content-Security-Policy"); got != "default-src 'self'" {
		t.Errorf("Content-Security-Policy: got %q", got)
	}
	if got := a.Header["Set-Cookie"]; len(got) != 2 {
		t.Errorf("Set-Cookie: want two, got %q", got)
	}
	if got := a.Trailer.Get("Checksum"); got != "42" {
		t.Errorf("trailer: want 42, got %q", got)
	}
}

// An interim answer changes nothing about the final one. RFC 8297.
func TestAnAnswerAfterEarlyHints(t *testing.T) {
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header()["Content-Type"] = nil
		io.WriteString(w, "<html>")
	}), lookupIn(nil), nil)
	if got, ok := ask(t, proxy.URL, "GET", "/").Header["Content-Type"]; ok {
		t.Errorf("Content-Type: want none, got %q", got)
	}
}

// A broken request is the client's fault, not the origin's.
func TestABrokenRequestBody(t *testing.T) {
	var log bytes.Buffer
	proxy := front(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }), lookupIn(nil), func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	res := raw(t, proxy.URL, "POST / HTTP/1.1\r\nHost: repo.example.edu\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n")
	if res.StatusCode != 400 || log.Len() > 0 {
		t.Errorf("want 400 and nothing in the log, got %d and %q", res.StatusCode, log.String())
	}
}

func TestUpgradedConnectionsPassThrough(t *testing.T) {
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" {
			t.Errorf("Upgrade: got %q", r.Header.Get("Upgrade"))
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := rw.ReadString('\n')
		fmt.Fprint(conn, "echo "+line)
	}), lookupIn(nil), func(c *Config) { c.HTML = true })
	conn, err := net.Dial("tcp", strings.TrimPrefix(proxy.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /chat HTTP/1.1\r\nHost: repo.example.edu\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	b := bufio.NewReader(conn)
	res, err := http.ReadResponse(b, nil)
	if err != nil || res.StatusCode != 101 {
		t.Fatalf("want 101, got %v, %v", res, err)
	}
	fmt.Fprint(conn, "hello\n")
	if got, _ := b.ReadString('\n'); got != "echo hello\n" {
		t.Errorf("want echo hello, got %q", got)
	}
}

// Clients that would rather speak HTTP/2 get links by HTTP/1.1.
func TestNothingButWebSocketIsUpgradedTo(t *testing.T) {
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Connection", "Upgrade", "Http2-Settings"} {
			if got := r.Header.Get(name); got != "" {
				t.Errorf("the origin gets %s: %s", name, got)
			}
		}
		legacySite().ServeHTTP(w, r)
	}), lookupIn(known()), withHTML)
	a := ask(t, proxy.URL, "GET", landing, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
	if len(a.links()) == 0 || !strings.Contains(a.body, "<link") {
		t.Errorf("want links in header and page, got %q, %q", a.links(), head(a.body))
	}
}

// An origin that does not answer is told about, whatever was asked of it.
func TestAnOriginThatDoesNotUpgrade(t *testing.T) {
	c := Config{Origin: mustParse("http://" + rawOrigin(t, "", true)), Public: mustParse(public), Timeout: 200 * time.Millisecond}
	p, err := New(c, lookupIn(nil))
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, start(t, p).URL, "GET", landing, "Connection: Upgrade", "Upgrade: websocket"); a.StatusCode != 504 {
		t.Errorf("want 504, got %d", a.StatusCode)
	}
}

func TestLargeUploadsPassThrough(t *testing.T) {
	const size = 20 << 20
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s %d %v", r.Header.Get("Expect"), n, err)
	}), lookupIn(nil), nil)
	r, _ := http.NewRequest("POST", proxy.URL+"/deposit", io.LimitReader(zeros{}, size))
	r.Header.Set("Expect", "100-continue")
	client := http.Transport{ExpectContinueTimeout: time.Minute}
	defer client.CloseIdleConnections()
	res, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if want := fmt.Sprintf("100-continue %d <nil>", size); string(body) != want {
		t.Errorf("want %q, got %q", want, body)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// An upload that the origin does not want is not sent to it.
func TestTrailersOfRequestsPassThrough(t *testing.T) {
	origin := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, r.Trailer.Get("Checksum"))
	})
	proxy := front(t, origin, lookupIn(nil), nil)
	r, err := http.NewRequest("POST", proxy.URL+"/deposit", io.MultiReader(strings.NewReader("a file"))) // of no known length
	if err != nil {
		t.Fatal(err)
	}
	r.Trailer = http.Header{"Checksum": {"42"}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); string(body) != "42" || err != nil {
		t.Errorf("want the origin to have 42, it has %q (%v)", body, err)
	}
}

func TestExpectationsAreTheOriginsToMeet(t *testing.T) {
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusForbidden)
	}), lookupIn(nil), nil)
	res := raw(t, proxy.URL, "POST /deposit HTTP/1.1\r\nHost: repo.example.edu\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("want 403 without a 100 before, got %d", res.StatusCode)
	}
}

// An origin that misbehaves on the wire.
func TestABrokenOriginIsToldInBoundedTime(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	tests := []struct {
		name   string
		sends  string
		hangs  bool
		status int
		cut    bool // the body does not end well
	}{
		{"hangs", "", true, 504, false},
		{"closes", "", false, 502, false},
		{"speaks something else", "SSH-2.0-OpenSSH\r\n", false, 502, false},
		{"hangs within its headers", "HTTP/1.1 200 OK\r\nContent-", true, 504, false},
		{"sends headers without end", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20), true, 502, false},
		{"promises more than it sends", page + "Content-Length: 100\r\n\r\n<html><head>", false, 200, true},
		{"hangs within its page", page + "Content-Length: 100\r\n\r\n<html><head>", true, 200, true},
		{"hangs before the head", page + "Content-Length: 100\r\n\r\n<html>", true, 200, true},
		{"breaks off a chunk", page + "Transfer-Encoding: chunked\r\n\r\n20\r\n<html><head>", false, 200, true},
		{"promises less than it sends", page + "Content-Length: 5\r\n\r\nhellohello", false, 200, false},
	}
	for _, tt := range tests {
		for mode, change := range map[string]func(*Config){"header": nil, "HTML": withHTML} {
			t.Run(tt.name+", "+mode, func(t *testing.T) {
				t.Parallel()
				origin := rawOrigin(t, tt.sends, tt.hangs)
				c := Config{Origin: mustParse("http://" + origin), Public: mustParse(public), Timeout: 200 * time.Millisecond}
				if change != nil {
					change(&c)
				}
				p, err := New(c, lookupIn(known()))
				if err != nil {
					t.Fatal(err)
				}
				a, err := try(start(t, p).URL, "GET", landing)
				if a.Response == nil {
					t.Fatal(err)
				}
				if a.StatusCode != tt.status {
					t.Errorf("want %d, got %d: %s", tt.status, a.StatusCode, a.body)
				}
				if cut := err != nil; cut != tt.cut {
					t.Errorf("cut off: want %v, got %v (%v)", tt.cut, cut, err)
				}
			})
		}
	}
}

// rawOrigin answers each connection with the same bytes.
func rawOrigin(t *testing.T, sends string, hangs bool) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
					return
				}
				io.WriteString(conn, sends)
				if hangs {
					io.Copy(io.Discard, conn) // until the other side gives up
				}
			}()
		}
	}()
	return l.Addr().String()
}

func TestAnOriginThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p, err := New(Config{Origin: mustParse("http://" + l.Addr().String()), Public: mustParse(public)}, lookupIn(known()))
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, start(t, p).URL, "GET", landing); a.StatusCode != 502 || len(a.links()) > 0 {
		t.Errorf("want 502 without links, got %d with %q", a.StatusCode, a.links())
	}
}

func TestAnOriginThatLeadsBack(t *testing.T) {
	var proxy http.Handler
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { proxy.ServeHTTP(w, r) }))
	proxy, err := New(Config{Origin: mustParse(s.URL), Public: mustParse(public)}, lookupIn(nil))
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, s.URL, "GET", landing); a.StatusCode != http.StatusLoopDetected {
		t.Errorf("want 508, got %d", a.StatusCode)
	}
}

// A page into which no link is written stays compressed.
func TestOtherPagesStayCompressed(t *testing.T) {
	links := known()
	delete(links, public+zipLanding)
	proxy := front(t, legacySite(), lookupIn(links), withHTML)
	a := ask(t, proxy.URL, "GET", zipLanding, "Accept-Encoding: gzip")
	z, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); string(got) != legacyPage {
		t.Errorf("got %q", got)
	}
}

func TestHostileLinksStayInTheirPlace(t *testing.T) {
	hostile := "https://repo.example.edu/x\r\nSet-Cookie: a=1\r\n\r\n<script>\"><script>alert(1)</script>'\x00\u2028 y,z;rel=\"cite-as\""
	links := linkset.LinkSet{
		{Anchor: public + landing, Rel: "item", Href: hostile, Type: hostile, Profile: hostile},
		{Anchor: public + landing, Rel: hostile, Href: "https://repo.example.edu/"},
	}
	lookup := func(context.Context, string) (linkset.LinkSet, bool) { return links, true }
	a := ask(t, front(t, legacySite(), lookup, withHTML).URL, "GET", landing)
	if len(a.links()) != 2 || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("want two links and no cookie, got %q", a.Header)
	}
	for _, line := range a.links() {
		if strings.ContainsAny(line, "\r\n\x00") {
			t.Errorf("a line breaks: %q", line)
		}
	}
	if strings.Contains(a.body, "<script") || strings.Count(a.body, "<link") != 2 {
		t.Errorf("the page breaks: %s", a.body)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	good := Config{Origin: mustParse("http://127.0.0.1:8000"), Public: mustParse(public)}
	tests := map[string]func(*Config){
		"no origin":                 func(c *Config) { c.Origin = nil },
		"an origin with a path":     func(c *Config) { c.Origin = mustParse("http://127.0.0.1/dspace") },
		"an origin of another kind": func(c *Config) { c.Origin = mustParse("ftp://127.0.0.1") },
		"a password":                func(c *Config) { c.Origin = mustParse("http://a:b@127.0.0.1") },
		"no public address":         func(c *Config) { c.Public = nil },
		"a relative one":            func(c *Config) { c.Public = mustParse("/repo") },
		"a Signmap with a line end": func(c *Config) { c.Sitemaps = []string{"https://x.example/\nDisallow: /"} },
	}
	if _, err := New(good, lookupIn(nil)); err != nil {
		t.Errorf("a good one: %v", err)
	}
	for name, change := range tests {
		c := good
		change(&c)
		if _, err := New(c, lookupIn(nil)); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestTheCatalogueIsTheGateways(t *testing.T) {
	catalog := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "catalogue") })
	proxy := front(t, legacySite(), lookupIn(nil), func(c *Config) { c.Catalog = catalog })
	if a := ask(t, proxy.URL, "GET", "/.well-known/api-catalog"); a.body != "catalogue" {
		t.Errorf("got %q", a.body)
	}
	without := front(t, legacySite(), lookupIn(nil), nil)
	if a := ask(t, without.URL, "GET", "/.well-known/api-catalog"); a.StatusCode != 404 {
		t.Errorf("without one: want the origin's 404, got %d", a.StatusCode)
	}
}

// A fault of our own ends the connection, and is told.
func TestAPanicIsTold(t *testing.T) {
	var log lockedBuffer
	proxy := front(t, legacySite(), lookupIn(nil), func(c *Config) {
		c.Catalog = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken") })
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	if a, err := try(proxy.URL, "GET", catalogPath); err == nil {
		t.Errorf("want no answer, got %d", a.StatusCode)
	}
	if got := log.String(); !strings.Contains(got, "path="+catalogPath) || !strings.Contains(got, "panic=broken") {
		t.Errorf("got %q", got)
	}
}

func TestRobots(t *testing.T) {
	const signmap = "https://links.example.org/main/signmap.xml"
	serve := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Etag", `"1"`)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	large := strings.Repeat("Disallow: /x\n", outbound.MaxRobots/12)
	tests := []struct {
		name   string
		origin http.HandlerFunc
		status int
		want   string
	}{
		{"one without it", serve(200, "text/plain", "User-agent: *\nDisallow: /search\n"), 200,
			"User-agent: *\nDisallow: /search\n\nSitemap: " + signmap + "\n"},
		{"one that does not end its last line", serve(200, "text/plain", "User-agent: *\nDisallow: /search"), 200,
			"User-agent: *\nDisallow: /search\n\nSitemap: " + signmap + "\n"},
		{"one that has it", serve(200, "text/plain", "sitemap:"+signmap+" # ours\r\nUser-agent: *\r\nDisallow:\r\n"), 200,
			"sitemap:" + signmap + " # ours\r\nUser-agent: *\r\nDisallow:\r\n"},
		{"one that begins with a mark", serve(200, "text/plain", "\uFEFFSitemap: "+signmap+"\n"), 200, "\uFEFFSitemap: " + signmap + "\n"},
		{"one that is empty", serve(200, "text/plain", ""), 200, "Sitemap: " + signmap + "\n"},
		{"none", serve(404, "text/html", "<h1>Not found</h1>"), 200, "User-agent: *\nDisallow:\n\nSitemap: " + signmap + "\n"},
		{"a page that says so", serve(200, "text/html; charset=utf-8", "<h1>Oops</h1>"), 200, "User-agent: *\nDisallow:\n\nSitemap: " + signmap + "\n"},
		{"rules that are called a page", serve(200, "text/html", "User-agent: *\nDisallow: /private\n"), 200,
			"User-agent: *\nDisallow: /private\n\nSitemap: " + signmap + "\n"},
		{"one that is refused", serve(403, "text/plain", "no"), 403, "no"},
		{"one that fails", serve(503, "text/plain", "later"), 503, "later"},
		{"one larger than any crawler reads", serve(200, "text/plain", large), 200, large},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			proxy := front(t, tt.origin, lookupIn(nil), func(c *Config) { c.Sitemaps = []string{signmap} })
			a := ask(t, proxy.URL, "GET", "/robots.txt", `If-None-Match: "1"`, "Accept-Encoding: gzip")
			if a.StatusCode != tt.status || a.body != tt.want {
				t.Errorf("want %d %q, got %d %q", tt.status, head(tt.want), a.StatusCode, head(a.body))
			}
			if a.StatusCode == 200 && a.Header.Get("Content-Type") != "text/plain" && a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("Content-Type: got %q", a.Header.Get("Content-Type"))
			}
			h := ask(t, proxy.URL, "HEAD", "/robots.txt")
			delete(h.Header, "Date")
			delete(a.Header, "Date")
			if diff := cmp.Diff(a.Header, h.Header); diff != "" && len(tt.want) < 1000 {
				t.Errorf("HEAD (-GET +HEAD):\n%s", diff)
			}
		})
	}
}

func head(s string) string { return s[:min(len(s), 300)] }

func TestHTML(t *testing.T) {
	links := string(known()[public+landing].HTML())
	proxy := front(t, legacySite(), lookupIn(known()), withHTML)
	a := ask(t, proxy.URL, "GET", landing, "Accept-Encoding: gzip", "Range: bytes=0-9")
	want := strings.Replace(legacyPage, "<head>", "<head>\n"+links, 1)
	if a.StatusCode != 200 || a.body != want {
		t.Errorf("want 200 and\n%s\ngot %d and\n%s", want, a.StatusCode, a.body)
	}
	if got, want := a.ContentLength, int64(len(want)); got != want {
		t.Errorf("Content-Length: want %d, got %d", want, got)
	}
	if a.Header.Get("Accept-Ranges") != "" {
		t.Error("Accept-Ranges: want none")
	}
	if diff := cmp.Diff(known()[public+landing].Header(), a.links()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}

	sameHeader(t, a, ask(t, proxy.URL, "HEAD", landing))

	f := ask(t, proxy.URL, "GET", file, "Range: bytes=0-9")
	if f.StatusCode != 206 || f.body != string(pdf[:10]) || f.Header.Get("Etag") != `"pdf"` {
		t.Errorf("a part of a file: want 206 as the origin sends it, got %d, %q, %s", f.StatusCode, f.body, f.Header.Get("Etag"))
	}
}

// The HTML says nothing else than the repository's own header.
func TestHTMLDoesNotContradictTheHeader(t *testing.T) {
	for own, want := range map[string]bool{
		"https://doi.org/10.5072/20":      true,
		"https://hdl.handle.net/2027/own": false,
	} {
		origin := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+own+">; rel=cite-as")
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, legacyPage)
		})
		body := ask(t, front(t, origin, lookupIn(known()), withHTML).URL, "GET", landing).body
		if got := strings.Contains(body, `rel="cite-as"`); got != want || !strings.Contains(body, `rel="describedby"`) {
			t.Errorf("the repository sends cite-as %s: want ours in the HTML %v, got\n%s", own, want, head(body))
		}
	}
}

// The links in a page belong to what is revalidated.
func TestEntityTags(t *testing.T) {
	for _, tag := range []string{`"v1"`, `W/"v1"`, `"a-fps0"`, `"1,2"`, `""`} {
		var held atomic.Value
		origin := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			held.Store(r.Header.Get("If-None-Match"))
			w.Header().Set("Etag", tag)
			if r.Header.Get("If-None-Match") == tag { // as a string: there are such
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, legacyPage)
		})
		links := known()
		proxy := front(t, origin, lookupIn(links), withHTML)
		first := ask(t, proxy.URL, "GET", landing)
		ours := first.Header.Get("Etag")
		if ours == tag || !strings.HasPrefix(ours, `W/"`) {
			t.Errorf("%s: want another, weak tag, got %s", tag, ours)
		}
		again := ask(t, proxy.URL, "GET", landing, "If-None-Match: "+ours, "If-Modified-Since: Sun, 01 Mar 2009 12:00:00 GMT")
		if again.StatusCode != 304 || again.Header.Get("Etag") != ours || held.Load() != tag {
			t.Errorf("%s: want 304 with %s, got %d with %s; the origin was asked for %s", tag, ours, again.StatusCode, again.Header.Get("Etag"), held.Load())
		}
		if len(again.links()) == 0 {
			t.Errorf("%s: want links on the 304", tag)
		}

		links[public+landing] = landingLinks(public+landing, 2)
		changed := ask(t, front(t, origin, lookupIn(links), withHTML).URL, "GET", landing, "If-None-Match: "+ours)
		if changed.StatusCode != 200 || held.Load() != "" {
			t.Errorf("%s: other links: want the whole page, got %d; the origin was asked for %s", tag, changed.StatusCode, held.Load())
		}
		asIs := ask(t, proxy.URL, "GET", landing, "If-None-Match: "+tag)
		if asIs.StatusCode != 304 {
			t.Errorf("%s: the origin's own tag: want 304, got %d", tag, asIs.StatusCode)
		}
	}
}

func TestWhichPagesAreWrittenInto(t *testing.T) {
	const html = "<html><head><title>x</title></head><body></body></html>"
	utf16 := "\xFF\xFE" + strings.Join(strings.Split(html, ""), "\x00") + "\x00"
	const (
		untouched = iota
		headless  // the same page under another tag: HEAD could not tell it from one with links
		written
	)
	tests := []struct {
		name   string
		header []string
		status int
		body   string
		want   int
	}{
		{"HTML", []string{"Content-Type: text/html"}, 200, html, written},
		{"in Latin-1", []string{"Content-Type: TEXT/HTML; Charset=ISO-8859-1"}, 200, html, written},
		{"in Shift_JIS", []string{"Content-Type: text/html; charset=Shift_JIS"}, 200, html, written},
		{"as identity", []string{"Content-Type: text/html", "Content-Encoding: identity"}, 200, html, written},
		{"in upper case", []string{"Content-Type: text/html"}, 200, strings.ToUpper(html), written},
		{"of no type", nil, 200, html, untouched},
		{"plain text", []string{"Content-Type: text/plain"}, 200, html, untouched},
		{"XHTML", []string{"Content-Type: application/xhtml+xml"}, 200, html, untouched},
		{"compressed although not asked for", []string{"Content-Type: text/html", "Content-Encoding: br"}, 200, html, untouched},
		{"that nobody may change", []string{"Content-Type: text/html", "Cache-Control: public, no-transform"}, 200, html, untouched},
		{"that failed", []string{"Content-Type: text/html"}, 500, html, untouched},
		{"in UTF-16", []string{"Content-Type: text/html; charset=utf-16"}, 200, utf16, untouched},
		{"in UTF-16 that does not say so", []string{"Content-Type: text/html"}, 200, utf16, headless},
		{"in UTF-16 without a mark", []string{"Content-Type: text/html"}, 200, utf16[2:], headless},
		{"in JIS", []string{"Content-Type: text/html; charset=iso-2022-jp"}, 200, html, untouched},
		{"in a character set that nobody knows", []string{"Content-Type: text/html; charset=ebcdic-us"}, 200, html, untouched},
		{"without a head", []string{"Content-Type: text/html"}, 200, "<html><body><p>x</p></body></html>", headless},
		{"that is empty", []string{"Content-Type: text/html"}, 200, "", headless},
		{"whose head comes too late", []string{"Content-Type: text/html"}, 200, "<!--" + strings.Repeat("x", maxHead) + "-->" + html, headless},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			origin := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				for _, line := range append(tt.header, `Etag: "v1"`, "Accept-Ranges: bytes", "Content-MD5: x", "Repr-Digest: x") {
					name, value, _ := strings.Cut(line, ": ")
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			proxy := front(t, origin, lookupIn(known()), withHTML)
			a := ask(t, proxy.URL, "GET", landing)
			if a.StatusCode != tt.status {
				t.Errorf("status: want %d, got %d", tt.status, a.StatusCode)
			}
			sameHeader(t, a, ask(t, proxy.URL, "HEAD", landing))
			switch tt.want {
			case untouched:
				if a.body != tt.body || a.Header.Get("Etag") != `"v1"` || a.Header.Get("Accept-Ranges") == "" {
					t.Errorf("want it untouched, got %q with %v", head(a.body), a.Header)
				}
				return
			case headless:
				if a.body != tt.body {
					t.Errorf("want the page as it was, got %q", head(a.body))
				}
			case written:
				if !strings.Contains(a.body, "<link") || len(a.body) != len(tt.body)+1+len(known()[public+landing].HTML()) {
					t.Errorf("want links, got %q", a.body)
				}
			}
			if tag := a.Header.Get("Etag"); !strings.HasPrefix(tag, `W/"v1-fps`) {
				t.Errorf("Etag: want that of the page with links, got %s", tag)
			}
			for _, name := range []string{"Accept-Ranges", "Content-Md5", "Repr-Digest"} {
				if got := a.Header.Get(name); got != "" {
					t.Errorf("%s: want none, got %q", name, got)
				}
			}
		})
	}
}

// sameHeader holds the answer to HEAD to that to GET. Its date is another, and
// its length may be missing. RFC 9110, 9.3.2.
func sameHeader(t *testing.T, get, head answer) {
	t.Helper()
	if head.StatusCode != get.StatusCode {
		t.Errorf("HEAD: want %d, got %d", get.StatusCode, head.StatusCode)
	}
	if n := head.Header.Get("Content-Length"); n != "" && n != get.Header.Get("Content-Length") {
		t.Errorf("HEAD: Content-Length: want %s or none, got %s", get.Header.Get("Content-Length"), n)
	}
	want, got := maps.Clone(get.Header), maps.Clone(head.Header)
	for _, name := range []string{"Date", "Content-Length"} {
		delete(want, name)
		delete(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("HEAD (-GET +HEAD):\n%s", diff)
	}
}

// A page without a head is revalidated as it was announced.
func TestAPageWithoutAHeadIsRevalidated(t *testing.T) {
	const tag, body = `"v1"`, "<body>no head</body>"
	proxy := front(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Etag", tag)
		http.ServeContent(w, r, "", legacyDate, strings.NewReader(body))
	}), lookupIn(known()), withHTML)
	ours := ask(t, proxy.URL, "HEAD", landing).Header.Get("Etag")
	tests := []struct {
		header []string
		status int
		tag    string
	}{
		{[]string{"If-None-Match: " + ours}, 304, ours},
		{[]string{`If-None-Match: "v0", ` + ours}, 304, ours},
		{[]string{"If-None-Match: " + tag}, 304, tag}, // of the time before the links
		{[]string{`If-None-Match: "v0"`}, 200, ours},
		{[]string{"If-Match: " + ours}, 412, ""}, // weak tags match nothing: RFC 9110, 13.1.1
		{[]string{"Range: bytes=0-3", "If-Range: " + ours}, 200, ours},
		{[]string{"Range: bytes=0-3"}, 200, ours},
	}
	for _, tt := range tests {
		get, head := ask(t, proxy.URL, "GET", landing, tt.header...), ask(t, proxy.URL, "HEAD", landing, tt.header...)
		if get.StatusCode != tt.status || tt.tag != "" && get.Header.Get("Etag") != tt.tag {
			t.Errorf("%q: want %d with %s, got %d with %s", tt.header, tt.status, tt.tag, get.StatusCode, get.Header.Get("Etag"))
		}
		sameHeader(t, get, head)
	}
}

// A page streams: its head is there before its end is made.
func TestPagesStream(t *testing.T) {
	for _, change := range []func(*Config){nil, withHTML} {
		finish := make(chan struct{})
		origin := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "<html><head><title>x</title>")
			http.NewResponseController(w).Flush()
			<-finish
			io.WriteString(w, "</html>")
		})
		proxy := front(t, origin, lookupIn(known()), change)
		res := raw(t, proxy.URL, "GET "+landing+" HTTP/1.1\r\nHost: repo.example.edu\r\nConnection: close\r\n\r\n")
		first := make([]byte, 8)
		if _, err := io.ReadFull(res.Body, first); err != nil {
			t.Error(err)
		}
		close(finish)
		rest, err := io.ReadAll(res.Body)
		if err != nil || !bytes.HasSuffix(rest, []byte("</html>")) {
			t.Errorf("got %q, %v", rest, err)
		}
	}
}

func TestHeadAt(t *testing.T) {
	// The mark | stands where links are written; without one, nowhere.
	tests := []struct {
		page    string
		charset bool // known from the headers
	}{
		{"<html><head>|<title>x</title></head>", true},
		{"<HTML><HEAD PROFILE='a>b'>|<TITLE>x</TITLE>", true},
		{"<head\n data-x=\"<head>\">|<title>", true},
		{"\uFEFF<!DOCTYPE html>\n<!-- <head> --><html><head>|", true},
		{"<!--[if IE]><html><head><![endif]--><html><head>|", true},
		{"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\"><html><head>|", true},
		{"<script>var a = '<head>'</script><html><head>|", true},
		{"<html><title><head></title><head>|", true},
		{"<header><head>", true},
		{"<html><body><head>", true},
		{"<p>no</p><head>", true},
		{"text <head>", true},
		{"<html></head><head>", true},
		{"<html><head", true},
		{"<!-- <head>", true},
		{"", true},
		{"<head>|<meta charset=utf-8><title>", true},
		{"<head><meta charset=utf-8>|<title>", false},
		{"<head><title>a <meta charset=x></title><META Http-Equiv='Content-Type' Content='text/html; CHARSET=utf-8'/>|<title>", false},
		{"<head>|<meta name=x content=y><title>x</title></head><body><meta charset=utf-8>", false},
		{"<head>|<title>" + strings.Repeat("x", charsetWithin) + "</title><meta charset=utf-8>", false},
		{"<head>|" + strings.Repeat("<meta name=x content=y>", 60) + "<meta charset=utf-8>", false},
		{"<head>|<meta", false},
	}
	for _, tt := range tests {
		want := strings.Index(tt.page, "|")
		page := strings.Replace(tt.page, "|", "", 1)
		for _, r := range []io.Reader{strings.NewReader(page), &slow{page}} {
			if got := headAt(r, tt.charset); got != want {
				t.Errorf("%.80q: want %d, got %d", tt.page, want, got)
			}
		}
	}
}

// slow is a page that comes byte by byte.
type slow struct{ rest string }

func (s *slow) Read(b []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	b[0], s.rest = s.rest[0], s.rest[1:]
	return 1, nil
}

// Links and JSON-LD are written into any page completely, or it stays as it was.
func FuzzHTML(f *testing.F) {
	f.Add(legacyPage, "text/html; charset=utf-8")
	f.Add("<html><!-- <head> --><head>", "text/html")
	f.Add("<script><!--<script></script><head>--></script><head>", "text/html")
	f.Add(`<head><script type="application/ld+json">{"@type":"Article"}</script>`, "text/html")
	d := theirs()
	p := newPage(known()[public+landing], &d)
	f.Fuzz(func(t *testing.T, body, contentType string) {
		res := &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {contentType}},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}
		charset, ok := writable(res.Header)
		if !ok {
			return
		}
		p.write(res, new(buffers), charset != "")
		got, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != body {
			if res.ContentLength != int64(len(got)) || !bytes.Contains(got, p.elements) {
				t.Errorf("length %d of %d bytes", res.ContentLength, len(got))
			}
			if written := slices.Concat(p.elements, p.script); bytes.Contains(got, written) {
				got = bytes.Replace(got, written, nil, 1)
			} else {
				got = bytes.Replace(got, p.elements, nil, 1)
			}
		}
		if string(got) != body {
			t.Errorf("want %q, got %q", body, got)
		}
	})
}

func FuzzEntityTags(f *testing.F) {
	f.Add(`W/"x-fps0123456789ab", "y"`)
	f.Add(`*`)
	f.Add(`x-fps0123456789ab`)
	p := newPage(known()[public+landing], nil)
	f.Fuzz(func(t *testing.T, held string) {
		tags, stale := p.originTags(held)
		if strings.Contains(tags, tagMark+"s"+p.version+`"`) && strings.Count(held, p.version) < 2 {
			t.Errorf("%q: our tag goes to the origin: %q", held, tags)
		}
		if !stale && tags == "" && strings.TrimSpace(held) != "" {
			t.Errorf("%q: condition lost", held)
		}
		h := http.Header{"Etag": {held}}
		p.markTag(h)
		if tag := h.Get("Etag"); tag != "" {
			if back, _ := p.originTags(tag); back != held {
				t.Errorf("want %q again, got %q", held, back)
			}
		}
	})
}

func FuzzRobots(f *testing.F) {
	const signmap = "https://links.example.org/main/signmap.xml"
	f.Add("User-agent: *\nDisallow: /")
	f.Add("Sitemap: " + signmap)
	f.Fuzz(func(t *testing.T, file string) {
		once := withSitemaps(file, []string{signmap})
		if !strings.HasPrefix(once, file) {
			t.Errorf("%q: what the repository says is changed: %q", file, once)
		}
		if again := withSitemaps(once, []string{signmap}); again != once {
			t.Errorf("%q: named twice: %q", file, again)
		}
	})
}
