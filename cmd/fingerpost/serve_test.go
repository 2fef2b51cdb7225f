package main

import (
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

func TestReadinessTellsAFirstHarvestThatFailed(t *testing.T) {
	r := readiness{missing: map[string]string{"main": "the first harvest of main has not begun"}}
	job := harvest.Job{Repository: harvest.Repository{ID: "main"}}
	r.ended(job, []store.Run{{Repository: "main", Prefix: "oai_dc", State: store.Failed}}, nil)
	if ready, why := r.state(); ready || why != "the first harvest of main failed: see the log or `fingerpost status`" {
		t.Errorf("ready is %t: %q", ready, why)
	}
	r.ended(job, []store.Run{{Repository: "main", Prefix: "oai_dc", State: store.Incomplete}}, nil)
	if ready, why := r.state(); !ready {
		t.Errorf("not ready: %q", why)
	}
}
