package storetest

import (
	"slices"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

var objectTests = []test{
	{"an object comes back as it was saved, by key and by identifier", func(t *testing.T, s *store.DB) {
		var page []store.Object
		for _, id := range odd {
			page = append(page, object(id))
		}
		saved := saveObjects(t, s, page...)
		for i, id := range odd {
			want := object(id)
			want.Repository, want.Key, want.ID, want.Modified = repo, store.KeyOf(id), saved[i].ID, saved[i].Modified
			equal(t, "as told by Save", saved[i], want)
			equal(t, "by key", must[store.Object](t)(s.Object(t.Context(), repo, store.KeyOf(id))), want)
			equal(t, "by identifier", must[store.Object](t)(s.ByIdentifier(t.Context(), repo, id)), want)
		}
	}},
	{"an object that says nothing is an object", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, store.Object{Identifier: "oai:x:1"})
		o := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1"))
		equal(t, "object", o.Object, bridge.Object{})
		equal(t, "no datestamp could be read", o.LastMod.IsZero(), true)
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Objects: 1})
	}},
	{"an object that is twice in a batch is found as it was last", func(t *testing.T, s *store.DB) {
		states := make([]store.Object, 4)
		for i := range states {
			states[i] = object("oai:x:1")
		}
		states[1].Deleted = true
		states[2].LandingPage.URL, states[2].CiteAs = states[2].CiteAs, states[2].LandingPage.URL
		states[3].LandingPage.URL = "https://repository.example.org/moved"
		for _, first := range states {
			for _, second := range states {
				for _, last := range states {
					saveObjects(t, s, first)
					saveObjects(t, s, second, last)
					want := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1"))
					for _, uri := range []string{want.LandingPage.URL, want.CiteAs} {
						equal(t, "found by "+uri, must[store.Object](t)(s.Find(t.Context(), uri)), want)
					}
				}
			}
		}
	}},
	{"an object that is not stored is not found", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"))
		key := store.KeyOf("oai:x:1")
		for _, k := range []string{"", "a", store.KeyOf("oai:x:2"), key[:15], key + "a", key + "\x00", "../" + key, "ÄÖÜ", "################"} {
			_, err := s.Object(t.Context(), repo, k)
			notFound(t, "key "+k, err)
		}
		_, err := s.Object(t.Context(), "other", key)
		notFound(t, "in another repository", err)
		_, err = s.ByIdentifier(t.Context(), repo, "oai:x:2")
		notFound(t, "another identifier", err)
	}},
	{"a record that was not mapped is not an object", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}})
		_, err := s.ByIdentifier(t.Context(), repo, "oai:x:1")
		notFound(t, "by identifier", err)
		_, err = s.Object(t.Context(), repo, store.KeyOf("oai:x:1"))
		notFound(t, "by key", err)
		equal(t, "objects", all(t, s.Objects(t.Context(), repo, 0)), []store.Object(nil))
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{})
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "objects once mapped", identifiers(all(t, s.Objects(t.Context(), repo, 0))), []string{"oai:x:1"})
	}},
	{"objects come in ascending ID, deleted ones included, from an ID on", func(t *testing.T, s *store.DB) {
		want := objects(700)
		saveIn(t, s, "other", store.Batch{Objects: objects(10)})
		want = save(t, s, store.Batch{Objects: want}).Objects
		want[5].Deleted = true
		saveObjects(t, s, want[5])
		got := all(t, s.Objects(t.Context(), repo, 0))
		equal(t, "identifiers", identifiers(got), identifiers(want))
		equal(t, "sorted", slices.IsSortedFunc(got, func(a, b store.Object) int { return int(a.ID - b.ID) }), true)
		equal(t, "deleted", got[5].Deleted, true)
		equal(t, "from the 300th on", identifiers(all(t, s.Objects(t.Context(), repo, got[299].ID))), identifiers(want)[300:])
		equal(t, "from the last on", all(t, s.Objects(t.Context(), repo, got[699].ID)), []store.Object(nil))
	}},
	{"an ID stays", func(t *testing.T, s *store.DB) {
		first := saveObjects(t, s, objects(3)...)
		second := saveObjects(t, s, with(object("oai:x:1"), func(o *store.Object) { o.Year = 1999 }), gone("oai:x:0"), object("oai:x:7"))
		equal(t, "of a changed object", second[0].ID, first[1].ID)
		equal(t, "of a deleted object", second[1].ID, first[0].ID)
		equal(t, "a new one is greater", second[2].ID > first[2].ID, true)
	}},
	{"a loop over objects may stop, read and write", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, objects(600)...)
		n := 0
		for o, err := range s.Objects(t.Context(), repo, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > 300 {
				break
			}
			for range s.Objects(t.Context(), repo, o.ID) {
				break
			}
			saveObjects(t, s, with(o, func(o *store.Object) { o.Year++ }))
		}
		equal(t, "read", n, 301)
	}},
	{"modified ascends over all objects of a repository", func(t *testing.T, s *store.DB) {
		last := map[string]int64{}
		for round, repository := range []string{"a", "b", "a", "b", "a"} {
			page := objects(20)
			for i := range page {
				page[i].Year = 1 + round
			}
			saveIn(t, s, repository, store.Batch{Objects: page})
			for _, o := range page {
				if o.Modified <= last[repository] {
					t.Fatalf("got modified %d after %d", o.Modified, last[repository])
				}
				last[repository] = o.Modified
			}
			equal(t, "newest of "+repository, must[int64](t)(s.Modified(t.Context(), repository)), last[repository])
		}
	}},
	{"an object that is as it was keeps modified and lastmod", func(t *testing.T, s *store.DB) {
		want := saveObjects(t, s, object("oai:x:1"))[0]
		for name, again := range map[string]store.Object{
			"the same":              object("oai:x:1"),
			"another datestamp":     with(object("oai:x:1"), func(o *store.Object) { o.LastMod = day(20) }),
			"sets in another order": with(object("oai:x:1"), func(o *store.Object) { o.Sets = []string{"b", "a", "b"} }),
		} {
			saved := saveObjects(t, s, again)[0]
			equal(t, name+": modified as told by Save", saved.Modified, want.Modified)
			equal(t, name+": lastmod as told by Save", saved.LastMod, want.LastMod)
			equal(t, name, must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1")), want)
		}
	}},
	{"every change of an object moves modified and lastmod", func(t *testing.T, s *store.DB) {
		for name, change := range map[string]func(o *store.Object){
			"landing page": func(o *store.Object) { o.LandingPage.URL += "?x" },
			"cite-as":      func(o *store.Object) { o.CiteAs = "" },
			"a file":       func(o *store.Object) { o.Items = nil },
			"sets":         func(o *store.Object) { o.Sets = []string{"a"} },
			"formats":      func(o *store.Object) { o.Prefixes = []string{"datacite", "oai_dc"} },
			"deletion":     func(o *store.Object) { o.Deleted = true },
		} {
			o := object("oai:x:1")
			was := saveObjects(t, s, o)[0]
			change(&o)
			o.LastMod = was.LastMod.AddDate(0, 0, 1)
			is := saveObjects(t, s, o)[0]
			if is.Modified <= was.Modified {
				t.Errorf("%s: got modified %d after %d", name, is.Modified, was.Modified)
			}
			equal(t, name+": lastmod", is.LastMod, o.LastMod)
		}
	}},
	{"other metadata moves modified, though the object is as it was", func(t *testing.T, s *store.DB) {
		first := save(t, s, store.Batch{Objects: objects(2), Records: []store.Record{record("oai:x:0", "oai_dc", "one"), record("oai:x:1", "oai_dc", "one")}})
		var last int64
		for _, changed := range []store.Batch{
			{Objects: objects(1), Records: []store.Record{record("oai:x:0", "oai_dc", "two")}},
			{Objects: objects(1), Records: []store.Record{record("oai:x:0", "mods", "in a format that is none of the object's")}},
			{Records: []store.Record{record("oai:x:0", "oai_dc", "three, which could not be mapped")}},
		} {
			for i := range changed.Objects {
				changed.Objects[i].LastMod = day(20)
			}
			save(t, s, changed)
			is := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:0"))
			equal(t, "modified moves: "+string(changed.Records[0].Metadata), is.Modified > max(last, first.Objects[1].Modified), true)
			equal(t, "lastmod", is.LastMod, day(20))
			last = is.Modified
		}
		equal(t, "modified of the repository", must[int64](t)(s.Modified(t.Context(), repo)), last)
		pages := must[[]store.SignmapPage](t)(s.SignmapPages(t.Context(), repo))
		equal(t, "modified of the Signmap page", pages[len(pages)-1].Modified, last)
		equal(t, "another object", must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1")), first.Objects[1])
	}},
	{"the same metadata moves nothing, whatever it is mapped with", func(t *testing.T, s *store.DB) {
		is := record("oai:x:0", "oai_dc", "")
		want := save(t, s, store.Batch{Objects: objects(1), Records: []store.Record{is}}).Objects[0]
		for name, again := range map[string]store.Record{
			"the same":            is,
			"another datestamp":   with(is, func(r *store.Record) { r.Datestamp = "2025-01-01" }),
			"another mapping":     with(is, func(r *store.Record) { r.Hash[15]++ }),
			"mapped again, alone": with(is, func(r *store.Record) { r.Hash[15]--; r.Metadata = nil }),
		} {
			save(t, s, store.Batch{Objects: objects(1), Records: []store.Record{again}})
			equal(t, name, must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:0")), want)
		}
	}},
	{"a deleted object keeps what it was, and may come back", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"), object("oai:x:2"))
		for range 2 {
			saveObjects(t, s, gone("oai:x:1"))
			o := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1"))
			equal(t, "deleted", o.Deleted, true)
			equal(t, "what it was", o.Object, object("oai:x:1").Object)
			equal(t, "formats", o.Prefixes, []string(nil))
			equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Objects: 1, Deleted: 1})
		}
		saveObjects(t, s, object("oai:x:1"))
		o := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1"))
		equal(t, "deleted when back", o.Deleted, false)
		equal(t, "counts when back", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Objects: 2})
	}},
	{"an object that was never live is stored as deleted", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, gone("oai:x:1"))
		equal(t, "deleted", must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1")).Deleted, true)
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Deleted: 1})
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "counts when live", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Objects: 1})
	}},
	{"of an object that is in a batch twice the last is stored", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"), with(object("oai:x:1"), func(o *store.Object) { o.LandingPage.URL = "https://repository.example/last" }))
		o := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1"))
		equal(t, "landing page", o.LandingPage.URL, "https://repository.example/last")
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Objects: 1})
		_, err := s.Find(t.Context(), object("oai:x:1").LandingPage.URL)
		notFound(t, "the first's landing page", err)
	}},
}
