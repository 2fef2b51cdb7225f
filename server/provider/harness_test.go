package provider_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/server/provider"
)

const baseURL = "https://links.example.org/main/oai"

// mirror is a Provider over a store on disk, and what it serves.
type mirror struct {
	provider.Mirror
	provider *provider.Provider
	db       *store.DB
	now      time.Time
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := m.provider.Serve(w, r, m.Mirror); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

var formats = []oaipmh.MetadataFormat{{Prefix: "oai_dc", Schema: "urn:schema", Namespace: "urn:t"}, {Prefix: "mods", Namespace: "urn:mods"}}

// newMirror is that of a source called main.
func newMirror(t testing.TB) *mirror {
	t.Helper()
	m := &mirror{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	now := func() time.Time { return m.now }
	var err error
	if m.db, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"), store.Now(now)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.db.Close() })
	m.provider = provider.New(m.db, "library@example.org", slog.New(slog.DiscardHandler), now)
	m.Mirror = provider.Mirror{
		BaseURL: baseURL, Name: "Main", Having: having("main"),
		Sources: []provider.Source{{ID: "main", Name: "Main", BaseURL: "https://repo.example.org/oai", Formats: formats}},
	}
	return m
}

// having returns sources whatever the identifier is.
func having(ids ...string) func(context.Context, string) ([]string, error) {
	return func(context.Context, string) ([]string, error) { return ids, nil }
}

// union serves another source too.
func (m *mirror) union() {
	other := m.Sources[0]
	other.ID, other.Name, other.BaseURL = "other", "Other", "https://other.example.org/oai"
	m.Sources, m.Union = append(m.Sources, other), true
	m.Having = having("main", "gone", "other")
	for i := range m.Sources {
		m.Sources[i].Modified = 1 << 60
	}
}

func recordOf(i int, text string) store.Record {
	return store.Record{
		Identifier: fmt.Sprint("oai:repo.example.org:", i), Prefix: "oai_dc", Datestamp: "2024-02-03", Sets: []string{fmt.Sprint("n", i%3)},
		Hash: [16]byte{byte(i), byte(i >> 8), byte(len(text))}, Metadata: fmt.Appendf(nil, `<t:text xmlns:t="urn:t">%s</t:text>`, text),
	}
}

func (m *mirror) save(t testing.TB, repository string, records ...store.Record) {
	t.Helper()
	b := store.Batch{Records: records}
	for _, r := range records {
		b.Objects = append(b.Objects, store.Object{
			Identifier: r.Identifier, Deleted: r.Deleted, Prefixes: []string{r.Prefix}, Sets: r.Sets,
			Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/" + r.Identifier}},
		})
	}
	if err := m.db.Save(t.Context(), repository, b); err != nil {
		t.Fatal(err)
	}
}

// fill saves n records.
func (m *mirror) fill(t testing.TB, repository string, n int) (out []store.Record) {
	t.Helper()
	for i := range n {
		r := recordOf(i, fmt.Sprintf("Größe &amp; Maß %d", i))
		if i%10 == 7 {
			r.Deleted, r.Metadata = true, nil
		}
		out = append(out, r)
	}
	for i := 0; i < n; i += 500 {
		m.save(t, repository, out[i:min(i+500, n)]...)
	}
	return out
}

// get asks, and checks that the answer is valid.
func (m *mirror) get(t testing.TB, query string) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, baseURL+"?"+query, nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := oaitest.Check(body); err != nil || w.Code != http.StatusOK {
		t.Errorf("%s: status %d, %v", query, w.Code, err)
	}
	return string(body)
}

var (
	tokenIn      = regexp.MustCompile(`<resumptionToken[^>]*>([^<]+)</resumptionToken>`)
	identifierIn = regexp.MustCompile(`<header[^>]*>\n<identifier>([^<]+)</identifier>`)
)

// list reads a list to its end, and returns its identifiers and the number of its
// pages. between is called after each page.
func (m *mirror) list(t testing.TB, query string, between func()) (ids []string, pages int) {
	t.Helper()
	verb, _, _ := strings.Cut(strings.TrimPrefix(query, "verb="), "&")
	for {
		body := m.get(t, query)
		pages++
		for _, found := range identifierIn.FindAllStringSubmatch(body, -1) {
			ids = append(ids, found[1])
		}
		token := tokenIn.FindStringSubmatch(body)
		if token == nil {
			return ids, pages
		}
		if between != nil {
			between()
		}
		query = "verb=" + verb + "&resumptionToken=" + url.QueryEscape(token[1])
	}
}
