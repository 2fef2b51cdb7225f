package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"fingerpost/bridge/store"
)

// One call looks through a few Signmap pages, and the next one goes on there.
func TestLinkedOverManySignmapPages(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), store.SignmapLimits(store.Limits{Objects: 3, Weight: 1e6, MaxWeight: 2e6}))
	var b store.Batch
	var want, got []string
	for i := range 100 {
		o := sized(fmt.Sprint("oai:x:", i), 0)
		if o.License = "https://creativecommons.org/licenses/by/4.0/"; i%6 == 0 { // one on every other page
			o.License = ""
			want = append(want, o.Identifier)
		}
		b.Objects = append(b.Objects, o)
	}
	save(t, db, b)
	calls := 0
	for next := (store.Place{Page: 1}); next != (store.Place{}); calls++ {
		var page []store.Object
		var err error
		if page, next, err = db.Linked(t.Context(), "main", "license", false, next, 100); err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			got = append(got, o.Identifier)
		}
	}
	if !slices.Equal(got, want) || calls != 2 {
		t.Errorf("got %q in %d calls, want %q in 2", got, calls, want)
	}
}
