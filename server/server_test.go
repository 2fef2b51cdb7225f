package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

func TestNewRefuses(t *testing.T) {
	public := &url.URL{Scheme: "https", Host: "links.example.org"}
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{"no public URL", Config{}, "public URL"},
		{"a relative one", Config{PublicURL: &url.URL{Path: "/links"}}, "must be absolute"},
		{"another scheme", Config{PublicURL: &url.URL{Scheme: "ftp", Host: "links.example.org"}}, "must be absolute"},
		{"a reserved id", Config{PublicURL: public, Repositories: []Repository{{ID: "links"}}}, `"links"`},
		{"an id twice", Config{PublicURL: public, Repositories: []Repository{{ID: "main"}, {ID: "main"}}}, "twice"},
		{"an id with a slash", Config{PublicURL: public, Repositories: []Repository{{ID: "a/b"}}}, "choose another"},
	} {
		if _, err := New(c.config, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// publishedPaths returns the path of every document of the usual gateway.
func publishedPaths(t *testing.T, g *gateway) []string {
	paths := []string{
		"/", "/robots.txt", "/.well-known/api-catalog", "/main/", "/main/robots.txt", "/main/signmap.xml",
		"/main/signmap-1.xml", "/main/cdif.jsonld", "/main/cdif-1.jsonld", "/main/cdif-sitemap.xml", "/other/", "/other/robots.txt", "/other/signmap.xml",
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		key := store.KeyOf(identifierOf(name))
		for _, path := range []string{"/linkset", "/linkset.json", "/linkset.txt", "/metadata/oai_dc.xml", "/metadata/datacite.xml"} {
			if name != "gone" {
				paths = append(paths, "/main/"+key+path)
			}
		}
	}
	return paths
}

// Both forms of a link set say the same, and the header of the landing page
// says nothing else.
func TestFormsAgree(t *testing.T) {
	g := newGateway(t, nil)
	for name, o := range objects {
		key := store.KeyOf(identifierOf(name))
		_, _, doc := g.ask(t, "GET", "/main/"+key+"/linkset.json", nil)
		fromJSON, err := linkset.ParseJSON([]byte(doc))
		if err != nil {
			t.Errorf("%s: JSON: %v", name, err)
		}
		_, _, doc = g.ask(t, "GET", "/main/"+key+"/linkset.txt", nil)
		fromText, err := linkset.ParseText([]byte(doc))
		if err != nil {
			t.Errorf("%s: text: %v", name, err)
		}
		if diff := cmp.Diff(sorted(fromJSON), sorted(fromText)); diff != "" {
			t.Errorf("%s: JSON and text differ: %s", name, diff)
		}
		_, header, _ := g.ask(t, "GET", "/links", http.Header{"X-Fingerpost-Uri": {o.LandingPage.URL}})
		inHeader, err := linkset.ParseHeader(header.Values("Link"), anchor(o.LandingPage.URL))
		if err != nil || len(inHeader) == 0 || len(header.Values("Link")) != 1 || strings.ContainsAny(header.Get("Link"), " \t") {
			t.Errorf("%s: lookup gave %q, %v", name, header.Values("Link"), err)
		}
		for _, l := range inHeader.Except("linkset") {
			if !slices.Contains(fromJSON, l) {
				t.Errorf("%s: lookup has %v, which is not in the link set", name, l)
			}
		}
	}
}

func sorted(s linkset.LinkSet) linkset.LinkSet {
	return slices.SortedFunc(slices.Values(s), func(a, b linkset.Link) int {
		return strings.Compare(a.Anchor+" "+a.Rel+" "+a.Href, b.Anchor+" "+b.Rel+" "+b.Href)
	})
}

// The target of every published link to the gateway itself answers with the
// media type that the link declares.
func TestOwnLinksAnswerAsDeclared(t *testing.T) {
	g := newGateway(t, nil)
	declared := map[string]string{}
	note := func(links linkset.LinkSet) {
		for _, l := range links {
			if strings.HasPrefix(l.Href, g.urls.base) && l.Type != "" {
				declared[l.Href] = l.Type
			}
		}
	}
	for _, path := range publishedPaths(t, g) {
		_, header, body := g.ask(t, "GET", path, nil)
		inHeader, err := linkset.ParseHeader(header.Values("Link"), g.urls.base+path)
		if err != nil {
			t.Errorf("%s: header: %v", path, err)
		}
		note(inHeader)
		if mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type")); mediaType == "application/linkset+json" {
			links, err := linkset.ParseJSON([]byte(body))
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			note(links)
		}
	}
	for _, o := range objects {
		links, _ := g.Links(t.Context(), o.LandingPage.URL)
		note(links)
	}
	for uri, mediaType := range declared {
		status, header, _ := g.ask(t, "HEAD", strings.TrimPrefix(uri, g.urls.base), http.Header{"Accept": {mediaType}})
		got, _, err := mime.ParseMediaType(header.Get("Content-Type"))
		if status != http.StatusOK || err != nil || got != mediaType {
			t.Errorf("%s: got %d %s (%v), want what the link declares: %s", uri, status, got, err, mediaType)
		}
	}
	if len(declared) < 4*(len(objects)-1) {
		t.Errorf("only %d links were found", len(declared))
	}
}

// Every document has a strong ETag and a Last-Modified, and both are good for
// a 304 without a body, by GET and HEAD; an older date, another tag are not.
func TestConditionalRequests(t *testing.T) {
	g := newGateway(t, nil)
	for _, path := range publishedPaths(t, g) {
		status, header, body := g.ask(t, "GET", path, nil)
		etag, modified := header.Get("ETag"), header.Get("Last-Modified")
		if status != http.StatusOK || body == "" || !strings.HasPrefix(etag, `"`) || modified == "" || header.Get("Cache-Control") == "" {
			t.Errorf("%s: got %d, ETag %q, Last-Modified %q, Cache-Control %q", path, status, etag, modified, header.Get("Cache-Control"))
		}
		for _, c := range []struct {
			name, value string
			want        int
		}{
			{"If-None-Match", etag, 304},
			{"If-None-Match", `"other", W/` + etag, 304},
			{"If-None-Match", "*", 304},
			{"If-None-Match", `"other"`, 200},
			{"If-Modified-Since", modified, 304},
			{"If-Modified-Since", "Mon, 01 Jan 2001 00:00:00 GMT", 200},
			{"If-Modified-Since", "yesterday", 200},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				status, header, body := g.ask(t, method, path, http.Header{c.name: {c.value}})
				if status != c.want || (status == 304 && (body != "" || header.Get("ETag") != etag)) {
					t.Errorf("%s %s with %s: %s: got %d, ETag %q, %d bytes; want %d", method, path, c.name, c.value, status, header.Get("ETag"), len(body), c.want)
				}
			}
		}
	}
}

// A change in the store is seen, within the freshness, in every document.
func TestChangesAreSeen(t *testing.T) {
	g := newGateway(t, nil)
	path := withKeys("/main/$plain/linkset.json")
	_, before, _ := g.ask(t, "GET", path, nil)
	o := objects["plain"]
	o.CiteAs = "https://doi.org/10.1234/six"
	g.save(t, "plain", o, false)
	g.clock.pass()
	_, after, body := g.ask(t, "GET", path, nil)
	if !strings.Contains(body, "10.1234/six") || after.Get("ETag") == before.Get("ETag") {
		t.Errorf("got %s with ETag %s, before it was %s", body, after.Get("ETag"), before.Get("ETag"))
	}
	if links, _ := g.Links(t.Context(), o.LandingPage.URL); len(links.Rel("cite-as")) != 1 {
		t.Errorf("lookup: got %v", links)
	}
	if _, _, body := g.ask(t, "GET", "/main/signmap.xml", nil); !strings.Contains(body, "10.1234/six") {
		t.Error("the Signmap does not have the change")
	}

	g.save(t, "plain", o, true)
	g.clock.pass()
	if status, _, _ := g.ask(t, "GET", path, nil); status != http.StatusGone {
		t.Errorf("deleted: got %d, want 410", status)
	}
	if _, _, body := g.ask(t, "GET", "/main/signmap.xml", nil); strings.Contains(body, "10.1234/six") {
		t.Error("the Signmap still has the deleted object")
	}
}

// The settings a gateway publishes with have their own date: it stays over a
// restart, and moves when they change, as the documents do then.
func TestSettingsHaveADate(t *testing.T) {
	g := newGateway(t, nil)
	path := withKeys("/main/$article/linkset.json")
	header := func(c Config) http.Header {
		s, err := New(c, g.db)
		if err != nil {
			t.Fatal(err)
		}
		_, h, _ := answerOf(s, path, "")
		return h
	}
	first := header(g.config())
	g.clock.pass()
	if again := header(g.config()); again.Get("Last-Modified") != first.Get("Last-Modified") || again.Get("ETag") != first.Get("ETag") {
		t.Errorf("after a restart: got %v, want %v", again, first)
	}
	moved := g.config()
	moved.PublicURL = &url.URL{Scheme: "https", Host: "elsewhere.example.org"}
	if then := header(moved); then.Get("Last-Modified") == first.Get("Last-Modified") || then.Get("ETag") == first.Get("ETag") {
		t.Errorf("after a move: got %v, which is what it was before", then)
	}
}

// failing is a store that answers nothing, or does not answer.
type failing struct {
	Store
	hangs bool
}

var errBroken = errors.New("broken <b>")

func (f failing) answer(ctx context.Context) error {
	if f.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return errBroken
}

func (f failing) Clocks(ctx context.Context) (map[string]store.Clock, error) {
	return nil, f.answer(ctx)
}

func (f failing) Repository(ctx context.Context, _ string) (store.Repository, error) {
	return store.Repository{}, f.answer(ctx)
}

func (f failing) Object(ctx context.Context, _, _ string) (store.Object, error) {
	return store.Object{}, f.answer(ctx)
}

func (f failing) Find(ctx context.Context, _ string, _ ...string) (store.Object, error) {
	return store.Object{}, f.answer(ctx)
}

// A repository whose host has a port is known by another name of the host, with
// the port and without it.
func TestAnotherNameOfAHostWithAPort(t *testing.T) {
	g := newGateway(t, func(c *Config, _ *[]store.Option) {
		c.Repositories[0].OAIURL = "http://repo.example.org:8080/oai"
	})
	g.save(t, "port", bridge.Object{LandingPage: bridge.LandingPage{URL: "http://repo.example.org:8080/record/port"}}, false)
	for _, host := range []string{"repo.example.org:8080", "eprints.example.org:8080", "eprints.example.org"} {
		if links, ok := g.Links(t.Context(), "http://"+host+"/record/port"); !ok || links[0].Anchor != "http://repo.example.org:8080/record/port" {
			t.Errorf("%s: want the landing page's links, got %v", host, links)
		}
	}
}

// Slashes divide nothing in a query: encoded or not they name the same page.
func TestSlashesInAQuery(t *testing.T) {
	g := newGateway(t, nil)
	const plain, encoded = "https://repo.example.org/v?id=doi:10.5072/a", "https://repo.example.org/v?id=doi:10.5072%2Fb"
	for _, uri := range []string{plain, encoded} {
		g.save(t, uri, bridge.Object{LandingPage: bridge.LandingPage{URL: uri}}, false)
	}
	for uri, want := range map[string]string{
		plain:   plain,
		encoded: encoded,
		"https://eprints.example.org/v?id=doi%3A10.5072%2fa": plain,
		"https://repo.example.org/v?id=doi:10.5072/b":        encoded,
		"https://eprints.example.org/v?id=doi%3a10.5072%2Fb": encoded,
	} {
		if links, ok := g.Links(t.Context(), uri); !ok || links[0].Anchor != want {
			t.Errorf("%s: want the links of %s, got %v", uri, want, links)
		}
	}
	if links, ok := g.Links(t.Context(), "https://repo.example.org/v%2Fid=doi:10.5072/a"); ok {
		t.Errorf("in a path they divide; got %v", links)
	}
}

// onlyClocks is a store that answers when repositories changed, and nothing else.
type onlyClocks struct {
	Store
	clocks func(context.Context) (map[string]store.Clock, error)
}

func (s onlyClocks) Clocks(ctx context.Context) (map[string]store.Clock, error) { return s.clocks(ctx) }

// What did not change costs one question for all repositories.
func TestUnchangedRepositoriesAreNotRead(t *testing.T) {
	g := newGateway(t, nil)
	before, err := g.repositories.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.use(onlyClocks{clocks: g.db.Clocks})
	g.clock.pass()
	if now, err := g.repositories.current(t.Context()); err != nil || now != before {
		t.Errorf("got another state (%v), or error %v", now != before, err)
	}
}

// An answer is as old as its question: what changes while it is on its way is
// seen no later than usual.
func TestASlowAnswerIsOld(t *testing.T) {
	g := newGateway(t, nil)
	path := withKeys("/main/$plain/linkset.json")
	o := objects["plain"]
	o.CiteAs = "https://doi.org/10.1234/six"
	g.ask(t, "GET", path, nil)
	g.use(slowClocks{g.db, func() {
		g.save(t, "plain", o, false)
		g.clock.pass()
	}})
	g.clock.pass()
	g.ask(t, "GET", path, nil)
	g.use(g.db)
	if _, _, body := g.ask(t, "GET", path, nil); !strings.Contains(body, "10.1234/six") {
		t.Errorf("got %s, which is older than a change that the store had %v ago", body, 2*freshness)
	}
}

// slowClocks is a store where things happen after it has answered when
// repositories changed.
type slowClocks struct {
	Store
	happens func()
}

func (s slowClocks) Clocks(ctx context.Context) (map[string]store.Clock, error) {
	clocks, err := s.Store.Clocks(ctx)
	s.happens()
	return clocks, err
}

// What is closed asks the store for nothing, and has nothing to say of it.
func TestClose(t *testing.T) {
	g := newGateway(t, nil)
	var said strings.Builder
	g.Log = slog.New(slog.NewTextHandler(&said, nil))
	g.Close()
	g.db.Close()
	g.clock.pass()
	if _, err := g.repositories.current(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
	if strings.Contains(said.String(), "WARN") {
		t.Errorf("said: %s", said.String())
	}
}

// A page of the repository never waits long for its links, and is served
// without them if the store fails.
func TestLookupWithoutStore(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		g := newGateway(t, nil)
		g.use(failing{g.db, hangs})
		for range 2 {
			status, header, _ := g.ask(t, "GET", "/links?uri=https://repo.example.org/record/1", nil)
			if status != http.StatusNoContent || header.Get("Link") != "" {
				t.Errorf("hangs=%v: got %d %q, want 204 without links", hangs, status, header.Get("Link"))
			}
		}
		if links, ok := g.Links(t.Context(), "https://repo.example.org/record/1"); ok || links != nil {
			t.Errorf("hangs=%v: got %v", hangs, links)
		}
	}
}

// A store that cannot be read is one sentence and 503; the process is well.
func TestDocumentsWithoutStore(t *testing.T) {
	g := newGateway(t, nil)
	g.use(failing{Store: g.db})
	for path, want := range map[string]int{
		"/main/" + articleKey + "/linkset":               503,
		"/main/signmap.xml":                              503,
		"/linkset?uri=https://repo.example.org/record/1": 503,
		"/main/" + articleKey + "/metadata/oai_dc.xml":   503,
		"/":                        503,
		"/robots.txt":              200,
		"/.well-known/api-catalog": 200,
		"/healthz":                 200,
		"/main/" + articleKey + "/no-such-document-at-all": 404,
	} {
		status, header, body := g.ask(t, "GET", path, nil)
		if status != want || strings.Contains(body, "broken") || (want == 503 && header.Get("Retry-After") == "") {
			t.Errorf("%s: got %d %q, want %d", path, status, body, want)
		}
	}
}

// While the store does not answer, what it said last stands.
func TestSnapshotOutlivesStore(t *testing.T) {
	g := newGateway(t, nil)
	if status, _, _ := g.ask(t, "GET", "/main/"+articleKey+"/linkset.json", nil); status != 200 {
		t.Fatalf("got %d", status)
	}
	g.use(failing{Store: g.db})
	g.clock.pass()
	if status, _, _ := g.ask(t, "GET", "/main/"+articleKey+"/linkset.json", nil); status != 200 {
		t.Errorf("got %d, want what is known", status)
	}
}

func TestCacheIsBounded(t *testing.T) {
	const room, entries = 100_000, 1000
	c := newCache(room)
	key := func(i int) cacheKey { return cacheKey{"test", fmt.Sprint(i)} }
	for i := range 10 * entries {
		c.put(key(i), i, 1, 0)
		if got := len(c.young) + len(c.old); got > entries {
			t.Fatalf("after %d: %d entries", i, got)
		}
		if v, ok := recall[int](c, key(i)); !ok || v != i {
			t.Fatalf("got %d, %v, want %d", v, ok, i)
		}
	}
	if _, ok := recall[int](c, key(0)); ok {
		t.Error("the oldest is still there")
	}
	c.put(key(-1), -1, room/2, 0)
	if _, ok := recall[int](c, key(-1)); ok {
		t.Error("an entry that would fill a generation is kept")
	}
}

// What was made before the last change is not kept: it may be what that changed.
func TestCacheForgets(t *testing.T) {
	c := newCache(100_000)
	for i, n := range []name{1, 2, 3} {
		c.put(cacheKey{"test", fmt.Sprint(i)}, i, 1, 0, n, 10)
	}
	version := c.forget(map[name]bool{2: true})
	c.put(cacheKey{"test", "late"}, 4, 1, version-1, 4)
	for key, want := range map[string]bool{"0": true, "1": false, "2": true, "late": false} {
		if _, ok := recall[int](c, cacheKey{"test", key}); ok != want {
			t.Errorf("%s is there: %v, want %v", key, ok, want)
		}
	}
	if c.forget(map[name]bool{10: true}); len(c.young)+len(c.old) > 0 || c.bytes != 0 {
		t.Errorf("after all has changed there are %d bytes: %v %v", c.bytes, c.young, c.old)
	}
}

func TestPreferred(t *testing.T) {
	for accept, want := range map[string]form{
		"":                         asJSON,
		"*/*":                      asJSON,
		"application/*":            asJSON,
		"text/html":                asJSON,
		"application/linkset":      asText,
		"APPLICATION/LINKSET":      asText,
		"application/linkset, */*": asJSON,
		"application/json;q=0.5, application/linkset;q=0.6":            asText,
		"application/linkset;q=0.9, application/linkset+json;q=0.9":    asJSON,
		"application/*;q=0.5, application/linkset+json;q=0":            asText,
		"application/linkset;q=2":                                      asJSON,
		"application/linkset;q=none":                                   asJSON,
		"application/linkset; q=1; level=1, application/json;q=0.3":    asText,
		",;,q=,=;/*/,application/linkset;;;q=1;,":                      asText,
		"application/linkset+json;q=0.001,application/linkset;q=0.002": asText,
	} {
		if got := preferred(accept); got != want {
			t.Errorf("%q: got %v, want %v", accept, got, want)
		}
	}
}

// Only one file knows the router: it can be replaced there.
func TestURLsAreRead(t *testing.T) {
	u := newURLs(&url.URL{Scheme: "https", Host: "links.example.org", Path: "/fp/"})
	for _, own := range []string{u.metadata("main", articleKey, "oai_dc!(x)"), u.document("main", articleKey, "schema.jsonld")} {
		repo, key, published, ok := u.readDocument(own)
		if !ok || repo != "main" || key != articleKey || published != own {
			t.Errorf("%q is read as %q %q %q %v", own, repo, key, published, ok)
		}
	}
	for _, uri := range []string{"", "https://links.example.org/main/" + articleKey + "/metadata/x.xml", u.base, u.base + "/a/b/c/d.xml", u.base + "/a/b/metadata/%.xml"} {
		if _, _, _, ok := u.readDocument(uri); ok {
			t.Errorf("%q was read as a document", uri)
		}
	}
}

// No request makes the gateway fail, lead elsewhere, or say what it was told.
func FuzzRequests(f *testing.F) {
	for _, path := range []string{"/", "//", "/main/" + articleKey + "/linkset.json", "/main/%2e%2e/", "/linkset?uri=https://repo.example.org/record/1", "/links?uri=%zz", "/main/signmap-1.xml", "/%00/\x7f?uri=\r\n"} {
		f.Add(path, "application/linkset;q=1", "https://repo.example.org/record/1")
	}
	g := newGateway(f, nil)
	f.Fuzz(func(t *testing.T, target, accept, uri string) {
		const marker = "zqmarker<"
		u, err := url.ParseRequestURI("/" + target)
		if err != nil {
			return
		}
		r := &http.Request{Method: "GET", URL: u, Header: http.Header{"Accept": {accept}, "X-Fingerpost-Uri": {uri + marker}}, Host: marker}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r.WithContext(t.Context()))
		if w.Code >= 500 || strings.Contains(w.Body.String(), marker) {
			t.Errorf("got %d %q", w.Code, w.Body.String())
		}
		for name, values := range w.Header() {
			for _, v := range values {
				if strings.ContainsAny(v, "\r\n\x00") || strings.Contains(v, marker) {
					t.Errorf("%s: %q", name, v)
				}
			}
		}
		if to := w.Header().Get("Location"); to != "" && !strings.HasPrefix(to, g.urls.base+"/main/") {
			t.Errorf("leads to %s", to)
		}
	})
}

// What is exported is what the lookup answers.
func TestAnswersAreTheLookups(t *testing.T) {
	g := newGateway(t, nil)
	n := 0
	for a, err := range g.Answers(t.Context(), "main") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		want, _ := g.Links(t.Context(), a.URI)
		if diff := cmp.Diff(want, a.Links); diff != "" {
			t.Errorf("%s (-lookup +exported):\n%s", a.URI, diff)
		}
		if diff := cmp.Diff(g.inHeader(t, a.URI), a.InHeader); diff != "" {
			t.Errorf("%s in a header (-lookup +exported):\n%s", a.URI, diff)
		}
		if strings.HasPrefix(a.URI, g.urls.base) {
			t.Errorf("%s is the gateway's own", a.URI)
		}
	}
	if n < 300 { // an object has 300 files
		t.Errorf("got %d answers", n)
	}
}

// BenchmarkAnswers must grow with the number of files and no faster.
func BenchmarkAnswers(b *testing.B) {
	g := newGateway(b, nil)
	_, repo := firstPage(b, g)
	for _, files := range []int{100, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			o := store.Object{Object: objects["large"]}
			o.Items = manyFiles(files)
			for b.Loop() {
				for range repo.answers(o) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/file")
		})
	}
}

// A URL belongs to the repository on whose host it lies, even if another one was
// harvested first and has it, too.
func TestAHostHasAnOwner(t *testing.T) {
	page := func(uri string, files ...string) bridge.Object {
		o := bridge.Object{LandingPage: bridge.LandingPage{URL: uri}}
		for _, f := range files {
			o.Items = append(o.Items, bridge.ContentResource{URL: f})
		}
		return o
	}
	g := newGateway(t, nil)
	saveAs := func(repository, name string, o bridge.Object) {
		t.Helper()
		b := store.Batch{Objects: []store.Object{{Identifier: identifierOf(name), Prefixes: []string{"oai_dc"}, Object: o}}}
		if err := g.db.Save(t.Context(), repository, b); err != nil {
			t.Fatal(err)
		}
	}
	const own, alias, unclaimed = "https://repo.example.org/mine.pdf", "https://eprints.example.org/mine.pdf", "https://repo.example.org/nobodys.pdf"
	const www, shop = "https://www.pages.example.org/a.pdf", "https://files.example.net/shared.pdf"
	saveAs("other", "thief", page("https://other.example.org/1", own, alias, unclaimed, www, shop))
	saveAs("main", "owner", page("https://repo.example.org/record/owner", own))
	check := func(when string, want map[string]string) {
		t.Helper()
		g.clock.pass()
		for uri, id := range want {
			_, header, _ := answerOf(g.Server, "/linkset?uri="+uri, "")
			if got, _, _ := strings.Cut(strings.TrimPrefix(header.Get("Location"), g.urls.base+"/"), "/"); got != id {
				t.Errorf("%s: %s leads to repository %q, want %q", when, uri, got, id)
			}
			if _, ok := g.Links(t.Context(), uri); ok != (id != "") {
				t.Errorf("%s: %s has links: %v", when, uri, ok)
			}
		}
	}
	check("a configured host", map[string]string{own: "main", alias: "main", unclaimed: "", shop: "other", www: "other"})
	for i := range 2 * len(objects) { // most pages of main are there
		uri := fmt.Sprintf("https://www.pages.example.org/%d", i)
		saveAs("main", fmt.Sprint("page", i), page(uri, uri+".pdf"))
	}
	g.saveRepository(t, "main")
	saveAs("other", "guest", page("https://www.pages.example.org/guest"))
	check("the host of the pages", map[string]string{www: "", "https://www.pages.example.org/1.pdf": "main", shop: "other", "https://www.pages.example.org/guest": ""})
}

// Two repositories may have their pages on one host, of which one is configured
// with it: that one comes first.
func TestAHostWithTwoOwners(t *testing.T) {
	g := newGateway(t, nil)
	var b store.Batch
	for _, name := range []string{"1", "2", "3"} {
		uri := "https://repo.example.org/other/" + name
		b.Objects = append(b.Objects, store.Object{Identifier: name, Object: bridge.Object{
			LandingPage: bridge.LandingPage{URL: uri}, Items: []bridge.ContentResource{{URL: "https://repo.example.org/record/new"}},
		}})
	}
	if err := g.db.Save(t.Context(), "other", b); err != nil {
		t.Fatal(err)
	}
	g.saveRepository(t, "other")
	g.save(t, "new", bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/record/new"}}, false)
	for uri, want := range map[string]string{
		"https://repo.example.org/other/2":    "/other/",
		"https://repo.example.org/record/new": "/main/",
	} {
		if links, ok := g.Links(t.Context(), uri); !ok || !strings.Contains(links.Rel("linkset")[0].Href, want) {
			t.Errorf("%s: got %v, want links from %s", uri, links, want)
		}
	}
}

// Nobody owns the resolver of persistent identifiers, even if all pages of a
// repository are known by these alone.
func TestResolversHaveNoOwner(t *testing.T) {
	g := newGateway(t, nil)
	var b store.Batch
	for i := range 9 {
		uri := fmt.Sprint("https://hdl.handle.net/2027/", i)
		b.Objects = append(b.Objects, store.Object{Identifier: uri, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: uri}}})
	}
	if err := g.db.Save(t.Context(), "other", b); err != nil {
		t.Fatal(err)
	}
	if links, ok := g.Links(t.Context(), "https://hdl.handle.net/2027/one"); !ok || links[0].Anchor != articlePage {
		t.Errorf("got %v, want the links of %s", links, articlePage)
	}
}

// A clock that was years ahead when an object was saved: nothing says that it
// was modified in the future, and what a client has since then is not taken for
// current.
func TestTimesInTheFuture(t *testing.T) {
	wrong := time.Date(2036, 1, 2, 3, 4, 5, 0, time.UTC)
	g := newGateway(t, func(c *Config, options *[]store.Option) {
		gatewayFor("signmap-index.txt")(c, options)
		*options = append(*options, store.Now(func() time.Time { return wrong }))
	})
	since := http.Header{"If-Modified-Since": {wrong.Add(time.Hour).Format(http.TimeFormat)}}
	for _, path := range publishedPaths(t, g) {
		_, header, body := g.ask(t, "GET", path, nil)
		if at, err := http.ParseTime(header.Get("Last-Modified")); err == nil && at.After(g.Now()) {
			t.Errorf("%s: Last-Modified is %s", path, at)
		}
		if strings.Contains(body, "<lastmod>2036") {
			t.Errorf("%s has a lastmod in the future", path)
		}
		if status, _, _ := g.ask(t, "GET", path, since); status != http.StatusOK {
			t.Errorf("%s since a time in the future: got %d", path, status)
		}
	}
	path := withKeys("/main/$plain/linkset.json")
	g.ask(t, "GET", path, nil)
	g.save(t, "plain", objects["article"], false)
	g.clock.pass()
	header := http.Header{"If-Modified-Since": {g.Now().UTC().Format(http.TimeFormat)}}
	if status, _, _ := g.ask(t, "GET", path, header); status != http.StatusOK {
		t.Errorf("after a change: got %d", status)
	}
}

// A clock that is set back is no reason not to look for changes.
func TestAClockSetBack(t *testing.T) {
	g := newGateway(t, nil)
	g.ask(t, "GET", "/main/", nil)
	g.clock.at = g.clock.at.AddDate(-5, 0, 0)
	g.save(t, "plain", objects["plain"], true)
	if status, _, _ := g.ask(t, "GET", withKeys("/main/$plain/linkset.json"), nil); status != http.StatusGone {
		t.Errorf("got %d, want 410", status)
	}
}

// What is in the name of a repository does nothing on a page.
func TestRepositoryNamesAreHarmless(t *testing.T) {
	g := newGateway(t, nil)
	r, err := g.db.Repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	r.Identify.RepositoryName = "Reposi\u202eyrot \u009b31m\u2066\u200f\x07\x1b" + strings.Repeat("e", 5000)
	if err := g.db.SaveRepository(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/main/"} {
		_, _, body := g.ask(t, "GET", path, nil)
		if !strings.Contains(body, "Reposi") || strings.ContainsFunc(body, func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) }) {
			t.Errorf("%s has %q", path, body)
		}
		if len(body) > 5000 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
	}
}

// What landing pages have themselves is left out there, and nowhere else. The page
// of a deleted object keeps what to cite it as.
func TestRelationsThatLandingPagesHaveThemselves(t *testing.T) {
	all := newGateway(t, nil)
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories[0].Omit = []string{"cite-as", "describedby"} })
	omitted, deleted := 0, 0
	for a, err := range g.Answers(t.Context(), "main") {
		if err != nil {
			t.Fatal(err)
		}
		want, _ := all.Links(t.Context(), a.URI)
		if a.URI == objects["gone"].LandingPage.URL {
			deleted++
		} else if short := want.Except("cite-as").Except("describedby"); len(short) < len(want) {
			omitted++
			want = short
		}
		if diff := cmp.Diff(want, a.Links); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.URI, diff)
		}
		inHeader, _ := want.Fit(linkset.Budget{})
		if diff := cmp.Diff(inHeader, g.inHeader(t, a.URI)); diff != "" {
			t.Errorf("%s in a header (-want +got):\n%s", a.URI, diff)
		}
	}
	if omitted == 0 || deleted != 1 {
		t.Errorf("want pages with fewer links and the deleted one, got %d and %d", omitted, deleted)
	}
}
