package oaipmh_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// serve returns a client of a handler, on a clock that stands still.
func serve(t testing.TB, h http.Handler, o oaipmh.Options) *oaipmh.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return connect(t, s.URL+"/oai", o)
}

func connect(t testing.TB, url string, o oaipmh.Options) *oaipmh.Client {
	t.Helper()
	if o.Clock == nil {
		o.Clock = oaitest.NewClock(noon)
	}
	c, err := oaipmh.New(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// a scripted server gives one answer after the other, the last one for ever.
type scripted struct {
	answers  []http.HandlerFunc
	requests []*http.Request
}

func script(answers ...http.HandlerFunc) *scripted { return &scripted{answers: answers} }

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.requests = append(s.requests, r)
	s.answers[min(len(s.requests), len(s.answers))-1](w, r)
}

func xml(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		_, _ = w.Write([]byte(body))
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// oai is an OAI-PMH answer with inside in its root.
func oai(inside string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<responseDate>2026-03-01T12:00:00Z</responseDate>
<request>http://repository.example.org/oai</request>
` + inside + `
</OAI-PMH>`
}

func protocolError(code, text string) http.HandlerFunc {
	return xml(oai(`<error code="` + code + `">` + text + `</error>`))
}

const emptyDC = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"/>`

func header(identifier string) string {
	return "<header><identifier>" + identifier + "</identifier><datestamp>2026-01-01</datestamp></header>"
}

// record is a plain record.
func record(identifier string) string {
	return "<record>" + header(identifier) + "<metadata>" + emptyDC + "</metadata></record>"
}

// list is an answer to ListRecords; tail comes after the records.
func list(tail string, identifiers ...string) http.HandlerFunc {
	var b strings.Builder
	for _, id := range identifiers {
		b.WriteString(record(id))
	}
	return xml(oai("<ListRecords>" + b.String() + tail + "</ListRecords>"))
}

func token(t string) string { return "<resumptionToken>" + t + "</resumptionToken>" }

type drained struct {
	identifiers []string
	pages       []oaipmh.Page
	bad         []oaipmh.BadRecord
	repairs     int
	err         error
}

func drain(c *oaipmh.Client, l oaipmh.List) (d drained) {
	if l.Prefix == "" {
		l.Prefix = "oai_dc"
	}
	for p, err := range c.ListRecords(context.Background(), l) {
		if err != nil {
			d.err = err
			break
		}
		d.pages = append(d.pages, p)
		d.bad = append(d.bad, p.Bad...)
		d.repairs += p.Repairs
		for _, r := range p.Records {
			d.identifiers = append(d.identifiers, r.Identifier)
		}
	}
	return d
}

// wantIdentifiers fails the test unless a list gave just these, without error.
func (d drained) want(t *testing.T, identifiers ...string) {
	t.Helper()
	got := strings.Join(d.identifiers, " ")
	if want := strings.Join(identifiers, " "); got != want || d.err != nil {
		t.Errorf("got records %q, error %v; want %q and none", got, d.err, want)
	}
}

// wantAll fails the test unless a list of the generated repository is whole.
func (d drained) wantAll(t *testing.T, n int) {
	t.Helper()
	distinct := map[string]bool{}
	for _, id := range d.identifiers {
		distinct[id] = true
	}
	if len(distinct) != n || d.err != nil {
		t.Errorf("got %d records, error %v; want %d and none", len(distinct), d.err, n)
	}
}

func wantError[E error](t *testing.T, err error) (e E) {
	t.Helper()
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a %T", err, e)
	}
	return e
}

func longest(slept []time.Duration) (most time.Duration) {
	for _, d := range slept {
		most = max(most, d)
	}
	return most
}
