package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge/store"
)

func run(state store.State) store.Run {
	return store.Run{
		Repository: repo, Prefix: "oai_dc", Set: "a:b", State: state, Reason: "the list was cut off", Remark: "it was not closed", Listed: 10, Closed: true, Records: 1, New: 2, Changed: 3, Unchanged: 4,
		Deleted: 5, Quarantined: 6, Pages: 7, Requests: 8, Retries: 7, Repairs: 9, Started: day(1), Finished: day(2),
	}
}

var runTests = []test{
	{"runs come back whole, newest first", func(t *testing.T, s *store.DB) {
		var want []store.Run
		for i := range 5 {
			r := run(store.Complete)
			r.Records = i
			if err := s.SaveRun(t.Context(), &r); err != nil {
				t.Fatal(err)
			}
			if r.ID == 0 {
				t.Error("got no ID")
			}
			want = append([]store.Run{r}, want...)
		}
		other := store.Run{Repository: "other"}
		if err := s.SaveRun(t.Context(), &other); err != nil {
			t.Fatal(err)
		}
		equal(t, "three", must[[]store.Run](t)(s.Runs(t.Context(), repo, 3)), want[:3])
		equal(t, "all", must[[]store.Run](t)(s.Runs(t.Context(), repo, 100)), want)
		equal(t, "none", must[[]store.Run](t)(s.Runs(t.Context(), repo, 0)), []store.Run(nil))
	}},
	{"a run takes on a new state, by itself and with a page", func(t *testing.T, s *store.DB) {
		r := run(store.Running)
		if err := s.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		r.Pages++
		save(t, s, store.Batch{Run: &r})
		equal(t, "with a page", must[[]store.Run](t)(s.Runs(t.Context(), repo, 9)), []store.Run{r})
		r.State = store.Interrupted
		if err := s.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		equal(t, "by itself", must[[]store.Run](t)(s.Runs(t.Context(), repo, 9)), []store.Run{r})
	}},
	{"a run that has ended has the coverage of that moment", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"))
		r := run(store.Running)
		if err := s.SaveRun(t.Context(), &r); err != nil || r.Coverage.Objects != 0 {
			t.Errorf("under way: got %+v, %v", r.Coverage, err)
		}
		r.State = store.Complete
		if err := s.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
		saveObjects(t, s, object("oai:x:2"))
		equal(t, "coverage", r.Coverage.Count("license"), 1)
		equal(t, "runs", must[[]store.Run](t)(s.Runs(t.Context(), repo, 9)), []store.Run{r})
	}},
	{"a page may bring a new run", func(t *testing.T, s *store.DB) {
		r := run(store.Running)
		save(t, s, store.Batch{Run: &r})
		equal(t, "runs", must[[]store.Run](t)(s.Runs(t.Context(), repo, 9)), []store.Run{r})
	}},
	{"the state of a run that is not kept is not kept", func(t *testing.T, s *store.DB) {
		r := run(store.Complete)
		r.ID = 77
		notFound(t, "by itself", s.SaveRun(t.Context(), &r))
		notFound(t, "with a page", s.Save(t.Context(), repo, store.Batch{Run: &r}))
	}},
	{"a checkpoint that is not kept is the zero one with its key", func(t *testing.T, s *store.DB) {
		want := store.Checkpoint{Repository: repo, Prefix: "oai_dc", Set: "a"}
		equal(t, "checkpoint", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, "oai_dc", "a")), want)
	}},
	{"checkpoints come back whole, each list its own", func(t *testing.T, s *store.DB) {
		var want []store.Checkpoint
		for i, set := range []string{"", "a", "A", "a:b", "%", "'"} {
			for _, prefix := range []string{"oai_dc", "datacite"} {
				want = append(want, store.Checkpoint{
					Repository: repo, Prefix: prefix, Set: set, Watermark: day(1), Token: fmt.Sprintf("!%d&=\"%s\n", i, prefix),
					From: day(2), Until: day(3), ResponseDate: day(4), Pages: i, Records: 2 * i, Pending: []store.Window{{From: day(5)}}, Gap: "2001", Remark: "not closed", OAIURL: "https://repo.example.org/oai",
				})
			}
		}
		for _, c := range want {
			save(t, s, store.Batch{Checkpoint: with(c, func(c *store.Checkpoint) { c.Repository = "" })})
		}
		for _, c := range want {
			equal(t, c.Prefix+" "+c.Set, must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, c.Prefix, c.Set)), c)
		}
		next := store.Checkpoint{Repository: repo, Prefix: "oai_dc", Watermark: day(6)}
		save(t, s, store.Batch{Checkpoint: next})
		equal(t, "replaced", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, "oai_dc", "")), next)
	}},
	{"what a run leaves to its next turn comes back, the last of each repository", func(t *testing.T, s *store.DB) {
		type left struct{ Run int }
		read := func(repository string) (l left) {
			t.Helper()
			if err := s.Unfinished(t.Context(), repository, &l); err != nil {
				t.Fatal(err)
			}
			return l
		}
		equal(t, "nothing", read(repo), left{})
		for _, l := range []left{{1}, {2}} {
			if err := s.SaveUnfinished(t.Context(), repo, l); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "the last", read(repo), left{2})
		equal(t, "of another", read("other"), left{})
	}},
	{"a page without a checkpoint leaves it alone", func(t *testing.T, s *store.DB) {
		want := store.Checkpoint{Repository: repo, Prefix: "oai_dc", Token: "t"}
		save(t, s, store.Batch{Checkpoint: want})
		saveObjects(t, s, object("oai:x:1"))
		equal(t, "checkpoint", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, "oai_dc", "")), want)
	}},
}
