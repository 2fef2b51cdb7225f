package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

func TestRunningPage(t *testing.T) {
	k := newDesk(t)
	run := k.run(t, store.Run{
		Prefix: "oai_dc", State: store.Running, Records: 1000, New: 900, Changed: 40, Unchanged: 50, Deleted: 7, Quarantined: 3,
		Pages: 10, Requests: 12, Started: noon.Add(-50 * time.Second),
	})
	k.Progress(Progress{Run: run, Total: 4150, Read: 1500})
	page := k.page(t, "/running")
	has(t, page,
		"main", "running: oai_dc 36.1 %",
		"Page | 10 of about 37", "Records | 1,500 of about 4,150", "Rate | 20 records a second",
		"So far | 900 new, 40 changed, 50 unchanged, 7 deleted, 3 quarantined", "Going on for | 50 s, about 2 min 12 s left")
	_, body := k.ask(t, http.MethodGet, "/running")
	for _, want := range []string{`<meta http-equiv="refresh" content="5">`, `<progress value="1500" max="4150">36.1 %</progress>`} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s, got\n%s", want, body)
		}
	}
}

// A repository need not say how long its list is; a run in another process
// says only what it keeps.
func TestRunningElsewhere(t *testing.T) {
	k := newDesk(t)
	k.held = true
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, Records: 100, Pages: 2, Started: noon})
	page := k.page(t, "/running")
	has(t, page, "Page | 2", "Records | 100", "Rate | 100 records a second", "Going on for | 0 s",
		"By | another process on this machine, or one that has just begun")
	if _, body := k.ask(t, http.MethodGet, "/running"); strings.Contains(body, "<progress") {
		t.Error("a bar is shown although the end is not known")
	}
}

func TestLastPage(t *testing.T) {
	tests := []struct {
		name              string
		pages, records    int
		read, total, want int
	}{
		{"the end is not known", 2, 100, 100, -1, 0},
		{"nothing has come yet", 0, 0, 0, 100, 0},
		{"at the last page", 2, 100, 100, 100, 2},
		{"pages are rounded up", 2, 100, 100, 101, 3},
		{"resumed: what came before counts as read only", 2, 100, 900, 1000, 4},
		{"more than was announced", 3, 150, 150, 100, 3},
	}
	for _, tt := range tests {
		r := running{Progress: Progress{Run: store.Run{Pages: tt.pages, Records: tt.records}, Read: tt.read, Total: tt.total}}
		if got := r.LastPage(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Progress tells of a run again and again: what it did is counted once.
func TestCounters(t *testing.T) {
	k := newDesk(t)
	a := store.Run{ID: 1, Repository: "main", State: store.Running, Prefix: "oai_dc", New: 10, Pages: 1, Requests: 3, Retries: 2}
	k.Progress(Progress{Run: a})
	a.New, a.Changed, a.Unchanged, a.Deleted, a.Quarantined, a.Pages, a.Requests, a.Retries, a.Repairs = 15, 1, 2, 3, 4, 2, 4, 2, 5
	k.Progress(Progress{Run: a})
	k.Progress(Progress{Run: a})
	b := store.Run{ID: 2, Repository: "main", State: store.Running, Prefix: "oai_dc", New: 100, Pages: 1, Requests: 1}
	k.Progress(Progress{Run: b})
	k.Ended("main", nil, &store.LockedError{Repository: "main"}) // a sweep that found a harvest going on
	a.State, b.State, b.New = store.Complete, store.Failed, 110
	k.Ended("main", []store.Run{a, b}, errors.New("the repository is gone"))
	// One that failed because of us is not returned; one that began nothing has no progress.
	k.Progress(Progress{Run: store.Run{ID: 3, Repository: "main", State: store.Running, Prefix: "oai_dc", New: 1}})
	k.Ended("main", []store.Run{{ID: 4, Repository: "main", State: store.Failed}}, errors.New("the disk is full"))
	// Repositories cannot add series.
	k.Progress(Progress{Run: store.Run{ID: 5, Repository: "stranger", New: 1}})
	k.Ended("stranger", []store.Run{{ID: 5, Repository: "stranger", State: store.Complete}}, nil)

	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body,
		`fingerpost_harvest_records_total{outcome="new",repository="main"} 126`,
		`fingerpost_harvest_records_total{outcome="changed",repository="main"} 1`,
		`fingerpost_harvest_records_total{outcome="unchanged",repository="main"} 2`,
		`fingerpost_harvest_records_total{outcome="deleted",repository="main"} 3`,
		`fingerpost_harvest_records_total{outcome="quarantined",repository="main"} 4`,
		`fingerpost_harvest_pages_total{repository="main"} 3`,
		`fingerpost_harvest_requests_total{repository="main"} 5`,
		`fingerpost_harvest_retries_total{repository="main"} 2`,
		`fingerpost_harvest_repairs_total{repository="main"} 5`,
		`fingerpost_harvest_runs_total{repository="main",state="complete"} 1`,
		`fingerpost_harvest_runs_total{repository="main",state="failed"} 3`,
		`fingerpost_harvest_runs_total{repository="main",state="incomplete"} 0`,
		`fingerpost_harvest_records_total{outcome="new",repository="other"} 0`,
	)
	if strings.Contains(body, "stranger") {
		t.Error("a repository that is not configured has metrics")
	}
	if len(k.live.runs) != 0 {
		t.Errorf("%d runs that have ended are remembered", len(k.live.runs))
	}
}

// A harvest that a command runs beside the gateway is counted as well, by what
// the store has of it: once, from either source, and not what was before.
func TestCountersOfOtherProcesses(t *testing.T) {
	k := newDesk(t)
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, New: 1000, Started: noon.Add(-48 * time.Hour)})
	old := k.run(t, store.Run{Prefix: "datacite", State: store.Running, New: 500, Records: 500, Started: noon.Add(-time.Hour)})
	k.held = true
	counts := func(when string, records int, runs int) {
		t.Helper()
		k.pass()
		_, body := k.ask(t, http.MethodGet, "/metrics")
		for _, want := range []string{
			fmt.Sprintf(`fingerpost_harvest_records_total{outcome="new",repository="main"} %d`, records),
			fmt.Sprintf(`fingerpost_harvest_runs_total{repository="main",state="complete"} %d`, runs),
		} {
			if !strings.Contains(body, want+"\n") {
				t.Errorf("%s: want %s, got\n%s", when, want, body)
			}
		}
	}
	counts("at first", 0, 0)
	old.New, old.Records = 520, 520
	k.run(t, old)
	counts("when one that was going on has gone on", 20, 0)
	old.State = store.Complete
	k.run(t, old)
	counts("when it has ended", 20, 1)
	other := k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, New: 7, Records: 7, Started: noon.Add(time.Minute)})
	counts("when another has begun", 27, 1)
	other.New, other.Records, other.State = 9, 9, store.Complete
	k.run(t, other)
	counts("when that has ended", 29, 2)
	counts("when nothing has happened", 29, 2)

	own := k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, New: 1, Records: 1, Started: noon.Add(time.Hour)})
	counts("when one of ours has begun", 30, 2)
	own.New, own.Records = 5, 5
	k.Progress(Progress{Run: own})
	counts("when it tells more than is kept", 34, 2)
	own.State = store.Complete
	k.run(t, own)
	counts("when it has ended in the store", 34, 3)
	k.Ended("main", []store.Run{own}, nil)
	counts("when it tells so", 34, 3)
	k.run(t, store.Run{State: store.Complete, Changed: 10, Records: 10, Started: noon.Add(2 * time.Hour)})
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body, `fingerpost_harvest_records_total{outcome="changed",repository="main"} 0`)
}
