package oaipmh_test

import (
	"context"
	"slices"
	"testing"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// TestRelease keeps every page while two more are read, releases it twice, and
// looks for bytes of another page.
func TestRelease(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		r := oaitest.Generated(200, oaitest.Options{PageSize: 5, Gzip: zipped})
		var want, got []string
		for page, err := range serve(t, r, oaipmh.Options{}).ListRecords(context.Background(), oaipmh.List{Prefix: "oai_dc"}) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, metadata(page)...)
		}
		var pages []oaipmh.Page
		for page, err := range serve(t, r, oaipmh.Options{}).ListRecords(context.Background(), oaipmh.List{Prefix: "oai_dc"}) {
			if err != nil {
				t.Fatal(err)
			}
			pages = append(pages, page)
			if n := len(pages) - 3; n >= 0 {
				got = append(got, metadata(pages[n])...)
				pages[n].Release()
				pages[max(n-2, 0)].Release() // again: another page has its memory by now
			}
		}
		for _, page := range pages[max(len(pages)-2, 0):] {
			got = append(got, metadata(page)...)
		}
		if len(want) != 200 || !slices.Equal(got, want) {
			t.Errorf("gzip %v: %d records came, not as they are without Release", zipped, len(got))
		}
	}
}

func metadata(p oaipmh.Page) []string {
	var out []string
	for _, r := range p.Records {
		out = append(out, string(r.Metadata))
	}
	return out
}
