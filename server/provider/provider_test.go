package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/provider"
)

func TestListsAreWhole(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1202)
	for _, tt := range []struct {
		query          string
		records, pages int
	}{
		{"verb=ListRecords&metadataPrefix=oai_dc", 1202, 3},
		{"verb=ListIdentifiers&metadataPrefix=oai_dc", 1202, 2},
		{"verb=ListRecords&metadataPrefix=oai_dc&from=2030-01-02&until=2030-01-02", 1202, 3},
		{"verb=ListRecords&metadataPrefix=oai_dc&set=n1", 401, 1},
		{"verb=ListIdentifiers&metadataPrefix=oai_dc&set=n2", 400, 1},
	} {
		ids, pages := m.list(t, tt.query, nil)
		slices.Sort(ids)
		if unique := slices.Compact(slices.Clone(ids)); len(ids) != tt.records || len(unique) != tt.records || pages != tt.pages {
			t.Errorf("%s: %d records, %d different ones, on %d pages", tt.query, len(ids), len(unique), pages)
		}
	}
}

// The figures stand where they cost nothing, and the last page has an empty token.
func TestSizeAndCursor(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 501)
	first := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc")
	if !strings.Contains(first, `<resumptionToken completeListSize="501" cursor="0">`) {
		t.Errorf("the first page ends %q", first[len(first)-300:])
	}
	token := tokenIn.FindStringSubmatch(first)[1]
	last := m.get(t, "verb=ListRecords&resumptionToken="+token)
	if !strings.Contains(last, `<resumptionToken completeListSize="501" cursor="500"></resumptionToken>`) {
		t.Errorf("the last page ends %q", last[len(last)-300:])
	}
	if selected := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc&from=2030-01-01"); !strings.Contains(selected, `<resumptionToken cursor="0">`) {
		t.Errorf("a list that is selected ends %q", selected[len(selected)-300:])
	}
}

// A harvester that pages while records are saved gets what changed later, or again.
func TestNothingIsLostWhileRecordsChange(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1500)
	changed := 0
	ids, _ := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc", func() {
		if changed < 3 {
			m.save(t, "main", recordOf(1499-changed, "changed"), recordOf(changed, "changed"), recordOf(2000+changed, "new"))
			changed++
		}
	})
	for i := range 1500 {
		if id := fmt.Sprint("oai:repo.example.org:", i); !slices.Contains(ids, id) {
			t.Fatalf("%s is lost", id)
		}
	}
	if !slices.Contains(ids, "oai:repo.example.org:2000") {
		t.Error("what is new is not in the list that went on")
	}
}

// A transaction takes its clock when it begins: what it saves has a datestamp that no
// list has passed when it ends.
func TestNothingIsLostBetweenTwoHarvests(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1)
	began := m.now
	m.now = began.Add(50 * time.Second)
	answered := m.now.Format("2006-01-02T15:04:05Z") // a harvester has the list of now
	m.get(t, "verb=ListRecords&metadataPrefix=oai_dc")
	m.now = began.Add(time.Second)
	m.save(t, "main", recordOf(2, "slow")) // by a transaction that ends only now
	m.now = began.Add(time.Hour)
	if next := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc&from="+answered); !strings.Contains(next, ">oai:repo.example.org:2<") {
		t.Errorf("the next list from %s lacks it:\n%s", answered, next)
	}
}

func TestTokens(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1001)
	token := tokenIn.FindStringSubmatch(m.get(t, "verb=ListRecords&metadataPrefix=oai_dc"))[1]
	m.now = m.now.AddDate(20, 0, 0)
	fresh := *m // as after a restart, twenty years later
	fresh.provider = provider.New(m.db, "", m.provider.Log, m.provider.Now)
	if body := fresh.get(t, "verb=ListRecords&resumptionToken="+token); !strings.Contains(body, ">oai:repo.example.org:500<") {
		t.Errorf("the token does not lead to the second page:\n%.500s", body)
	}
	elsewhere := *m
	elsewhere.BaseURL = "https://links.example.org/other/oai"
	for name, body := range map[string]string{
		"of another verb":  m.get(t, "verb=ListIdentifiers&resumptionToken="+token),
		"of another place": elsewhere.get(t, "verb=ListRecords&resumptionToken="+token),
		"cut":              m.get(t, "verb=ListRecords&resumptionToken="+token[:len(token)-1]),
		"longer":           m.get(t, "verb=ListRecords&resumptionToken="+token+"A"),
		"changed":          m.get(t, "verb=ListRecords&resumptionToken="+strings.Replace(token, token[4:6], "zz", 1)),
		"made up":          m.get(t, "verb=ListRecords&resumptionToken=0"),
		"of a set":         m.get(t, "verb=ListSets&resumptionToken="+token),
	} {
		if !strings.Contains(body, `<error code="badResumptionToken">`) {
			t.Errorf("a token that is %s is taken:\n%.500s", name, body)
		}
	}
}

func FuzzTokens(f *testing.F) {
	m := newMirror(f)
	m.fill(f, "main", 501)
	f.Add(tokenIn.FindStringSubmatch(m.get(f, "verb=ListRecords&metadataPrefix=oai_dc"))[1])
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		m.get(t, "verb=ListRecords&resumptionToken="+url.QueryEscape(token))
		m.get(t, "verb=ListRecords&metadataPrefix=oai_dc&set="+url.QueryEscape(token)+"&from="+url.QueryEscape(token))
	})
}

func TestUnion(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 600)
	m.union()
	m.save(t, "other", recordOf(1, "of the other"), recordOf(9000, "of the other alone"))
	ids, pages := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc", nil)
	if len(ids) != 602 || pages != 2 || ids[600] != "oai:repo.example.org:1" {
		t.Errorf("%d records on %d pages", len(ids), pages)
	}
	if ids, _ := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc&set=other", nil); len(ids) != 2 {
		t.Errorf("the set of a source has %q", ids)
	}
	// A page that is full with the last record of a source: nothing follows, or the next.
	if ids, pages := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc&set=other:n1", nil); len(ids) != 1 || pages != 1 {
		t.Errorf("a set of a source has %q", ids)
	}
	const get = "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repo.example.org:1"
	if body := m.get(t, get); !strings.Contains(body, "Größe &amp; Maß 1<") {
		t.Errorf("the first source's record is not the one:\n%s", body)
	}
	m.Having = having("other", "main")
	if body := m.get(t, get); !strings.Contains(body, "of the other<") {
		t.Errorf("the record of the preferred source is not the one:\n%s", body)
	}
	m.Having = having("main", "other")
	gone := recordOf(1, "")
	gone.Deleted, gone.Metadata = true, nil
	m.save(t, "main", gone)
	if body := m.get(t, get); !strings.Contains(body, "of the other<") {
		t.Errorf("a deleted record comes before a live one:\n%s", body)
	}
}

// asking counts the sources that are asked for formats and for records.
type asking struct {
	provider.Store
	formats, lists *int
}

func (a asking) Formats(ctx context.Context, repository string, prefixes ...string) ([]string, error) {
	*a.formats++
	return a.Store.Formats(ctx, repository, prefixes...)
}

func (a asking) ListRecords(ctx context.Context, repository string, l store.List) (store.Listing, error) {
	*a.lists++
	return a.Store.ListRecords(ctx, repository, l)
}

// Of many sources those are asked that may have records in the format.
func TestAListAsksFewSources(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1)
	m.union()
	m.Sources = m.Sources[:1]
	for i := range 1000 {
		s := provider.Source{ID: fmt.Sprintf("z%04d", i), Formats: formats[1:], Modified: 1 << 60}
		m.Sources = append(m.Sources, s)
	}
	var askedFormats, lists int
	m.provider.Store = asking{m.db, &askedFormats, &lists}
	if body := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc"); !strings.Contains(body, "<metadata>") || askedFormats > 1 || lists > 1 {
		t.Errorf("%d sources were asked for formats, %d for records:\n%.500s", askedFormats, lists, body)
	}
}

func TestPagesThatEndWithASource(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 500)
	m.union()
	if ids, pages := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc", nil); len(ids) != 500 || pages != 1 {
		t.Errorf("%d records on %d pages where nothing follows", len(ids), pages)
	}
	m.save(t, "other", recordOf(1, "more"))
	if ids, pages := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc", nil); len(ids) != 501 || pages != 2 {
		t.Errorf("%d records on %d pages", len(ids), pages)
	}
}

func TestLargeRecordsMakeSmallPages(t *testing.T) {
	m := newMirror(t)
	large := strings.Repeat("x", 3<<20)
	for i := range 4 {
		m.save(t, "main", recordOf(i, large))
	}
	if ids, pages := m.list(t, "verb=ListRecords&metadataPrefix=oai_dc", nil); len(ids) != 4 || pages != 4 {
		t.Errorf("%d records of 3 MiB on %d pages", len(ids), pages)
	}
}

func TestMetadataIsServedByteForByte(t *testing.T) {
	tests := []struct{ name, kept, want string }{
		{"plain", `<t:a xmlns:t="urn:t"  b = 'c'>&#xE4; <![CDATA[<&]]><!-- - --></t:a>`, "<metadata>\n" + `<t:a xmlns:t="urn:t"  b = 'c'>&#xE4; <![CDATA[<&]]><!-- - --></t:a>` + "\n</metadata>"},
		{"with a declaration", "\uFEFF<?xml version=\"1.0\"?>\n<!-- x --><t:a xmlns:t=\"urn:t\"/>", "<metadata>\n<t:a xmlns:t=\"urn:t\"/>\n</metadata>"},
		{"in no namespace", `<a><b/></a>`, `<oai:metadata xmlns:oai="http://www.openarchives.org/OAI/2.0/" xmlns="">` + "\n<a><b/></a>\n</oai:metadata>"},
		{"in no namespace inside", `<t:a xmlns:t="urn:t"><b/></t:a>`, `<oai:metadata xmlns:oai="http://www.openarchives.org/OAI/2.0/" xmlns="">`},
		{"with a prefix that is not declared", `<t:a xmlns:t="urn:t" x:b="1"><y:c/></t:a>`, `<metadata xmlns:x="urn:undeclared:x" xmlns:y="urn:undeclared:y">`},
		{"no XML", `<t:a xmlns:t="urn:t">`, "</header>\n<about>"},
		{"two roots", `<a/><b/>`, "</header>\n<about>"},
		{"with a character that XML has not", "<t:a xmlns:t=\"urn:t\">\x0B</t:a>", "</header>\n<about>"},
		{"with an entity of HTML", `<t:a xmlns:t="urn:t">&nbsp;</t:a>`, "</header>\n<about>"},
		{"with a document type", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "</header>\n<about>"},
		{"that would end its element", `</metadata></record><record>`, "</header>\n<about>"},
		{"an attribute twice", `<t:a xmlns:t="urn:t" b="1" b="2">ä<!-- --></t:a>`, "</header>\n<about>"},
		{"empty", "", "</header>\n<about>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMirror(t)
			r := recordOf(1, "")
			r.Metadata = []byte(tt.kept)
			m.save(t, "main", r, recordOf(2, "the next"))
			body := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc")
			if !strings.Contains(body, tt.want) || !strings.Contains(body, "the next") {
				t.Errorf("got\n%s\nwant in it\n%s", body, tt.want)
			}
		})
	}
}

func TestProvenanceIsNested(t *testing.T) {
	m := newMirror(t)
	r := recordOf(1, "x")
	r.Provenance = []byte(`<originDescription harvestDate="2020-01-01T00:00:00Z" altered="false"><baseURL>https://origin.example.org/oai</baseURL>` +
		`<identifier>oai:repo.example.org:1</identifier><datestamp>2019-01-01</datestamp><metadataNamespace>urn:t</metadataNamespace></originDescription>`)
	m.save(t, "main", r)
	body := m.get(t, "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repo.example.org:1")
	want := `<originDescription harvestDate="2030-01-02T03:04:05Z" altered="false"><baseURL>https://repo.example.org/oai</baseURL>` +
		`<identifier>oai:repo.example.org:1</identifier><datestamp>2024-02-03</datestamp><metadataNamespace>urn:t</metadataNamespace>` +
		string(r.Provenance) + `</originDescription>`
	if !strings.Contains(body, want) {
		t.Errorf("got\n%s\nwant in it\n%s", body, want)
	}
}

// failing is a store that cannot be read.
type failing struct{ provider.Store }

var errRead = errors.New("the disk is gone")

func (failing) ListRecords(context.Context, string, store.List) (store.Listing, error) {
	return store.Listing{}, errRead
}

func TestAStoreThatFailsIsNoEmptyList(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1)
	m.provider.Store = failing{m.db}
	w := httptest.NewRecorder()
	err := m.provider.Serve(w, httptest.NewRequest(http.MethodGet, baseURL+"?verb=ListRecords&metadataPrefix=oai_dc", nil), m.Mirror)
	if !errors.Is(err, errRead) || w.Body.Len() > 0 {
		t.Errorf("error %v, body %q", err, w.Body)
	}
}

// slow is a store that is read until it is told to end.
type slow struct {
	provider.Store
	began chan struct{}
	end   chan struct{}
}

func (s slow) Formats(ctx context.Context, repository string, prefixes ...string) ([]string, error) {
	s.began <- struct{}{}
	<-s.end
	return s.Store.Formats(ctx, repository, prefixes...)
}

// stuck is a client that does not read.
type stuck struct {
	*httptest.ResponseRecorder
	began, end chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	s.began <- struct{}{}
	<-s.end
	return s.ResponseRecorder.Write(b)
}

func TestSlowClientsStopNobody(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1)
	began, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range 8 {
		go func() {
			m.ServeHTTP(stuck{httptest.NewRecorder(), began, end}, httptest.NewRequest(http.MethodGet, baseURL+"?verb=Identify", nil))
			done <- struct{}{}
		}()
		<-began
	}
	m.get(t, "verb=ListRecords&metadataPrefix=oai_dc")
	close(end)
	for range 8 {
		<-done
	}
}

func TestTooManyHarvestersAreSentAway(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 1)
	s := slow{m.db, make(chan struct{}), make(chan struct{})}
	m.provider.Store = s
	ask := func(ctx context.Context) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, baseURL+"?verb=ListMetadataFormats", nil))
		return w
	}
	done := make(chan int)
	for range 2 {
		go func() { done <- ask(t.Context()).Code }()
		<-s.began
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it waits no longer
	if w := ask(ctx); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "30" {
		t.Errorf("status %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	close(s.end)
	for range 2 {
		if code := <-done; code != http.StatusOK {
			t.Errorf("a request that had its turn was answered %d", code)
		}
	}
}

// A set that no record has ever been in costs no look at all records.
func TestUnknownSetsCostLittle(t *testing.T) {
	m := newMirror(t)
	m.fill(t, "main", 10)
	m.provider.Store = failing{m.db} // which cannot list records
	for set, code := range map[string]string{"nothing": "noRecordsMatch", "n": "noRecordsMatch", "oai_dc": "noRecordsMatch"} {
		if body := m.get(t, "verb=ListRecords&metadataPrefix=oai_dc&set="+set); !strings.Contains(body, `<error code="`+code+`">`) {
			t.Errorf("set %s:\n%s", set, body)
		}
	}
}
