package harvest_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/testdata"
)

var update = flag.Bool("update", false, "write what is found as what is expected")

// TestLookAlikes harvests every repository of testdata/repositories over HTTP,
// two records a page, and compares the links with its expected.linkset.
func TestLookAlikes(t *testing.T) {
	all, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 15 {
		t.Fatalf("there are %d look-alikes, want at least 15", len(all))
	}
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			got := linksOf(t, l)
			switch diff := cmp.Diff(blocks(l.Expected), blocks(got)); {
			case diff == "":
			case *update:
				writeExpected(t, l, got)
			default:
				t.Errorf("links differ from testdata/repositories/%s/expected.linkset (-want +got):\n%s", l.ID, diff)
			}
		})
	}
}

// linksOf harvests a look-alike and writes its links as its expected.linkset
// does: an object a block, the links that follow from its metadata alone.
func linksOf(t *testing.T, l testdata.LookAlike) string {
	db, _ := harvested(t, l)
	var b strings.Builder
	for _, rec := range l.Records {
		b.WriteString(block(t, db, rec.Identifier))
	}
	return b.String()
}

func harvested(t *testing.T, l testdata.LookAlike) (*store.DB, harvest.Repository) {
	clock := oaitest.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	db := openStore(t, clock)
	h := &harvest.Harvester{Store: db, Clock: clock, Log: quiet()}
	r := harvest.Repository{
		ID: "main", OAIURL: l.About["base_url"], Prefixes: l.Prefixes(),
		Client: oaipmh.Options{Transport: inProcess{l.Serve(oaitest.Options{PageSize: 2, Now: clock.Now})}, Clock: clock},
		Settings: bridge.Settings{
			Hosts: l.Hosts(), LandingPage: l.About["landing_page"], CiteAs: l.About["cite_as"],
			CiteAsPublishedDOI: l.About["cite_as_published_doi"] == "true", Platform: l.About["platform"],
		},
	}
	if _, err := h.Run(t.Context(), r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	return db, r
}

// TestLookAlikesAreExplained asks of every link of every look-alike from which
// element it is and by which rule, and of every other value why it is none.
func TestLookAlikesAreExplained(t *testing.T) {
	all, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		t.Run(l.ID, func(t *testing.T) {
			db, r := harvested(t, l)
			for o, err := range db.Objects(t.Context(), r.ID, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if o.Deleted {
					continue
				}
				set := bridge.Signpost(o.Object, nil, bridge.Gateway{LinkSetJSON: "https://links.example.org/1.json"})
				explained(t, bridge.Explain(o.Identifier, o.Object, set, traceOf(t, db, r, o), linkset.Budget{}))
			}
		})
	}
}

// traceOf maps an object's records once more, taking notes.
func traceOf(t *testing.T, db *store.DB, r harvest.Repository, o store.Object) (trace bridge.Trace) {
	t.Helper()
	known, err := db.Repository(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := bridge.NewMapping(r.OAIURL, known.Mapping, r.Settings)
	if err != nil {
		t.Fatal(err)
	}
	found, err := db.Records(t.Context(), r.ID, o.Identifier)
	if err != nil {
		t.Fatal(err)
	}
	var records []bridge.Record
	for _, h := range found {
		if !h.Deleted {
			records = append(records, bridge.Record{Prefix: h.Prefix, Sets: h.Sets, Metadata: h.Metadata})
		}
	}
	again, err := mapping.Map(o.Identifier, records, &trace)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o.Object, again); diff != "" {
		t.Errorf("%s is mapped otherwise when notes are taken (-published +explained):\n%s", o.Identifier, diff)
	}
	return trace
}

func explained(t *testing.T, e bridge.Explanation) {
	t.Helper()
	if e.PageFrom == "" || e.PageRule == "" {
		t.Errorf("%s: from where is the landing page %s? got %q, rule %q", e.Identifier, e.LandingPage, e.PageFrom, e.PageRule)
	}
	for _, l := range e.Links {
		ofMetadata := l.Rel == "cite-as" || l.Rel == "author" || l.Rel == "license" || l.Rel == "item"
		if l.From == "" || l.Rule == "" || l.Verdict == "" || ofMetadata && l.From == "fingerpost" {
			t.Errorf("%s: from where is this link? got %+v", e.Identifier, l)
		}
		if l.Rel == "item" && (l.Type != "") != (l.TypeFrom != "" && l.TypeRule != "") {
			t.Errorf("%s: from where is the media type of %s? got %+v", e.Identifier, l.Href, l)
		}
		if l.Rel == "type" && l.Href != "https://schema.org/AboutPage" && l.Href != "https://schema.org/ProfilePage" && l.From == "fingerpost" {
			t.Errorf("%s: from where is the type? got %+v", e.Identifier, l)
		}
	}
	for _, r := range e.Rejected {
		if r.From == "" || r.Reason == "" {
			t.Errorf("%s: why is this no link? got %+v", e.Identifier, r)
		}
	}
}

// inProcess answers requests to any host by a handler.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

func block(t *testing.T, db *store.DB, identifier string) string {
	o, err := db.ByIdentifier(t.Context(), "main", identifier)
	switch {
	case err != nil:
		return fmt.Sprintf("# %s no landing page: %s\n\n", identifier, reasonFor(t, db, identifier))
	case o.Deleted:
		return fmt.Sprintf("# %s deleted\n\n", identifier)
	}
	links := strings.ReplaceAll(string(bridge.Signpost(o.Object, nil, bridge.Gateway{}).Text()), ",\n", "\n")
	return fmt.Sprintf("# %s\n%s\n\n", identifier, links)
}

func reasonFor(t *testing.T, db *store.DB, identifier string) string {
	for q, err := range db.Quarantined(t.Context(), "main") {
		if err != nil {
			t.Fatal(err)
		}
		if q.Identifier == identifier {
			return strings.TrimPrefix(q.Reason, "no landing page for "+identifier+": ")
		}
	}
	t.Errorf("%s is neither an object nor in quarantine", identifier)
	return ""
}

// blocks are the links of each object, without comments and without the words
// in which a refusal is explained.
func blocks(text string) map[string][]string {
	out := map[string][]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# oai:"), strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "# why"):
			name, _, _ = strings.Cut(strings.TrimPrefix(line, "# "), ": ")
			out[name] = nil
		case strings.HasPrefix(line, "<"):
			out[name] = append(out[name], line)
		}
	}
	return out
}

// writeExpected replaces the links of a look-alike and keeps its comments.
func writeExpected(t *testing.T, l testdata.LookAlike, got string) {
	why := map[string]string{}
	name := ""
	for line := range strings.Lines(l.Expected) {
		if strings.HasPrefix(line, "# why") {
			why[name] += line
		} else if strings.HasPrefix(line, "# ") {
			name = strings.Fields(line)[1]
		}
	}
	var b strings.Builder
	for line := range strings.Lines(got) {
		b.WriteString(line)
		if strings.HasPrefix(line, "# ") {
			b.WriteString(why[strings.Fields(line)[1]])
		}
	}
	file := filepath.Join("..", "..", "testdata", "repositories", l.ID, "expected.linkset")
	if err := os.WriteFile(file, []byte(strings.TrimSuffix(b.String(), "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
