package storetest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// broken is a text that a database of texts refuses, and plain is what a store
// keeps of it.
const (
	broken = "a\x00b\xffc\xc3"
	plain  = "a\uFFFDb\uFFFDc\uFFFD"
)

var textTests = []test{
	{"texts with NUL and bad UTF-8 are kept as far as they can be", func(t *testing.T, s *store.DB) {
		q := with(bad(broken, broken, 1), func(q *store.Quarantined) { q.Reason, q.Page = broken, broken })
		r := with(record(broken+"1", broken, ""), func(r *store.Record) { r.Sets = []string{broken} })
		o := with(object(broken+"1"), func(o *store.Object) { o.Sets, o.Prefixes = []string{broken}, []string{broken} })
		run := store.Run{Repository: repo, Prefix: broken, Reason: broken}
		save(t, s, store.Batch{
			Records: []store.Record{r}, Objects: []store.Object{o}, Quarantined: []store.Quarantined{q}, Run: &run,
			Probes:     []store.Probe{probe(broken+"1", broken, 200, 1)},
			Checkpoint: store.Checkpoint{Prefix: broken, Set: broken, Token: "t"},
		})
		want := with(bad(plain, plain, 1), func(q *store.Quarantined) { q.Reason, q.Page = plain, plain })
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{want})
		got := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, broken+"1"))
		equal(t, "identifier", got.Identifier, plain+"1")
		equal(t, "sets and formats", append(got.Sets, got.Prefixes...), []string{plain, plain})
		equal(t, "by key", must[store.Object](t)(s.Object(t.Context(), repo, got.Key)), got)
		records := must[[]store.Record](t)(s.Records(t.Context(), repo, broken+"1"))
		equal(t, "records", len(records), 1)
		equal(t, "metadata", records[0].Metadata, r.Metadata)
		equal(t, "format", records[0].Prefix, plain)
		equal(t, "runs", len(must[[]store.Run](t)(s.Runs(t.Context(), repo, 9))), 1)
		equal(t, "checkpoint", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, broken, broken)).Token, "t")
		equal(t, "probes", len(must[map[string]bridge.Probe](t)(s.Probes(t.Context(), repo, []string{broken}))), 1)
		save(t, s, store.Batch{Records: []store.Record{record(broken, broken, "")}})
		equal(t, "quarantine once the record could be read", quarantined(t, s), []store.Quarantined(nil))
	}},
	{"every field of an object comes back", func(t *testing.T, s *store.DB) {
		var want store.Object
		fill(t, reflect.ValueOf(&want).Elem())
		want.Deleted = false
		slices.Sort(want.Prefixes)
		slices.Sort(want.Sets)
		saved := saveObjects(t, s, want)[0]
		want.ID, want.Repository, want.Key, want.Modified = saved.ID, repo, store.KeyOf(want.Identifier), saved.Modified
		equal(t, "object", must[store.Object](t)(s.ByIdentifier(t.Context(), repo, want.Identifier)), want)
		saveObjects(t, s, store.Object{Identifier: want.Identifier, Deleted: true})
		got := must[store.Object](t)(s.ByIdentifier(t.Context(), repo, want.Identifier))
		equal(t, "deleted", got.Deleted, true)
		equal(t, "what it was", got.Object, want.Object)
	}},
	{"every field of a record comes back", func(t *testing.T, s *store.DB) {
		var want store.Record
		fill(t, reflect.ValueOf(&want).Elem())
		want.Deleted = false
		save(t, s, store.Batch{Records: []store.Record{want}})
		equal(t, "record", must[[]store.Record](t)(s.Records(t.Context(), repo, want.Identifier)), []store.Record{want})
	}},
	{"every field of what is in quarantine comes back", func(t *testing.T, s *store.DB) {
		var want store.Quarantined
		fill(t, reflect.ValueOf(&want).Elem())
		save(t, s, store.Batch{Quarantined: []store.Quarantined{want}})
		equal(t, "quarantine", quarantined(t, s), []store.Quarantined{want})
	}},
	{"every field of a probe comes back", func(t *testing.T, s *store.DB) {
		var want store.Probe
		fill(t, reflect.ValueOf(&want).Elem())
		save(t, s, store.Batch{Probes: []store.Probe{want}})
		equal(t, "probes", must[[]store.Probe](t)(s.DueProbes(t.Context(), repo, day(99), 9)), []store.Probe{want})
	}},
	{"every field of a repository, a run, a checkpoint and a restraint comes back", func(t *testing.T, s *store.DB) {
		var repository store.Repository
		var run store.Run
		var checkpoint store.Checkpoint
		var restraint oaipmh.Restraint
		for _, v := range []any{&repository, &run, &checkpoint, &restraint} {
			fill(t, reflect.ValueOf(v).Elem())
		}
		run.ID, run.Repository, checkpoint.Repository = 0, repo, repo
		for _, err := range []error{s.SaveRepository(t.Context(), repository), s.SaveRestraint(t.Context(), restraint)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		save(t, s, store.Batch{Run: &run, Checkpoint: checkpoint})
		equal(t, "repository", must[store.Repository](t)(s.Repository(t.Context(), repository.ID)), repository)
		equal(t, "run", must[[]store.Run](t)(s.Runs(t.Context(), repo, 1))[0], run)
		equal(t, "checkpoint", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, checkpoint.Prefix, checkpoint.Set)), checkpoint)
		equal(t, "restraint", must[[]oaipmh.Restraint](t)(s.Restraints(t.Context()))[0], restraint)
	}},
}

// fill gives every field of v, however deep, a value that no other has, and
// fails on a type that it does not know.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	n := 0
	fillFrom(t, v, &n)
}

func fillFrom(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(day(1 + *n%28)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat("https://doi.org/10.5555/", *n%2) + string(rune('a'+*n)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillElements(t, v, n)
	case reflect.Array:
		fillElements(t, v, n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillFrom(t, key, n)
		fillFrom(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fillFrom(t, v.Field(i), n)
		}
	default:
		t.Fatalf("a test cannot fill a %s", v.Type())
	}
}

func fillElements(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	for i := range v.Len() {
		fillFrom(t, v.Index(i), n)
	}
}
