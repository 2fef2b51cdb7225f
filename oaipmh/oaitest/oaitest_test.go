package oaitest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func client(t testing.TB, r *oaitest.Repository, o oaipmh.Options) *oaipmh.Client {
	t.Helper()
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	if o.Clock == nil {
		o.Clock = oaitest.NewClock(start)
	}
	c, err := oaipmh.New(s.URL+"/oai", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

type tally struct {
	records, distinct, bad, pages, repairs int
	err                                    error
}

func drain(c *oaipmh.Client, l oaipmh.List) (n tally) {
	seen := map[string]bool{}
	for p, err := range c.ListRecords(context.Background(), l) {
		if err != nil {
			n.err = err
			break
		}
		n.pages++
		n.records += len(p.Records)
		n.bad += len(p.Bad)
		n.repairs += p.Repairs
		for _, r := range p.Records {
			seen[r.Identifier] = true
		}
	}
	n.distinct = len(seen)
	return n
}

// TestFaultMatrix: 1,000 records, 100 a page, each fault once, on the first, a
// middle and the last page. Nothing may be lost but what the server withholds,
// and a list that did not end must not look as if it had.
func TestFaultMatrix(t *testing.T) {
	for _, kind := range []oaitest.Kind{
		oaitest.Drop, oaitest.Trunc, oaitest.Status503, oaitest.Status429, oaitest.Status500, oaitest.HTML,
		oaitest.EmptyBody, oaitest.Ctrl, oaitest.Latin1, oaitest.Amp, oaitest.BadCharRef, oaitest.BOM, oaitest.Lead,
		oaitest.Trail, oaitest.Dup, oaitest.Redirect, oaitest.GzipLiar, oaitest.BadGzip, oaitest.Size,
		oaitest.Unescaped, oaitest.NoAnswer, oaitest.ServerError,
		oaitest.Empty, oaitest.NoHeader, oaitest.BrokenTag,
	} {
		for _, page := range []int{1, 5, 10} {
			t.Run(fmt.Sprintf("%s/page %d", kind, page), func(t *testing.T) {
				r := oaitest.Generated(1000, oaitest.Options{})
				c := client(t, r, oaipmh.Options{})
				if _, err := c.Identify(context.Background()); err != nil {
					t.Fatal(err)
				}
				r.Inject(oaitest.Fault{Kind: kind, Page: page})
				got := drain(c, oaipmh.List{Prefix: "oai_dc"})
				want := tally{distinct: 1000}
				switch kind {
				case oaitest.Empty:
					want.distinct = 900
				case oaitest.NoHeader, oaitest.BrokenTag:
					want.distinct, want.bad = 999, 1
				}
				if got.err != nil || got.distinct != want.distinct || got.bad != want.bad {
					t.Errorf("got %d records, %d bad, error %v; want %d, %d, none", got.distinct, got.bad, got.err, want.distinct, want.bad)
				}
			})
		}
	}
}
