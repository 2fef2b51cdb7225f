package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

// configured are sources as a configuration names them.
func configured(names ...string) (out []store.Source) {
	for _, name := range names {
		out = append(out, store.Source{Repository: name, Host: name[:1] + ".example", Settings: "daily"})
	}
	return out
}

func configure(t *testing.T, s *store.DB, sources []store.Source) {
	t.Helper()
	if err := s.SyncSources(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
}

func saveSource(t *testing.T, s *store.DB, sources ...store.Source) {
	t.Helper()
	for _, source := range sources {
		if err := s.SaveSource(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
}

// known is a source of which everything is known.
func known(name string) store.Source {
	return with(configured(name)[0], func(s *store.Source) {
		s.Due, s.Why, s.State, s.Reason, s.Class = day(5).Add(time.Microsecond), "schedule", store.Failed, "no answer\x00", "slow"
		s.Failures, s.Began, s.Complete, s.Objects, s.Deleted, s.Quarantined = 2, day(2), day(1), 3, 4, 5
	})
}

// listed are the repositories that a query chooses.
func chosen(t *testing.T, s *store.DB, q store.SourceQuery) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	found, total, err := s.Sources(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, source := range found {
		names = append(names, source.Repository)
	}
	return fmt.Sprint(strings.Join(names, " "), " of ", total)
}

var sourceTests = []test{
	{"a source comes back whole, and is not there unless it is configured", func(t *testing.T, s *store.DB) {
		saveSource(t, s, known("a1"))
		_, err := s.Source(t.Context(), "a1")
		notFound(t, "not configured", err)
		configure(t, s, configured("a1", "b1"))
		saveSource(t, s, known("a1"))
		want := with(known("a1"), func(s *store.Source) { s.Reason = "no answer\uFFFD" })
		equal(t, "saved", must[store.Source](t)(s.Source(t.Context(), "a1")), want)
		equal(t, "new", must[store.Source](t)(s.Source(t.Context(), "b1")), configured("b1")[0])
		saveSource(t, s, with(known("b1"), func(s *store.Source) { s.Due = store.Never }))
		equal(t, "never", must[store.Source](t)(s.Source(t.Context(), "b1")).Due, store.Never)
	}},
	{"what is configured is made so, and what is known stays", func(t *testing.T, s *store.DB) {
		configure(t, s, configured("a1", "a2", "b1"))
		saveSource(t, s, known("a1"), known("a2"))
		configure(t, s, append(configured("a1", "c1"), store.Source{Repository: "a2", Host: "z.example", Settings: "weekly"}))
		equal(t, "all", chosen(t, s, store.SourceQuery{}), "a1 a2 c1 of 3")
		equal(t, "as before", must[store.Source](t)(s.Source(t.Context(), "a1")).Due, known("a1").Due)
		changed := must[store.Source](t)(s.Source(t.Context(), "a2"))
		equal(t, "other settings", []any{changed.Host, changed.Settings, changed.Due, changed.Objects}, []any{"z.example", "weekly", time.Time{}, 3})
		saveSource(t, s, known("a2")) // by a process that does not know yet
		equal(t, "still due", must[store.Source](t)(s.Source(t.Context(), "a2")).Due, time.Time{})
		configure(t, s, nil)
		equal(t, "none", chosen(t, s, store.SourceQuery{}), " of 0")
	}},
	{"hosts and their sources are due in the order of their times", func(t *testing.T, s *store.DB) {
		configure(t, s, configured("a1", "a2", "a3", "b1", "c1"))
		for name, due := range map[string]int{"a1": 6, "a2": 3, "a3": 4, "b1": 2, "c1": 9} {
			saveSource(t, s, with(known(name), func(s *store.Source) { s.Due = day(due) }))
		}
		hosts := must[[]store.DueHost](t)(s.DueHosts(t.Context(), day(6)))
		equal(t, "hosts", hosts, []store.DueHost{{Host: "b.example", Due: day(2)}, {Host: "a.example", Due: day(3)}})
		due := func(n int) (names []string) {
			for _, source := range must[[]store.Source](t)(s.DueSources(t.Context(), "a.example", day(6), n)) {
				names = append(names, source.Repository)
			}
			return names
		}
		equal(t, "sources", due(9), []string{"a2", "a3"})
		equal(t, "the first", due(1), []string{"a2"})
		for _, err := range []error{s.LookAt(t.Context(), "c1"), s.LookAt(t.Context(), "other"), s.LookAtHost(t.Context(), "a.example")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "looked at", must[[]store.DueHost](t)(s.DueHosts(t.Context(), day(1))), []store.DueHost{{Host: "a.example"}, {Host: "c.example"}})
		equal(t, "all of a host", due(9), []string{"a1", "a2", "a3"})
	}},
	{"sources are found, sorted and counted", func(t *testing.T, s *store.DB) {
		configure(t, s, configured("a1", "a2", "b1", "b2"))
		saveSource(t, s, known("a2"), with(known("b1"), func(s *store.Source) { s.State, s.Failures, s.Objects = store.Complete, 0, 9 }))
		for _, c := range []struct {
			q    store.SourceQuery
			want string
		}{
			{store.SourceQuery{}, "a1 a2 b1 b2 of 4"},
			{store.SourceQuery{Offset: 1, Limit: 2}, "a2 b1 of 4"},
			{store.SourceQuery{Offset: 9}, " of 4"},
			{store.SourceQuery{Sort: store.ByObjects, Descending: true}, "b1 a2 a1 b2 of 4"},
			{store.SourceQuery{Sort: store.ByTrouble, Descending: true}, "a2 b1 a1 b2 of 4"},
			{store.SourceQuery{Sort: "x; DROP TABLE sources"}, "a1 a2 b1 b2 of 4"},
			{store.SourceQuery{Match: "A.EXA"}, "a1 a2 of 2"},
			{store.SourceQuery{Match: "1"}, "a1 b1 of 2"},
			{store.SourceQuery{Match: "%"}, " of 0"},
			{store.SourceQuery{Failing: true}, "a2 of 1"},
			{store.SourceQuery{States: []store.State{store.Complete, ""}}, "a1 b1 b2 of 3"},
			{store.SourceQuery{States: []store.State{store.Failed}, Match: "b"}, " of 0"},
		} {
			equal(t, fmt.Sprintf("%+v", c.q), chosen(t, s, c.q), c.want)
		}
		for _, sort := range store.SourceSorts {
			chosen(t, s, store.SourceQuery{Sort: sort, Descending: true})
		}
		equal(t, "totals", must[store.SourceTotals](t)(s.SourceTotals(t.Context())), store.SourceTotals{
			Sources: 4, ByState: map[store.State]int{"": 2, store.Failed: 1, store.Complete: 1}, Failing: 1, ByClass: map[string]int{"slow": 1}, Unharvested: 2,
			Objects: 12, Deleted: 8, Quarantined: 10,
		})
	}},
}
