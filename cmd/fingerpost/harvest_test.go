package main

import (
	"errors"
	"sync"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func TestSentence(t *testing.T) {
	run := func(set func(*store.Run)) store.Run {
		r := store.Run{Repository: "main", Prefix: "oai_dc", State: store.Complete, Records: 950, Finished: time.Time{}.Add(time.Second)}
		set(&r)
		return r
	}
	for _, tt := range []struct {
		run  store.Run
		want string
	}{
		{run(func(r *store.Run) { r.New, r.Unchanged, r.Repairs = 50, 900, 2 }),
			"main oai_dc: complete: 950 records in 1s: 50 new, 0 changed, 900 unchanged, 0 deleted, 0 quarantined, 2 repairs"},
		{run(func(r *store.Run) { r.State, r.Records = store.Failed, 0 }),
			"main oai_dc: failed: nothing was read"},
		{run(func(r *store.Run) {
			r.Sweep, r.Reason = true, "0 records are gone; 7 are listed that are not kept: the next harvest reads everything"
		}),
			"main oai_dc: sweep complete: 950 identifiers in 1s: 0 records are gone; 7 are listed that are not kept: the next harvest reads everything"},
		{run(func(r *store.Run) {
			r.Sweep, r.State, r.Reason = true, store.Incomplete, "150 of 1000 records are no longer listed"
		}),
			"main oai_dc: sweep incomplete: 950 identifiers in 1s"},
	} {
		if got := sentence(tt.run); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Several repositories are harvested at the same time, and what is printed has
// their order.
func TestSideBySide(t *testing.T) {
	sources := []harvest.Repository{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	var together sync.WaitGroup
	together.Add(len(sources))
	runs, errs := sideBySide(t.Context(), harvest.NewWorkers(len(sources)), sources, func(r harvest.Repository) ([]store.Run, error) {
		together.Done()
		together.Wait()
		if r.ID == "b" {
			return nil, errors.New("no route to host")
		}
		return []store.Run{{Repository: r.ID}}, nil
	})
	if len(runs) != 2 || runs[0].Repository != "a" || runs[1].Repository != "c" || len(errs) != 1 || errs[0].Error() != "b: no route to host" {
		t.Errorf("got %+v, %v", runs, errs)
	}
}
