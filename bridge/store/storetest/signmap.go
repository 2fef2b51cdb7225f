package storetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fingerpost/bridge/store"
)

var signmapTests = []test{
	{"a page holds the live objects in ascending ID", func(t *testing.T, s store.Store) {
		saved := saveObjects(t, s, objects(600)...)
		saveObjects(t, s, gone("oai:x:1"), gone("oai:x:new"))
		want := append(identifiers(saved)[:1:1], identifiers(saved)[2:]...)
		equal(t, "objects", identifiers(all(t, s.SignmapObjects(t.Context(), repo, 1, 0, math.MaxInt64))), want)
		pages := must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))
		if len(pages) != 1 || pages[0].Number != 1 || pages[0].Objects != 599 {
			t.Errorf("got pages %+v, want page 1 with 599 objects", pages)
		}
		equal(t, "a page that is not there", all(t, s.SignmapObjects(t.Context(), repo, 2, 0, math.MaxInt64)), []store.Object(nil))
		equal(t, "the page of none", all(t, s.SignmapObjects(t.Context(), repo, 0, 0, math.MaxInt64)), []store.Object(nil))
	}},
	{"a page can be read in parts", func(t *testing.T, s store.Store) {
		saved := saveObjects(t, s, objects(600)...)
		saveObjects(t, s, gone("oai:x:310"))
		first, last := saved[300].ID, saved[320].ID
		got := identifiers(all(t, s.SignmapObjects(t.Context(), repo, 1, first, last)))
		equal(t, "objects", got, append(identifiers(saved[300:310]), identifiers(saved[311:320])...))
		equal(t, "nothing", all(t, s.SignmapObjects(t.Context(), repo, 1, first, first)), []store.Object(nil))
	}},
	{"what has changed is told by its IDs", func(t *testing.T, s store.Store) {
		saved := saveObjects(t, s, objects(5)...)
		before := must[int64](t)(s.Modified(t.Context(), repo))
		saveObjects(t, s, gone("oai:x:1"), object("oai:x:2"), with(object("oai:x:3"), func(o *store.Object) { o.Year = 3 }), object("oai:x:9"))
		changed := func(after int64, n int) []int64 {
			ids := must[[]int64](t)(s.Changed(t.Context(), repo, after, n))
			slices.Sort(ids)
			return ids
		}
		added := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:9"))
		equal(t, "changed", changed(before, 9), []int64{saved[1].ID, saved[3].ID, added.ID})
		equal(t, "two of them", len(changed(before, 2)), 2)
		equal(t, "all", len(changed(0, 9)), 6)
		equal(t, "none", changed(must[int64](t)(s.Modified(t.Context(), repo)), 9), []int64(nil))
		equal(t, "of another repository", must[[]int64](t)(s.Changed(t.Context(), "other", 0, 9)), []int64(nil))
	}},
	{"a page is modified when one of its objects is, and not otherwise", func(t *testing.T, s store.Store) {
		saveObjects(t, s, objects(3)...)
		modified := func() int64 { return must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))[0].Modified }
		for i, p := range []struct {
			name  string
			o     store.Object
			moves bool
		}{
			{"unchanged", object("oai:x:1"), false},
			{"another datestamp", with(object("oai:x:1"), func(o *store.Object) { o.LastMod = day(9) }), false},
			{"changed", with(object("oai:x:1"), func(o *store.Object) { o.Year = 3 }), true},
			{"deleted", gone("oai:x:1"), true},
			{"deleted again", gone("oai:x:1"), false},
			{"back", object("oai:x:1"), true},
			{"new", object("oai:x:9"), true},
		} {
			before := modified()
			o := saveObjects(t, s, p.o)[0]
			equal(t, fmt.Sprint(i, " ", p.name), modified() > before, p.moves)
			if p.moves {
				equal(t, p.name+": modified as the object", modified(), o.Modified)
			}
		}
	}},
	{"a page's lastmod is the newest of its objects", func(t *testing.T, s store.Store) {
		for _, c := range []struct{ lastmod, want int }{{3, 3}, {2, 3}, {7, 7}} {
			saveObjects(t, s, with(object(fmt.Sprint("oai:x:", c.lastmod)), func(o *store.Object) { o.LastMod = day(c.lastmod) }))
			equal(t, "lastmod", must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))[0].LastMod, day(c.want))
		}
	}},
	{"a page without a datestamp has none", func(t *testing.T, s store.Store) {
		saveObjects(t, s, store.Object{Identifier: "oai:x:1"})
		equal(t, "zero", must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))[0].LastMod.IsZero(), true)
	}},
}
