package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// offering is the repository with formats that are not harvested.
func (g *gateway) offering(t *testing.T, offered ...string) {
	t.Helper()
	r, err := g.db.Repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	others := []oaipmh.MetadataFormat{
		{Prefix: "rdf", Namespace: "http://www.openarchives.org/OAI/2.0/rdf/"},
		{Prefix: "mods", Namespace: "http://www.loc.gov/mods/v3"},
		{Prefix: "xoai", Namespace: "http://www.lyncode.com/xoai"},
	}
	r.Formats = slices.Concat(others, formats)
	r.Offered = store.Offered{Of: others, Prefixes: offered}
	if err := g.db.SaveRepository(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	g.clock.pass()
}

const getMODS = oaiURL + "?verb=GetRecord&identifier=oai%3Arepo.example.org%3Aarticle&metadataPrefix=mods"

func prefixesOf(links linkset.LinkSet) string {
	var out []string
	for _, l := range links.Rel("describedby") {
		if _, prefix, ok := strings.Cut(l.Href, "metadataPrefix="); ok {
			out = append(out, prefix)
		} else {
			out = append(out, "copy")
		}
	}
	return strings.Join(out, " ")
}

// A format that the repository offers for every record is linked in every
// document, after those that are harvested, and never as a copy.
func TestOfferedFormatsAreLinked(t *testing.T) {
	g := newGateway(t, nil)
	g.offering(t, "mods", "rdf", "xoai", "datacite", "unknown")
	const want = "oai_dc copy datacite copy mods rdf"
	page := objects["article"].LandingPage.URL
	_, _, body := g.ask(t, "GET", withKeys("/main/$article/linkset.json"), nil)
	all, err := linkset.ParseJSON([]byte(body))
	if got := prefixesOf(all.From(page)); err != nil || got != want {
		t.Errorf("the link set has %q, %v, want %q", got, err, want)
	}
	mods := linkset.Link{Anchor: page, Rel: "describedby", Href: getMODS, Type: "text/xml", Profile: "http://www.loc.gov/mods/v3"}
	back := linkset.Link{Anchor: getMODS, Rel: "describes", Href: page, Type: "text/html"}
	if !slices.Contains(all, mods) || !slices.Contains(all, back) {
		t.Errorf("the link set lacks %v or %v: %v", mods, back, all)
	}
	if links := g.inHeader(t, page); prefixesOf(links) != want || len(links.Rel("item")) != 2 {
		t.Errorf("the header has %v, want %q and two files", links, want)
	}
	if links := g.inHeader(t, getMODS); !slices.Equal(links, linkset.LinkSet{back}) {
		t.Errorf("the record in MODS has %v, want %v", links, back)
	}
	_, _, signmap := g.ask(t, "GET", "/main/signmap.xml", nil)
	entries, err := readPage([]byte(signmap))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if got := prefixesOf(e.links); got != want {
			t.Errorf("in the Signmap %s has %q, want %q", e.loc, got, want)
		}
	}
	if status, _, _ := g.ask(t, "GET", withKeys("/main/$article/metadata/mods.xml"), nil); status != http.StatusNotFound {
		t.Errorf("the copy that there is not: got %d, want 404", status)
	}
	if _, _, body := g.ask(t, "GET", withKeys("/main/$gone/linkset.json"), nil); strings.Contains(body, "describedby") {
		t.Errorf("the deleted object has %s", body)
	}
}

// If a header has no room for all, formats that are not harvested go first.
func TestOfferedFormatsGiveWay(t *testing.T) {
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories[0].Budget = linkset.Budget{Lines: 13} })
	g.offering(t, "mods", "rdf")
	page := objects["article"].LandingPage.URL
	links := g.inHeader(t, page)
	if got := prefixesOf(links); got != "oai_dc copy datacite copy" || len(links.Rel("item")) != 2 || len(links.Rel("author")) != 1 {
		t.Errorf("the header has %v, want what is held, files and author", links)
	}
	if all, _ := g.Links(t.Context(), page); prefixesOf(all) != "oai_dc copy datacite copy mods rdf" {
		t.Errorf("a page's HTML has %q", prefixesOf(all))
	}
}

// When what is offered changes, so does every document with links, though no
// object has.
func TestOfferedFormatsRenewDocuments(t *testing.T) {
	g := newGateway(t, nil)
	paths := []string{"/links?uri=" + objects["article"].LandingPage.URL}
	for _, path := range publishedPaths(t, g) {
		if strings.HasPrefix(path, "/main/") && (strings.Contains(path, "signmap") || strings.Contains(path, "/linkset")) {
			paths = append(paths, path)
		}
	}
	before, err := g.db.Modified(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	etags := map[string]string{}
	for _, offered := range [][]string{nil, {"mods"}, {"mods", "rdf"}, {"rdf"}, nil} {
		g.offering(t, offered...)
		for _, path := range paths {
			status, h, body := g.ask(t, "GET", path, http.Header{"If-None-Match": {etags[path]}})
			if status == http.StatusNotModified {
				t.Errorf("%s with %q offered: got 304", path, offered)
			}
			body += strings.Join(h["Link"], "")
			for _, prefix := range []string{"mods", "rdf"} {
				if has := strings.Contains(body, "metadataPrefix="+prefix); has != slices.Contains(offered, prefix) {
					t.Errorf("%s with %q offered: a link to %s is there: %t", path, offered, prefix, has)
				}
			}
			etags[path] = h.Get("ETag")
		}
	}
	if after, err := g.db.Modified(t.Context(), "main"); err != nil || after != before {
		t.Errorf("objects were modified at %d, %v, want %d", after, err, before)
	}
}

// The administrator may have none of them.
func TestOfferedFormatsCanBeLeftOut(t *testing.T) {
	for _, omit := range []Describedby{{OmitOffered: true}, {OmitGetRecord: true}, {OmitGetRecord: true, OmitCopies: true}} {
		g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories[0].Describedby = omit })
		g.offering(t, "mods", "rdf")
		if links, _ := g.Links(t.Context(), objects["article"].LandingPage.URL); strings.Contains(prefixesOf(links), "mods") {
			t.Errorf("with %+v: got %q", omit, prefixesOf(links))
		}
	}
}
