package main

import (
	"maps"
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func TestReadinessTellsAFirstHarvestThatFailed(t *testing.T) {
	wish, byHand := "", false
	r := readiness{
		missing: map[string]string{"main": "the first harvest of main has not begun", "other": "the first harvest of other has not begun"},
		waits:   func(string) string { return wish },
		kept:    func(string) bool { return byHand },
	}
	job := func(id string) harvest.Job { return harvest.Job{Repository: harvest.Repository{ID: id}} }
	run := func(id string, state store.State) []store.Run {
		return []store.Run{{Repository: id, Prefix: "oai_dc", State: state}}
	}
	says := func(want string) {
		t.Helper()
		if ready, got := r.state(); ready != (want == "") || got != want {
			t.Errorf("ready is %t: got %q, want %q", ready, got, want)
		}
	}
	says("the first harvest of main has not begun; repositories that wait for theirs besides: 1")
	r.ended(job("other"), run("other", store.Complete), nil)
	r.ended(job("main"), run("main", store.Failed), nil)
	says("the first harvest of main failed: see the log or `fingerpost status`")
	wish = "it asked to be left alone until 2031-01-02T03:04:05Z"
	says("the first harvest of main failed: see the log or `fingerpost status`; it asked to be left alone until 2031-01-02T03:04:05Z")
	again := readiness{missing: maps.Clone(r.missing), waits: r.waits, kept: r.kept}
	r.ended(job("main"), run("main", store.Incomplete), nil)
	says("")
	byHand = true // or another process has harvested it
	if ready, why := again.state(); !ready {
		t.Errorf("harvested by hand: not ready: %s", why)
	}
}
