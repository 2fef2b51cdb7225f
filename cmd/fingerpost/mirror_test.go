package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/oaipmh/oaitest/recorded"
	"fingerpost/testdata"
)

// A mirror that is harvested gives what was harvested: the records byte for byte, the
// same objects, the same links. So does a mirror of a mirror, and the mirror of all.

func TestMirrorsOfLookAlikes(t *testing.T) {
	all, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			settings := func(r *config.Repository) {
				r.Formats = l.Prefixes()
				r.Mapping.Hosts, r.LandingPage, r.Mapping.Platform = l.Hosts(), l.About["landing_page"], l.About["platform"]
				r.Mapping.CiteAs, r.Mapping.CiteAsPublishedDOI = l.About["cite_as"], l.About["cite_as_published_doi"] == "true"
			}
			isMirrored(t, publishAt(t, l.Serve(oaitest.Options{PageSize: 2}), l.About["base_url"], settings), settings)
		})
	}
}

func TestMirrorsOfSamples(t *testing.T) {
	for _, file := range recorded.Files(t) {
		t.Run(file.Platform+"/"+filepath.Base(file.Path), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(file.Path)
			if err != nil {
				t.Fatal(err)
			}
			if answersOther.Match(body) {
				return
			}
			origin := publish(t, body)
			if kept, err := origin.db.ListRecords(t.Context(), "main", store.List{Records: 1, Headers: true}); err != nil || len(kept.Records) == 0 {
				return // nothing could be read
			}
			origin.isSame(t, publishAt(t, checked{t, origin.site}, "http://links.example.org/main/oai", nil))
		})
	}
}

// isMirrored compares a look-alike with its mirror, the mirror of that, and the mirror
// of all.
func isMirrored(t *testing.T, origin *publication, settings func(*config.Repository)) {
	t.Helper()
	first := publishAt(t, checked{t, origin.site}, "http://links.example.org/main/oai", settings)
	t.Run("of the origin", func(t *testing.T) { origin.isSame(t, first) })
	second := publishAt(t, first.site, "http://links.example.org/main/oai", settings)
	t.Run("of the mirror", func(t *testing.T) { origin.isSame(t, second) })
	union := publishAt(t, checked{t, origin.site}, "http://links.example.org/oai", settings)
	t.Run("of all", func(t *testing.T) { origin.isNearlySame(t, union) })
}

// checked is a mirror whose answers are checked against the schemas.
type checked struct {
	t    *testing.T
	site http.Handler
}

func (c checked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Del("Accept-Encoding")
	answer := httptest.NewRecorder()
	c.site.ServeHTTP(answer, r)
	if err := oaitest.Check(answer.Body.Bytes()); err != nil {
		c.t.Errorf("%s: %v", r.URL, err)
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// isSame compares all that is kept and published of two repositories.
func (p *publication) isSame(t *testing.T, other *publication) {
	t.Helper()
	for _, run := range other.runs {
		if run.State != store.Complete {
			t.Errorf("the run ended %s: %s", run.State, run.Reason)
		}
	}
	for _, o := range p.objects(t) {
		got, err := other.db.ByIdentifier(t.Context(), "main", o.Identifier)
		if err != nil {
			t.Errorf("%q is not mirrored: %v", o.Identifier, err)
			continue
		}
		want := o.Object
		want.Origin = got.Origin
		if diff := gocmp.Diff(want, got.Object); diff != "" || o.Deleted != got.Deleted {
			t.Errorf("%q is another object (-origin +mirror):\n%s", o.Identifier, diff)
		}
		if !o.Deleted && !got.LastMod.Equal(o.LastMod) {
			t.Errorf("%q changed at %s, its mirror says at %s", o.Identifier, o.LastMod, got.LastMod)
		}
		links := other.links(t, got)
		if diff := gocmp.Diff(p.links(t, o), links); diff != "" {
			t.Errorf("%q has other links (-origin +mirror):\n%s", o.Identifier, diff)
		}
		for _, l := range links.Rel("describedby") {
			if strings.Contains(l.Href, "verb=GetRecord") { // at the origin
				other.isFound(t, l.Href, []string{o.Key})
			}
		}
		p.sameRecords(t, other, o.Identifier)
	}
}

// isNearlySame compares with a mirror of all: the name of the source stands before
// every set there, so that what follows from sets may differ.
func (p *publication) isNearlySame(t *testing.T, other *publication) {
	t.Helper()
	for _, o := range p.objects(t) {
		got, err := other.db.ByIdentifier(t.Context(), "main", o.Identifier)
		if err != nil {
			t.Errorf("%q is not mirrored: %v", o.Identifier, err)
			continue
		}
		if got.LandingPage.URL != o.LandingPage.URL || got.CiteAs != o.CiteAs || got.Deleted != o.Deleted {
			t.Errorf("%q is %s, cited as %s; its mirror %s, cited as %s", o.Identifier, o.LandingPage.URL, o.CiteAs, got.LandingPage.URL, got.CiteAs)
		}
		p.sameRecords(t, other, o.Identifier)
	}
}

// links are those of an object, deleted or not.
func (p *publication) links(t *testing.T, o store.Object) linkset.LinkSet {
	t.Helper()
	status := http.StatusOK
	if o.Deleted {
		status = http.StatusGone
	}
	body, _ := p.document(t, publicURL+"/main/"+o.Key+"/linkset.txt", status)
	links, err := linkset.ParseText(body)
	if err != nil {
		t.Error(err)
	}
	return sorted(links)
}

func (p *publication) sameRecords(t *testing.T, other *publication, identifier string) {
	t.Helper()
	want, err := p.db.Records(t.Context(), "main", identifier)
	if err != nil {
		t.Fatal(err)
	}
	got, err := other.db.Records(t.Context(), "main", identifier)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Fatalf("%q has %d records, its mirror %d", identifier, len(want), len(got))
	}
	for i := range want {
		if want[i].Prefix != got[i].Prefix || !bytes.Equal(want[i].Metadata, got[i].Metadata) {
			t.Errorf("%q in %s is not byte for byte the same:\n%s\n%s", identifier, want[i].Prefix, want[i].Metadata, got[i].Metadata)
		}
	}
}
