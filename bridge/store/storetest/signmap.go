package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge/store"
)

var signmapTests = []test{
	{"a page has the live objects in ascending ID", func(t *testing.T, s *store.DB) {
		saved := saveObjects(t, s, objects(600)...)
		saveObjects(t, s, gone("oai:x:1"), gone("oai:x:new"))
		want := append(identifiers(saved)[:1:1], identifiers(saved)[2:]...)
		equal(t, "objects", identifiers(all(t, s.SignmapObjects(t.Context(), repo, 1))), want)
		pages := must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))
		if len(pages) != 1 || pages[0].Number != 1 || pages[0].Objects != 599 {
			t.Errorf("got pages %+v, want page 1 with 599 objects", pages)
		}
		equal(t, "a page that is not there", all(t, s.SignmapObjects(t.Context(), repo, 2)), []store.Object(nil))
		equal(t, "the page of none", all(t, s.SignmapObjects(t.Context(), repo, 0)), []store.Object(nil))
	}},
	{"changed objects come in the order in which they changed", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, objects(5)...)
		before := must[int64](t)(s.Modified(t.Context(), repo))
		saveObjects(t, s, object("oai:x:9"), gone("oai:x:3"), object("oai:x:2"), with(object("oai:x:1"), func(o *store.Object) { o.Year = 3 }))
		changed := func(repository string, after int64) []store.Object {
			return all(t, s.Changed(t.Context(), repository, after))
		}
		equal(t, "changed", identifiers(changed(repo, before)), []string{"oai:x:9", "oai:x:3", "oai:x:1"})
		for _, o := range changed(repo, before) {
			equal(t, "as it is kept: "+o.Identifier, o, must[store.Object](t)(s.ByIdentifier(t.Context(), repo, o.Identifier)))
		}
		equal(t, "all", identifiers(changed(repo, 0)), []string{"oai:x:0", "oai:x:2", "oai:x:4", "oai:x:9", "oai:x:3", "oai:x:1"})
		equal(t, "none", changed(repo, must[int64](t)(s.Modified(t.Context(), repo))), []store.Object(nil))
		equal(t, "of another repository", changed("other", 0), []store.Object(nil))
	}},
	{"none of many changes is left out", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, objects(600)...)
		after := int64(0)
		for o, err := range s.Changed(t.Context(), repo, 0) {
			if err != nil || o.Modified <= after {
				t.Fatalf("got %s of %d after %d, %v", o.Identifier, o.Modified, after, err)
			}
			after = o.Modified
		}
		equal(t, "the last", after, must[int64](t)(s.Modified(t.Context(), repo)))
	}},
	{"a page is modified when one of its objects is, and not otherwise", func(t *testing.T, s *store.DB) {
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
	{"a page's lastmod is the newest of its objects", func(t *testing.T, s *store.DB) {
		for _, c := range []struct{ lastmod, want int }{{3, 3}, {2, 3}, {7, 7}} {
			saveObjects(t, s, with(object(fmt.Sprint("oai:x:", c.lastmod)), func(o *store.Object) { o.LastMod = day(c.lastmod) }))
			equal(t, "lastmod", must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))[0].LastMod, day(c.want))
		}
	}},
	{"a page without a datestamp has none", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, store.Object{Identifier: "oai:x:1"})
		equal(t, "zero", must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))[0].LastMod.IsZero(), true)
	}},
}
