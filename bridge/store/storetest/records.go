package storetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fingerpost/bridge/store"
)

var recordTests = []test{
	{"records come back as they were saved, in the order asked for, then of prefix", func(t *testing.T, s *store.DB) {
		var page []store.Record
		for _, id := range odd {
			page = append(page, record(id, "oai_dc", "one"), record(id, "datacite", "two"))
		}
		save(t, s, store.Batch{Records: page})
		asked := slices.Clone(odd)
		slices.Reverse(asked)
		var want []store.Record
		for _, id := range asked {
			want = append(want, record(id, "datacite", "two"), record(id, "oai_dc", "one"))
		}
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, asked...)), want)
	}},
	{"identifiers that are not stored have no records", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}})
		got := must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:2", "oai:x:1", "oai:x:"))
		equal(t, "records", got, []store.Record{record("oai:x:1", "oai_dc", "")})
		equal(t, "nothing asked for", must[[]store.Record](t)(s.Records(t.Context(), repo)), []store.Record(nil))
	}},
	{"a record replaces the one kept under its key", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "old"), record("oai:x:1", "datacite", "old")}})
		is := record("oai:x:1", "oai_dc", "new")
		is.Datestamp, is.Sets = "2024-05-06T07:08:09Z", []string{"c"}
		save(t, s, store.Batch{Records: []store.Record{is}})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")),
			[]store.Record{record("oai:x:1", "datacite", "old"), is})
	}},
	{"of a record that is in a batch twice the last is stored", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "first"), record("oai:x:1", "oai_dc", "last")}})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{record("oai:x:1", "oai_dc", "last")})
	}},
	{"a deleted record has no metadata, and may come back", func(t *testing.T, s *store.DB) {
		for range 2 {
			save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}})
			save(t, s, store.Batch{Records: []store.Record{with(tombstone("oai:x:1", "oai_dc"), func(r *store.Record) { r.Metadata = []byte("<a/>") })}})
			equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{tombstone("oai:x:1", "oai_dc")})
		}
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "")}})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{record("oai:x:1", "oai_dc", "")})
	}},
	{"a record without metadata that is not deleted leaves what is stored", func(t *testing.T, s *store.DB) {
		want := record("oai:x:1", "oai_dc", "")
		save(t, s, store.Batch{Records: []store.Record{want}})
		want.Hash, want.Sets = [16]byte{1}, nil
		save(t, s, store.Batch{Records: []store.Record{with(want, func(r *store.Record) { r.Metadata = nil })}})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{want})
	}},
	{"metadata without a hash is stored each time", func(t *testing.T, s *store.DB) {
		for _, text := range []string{"one", "two"} {
			r := with(record("oai:x:1", "oai_dc", text), func(r *store.Record) { r.Hash = [16]byte{} })
			save(t, s, store.Batch{Records: []store.Record{r}})
			equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{r})
		}
	}},
	{"metadata that comes after its hash is stored", func(t *testing.T, s *store.DB) {
		want := record("oai:x:1", "oai_dc", "")
		save(t, s, store.Batch{Records: []store.Record{with(want, func(r *store.Record) { r.Metadata = nil })}})
		save(t, s, store.Batch{Records: []store.Record{want}})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{want})
	}},
	{"metadata of any size and any bytes comes back", func(t *testing.T, s *store.DB) {
		random := rand.New(rand.NewPCG(1, 2))
		var want []store.Record
		var ids []string
		for _, size := range []int{0, 1, 100, 300_000, 5, 2_000_000, 70_000} {
			metadata := make([]byte, size)
			for i := range metadata {
				metadata[i] = byte(random.Uint32())
			}
			r := recordOf(fmt.Sprint("oai:x:", size), "oai_dc", metadata)
			want, ids = append(want, r), append(ids, r.Identifier)
		}
		save(t, s, store.Batch{Records: want})
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, ids...)), want)
	}},
	{"whatever is replaced and deleted, the rest keeps its bytes", func(t *testing.T, s *store.DB) {
		random := rand.New(rand.NewPCG(3, 4))
		kept := map[string]store.Record{}
		for round := range 60 {
			var page []store.Record
			for range 1 + random.IntN(60) {
				id, prefix := fmt.Sprint("oai:x:", random.IntN(300)), []string{"oai_dc", "datacite"}[random.IntN(2)]
				r := tombstone(id, prefix)
				if random.IntN(4) > 0 {
					r = recordOf(id, prefix, fmt.Appendf(nil, "%d %s %s", round, id, bytes.Repeat([]byte{byte(random.Uint32())}, random.IntN(6000))))
				}
				page = append(page, r)
				kept[r.Identifier+" "+r.Prefix] = r
			}
			save(t, s, store.Batch{Records: page})
		}
		for _, want := range kept {
			got := must[[]store.Record](t)(s.Records(t.Context(), repo, want.Identifier))
			at := slices.IndexFunc(got, func(r store.Record) bool { return r.Prefix == want.Prefix })
			if at < 0 {
				t.Fatalf("%s in %s: got no record", want.Identifier, want.Prefix)
			}
			equal(t, want.Identifier, got[at], want)
		}
	}},
	{"digests are those of records in one format, by identifier", func(t *testing.T, s *store.DB) {
		live := record("oai:x:1", "oai_dc", "")
		save(t, s, store.Batch{Records: []store.Record{live, tombstone("oai:x:2", "oai_dc"), record("oai:x:3", "datacite", "")}})
		got := must[map[string]store.Digest](t)(s.Digests(t.Context(), repo, "oai_dc", []string{"oai:x:1", "oai:x:2", "oai:x:3", "oai:x:4", "oai:x:1"}))
		equal(t, "digests", got, map[string]store.Digest{"oai:x:1": {Hash: live.Hash}, "oai:x:2": {Deleted: true}})
		equal(t, "unknown format", must[map[string]store.Digest](t)(s.Digests(t.Context(), repo, "mods", []string{"oai:x:1"})), map[string]store.Digest{})
		equal(t, "unknown repository", must[map[string]store.Digest](t)(s.Digests(t.Context(), "other", "oai_dc", []string{"oai:x:1"})), map[string]store.Digest{})
		equal(t, "nothing asked for", must[map[string]store.Digest](t)(s.Digests(t.Context(), repo, "oai_dc", nil)), map[string]store.Digest{})
	}},
	{"digests take a long list and odd identifiers", func(t *testing.T, s *store.DB) {
		ids := slices.Clone(odd)
		for i := range 3000 {
			ids = append(ids, fmt.Sprint("oai:y:", i))
		}
		page := store.Batch{}
		want := map[string]store.Digest{}
		for _, id := range ids {
			r := record(id, "oai_dc", "")
			page.Records = append(page.Records, r)
			want[id] = store.Digest{Hash: r.Hash}
		}
		save(t, s, page)
		equal(t, "digests", must[map[string]store.Digest](t)(s.Digests(t.Context(), repo, "oai_dc", ids)), want)
	}},
	{"identifiers are those of live records in the order of first appearance", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:3", "oai_dc", ""), record("oai:x:1", "datacite", ""), tombstone("oai:x:2", "oai_dc")}})
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", ""), record("oai:x:0", "oai_dc", ""), record("oai:x:3", "oai_dc", "new")}})
		saveIn(t, s, "other", store.Batch{Records: []store.Record{record("oai:x:9", "oai_dc", "")}})
		for _, c := range []struct {
			prefix, after string
			want          []string
		}{
			{"oai_dc", "", []string{"oai:x:3", "oai:x:1", "oai:x:0"}},
			{"oai_dc", "oai:x:3", []string{"oai:x:1", "oai:x:0"}},
			{"oai_dc", "oai:x:2", []string{"oai:x:0"}},
			{"datacite", "", []string{"oai:x:1"}},
			{"", "", []string{"oai:x:3", "oai:x:1", "oai:x:0"}},
			{"mods", "", nil},
		} {
			equal(t, fmt.Sprintf("%q after %q", c.prefix, c.after), all(t, s.Identifiers(t.Context(), repo, c.prefix, c.after)), c.want)
		}
		var failed error
		for _, err := range s.Identifiers(t.Context(), repo, "oai_dc", "oai:x:9") {
			failed = err
		}
		notFound(t, "after an identifier that is not kept", failed)
	}},
	{"a deleted record has no identifier in its format", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", ""), record("oai:x:1", "datacite", "")}})
		save(t, s, store.Batch{Records: []store.Record{tombstone("oai:x:1", "oai_dc")}})
		equal(t, "in oai_dc", all(t, s.Identifiers(t.Context(), repo, "oai_dc", "")), []string(nil))
		equal(t, "in any", all(t, s.Identifiers(t.Context(), repo, "", "")), []string{"oai:x:1"})
	}},
	{"a sample of few records is all that are live", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:3", "oai_dc", ""), tombstone("oai:x:2", "oai_dc"), record("oai:x:1", "datacite", "")}})
		saveIn(t, s, "other", store.Batch{Records: []store.Record{record("oai:x:9", "oai_dc", "")}})
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:0", "oai_dc", "")}, Objects: []store.Object{{Identifier: "oai:x:7", Deleted: true}}})
		equal(t, "sample", must[[]string](t)(s.Sample(t.Context(), repo, 10)), []string{"oai:x:3", "oai:x:1", "oai:x:0"})
		equal(t, "of nothing", must[[]string](t)(s.Sample(t.Context(), "nobody", 10)), []string(nil))
	}},
	{"a sample of many records is from all over them", func(t *testing.T, s *store.DB) {
		var p store.Batch
		for i := range 1000 {
			p.Records = append(p.Records, record(fmt.Sprintf("oai:x:%03d", i), "oai_dc", ""))
		}
		save(t, s, p)
		equal(t, "sample", must[[]string](t)(s.Sample(t.Context(), repo, 4)), []string{"oai:x:000", "oai:x:250", "oai:x:500", "oai:x:750"})
		got := must[[]string](t)(s.Sample(t.Context(), repo, 300))
		equal(t, "size of a larger one", len(got), 300)
		equal(t, "each once", len(slices.Compact(slices.Clone(got))), 300)
	}},
	{"a sample looks past deleted records", func(t *testing.T, s *store.DB) {
		var b store.Batch
		for i := range 400 {
			r := record(fmt.Sprintf("oai:x:%03d", i), "oai_dc", "")
			if i%100 == 0 {
				r = tombstone(r.Identifier, "oai_dc")
			}
			b.Records = append(b.Records, r)
		}
		save(t, s, b)
		equal(t, "size", len(must[[]string](t)(s.Sample(t.Context(), repo, 4))), 4)
	}},
}
