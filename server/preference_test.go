package server

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// aMirror is a source whose ID comes before that of the repository it mirrors.
var aMirror = Repository{ID: "amirror", OAIURL: "https://mirror.example.org/oai"}

// mirrored is a record that several sources have.
type mirrored struct {
	repository, page, doi, origin string
	deleted                       bool
}

func (m mirrored) saveIn(t *testing.T, g *gateway) {
	t.Helper()
	o := store.Object{Identifier: identifierOf("shared"), Prefixes: []string{"oai_dc"}, Object: bridge.Object{
		LandingPage: bridge.LandingPage{URL: m.page}, CiteAs: m.doi, Origin: m.origin,
	}}
	r := store.Record{Identifier: o.Identifier, Prefix: "oai_dc", Metadata: []byte("<a/>")}
	if err := g.db.Save(t.Context(), m.repository, store.Batch{Objects: []store.Object{o}, Records: []store.Record{r}}); err != nil {
		t.Fatal(err)
	}
	if !m.deleted {
		return
	}
	o.Deleted, r.Deleted, r.Metadata, r.Hash, o.Object = true, true, nil, [16]byte{1}, bridge.Object{}
	if err := g.db.Save(t.Context(), m.repository, store.Batch{Objects: []store.Object{o}, Records: []store.Record{r}}); err != nil {
		t.Fatal(err)
	}
}

// A record that several sources have is one object, whichever of them was
// harvested first.
func TestARecordOfSeveralSourcesIsOneObject(t *testing.T) {
	const page, copied, doi, origin = "https://repo.example.org/shared", "https://mirror.example.org/shared", "https://doi.org/10.1234/shared", oaiURL
	for name, tt := range map[string]struct {
		main, mirror mirrored
		want         string
	}{
		"a mirror names the page of the repository":  {mirrored{page: page, doi: doi}, mirrored{page: page, doi: doi}, "main"},
		"the page is deleted where it belongs":       {mirrored{page: page, doi: doi, deleted: true}, mirrored{page: page, doi: doi}, "main"},
		"the page is deleted in the mirror":          {mirrored{page: page, doi: doi}, mirrored{page: page, doi: doi, deleted: true}, "main"},
		"a mirror has no page":                       {mirrored{page: page, doi: doi}, mirrored{page: doi}, "main"},
		"a mirror has a page and names the origin":   {mirrored{page: page, doi: doi}, mirrored{page: copied, doi: doi, origin: origin}, "main"},
		"both have a page":                           {mirrored{page: page, doi: doi}, mirrored{page: copied, doi: doi}, "amirror"},
		"both have a page, one of which is deleted":  {mirrored{page: page, doi: doi, deleted: true}, mirrored{page: copied, doi: doi}, "amirror"},
		"both have a page, the other was deleted":    {mirrored{page: page, doi: doi}, mirrored{page: copied, doi: doi, deleted: true}, "main"},
		"the mirror names it, the repository has it": {mirrored{page: page, doi: doi}, mirrored{page: copied, doi: "https://doi.org/10.1234/other"}, "main"},
	} {
		for _, mirrorFirst := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", the mirror first: ", mirrorFirst), func(t *testing.T) {
				g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories = append([]Repository{aMirror}, c.Repositories...) })
				tt.main.repository, tt.mirror.repository = "main", aMirror.ID
				all := []mirrored{tt.main, tt.mirror}
				if mirrorFirst {
					slices.Reverse(all)
				}
				for _, m := range all {
					m.saveIn(t, g)
				}
				if got := g.leadsTo(t, "/linkset?uri="+doi); got != tt.want {
					t.Errorf("/linkset leads to %q, want %q", got, tt.want)
				}
				if got := g.leadsTo(t, "/find?q=doi:10.1234/shared"); got != tt.want {
					t.Errorf("/find leads to %q, want %q", got, tt.want)
				}
				links, _ := g.Links(t.Context(), doi)
				if sets := links.Rel("linkset"); len(sets) > 0 && !strings.Contains(sets[0].Href, "/"+tt.want+"/") {
					t.Errorf("/links has %v, want those of %q", sets, tt.want)
				}
				if got := g.leadsTo(t, "/linkset?uri="+page); got != "main" {
					t.Errorf("the page leads to %q", got)
				}
				if got := g.leadsTo(t, "/find?q="+identifierOf("shared")); got != "main" { // on whose host it says that it is
					t.Errorf("the identifier leads to %q", got)
				}
				_, _, record := g.ask(t, "GET", "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier="+url.QueryEscape(identifierOf("shared")), nil)
				if !strings.Contains(record, "<setSpec>main") {
					t.Errorf("GetRecord has that of another source:\n%s", record)
				}
			})
		}
	}
}

// leadsTo is the repository to which an address leads; "" if none.
func (g *gateway) leadsTo(t *testing.T, target string) string {
	t.Helper()
	_, header, _ := g.ask(t, "GET", target, nil)
	id, _, _ := strings.Cut(strings.TrimPrefix(header.Get("Location"), g.urls.base+"/"), "/")
	return id
}

// An OAI identifier belongs to the repository on whose host it says that its record
// lies, like the pages there; otherwise to any that has it and is published.
func TestSourcesOfIdentifiers(t *testing.T) {
	g := newGateway(t, nil)
	now, err := g.repositories.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for identifier, want := range map[string][]string{
		"oai:repo.example.org:1":     {"main"},
		"oai:REPO.example.org:1":     {"main"},
		"oai:eprints.example.org:1":  {"main"},
		"oai:other.example.org:a:1":  {"other"},
		"oai:nobody.example.org:1":   {"main", "other"},
		"https://repo.example.org/1": {"main"},
	} {
		for _, repository := range []string{"removed", "other", "main"} {
			b := store.Batch{Objects: []store.Object{{Identifier: identifier, Object: numbered(1)}}}
			if err := g.db.Save(t.Context(), repository, b); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := g.having(t.Context(), now, identifier); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q and %v, want %q", identifier, got, err, want)
		}
	}
	if got, err := g.having(t.Context(), now, ""); err != nil || len(got) > 0 {
		t.Errorf("the empty identifier: got %q and %v", got, err)
	}
}

// countingStore counts what is asked about single repositories.
type countingStore struct {
	*store.DB
	asked *int
}

func (s countingStore) OfIdentifier(ctx context.Context, repository, identifier string) ([]store.Listed, error) {
	*s.asked++
	return s.DB.OfIdentifier(ctx, repository, identifier)
}

func (s countingStore) ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error) {
	*s.asked++
	return s.DB.ByIdentifier(ctx, repository, identifier)
}

// However many sources there are, an identifier is looked for in those that have
// it.
func TestAnIdentifierIsLookedForOnce(t *testing.T) {
	g := newGateway(t, func(c *Config, _ *[]store.Option) {
		for i := range 2000 {
			c.Repositories = append(c.Repositories, Repository{ID: fmt.Sprint("source-", i), OAIURL: fmt.Sprintf("https://source-%d.example.org/oai", i)})
		}
	})
	mirrored{repository: "source-1999", page: "https://source-1999.example.org/1"}.saveIn(t, g)
	asked := 0
	g.use(countingStore{g.db, &asked})
	for target, most := range map[string]int{
		"/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:nobody.example.org:1": 0,
		"/oai?verb=ListMetadataFormats&identifier=oai:nobody.example.org:1":             0,
		"/find?q=oai:nobody.example.org:1":                                              0,
		"/find?q=" + identifierOf("shared"):                                             1,
		"/oai?verb=ListMetadataFormats&identifier=" + identifierOf("shared"):            1,
	} {
		asked = 0
		answerOf(g.Server, target, "")
		if asked > most {
			t.Errorf("%s: %d sources were asked", target, asked)
		}
	}
	if got := g.leadsTo(t, "/find?q="+identifierOf("shared")); got != "source-1999" {
		t.Errorf("the identifier leads to %q", got)
	}
}
