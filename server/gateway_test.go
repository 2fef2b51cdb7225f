package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

// gateway is a Server over a store on disk, asked by HTTP over loopback.
type gateway struct {
	*Server
	db     *store.DB
	server *httptest.Server
	client *http.Client
	clock  *clock
}

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// use gives the server another store.
func (g *gateway) use(s Store) {
	g.store, g.repositories.store = s, s
}

// pass lets the time go by after which the store is asked for changes.
func (c *clock) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(2 * freshness)
}

// set is how a gateway of the tests differs from the usual one.
type set func(*Config, *[]store.Option)

// gatewayFor is what a script's name says of its gateway.
func gatewayFor(file string) set {
	return func(c *Config, options *[]store.Option) {
		switch filepath.Base(file) {
		case "prefix.txt":
			c.PublicURL = &url.URL{Scheme: "https", Host: "library.example.org", Path: "/links/"}
		case "signmap-index.txt":
			*options = append(*options, store.SignmapLimits(store.Limits{Objects: 4, Weight: 1 << 20, MaxWeight: 1 << 20}))
		case "unready.txt":
			c.Ready = func() (bool, string) { return false, "Repository other has not been harvested yet." }
		case "cdif.txt":
			*options = append(*options, store.SignmapLimits(store.Limits{Objects: 4, Weight: 1 << 20, MaxWeight: 1 << 20}))
		case "oai.txt": // whatever is saved is saved a minute later
			at := time.Date(2030, 5, 6, 7, 0, 0, 0, time.UTC)
			*options = append(*options, store.Now(func() time.Time { at = at.Add(time.Minute); return at }))
		case "nofolder.txt":
			c.PageFolder = ""
		}
	}
}

const oaiURL = "https://repo.example.org/oai/request"

func newGateway(t testing.TB, s set) *gateway {
	t.Helper()
	g := &gateway{clock: &clock{at: time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)}}
	c := Config{
		PublicURL:    &url.URL{Scheme: "https", Host: "links.example.org", Path: "/"},
		Repositories: []Repository{{ID: "main", OAIURL: oaiURL, Hosts: []string{"eprints.example.org"}}, {ID: "other", Name: "A <b>new</b> one", OAIURL: "https://other.example.org/index.php?page=oai"}},
		Version:      "1.0", Contact: "library@example.org",
		PageFolder: t.TempDir(), Now: g.clock.now,
	}
	var options []store.Option
	if s != nil {
		s(&c, &options)
	}
	var err error
	if g.db, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"), options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.db.Close() })
	g.fill(t)
	if g.Server, err = New(c, g.db); err != nil {
		t.Fatal(err)
	}
	g.server = httptest.NewServer(g.Server)
	t.Cleanup(g.server.Close)
	g.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(g.client.CloseIdleConnections)
	return g
}

var formats = []oaipmh.MetadataFormat{
	{Prefix: "oai_dc", Namespace: "http://www.openarchives.org/OAI/2.0/oai_dc/"},
	{Prefix: "datacite", Namespace: "http://datacite.org/schema/kernel-4"},
}

func (g *gateway) fill(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	if err := g.db.SaveRepository(ctx, store.Repository{
		ID: "main", OAIURL: oaiURL, Formats: formats,
		Identify: oaipmh.Identify{RepositoryName: "Example <script>alert(1)</script> Repository", Granularity: oaipmh.Second},
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		g.save(t, name, objects[name], false)
	}
	g.save(t, "gone", objects["gone"], true)
}

// save keeps an object with its records.
func (g *gateway) save(t testing.TB, name string, o bridge.Object, deleted bool) {
	t.Helper()
	identifier := identifierOf(name)
	p := store.Batch{Objects: []store.Object{{
		Repository: "main", Identifier: identifier, Deleted: deleted,
		LastMod: time.Date(2030, 5, 6, 7, 8, 9, 0, time.UTC), Object: o,
	}}}
	if !deleted {
		p.Objects[0].Prefixes = []string{"datacite", "oai_dc"}
	}
	for _, f := range formats {
		r := store.Record{Identifier: identifier, Prefix: f.Prefix, Datestamp: "2030-05-06T07:08:09Z", Deleted: deleted, Sets: []string{"open access", "type:" + name}}
		if !deleted {
			r.Metadata = fmt.Appendf(nil, `<x:root xmlns:x="%s">%s &amp; größer</x:root>`, f.Namespace, name)
		}
		p.Records = append(p.Records, r)
	}
	p.Checkpoint = store.Checkpoint{Repository: "main", Prefix: "oai_dc"}
	if err := g.db.Save(context.WithoutCancel(t.Context()), "main", p); err != nil {
		t.Fatal(err)
	}
}

// inHeader asks for the links that go into a header.
func (g *gateway) inHeader(t testing.TB, uri string) linkset.LinkSet {
	t.Helper()
	_, header, _ := answerOf(g.Server, "/links", uri)
	links, err := linkset.ParseHeader(header.Values("Link"), uri)
	if err != nil {
		t.Fatal(err)
	}
	return links
}

func identifierOf(name string) string { return "oai:repo.example.org:" + name }

var aKey = regexp.MustCompile(`\$[a-z]+`)

// withKeys replaces $name by the key of the object of that name.
func withKeys(line string) string {
	return aKey.ReplaceAllStringFunc(line, func(name string) string { return store.KeyOf(identifierOf(name[1:])) })
}

// objects are what the gateway of the tests publishes. The record "gone" is
// deleted after it was there.
var objects = map[string]bridge.Object{
	"article": {
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/record/1"},
		CiteAs:      "https://doi.org/10.1234/one",
		License:     "https://creativecommons.org/licenses/by/4.0/",
		Type:        "https://schema.org/ScholarlyArticle",
		Authors:     []string{"https://orcid.org/0000-0002-1825-0097"},
		Aliases:     []string{"https://hdl.handle.net/2027/one"},
		Items: []bridge.ContentResource{
			{URL: "https://repo.example.org/record/1/paper.pdf", MediaType: "application/pdf"},
			{URL: "https://repo.example.org/record/1/data.csv", MediaType: "text/csv", Type: "https://schema.org/Dataset"},
		},
	},
	"query": {
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/view.php?id=7&lang=en"},
		CiteAs:      "https://doi.org/10.1234/seven",
		Type:        "https://schema.org/Dataset",
	},
	"gone": {
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/record/2"},
		CiteAs:      "https://doi.org/10.1234/two",
		Type:        "https://schema.org/Thesis",
	},
	"hostile": {
		LandingPage: bridge.LandingPage{URL: `https://repo.example.org/record/3?a="><script>alert(1)</script>&b='`},
		CiteAs:      "https://doi.org/10.1002/(sici)1097<1:aid-x>3.0.co;2-z",
		Type:        "https://schema.org/CreativeWork",
		Items:       []bridge.ContentResource{{URL: `https://repo.example.org/a b/"c",d;e&f'<g>.pdf`, MediaType: "application/pdf"}},
	},
	"large": {
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/record/5"},
		CiteAs:      "https://doi.org/10.1234/five",
		License:     "https://creativecommons.org/publicdomain/zero/1.0/",
		Type:        "https://schema.org/Dataset",
		Items:       manyFiles(300),
	},
	"plain": {
		LandingPage: bridge.LandingPage{URL: "http://repo.example.org:80/record/6/"},
		Type:        "https://schema.org/Book",
	},
}

func manyFiles(n int) (files []bridge.ContentResource) {
	for i := range n {
		files = append(files, bridge.ContentResource{URL: fmt.Sprintf("https://repo.example.org/record/5/file-%03d.nc", i), MediaType: "application/netcdf"})
	}
	return files
}

// config is that of the gateway as it is.
func (g *gateway) config() Config {
	c := g.Config
	c.Repositories = g.repositories.configured.Load().all
	return c
}

// saveRepository saves a repository again, as a harvest does.
func (g *gateway) saveRepository(t testing.TB, id string) {
	t.Helper()
	r, err := g.db.Repository(t.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		r, err = store.Repository{ID: id}, nil
	}
	if err := errors.Join(err, g.db.SaveRepository(t.Context(), r)); err != nil {
		t.Fatal(err)
	}
}

// allPages are those of the Signmap as it is now.
func allPages(t testing.TB, g *gateway) ([]store.SignmapPage, *repository) {
	t.Helper()
	now, err := g.repositories.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	repo, err := now.repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := g.signmaps.pages(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return pages, repo
}

// firstPage is that of the Signmap once what was kept is seen.
func firstPage(t testing.TB, g *gateway) (store.SignmapPage, *repository) {
	t.Helper()
	g.clock.pass()
	pages, repo := allPages(t, g)
	return pages[0], repo
}

// saveMany keeps n numbered objects from a number on.
func saveMany(t testing.TB, g *gateway, first, n int) {
	t.Helper()
	for from := first; from < first+n; from += 1000 {
		p := store.Batch{Checkpoint: store.Checkpoint{Repository: "main", Prefix: "oai_dc"}}
		for i := from; i < min(from+1000, first+n); i++ {
			p.Objects = append(p.Objects, store.Object{
				Repository: "main", Identifier: numberedIdentifier(i), LastMod: time.Date(2030, 1, 1, 0, 0, i, 0, time.UTC),
				Prefixes: []string{"datacite", "oai_dc"}, Object: numbered(i),
			})
		}
		if err := g.db.Save(context.WithoutCancel(t.Context()), "main", p); err != nil {
			t.Fatal(err)
		}
	}
}

func numberedIdentifier(i int) string { return fmt.Sprint("oai:repo.example.org:", i) }

func numbered(i int) bridge.Object {
	return bridge.Object{
		LandingPage: bridge.LandingPage{URL: fmt.Sprint("https://repo.example.org/many/", i)},
		CiteAs:      fmt.Sprint("https://doi.org/10.1234/", i),
		License:     "https://creativecommons.org/licenses/by/4.0/",
		Type:        "https://schema.org/Dataset",
		Items:       []bridge.ContentResource{{URL: fmt.Sprint("https://repo.example.org/many/", i, "/file.pdf"), MediaType: "application/pdf"}},
	}
}
