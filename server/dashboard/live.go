package dashboard

import (
	"context"
	"errors"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

// Progress is where a run stands.
type Progress struct {
	store.Run
	Total int // what the repository says the list holds; -1 if it does not
	Read  int // records of this list so far, those before an interruption included
}

// live are the runs of this process that have not been told to have ended.
type live struct {
	mu      sync.Mutex
	runs    map[int64]Progress
	gone    map[string]int64    // by repository: the run that said running when nobody held it
	counted map[int64]store.Run // what the counters have of a run, whoever ran it
}

func newLive() live {
	return live{runs: map[int64]Progress{}, gone: map[string]int64{}, counted: map[int64]store.Run{}}
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

// Progress notes where a run of this process stands.
func (d *Dashboard) Progress(p Progress) {
	if _, ok := d.byID[p.Repository]; !ok {
		return
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.countRun(p.Run)
	d.live.runs[p.ID] = p
}

// Ended notes the runs that a harvest of this process made, and the error
// that it returned. A *store.LockedError is of a harvest that never began.
func (d *Dashboard) Ended(repository string, runs []store.Run, err error) {
	var held *store.LockedError
	if _, ok := d.byID[repository]; !ok || errors.As(err, &held) {
		return
	}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	for _, r := range runs {
		d.countRun(r)
		delete(d.live.runs, r.ID)
	}
	for id, p := range d.live.runs {
		if p.Repository == repository { // begun but not returned: it failed on our side
			p.State = store.Failed
			d.countRun(p.Run)
			delete(d.live.runs, id)
		}
	}
}

// countRun brings the counters up to a run as it stands: what they have of it is
// not counted again, whether it is told by this process or read in the store.
func (d *Dashboard) countRun(now store.Run) {
	before, met := d.live.counted[now.ID]
	if met && (before.State != store.Running || now.Records < before.Records) {
		return // told by the store later than by the harvest
	}
	d.live.counted[now.ID] = now
	if now.Prefix != "" || now.State == store.Failed { // a remap receives nothing
		d.counters.add(before, now)
	}
	if now.State != store.Running {
		d.counters.runs.WithLabelValues(now.Repository, string(now.State)).Inc()
	}
}

// countKept counts the runs that are kept, newest first: those of other
// processes as well. What was done before this process began was counted by
// whoever ran then.
func (d *Dashboard) countKept(runs []store.Run) {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	for _, r := range runs {
		if _, met := d.live.counted[r.ID]; !met && r.Started.Before(d.began) {
			d.live.counted[r.ID] = r
			continue
		}
		d.countRun(r)
	}
	oldest := runs[len(runs)-1]
	for id, r := range d.live.counted {
		if r.Repository == oldest.Repository && id < oldest.ID && r.State != store.Running {
			delete(d.live.counted, id) // it will not be read again
		}
	}
}

// running is what the page of runs under way says of one.
type running struct {
	Progress
	Standing standing
	Here     bool // it is a run of this process, whose Total and Read are known
	now      time.Time
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
		one, err := d.survey(ctx, []Repository{repository})
		if err != nil {
			return nil, err
		}
		r := running{Standing: one[0], Progress: Progress{Run: newest[0], Total: -1, Read: newest[0].Records}, now: d.Now()}
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

// Left is how many records are still to come; -1 if that is not known.
func (r running) Left() int {
	if r.Total < 0 {
		return -1
	}
	return max(r.Total-r.Read, 0)
}

// LastPage is the number of the last page, counted as Pages is; 0 if it is
// not known. The pages to come are taken to be as long as those that came.
func (r running) LastPage() int {
	if r.Left() < 0 || r.Records == 0 {
		return 0
	}
	return r.Pages + (r.Left()*r.Pages+r.Records-1)/r.Records
}

// TimeLeft is "" where it is not known.
func (r running) TimeLeft() string {
	if r.Left() <= 0 || r.Rate() <= 0 {
		return ""
	}
	return span(time.Duration(float64(r.Left()) / r.Rate() * float64(time.Second)))
}
