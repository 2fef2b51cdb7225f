package harvest_test

import (
	"fmt"
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

const (
	matrixRecords = 50
	matrixPages   = 5
)

// TestMatrix lets every fault strike the first, the middle and the last page,
// and says how a harvest of 50 records must end.
func TestMatrix(t *testing.T) {
	end := func(state store.State, objects int) string { return fmt.Sprintf("%s %d", state, objects) }
	whole := end(store.Complete, matrixRecords)
	same := func(s string) [3]string { return [3]string{s, s, s} }
	all := same(whole)
	// A list that fails on its first page fails in every window too. Further
	// on, smaller windows do not come to the page that fails.
	noList := [3]string{end(store.Failed, 0), whole, whole}
	shut := [3]string{end(store.Failed, 0), end(store.Incomplete, 20), end(store.Incomplete, 40)}
	empty := [3]string{end(store.Incomplete, 0), whole, whole}
	oneLost := same(end(store.Complete, matrixRecords-1)) // and in quarantine
	tests := []struct {
		kind   oaitest.Kind
		once   [3]string // the fault strikes once: on the first, middle, last page
		always [3]string // it strikes for ever
	}{
		{oaitest.Drop, all, noList},
		{oaitest.NoAnswer, all, noList},
		{oaitest.Trunc, all, noList},
		{oaitest.HTML, all, noList},
		{oaitest.EmptyBody, all, noList},
		{oaitest.Redirect, all, noList},
		{oaitest.Status500, all, noList},
		{oaitest.Status503, all, noList},
		{oaitest.Status413, all, noList},
		{oaitest.ServerError, all, noList},
		{oaitest.Status429, all, shut},
		{oaitest.Status403, shut, shut},
		{oaitest.Expire, all, all},
		{oaitest.BadToken, all, all},
		{oaitest.NoneMatch, empty, empty},
		{oaitest.Loop, all, [3]string{end(store.Incomplete, 10), whole, whole}},
		// A list of one page needs no token: ListIdentifiers shows that more should
		// come, unless it fails alike.
		{oaitest.NoToken, all, [3]string{end(store.Complete, 10), end(store.Incomplete, 30), whole}},
		{oaitest.Unclosed, all, [3]string{end(store.Complete, 10), end(store.Incomplete, 30), whole}},
		{oaitest.Empty, all, same(end(store.Incomplete, 40))},
		{oaitest.Size, all, all},
		{oaitest.Dup, all, all},
		{oaitest.NoHeader, oneLost, oneLost},
		{oaitest.BrokenTag, oneLost, oneLost},
		{oaitest.Ctrl, all, all},
		{oaitest.Latin1, all, all},
		{oaitest.Amp, all, all},
		{oaitest.BadCharRef, all, all},
		{oaitest.Unescaped, all, all},
		{oaitest.BOM, all, all},
		{oaitest.Lead, all, all},
		{oaitest.Trail, all, all},
		{oaitest.GzipLiar, all, all},
		{oaitest.BadGzip, all, all},
	}
	for _, tt := range tests {
		for i, page := range []int{1, (matrixPages + 1) / 2, matrixPages} {
			for _, c := range []struct {
				name  string
				times int
				want  string
			}{{"once", 1, tt.once[i]}, {"always", -1, tt.always[i]}} {
				t.Run(fmt.Sprintf("%s on page %d %s", tt.kind, page, c.name), func(t *testing.T) {
					s := newScene(t, records(matrixRecords)...)
					s.origin.Inject(oaitest.Fault{Kind: tt.kind, Page: page, Times: c.times})
					run := s.run(harvest.Options{})
					if got := end(run.State, s.objects()); got != c.want {
						t.Errorf("ended %s (%s), want %s", got, run.Reason, c.want)
					}
					if moved := !s.checkpoint().Watermark.IsZero(); moved != (run.State == store.Complete) {
						t.Errorf("ended %s, and that the watermark moved is %t", run.State, moved)
					}
				})
			}
		}
	}
}
