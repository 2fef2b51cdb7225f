package server

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// However the store changes, what is cached is what a server that has cached
// nothing answers: no answer outlives its truth, whether that one object
// changed, another one came to a URL, or nobody has it any more.
func TestAnswersStandWhileTrue(t *testing.T) {
	g := newGateway(t, func(_ *Config, options *[]store.Option) {
		// With a clock that stands still each change is dated right after the last.
		*options = append(*options, store.Now(func() time.Time { return time.Unix(1.9e9, 0) }))
	})
	remade, asked := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		g.repositories.mostChanges = rapid.IntRange(1, 3).Draw(r, "most changes")
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			if rapid.IntRange(0, 2).Draw(r, "step") == 0 {
				changeAnything(t, r, g)
				g.renew(t)
				continue
			}
			uri := rapid.SampledFrom(shared).Draw(r, "uri")
			before, _ := recall[*Answer](g.cache, cacheKey{answerKind, uri})
			path := withKeys(rapid.SampledFrom([]string{"/main/$article/linkset.json", "/main/$query/linkset.txt", "/main/$gone/linkset.json"}).Draw(r, "path"))
			fresh, err := New(g.config(), g.db)
			if err != nil {
				t.Fatal(err)
			}
			fresh.patience, g.patience = time.Minute, time.Minute // however busy the machine is
			sameAnswer(r, g.Server, fresh, "/links", uri)
			sameAnswer(r, g.Server, fresh, path, "")
			after, _ := recall[*Answer](g.cache, cacheKey{answerKind, uri})
			if asked++; before != after {
				remade++
			}
		}
	})
	if remade < asked/10 || remade > asked*9/10 {
		t.Errorf("%d of %d answers were made anew: the test tests nothing", remade, asked)
	}
}

// renew makes the server ask the store for changes.
func (g *gateway) renew(t testing.TB) {
	t.Helper()
	g.clock.pass()
	if _, err := g.repositories.current(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// shared are URLs that objects get in turn, with another name of the host, and
// addresses that are made of keys and identifiers.
var shared = []string{
	"https://repo.example.org/a", "http://repo.example.org/a/", "https://eprints.example.org/a",
	"https://repo.example.org/b", "https://eprints.example.org/b", "https://repo.example.org/c", "https://doi.org/10.1234/c",
	oaiURL + "?verb=GetRecord&metadataPrefix=oai_dc&identifier=" + identifierOf("article"),
	"https://eprints.example.org/oai/request?verb=GetRecord&metadataPrefix=oai_dc&identifier=" + identifierOf("article"),
	oaiURL + "?verb=GetRecord&metadataPrefix=datacite&identifier=" + identifierOf("query"),
	oaipmh.GetRecordURL(oaiURL, identifierOf("article"), "oai_dc"),
	"https://links.example.org/main/" + articleKey + "/metadata/oai_dc.xml",
	"https://repo.example.org/v?id=a/b", "https://repo.example.org/v?id=a%2fb",
}

func changeAnything(t *testing.T, r *rapid.T, g *gateway) {
	if rapid.IntRange(0, 9).Draw(r, "what") == 0 {
		n := rapid.IntRange(0, len(formats)).Draw(r, "formats")
		kept := store.Repository{ID: "main", OAIURL: oaiURL, Formats: formats[:n], Identify: oaipmh.Identify{Granularity: oaipmh.Second}}
		if err := g.db.SaveRepository(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
		return
	}
	var p store.Batch
	for range rapid.IntRange(1, 5).Draw(r, "objects") {
		uri := rapid.SampledFrom(shared)
		o := store.Object{
			Identifier: identifierOf(rapid.SampledFrom([]string{"article", "query", "gone"}).Draw(r, "identifier")),
			Deleted:    rapid.IntRange(0, 3).Draw(r, "deleted") == 0,
			Prefixes:   rapid.SampledFrom([][]string{nil, {"oai_dc"}, {"datacite", "oai_dc"}}).Draw(r, "prefixes"),
			Object: bridge.Object{
				LandingPage: bridge.LandingPage{URL: uri.Draw(r, "page")}, CiteAs: uri.Draw(r, "cite-as"), Year: rapid.IntRange(0, 2).Draw(r, "year"),
				Items: []bridge.ContentResource{{URL: uri.Draw(r, "file")}},
			},
		}
		p.Objects = append(p.Objects, o)
	}
	repository := rapid.SampledFrom([]string{"main", "main", "other"}).Draw(r, "repository")
	if err := g.db.Save(t.Context(), repository, p); err != nil {
		t.Fatal(err)
	}
}

func sameAnswer(r *rapid.T, cached, fresh http.Handler, target, uri string) {
	status, header, body := answerOf(cached, target, uri)
	wantStatus, wantHeader, wantBody := answerOf(fresh, target, uri)
	if status != wantStatus || body != wantBody || fmt.Sprint(header) != fmt.Sprint(wantHeader) {
		r.Fatalf("%s of %s: got %d %v %s\nwant %d %v %s", target, uri, status, header, body, wantStatus, wantHeader, wantBody)
	}
}

// While others change, an answer is not made anew, nor is the one that there
// are no links.
func TestAnswersOutliveOtherChanges(t *testing.T) {
	g := newGateway(t, nil)
	ask := func() (all []any) {
		for _, uri := range []string{articlePage, "https://repo.example.org/about"} {
			g.Links(t.Context(), uri)
			known, ok := recall[*Answer](g.cache, cacheKey{answerKind, uri})
			if !ok {
				t.Fatalf("%s is not cached", uri)
			}
			all = append(all, known)
		}
		answerOf(g.Server, "/main/"+articleKey+"/linkset.json", "")
		known, _ := recall[*document](g.cache, cacheKey{linkSetKind, "/main/" + articleKey + "/linkset.json"})
		return append(all, known)
	}
	first := ask()
	for i := range 3 {
		saveMany(t, g, 10*i, 10)
		g.renew(t)
		if !slices.Equal(ask(), first) {
			t.Fatalf("after change %d an answer was made anew", i)
		}
	}
	g.save(t, "new", bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/about"}}, false)
	g.renew(t)
	after := ask()
	if links, ok := g.Links(t.Context(), "https://repo.example.org/about"); !ok {
		t.Errorf("a URL that was unknown is still: got %v", links)
	}
	if after[0] != first[0] || after[1] == first[1] || after[2] != first[2] {
		t.Error("of three answers not the one that changed was made anew")
	}
	for _, tt := range []struct {
		name string
		many func()
	}{
		{"objects", func() { saveMany(t, g, 100, mostChanges+1) }},
		{"files", func() { g.repositories.mostNames = 300; g.save(t, "files", objects["large"], false) }},
	} {
		before := ask()
		tt.many()
		g.renew(t)
		if again := ask(); again[0] == before[0] || again[2] == before[2] {
			t.Errorf("many %s: an answer stands that nobody can vouch for", tt.name)
		}
	}
}
