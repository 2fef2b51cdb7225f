package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"fingerpost/bridge/store"
)

var listTests = []test{
	{"a list has the records of one format, in the order of their change", func(t *testing.T, s *store.DB) {
		want := saveListed(t, s, 5)
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:5", "mods", "other format")}})
		saveIn(t, s, "other", store.Batch{Records: []store.Record{record("oai:x:6", "oai_dc", "other repository")}})
		got := listed(t, s, store.List{Prefix: "oai_dc", Records: 10, Metadata: 1 << 20})
		equal(t, "list", got, want)
		equal(t, "in a format that no record has", listed(t, s, store.List{Prefix: "marc", Records: 10}), []store.Record(nil))
	}},
	{"a list goes on where it ended, whatever the size of its pages", func(t *testing.T, s *store.DB) {
		want := saveListed(t, s, 23)
		for _, size := range []int{1, 2, 22, 23, 24} {
			equal(t, fmt.Sprint(size), listed(t, s, store.List{Prefix: "oai_dc", Records: size, Metadata: 1 << 20}), want)
		}
		equal(t, "by bytes", listed(t, s, store.List{Prefix: "oai_dc", Records: 100, Metadata: 1}), want)
		page := must[store.Listing](t)(s.ListRecords(t.Context(), repo, store.List{Prefix: "oai_dc", Records: 100, Metadata: 1}))
		if len(page.Records) != 1 || !page.More {
			t.Errorf("a page for no bytes has %d records, more: %v", len(page.Records), page.More)
		}
	}},
	{"a list ends before a time", func(t *testing.T, s *store.DB) {
		want := saveListed(t, s, 5)
		page := must[store.Listing](t)(s.ListRecords(t.Context(), repo, store.List{Prefix: "oai_dc", Records: 10, Headers: true}))
		from, before := page.Records[0].Modified, page.Records[3].Modified
		got := listed(t, s, store.List{Prefix: "oai_dc", After: from, Before: before, Records: 10, Metadata: 1 << 20})
		equal(t, "list", got, want[1:3])
	}},
	{"a list of headers has no metadata", func(t *testing.T, s *store.DB) {
		want := saveListed(t, s, 3)
		for i := range want {
			want[i].Metadata = nil
		}
		equal(t, "list", listed(t, s, store.List{Prefix: "oai_dc", Records: 2, Headers: true}), want)
	}},
	{"a list of some sets has what they select, however rare that is", func(t *testing.T, s *store.DB) {
		want := saveListed(t, s, 40)
		in := func(set string) func([]string) bool {
			return func(sets []string) bool { return slices.Contains(sets, set) }
		}
		got := listed(t, s, store.List{Prefix: "oai_dc", Sets: in("a"), Records: 7, Metadata: 1 << 20})
		equal(t, "in a set of all", got, want)
		rare := with(want[30], func(r *store.Record) { r.Sets = []string{"rare"} })
		save(t, s, store.Batch{Records: []store.Record{with(rare, func(r *store.Record) { r.Metadata = bytes.ToUpper(r.Metadata); r.Hash[0]++ })}})
		rare.Metadata, rare.Hash[0] = bytes.ToUpper(rare.Metadata), rare.Hash[0]+1
		equal(t, "rare", listed(t, s, store.List{Prefix: "oai_dc", Sets: in("rare"), Records: 2, Metadata: 1 << 20}), []store.Record{rare})
	}},
	{"a record that changes while a list is read comes later, or again", func(t *testing.T, s *store.DB) {
		saveListed(t, s, 6)
		page := must[store.Listing](t)(s.ListRecords(t.Context(), repo, store.List{Prefix: "oai_dc", Records: 3, Metadata: 1 << 20}))
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "changed"), record("oai:x:4", "oai_dc", "changed")}})
		rest := listed(t, s, store.List{Prefix: "oai_dc", After: page.Records[2].Modified, Records: 3, Metadata: 1 << 20})
		var names []string
		for _, r := range rest {
			names = append(names, r.Identifier)
		}
		equal(t, "the rest", names, []string{"oai:x:3", "oai:x:5", "oai:x:1", "oai:x:4"})
	}},
	{"deleted records are in a list, and those that were not mapped", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", "not mapped")}})
		save(t, s, store.Batch{Records: []store.Record{tombstone("oai:x:2", "oai_dc")}, Objects: []store.Object{gone("oai:x:2")}})
		want := []store.Record{record("oai:x:1", "oai_dc", "not mapped"), tombstone("oai:x:2", "oai_dc")}
		equal(t, "list", listed(t, s, store.List{Prefix: "oai_dc", Records: 10, Metadata: 1 << 20}), want)
	}},
	{"a record that is deleted in one format, or that leaves a set, is as new", func(t *testing.T, s *store.DB) {
		both := []store.Record{record("oai:x:1", "oai_dc", ""), record("oai:x:1", "mods", "")}
		save(t, s, store.Batch{Records: both, Objects: []store.Object{object("oai:x:1")}})
		for _, change := range []func(*store.Record){
			func(r *store.Record) { r.Sets = []string{"a"} },
			func(r *store.Record) { r.Deleted, r.Metadata, r.Hash = true, nil, [16]byte{} },
		} {
			before := must[int64](t)(s.Modified(t.Context(), repo))
			change(&both[1])
			save(t, s, store.Batch{Records: both[1:], Objects: []store.Object{object("oai:x:1")}})
			equal(t, "since then", listed(t, s, store.List{Prefix: "mods", After: before, Records: 10, Metadata: 1 << 20}), both[1:])
		}
	}},
	{"the records of an identifier come with when it was modified", func(t *testing.T, s *store.DB) {
		want := []store.Record{record("oai:x:1", "mods", ""), record("oai:x:1", "oai_dc", "")}
		saved := save(t, s, store.Batch{Records: want, Objects: []store.Object{object("oai:x:1")}})
		got := must[[]store.Listed](t)(s.OfIdentifier(t.Context(), repo, "oai:x:1"))
		for i, r := range got {
			equal(t, "record", r, store.Listed{Record: want[i], Modified: saved.Objects[0].Modified})
		}
		equal(t, "of nobody", must[[]store.Listed](t)(s.OfIdentifier(t.Context(), repo, "oai:x:2")), []store.Listed(nil))
	}},
	{"provenance is stored with the metadata, and goes where that goes", func(t *testing.T, s *store.DB) {
		want := record("oai:x:1", "oai_dc", "")
		want.Provenance = []byte("<originDescription>…</originDescription>")
		save(t, s, store.Batch{Records: []store.Record{want, record("oai:x:2", "oai_dc", "none")}})
		for i := range 200 { // small blocks are merged, and the rest is packed again
			save(t, s, store.Batch{Records: []store.Record{recordOf("oai:x:2", "oai_dc", fmt.Appendf(nil, "<a>%d%s</a>", i, incompressible(2000)))}})
		}
		equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, "oai:x:1")), []store.Record{want})
		same := with(want, func(r *store.Record) { r.Metadata, r.Provenance, r.Hash = nil, nil, [16]byte{1} })
		save(t, s, store.Batch{Records: []store.Record{same}})
		want.Hash = same.Hash
		equal(t, "list", listed(t, s, store.List{Prefix: "oai_dc", Records: 10, Metadata: 1 << 20})[0], want)
	}},
	{"formats are those that records have", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{Records: []store.Record{record("oai:x:1", "oai_dc", ""), record("oai:x:1", "mods", "")}})
		equal(t, "formats", must[[]string](t)(s.Formats(t.Context(), repo, "marc", "mods", "oai_dc")), []string{"mods", "oai_dc"})
		equal(t, "of nobody", must[[]string](t)(s.Formats(t.Context(), "other", "oai_dc")), []string{})
	}},
	{"words come in ascending ID, of one repository", func(t *testing.T, s *store.DB) {
		var want []string
		for i := range 12 {
			set := fmt.Sprintf("set %02d", i)
			want = append(want, set)
			r := record("oai:x:1", "oai_dc", fmt.Sprint(i))
			r.Sets = []string{set}
			save(t, s, store.Batch{Records: []store.Record{r}})
			saveIn(t, s, "other", store.Batch{Records: []store.Record{with(r, func(r *store.Record) { r.Sets = []string{"other " + set} })}})
		}
		var got []string
		for after := int64(0); ; {
			some := must[[]store.Word](t)(s.Words(t.Context(), repo, after, 5))
			if len(some) == 0 {
				break
			}
			for _, w := range some {
				if w.Text != "oai_dc" {
					got = append(got, w.Text)
				}
				after = w.ID
			}
		}
		equal(t, "words", got, want)
	}},
}

// saveListed saves n records with their objects, and returns the records.
func saveListed(t *testing.T, s *store.DB, n int) (out []store.Record) {
	t.Helper()
	for i := range n {
		r := record(fmt.Sprint("oai:x:", i), "oai_dc", "")
		save(t, s, store.Batch{Records: []store.Record{r}, Objects: []store.Object{object(r.Identifier)}})
		out = append(out, r)
	}
	return out
}

// listed reads a list page by page.
func listed(t *testing.T, s *store.DB, l store.List) (out []store.Record) {
	t.Helper()
	for {
		page := must[store.Listing](t)(s.ListRecords(t.Context(), repo, l))
		for _, r := range page.Records {
			out, l.After = append(out, r.Record), r.Modified
		}
		if !page.More {
			return out
		}
	}
}
