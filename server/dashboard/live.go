package dashboard

import (
	"context"
	"errors"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

// Progress is the progress of a run.
type Progress struct {
	store.Run
	Total int // the announced size of the list; -1 if there is none
	Read  int // records of this list so far, those before an interruption included
}

// live has the runs of this process that have not been reported as ended.
type live struct {
	mu      sync.Mutex
	runs    map[int64]Progress
	gone    map[string]int64  // by repository: the run that was recorded as running without a lock
	counted map[int64]metered // of runs of any process, by ID: there are many
}

// metered says what of a run is in the counters.
type metered struct {
	repository string
	part       *store.Run // nil: all of it, and the run has ended
}

func newLive() live {
	return live{runs: map[int64]Progress{}, gone: map[string]int64{}, counted: map[int64]metered{}}
}

func (l *live) markGone(run store.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone[run.Repository] = run.ID
}

func (l *live) isGone(run store.Run) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone[run.Repository] == run.ID
}

func (l *live) has(id int64) bool {
	_, ok := l.get(id)
	return ok
}

func (l *live) get(id int64) (Progress, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.runs[id]
	return p, ok
}

// Progress notes the progress of a run of this process.
func (d *Dashboard) Progress(p Progress) {
	if _, ok := d.byID[p.Repository]; !ok {
		return
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.countRun(p.Run)
	d.live.runs[p.ID] = p
}

// Ended notes the runs that a harvest of this process made, and the error that it
// returned. A *store.LockedError means that the harvest never began.
func (d *Dashboard) Ended(repository string, runs []store.Run, err error) {
	var locked *store.LockedError
	if _, ok := d.byID[repository]; !ok || errors.As(err, &locked) {
		return
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	for _, r := range runs {
		d.countRun(r)
		delete(d.live.runs, r.ID)
	}
	for id, p := range d.live.runs {
		if p.Repository == repository { // begun but not returned: it failed on this side
			p.State = store.Failed
			d.countRun(p.Run)
			delete(d.live.runs, id)
		}
	}
}

// countRun adds the progress of a run to the counters, whether this process
// reported it or the store has it. What they have of it is not counted again.
func (d *Dashboard) countRun(now store.Run) {
	var before store.Run
	if c, met := d.live.counted[now.ID]; met {
		if c.part == nil || now.Records < c.part.Records {
			return // the store is behind the harvest
		}
		before = *c.part
	}
	d.live.count(now)
	if now.Prefix != "" || now.State == store.Failed { // a remap receives nothing
		d.counters.add(before, now)
	}
	if now.State != store.Running {
		d.counters.end(now)
	}
}

// count notes that a run is in the counters.
func (l *live) count(run store.Run) {
	c := metered{repository: run.Repository}
	if run.State == store.Running {
		c.part = &run
	}
	l.counted[run.ID] = c
}

// countKept counts the stored runs, newest first, those of other processes too. A
// process that ran before this one has counted the runs from before.
func (d *Dashboard) countKept(runs []store.Run) {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	for _, r := range runs {
		if _, met := d.live.counted[r.ID]; !met && r.Started.Before(d.began) {
			d.live.count(r)
			continue
		}
		d.countRun(r)
	}
	oldest := runs[len(runs)-1]
	for id, c := range d.live.counted {
		if c.repository == oldest.Repository && id < oldest.ID && c.part == nil {
			delete(d.live.counted, id) // it will not be read again
		}
	}
}

// running is a run on the page of runs under way.
type running struct {
	Progress
	Summary summary
	Here    bool // it is a run of this process, which has Total and Read
	now     time.Time
}

// underWay returns the runs under way.
func (d *Dashboard) underWay(ctx context.Context) (out []running, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, repository := range d.Repositories {
		newest, err := d.runs(ctx, repository.ID, 1)
		if err != nil {
			return nil, err
		}
		if len(newest) == 0 || newest[0].State != store.Running {
			continue
		}
		one, err := d.summaries(ctx, []Repository{repository})
		if err != nil {
			return nil, err
		}
		r := running{Summary: one[0], Progress: Progress{Run: newest[0], Total: -1, Read: newest[0].Records}, now: d.Now()}
		if p, ok := d.live.get(newest[0].ID); ok {
			r.Progress, r.Here = p, true
		}
		out = append(out, r)
	}
	return out, nil
}

// Rate is in records per second.
func (r running) Rate() float64 {
	return float64(r.Records) / max(r.now.Sub(r.Started).Seconds(), 1)
}

// Left is how many records are still to come; -1 if the list has no size.
func (r running) Left() int {
	if r.Total < 0 {
		return -1
	}
	return max(r.Total-r.Read, 0)
}

// LastPage is the number of the last page, counted like Pages; 0 if the list has
// no size. It assumes that the next pages are as long as those so far.
func (r running) LastPage() int {
	if r.Left() < 0 || r.Records == 0 {
		return 0
	}
	return r.Pages + (r.Left()*r.Pages+r.Records-1)/r.Records
}

// TimeLeft is "" if it cannot be estimated.
func (r running) TimeLeft() string {
	if r.Left() <= 0 || r.Rate() <= 0 {
		return ""
	}
	return span(time.Duration(float64(r.Left()) / r.Rate() * float64(time.Second)))
}
