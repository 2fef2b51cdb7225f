package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge/store"
)

func bad(identifier, prefix string, n int) store.Quarantined {
	return store.Quarantined{
		Identifier: identifier, Prefix: prefix, Reason: "not XML: <'\"&", Page: "https://repository.example/oai?verb=ListRecords",
		Bytes: []byte{0, 0xff, byte(n)}, At: day(n),
	}
}

func quarantined(t *testing.T, s *store.DB) []store.Quarantined {
	t.Helper()
	return all(t, s.Quarantined(t.Context(), repo))
}

var quarantineTests = []test{
	{"what is in quarantine comes back whole, oldest first", func(t *testing.T, s *store.DB) {
		var want []store.Quarantined
		for i := range 300 {
			want = append(want, bad(fmt.Sprint("oai:x:", 300-i), "oai_dc", 1+i%20))
		}
		want = append(want, store.Quarantined{Reason: "no identifier", At: day(21)})
		for _, id := range odd {
			want = append(want, bad(id, "oai_dc", 22))
		}
		// One of the odd is oai:x:1, another oai:x:10: they are in the first 300.
		want = want[:len(want)-len(odd)]
		save(t, s, store.Batch{Quarantined: want})
		saveIn(t, s, "other", store.Batch{Quarantined: []store.Quarantined{bad("oai:x:1", "oai_dc", 1)}})
		equal(t, "quarantine", quarantined(t, s), want)
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{Quarantined: 301})
	}},
	{"the quarantine comes page by page", func(t *testing.T, s *store.DB) {
		want := []store.Quarantined{bad("oai:x:3", "oai_dc", 1), bad("oai:x:2", "oai_dc", 1), bad("oai:x:1", "oai_dc", 1)}
		save(t, s, store.Batch{Quarantined: want})
		first, next, err := s.QuarantinePage(t.Context(), repo, 0, 2)
		equal(t, "first", first, want[:2])
		second, next, err2 := s.QuarantinePage(t.Context(), repo, next, 2)
		equal(t, "second", second, want[2:])
		none, next, err3 := s.QuarantinePage(t.Context(), repo, next, 2)
		if len(none) > 0 || next != 0 || err != nil || err2 != nil || err3 != nil {
			t.Errorf("at the end: got %v, %d, errors %v, %v, %v", none, next, err, err2, err3)
		}
	}},
	{"an entry takes the place of one for the same identifier and format", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Quarantined: []store.Quarantined{bad("oai:x:1", "oai_dc", 1), bad("oai:x:1", "datacite", 1), bad("oai:x:2", "oai_dc", 1)}})
		save(t, s, store.Batch{Quarantined: []store.Quarantined{bad("oai:x:1", "oai_dc", 2)}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("oai:x:1", "datacite", 1), bad("oai:x:2", "oai_dc", 1), bad("oai:x:1", "oai_dc", 2)})
	}},
	{"nameless entries are one if their bytes are", func(t *testing.T, s *store.DB) {
		for _, n := range []int{1, 2, 1} {
			save(t, s, store.Batch{Quarantined: []store.Quarantined{bad("", "oai_dc", n)}})
		}
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("", "oai_dc", 2), bad("", "oai_dc", 1)})
	}},
	{"a record takes itself out, in its format alone", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Quarantined: []store.Quarantined{bad("oai:x:1", "oai_dc", 1), bad("oai:x:1", "datacite", 1), bad("oai:x:2", "oai_dc", 1)}})
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", ""), tombstone("oai:x:2", "oai_dc")}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("oai:x:1", "datacite", 1)})
	}},
	{"a record that is stored but not mapped is in quarantine until its object is saved", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}, Quarantined: []store.Quarantined{bad("oai:x:1", "oai_dc", 1)}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("oai:x:1", "oai_dc", 1)})
		equal(t, "the record", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{record("oai:x:1", "oai_dc", "")})
		saveObjects(t, s, object("oai:x:2"))
		equal(t, "after another object", len(quarantined(t, s)), 1)
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "after its object", quarantined(t, s), []store.Quarantined(nil))
	}},
	{"a remap adds what it cannot map and removes what it can", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}, Objects: []store.Object{object("oai:x:1")}})
		q := with(bad("oai:x:1", "oai_dc", 1), func(q *store.Quarantined) { q.Page = "" })
		save(t, s, store.Batch{Quarantined: []store.Quarantined{q}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{q})
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "when mapped", quarantined(t, s), []store.Quarantined(nil))
	}},
	{"an object of other records does not release a record that could not be read", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", ""), record("oai:x:1", "datacite", "")}})
		save(t, s, store.Batch{Quarantined: []store.Quarantined{bad("oai:x:1", "datacite", 1)}})
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "new")}, Objects: []store.Object{object("oai:x:1")}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("oai:x:1", "datacite", 1)})
	}},
	{"a record that could not be read is released once its list was read without it", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:3", "oai_dc", "")}, Quarantined: []store.Quarantined{
			bad("", "oai_dc", 1), bad("oai:x:1", "oai_dc", 2), bad("", "datacite", 1), bad("oai:x:3", "oai_dc", 1), bad("", "oai_dc", 5),
		}})
		saveIn(t, s, "other", store.Batch{Quarantined: []store.Quarantined{bad("", "oai_dc", 1)}})
		equal(t, "released", must[int](t)(s.Release(t.Context(), repo, "oai_dc", day(5))), 2)
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{bad("", "datacite", 1), bad("oai:x:3", "oai_dc", 1), bad("", "oai_dc", 5)})
		equal(t, "elsewhere", len(all(t, s.Quarantined(t.Context(), "other"))), 1)
		equal(t, "of what is not there", must[int](t)(s.Release(t.Context(), "unknown", "oai_dc", day(9))), 0)
	}},
}
