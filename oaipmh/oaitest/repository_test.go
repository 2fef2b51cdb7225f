package oaitest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// ask sends a query and returns the body of the answer.
func ask(r *oaitest.Repository, query string) string {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/oai?"+query, nil))
	return w.Body.String()
}

const dc = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>`

// three records: one a day, the second in another set, the third deleted.
func three() []oaitest.Record {
	formats := map[string]string{"oai_dc": dc}
	return []oaitest.Record{
		{Header: oaipmh.Header{Identifier: "c", Datestamp: "2026-01-03T10:00:00Z", Sets: []string{"x:y"}, Deleted: true}, Formats: formats},
		{Header: oaipmh.Header{Identifier: "a", Datestamp: "2026-01-01T10:00:00Z", Sets: []string{"x:y"}}, Formats: formats},
		{Header: oaipmh.Header{Identifier: "b", Datestamp: "2026-01-02T10:00:00Z", Sets: []string{"xy"}}, Formats: map[string]string{"oai_dc": dc, "own": `<o xmlns="http://o/"/>`}},
	}
}

func TestProtocolErrors(t *testing.T) {
	for query, want := range map[string]string{
		"":                            "badVerb",
		"verb=identify":               "badVerb",
		"verb=Identify&verb=Identify": "badVerb",
		"verb=Identify&set=x":         "badArgument",
		"verb=ListRecords":            "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x":                          "badArgument",
		"verb=ListRecords&resumptionToken=x":                                                "badResumptionToken",
		"verb=ListRecords&metadataPrefix=mods":                                              "cannotDisseminateFormat",
		"verb=ListRecords&metadataPrefix=oai_dc&set=none":                                   "noRecordsMatch",
		"verb=ListRecords&metadataPrefix=oai_dc&from=2027-01-01":                            "noRecordsMatch",
		"verb=ListRecords&metadataPrefix=oai_dc&from=January":                               "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-01-01T00:00:00Z": "badArgument",
		"verb=GetRecord&identifier=a&metadataPrefix=own":                                    "cannotDisseminateFormat",
		"verb=GetRecord&identifier=z&metadataPrefix=oai_dc":                                 "idDoesNotExist",
		"verb=ListMetadataFormats&identifier=z":                                             "idDoesNotExist",
	} {
		if got := ask(oaitest.New(oaitest.Options{}, three()...), query); !strings.Contains(got, `<error code="`+want+`">`) {
			t.Errorf("%s: want %s in %s", query, want, got)
		}
	}
	days := oaitest.New(oaitest.Options{Granularity: oaipmh.Day}, three()...)
	if got := ask(days, "verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01T00:00:00Z"); !strings.Contains(got, "badArgument") {
		t.Errorf("a repository of days takes seconds: %s", got)
	}
	if got := ask(oaitest.New(oaitest.Options{}, oaitest.Record{Header: oaipmh.Header{Identifier: "a"}}), "verb=ListSets"); !strings.Contains(got, "noSetHierarchy") {
		t.Errorf("got %s", got)
	}
}

func TestSelectiveHarvesting(t *testing.T) {
	day := func(d, h int) time.Time { return time.Date(2026, 1, d, h, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		list oaipmh.List
		want string
	}{
		{oaipmh.List{}, "a b -c"},
		{oaipmh.List{Set: "x"}, "a -c"},
		{oaipmh.List{Set: "x:y"}, "a -c"},
		{oaipmh.List{Set: "xy"}, "b"},
		{oaipmh.List{From: day(2, 10)}, "b -c"},
		{oaipmh.List{From: day(2, 11)}, "-c"},
		{oaipmh.List{Until: day(2, 10)}, "a b"},
		{oaipmh.List{Until: day(2, 9)}, "a"},
		{oaipmh.List{From: day(2, 0), Until: day(2, 0), Granularity: oaipmh.Day}, "b"},
		{oaipmh.List{Prefix: "own"}, "b"},
	} {
		if c.list.Prefix == "" {
			c.list.Prefix = "oai_dc"
		}
		r := oaitest.New(oaitest.Options{PageSize: 1}, three()...)
		if got := listed(t, client(t, r, oaipmh.Options{}), c.list); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.list, got, c.want)
		}
	}
}

// listed are the identifiers of a list, tombstones with a "-", from both list
// verbs, which must agree.
func listed(t *testing.T, c *oaipmh.Client, l oaipmh.List) string {
	t.Helper()
	var both [2][]string
	for i, pages := range []func(context.Context, oaipmh.List) func(func(oaipmh.Page, error) bool){
		func(ctx context.Context, l oaipmh.List) func(func(oaipmh.Page, error) bool) {
			return c.ListRecords(ctx, l)
		},
		func(ctx context.Context, l oaipmh.List) func(func(oaipmh.Page, error) bool) {
			return c.ListIdentifiers(ctx, l)
		},
	} {
		for p, err := range pages(context.Background(), l) {
			if err != nil {
				t.Fatalf("%+v: %v", l, err)
			}
			for _, r := range p.Records {
				id := r.Identifier
				if r.Deleted {
					id = "-" + id
				}
				both[i] = append(both[i], id)
			}
		}
	}
	if !slices.Equal(both[0], both[1]) {
		t.Errorf("%+v: ListRecords gave %v, ListIdentifiers %v", l, both[0], both[1])
	}
	return strings.Join(both[0], " ")
}

func TestChanges(t *testing.T) {
	clock := oaitest.NewClock(start)
	for _, r := range []*oaitest.Repository{
		oaitest.New(oaitest.Options{Now: clock.Now}, three()...),
		oaitest.Generated(3, oaitest.Options{Now: clock.Now}),
	} {
		c := client(t, r, oaipmh.Options{})
		first, second := r.Identifiers()[0], r.Identifiers()[1]
		r.Put(oaitest.Record{Header: oaipmh.Header{Identifier: "new"}, Formats: map[string]string{"oai_dc": dc}})
		clock.Advance(time.Second)
		r.Delete(first)
		r.Vanish(second)
		l := oaipmh.List{Prefix: "oai_dc", From: start}
		if got := listed(t, c, l); got != "new -"+first {
			t.Errorf("changed since: %q, want new and -%s", got, first)
		}
		_, err := c.GetRecord(context.Background(), second, "oai_dc")
		var e *oaipmh.Error
		if !errors.As(err, &e) || e.Code != oaipmh.IDDoesNotExist {
			t.Errorf("what vanished is %v", err)
		}
	}
}

func TestPaging(t *testing.T) {
	r := oaitest.Generated(250, oaitest.Options{})
	c := client(t, r, oaipmh.Options{})
	var got []string
	for p, err := range c.ListRecords(context.Background(), oaipmh.List{Prefix: "datacite"}) {
		if err != nil {
			t.Fatal(err)
		}
		k := p.Token
		got = append(got, fmt.Sprintf("%d of %d from %d, more %t", len(p.Records), k.CompleteListSize, k.Cursor, k.Value != ""))
	}
	want := []string{"100 of 250 from 0, more true", "100 of 250 from 100, more true", "50 of 250 from 200, more false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := len(r.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestGeneratedRecordsAreTheSameEachTime(t *testing.T) {
	for _, platform := range []string{"eprints", "dspace"} {
		a, b := oaitest.Generated(50, oaitest.Options{Platform: platform}), oaitest.Generated(50, oaitest.Options{Platform: platform})
		for _, id := range a.Identifiers() {
			for _, prefix := range []string{"oai_dc", "datacite"} {
				q := "verb=GetRecord&metadataPrefix=" + prefix + "&identifier=" + url.QueryEscape(id)
				x, y := ask(a, q), ask(b, q)
				_, x, _ = strings.Cut(x, "<GetRecord>")
				_, y, _ = strings.Cut(y, "<GetRecord>")
				if x == "" || x != y {
					t.Fatalf("%s %s: %q and %q", id, prefix, x, y)
				}
			}
		}
		p, err := oaipmh.ReadPage([]byte(ask(a, "verb=ListRecords&metadataPrefix=oai_dc")), "")
		if size := p.Bytes / 50; err != nil || size < 2000 || size > 3200 {
			t.Errorf("%s: a record takes %d bytes, %v; want 2 to 3 kB", platform, size, err)
		}
	}
}

func TestFaultsOnOneRecord(t *testing.T) {
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	poisoned := r.Identifiers()[16]
	r.Inject(oaitest.Fault{Kind: oaitest.Status500, Identifier: poisoned, Times: -1})
	c := client(t, r, oaipmh.Options{})
	got := drain(c, oaipmh.List{Prefix: "oai_dc"})
	var status *oaipmh.StatusError
	if got.distinct != 10 || !errors.As(got.err, &status) {
		t.Errorf("got %d records and %v, want the 10 of the page before it and a 500", got.distinct, got.err)
	}
	if _, err := c.GetRecord(context.Background(), poisoned, "oai_dc"); err != nil {
		t.Errorf("GetRecord is not a list: %v", err)
	}
	r.Heal()
	if got := drain(c, oaipmh.List{Prefix: "oai_dc"}); got.distinct != 30 || got.err != nil {
		t.Errorf("healed: %d records, %v", got.distinct, got.err)
	}
}

func TestVerbatim(t *testing.T) {
	rec := func(id, metadata string) string {
		return "<record><header><identifier>" + id + "</identifier><datestamp>2026-01-01</datestamp></header><metadata>" + metadata + "</metadata></record>"
	}
	const root = `<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">`
	for _, test := range []struct{ body, prefix, want string }{
		{root + "<ListRecords>" + rec("1", dc) + rec("2", dc) + "<resumptionToken>old</resumptionToken></ListRecords></OAI-PMH>", "oai_dc", "1 2"},
		{root + "<GetRecord>" + rec("3", dc) + "</GetRecord></OAI-PMH>", "oai_dc", "3"},
		{`<?xml version="1.0"?>` + "\n" + rec("1", `<resource xmlns="http://datacite.org/schema/kernel-4"/>`), "datacite", "1"},
		{"<records>" + rec("4", dc) + rec("5", dc) + "</records>", "oai_dc", "4 5"},
		{`<mods xmlns="http://www.loc.gov/mods/v3"/>`, "mods", "oai:recorded:1"},
		{rec("6", "<a><b></a>"), "oai_dc", ""},
	} {
		r, err := oaitest.Verbatim([]byte(test.body), oaitest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := listed(t, client(t, r, oaipmh.Options{}), oaipmh.List{Prefix: test.prefix}); got != test.want {
			t.Errorf("%s: got %q, want %q", test.body, got, test.want)
		}
	}
	if _, err := oaitest.Verbatim([]byte(root+`<error code="badArgument"/></OAI-PMH>`), oaitest.Options{}); err == nil {
		t.Error("an error is a repository")
	}
}

func TestClock(t *testing.T) {
	c := oaitest.NewClock(start)
	ctx, cancel := context.WithCancel(context.Background())
	if err := c.Sleep(ctx, time.Hour); err != nil || !c.Now().Equal(start.Add(time.Hour)) {
		t.Errorf("slept to %s, %v", c.Now(), err)
	}
	cancel()
	if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) || len(c.Slept()) != 1 {
		t.Errorf("slept %v, %v", c.Slept(), err)
	}
}
