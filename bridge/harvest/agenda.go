package harvest

import (
	"context"
	"errors"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Why is the reason for the next request to a repository.
type Why string

// The reasons.
const (
	ForFirst    Why = "first harvest" // nothing was harvested yet
	ForRest     Why = "go on"         // the last harvest was interrupted, cut short by a pause, or not saved
	ForRetry    Why = "retry"         // the first harvest failed
	ForSchedule Why = "schedule"
	ForFailing  Why = "failing" // it failed several times in a row, and is asked less and less
	ForSweep    Why = "sweep"
	ForMapping  Why = "remap" // the mapping has changed
	ForPages    Why = "landing pages"
	ForFiles    Why = "files"   // that the last harvest has brought
	ForPause    Why = "pause"   // it asked for a pause
	ForRefusal  Why = "refused" // it refused access, and is left alone for a while
)

// Next says when a Scheduler asks a repository next, and why then.
type Next struct {
	At    time.Time // may have passed: it is asked as soon as a Scheduler runs. The zero time: never.
	Why   Why
	Pause store.Pause // with ForPause and ForRefusal
}

// soon is the delay before another attempt, after a failed first harvest or while
// another run has locked the repository.
const soon = 10 * time.Minute

// lookBack is the number of runs that are read: those of several months. A few
// are enough if the newest harvest and the newest sweep are among them.
const (
	lookBack = 1000
	few      = 50
)

// agendaStore is what an Agenda reads.
type agendaStore interface {
	Repository(ctx context.Context, id string) (store.Repository, error)
	Runs(ctx context.Context, repository string, n int) ([]store.Run, error)
	Restraints(ctx context.Context) ([]oaipmh.Restraint, error)
	Pages(ctx context.Context, repository string) (store.Pages, error)
	Modified(ctx context.Context, repository string) (int64, error)
	Counts(ctx context.Context, repository string) (store.Counts, error)
}

// Agenda says when repositories are due. It reads the store alone, so that a
// Scheduler in one process and a status in another agree.
type Agenda struct {
	Store agendaStore
}

// past are the runs that decide what comes next.
type past struct {
	runs           []store.Run // newest first
	newest         ran
	harvest, sweep ran // the newest; without a State if there is none
	oldest         ran // that was looked at
	pages          store.Pages
	modified       int64 // the newest Object.Modified; as pages, only where landing pages are read
}

// ran is what matters of a run: there may be many repositories.
type ran struct {
	ID      int64
	State   store.State
	Records int
	at      time.Time // its end, or its start if the end is unknown
}

func ranOf(r store.Run) ran {
	if r.Finished.IsZero() {
		r.Finished = r.Started
	}
	return ran{r.ID, r.State, r.Records, r.Finished}
}

// Next says when a repository is asked next, as seen at the time now. While a
// run is under way, it says what follows that run, or when the pause ends in which
// the run waits.
func (a *Agenda) Next(ctx context.Context, j Job, now time.Time, underWay bool) (Next, error) {
	if next, err := a.paused(ctx, j, now); err != nil || underWay && !next.At.IsZero() {
		return next, err
	}
	return a.due(ctx, j, func(j Job, p past, kept store.Repository, now time.Time) Next {
		if underWay {
			p.harvest = ran{State: store.Complete, at: now}
		}
		next := harvestOf(j, p, kept, now)
		if sweep := sweepOf(j, p, kept, now); !sweep.At.IsZero() && (next.At.IsZero() || sweep.At.Before(next.At)) {
			return sweep
		}
		return next
	}, now)
}

// dueFunc says when something is due, whether or not the repository is paused.
type dueFunc func(j Job, p past, kept store.Repository, now time.Time) Next

func (a *Agenda) due(ctx context.Context, j Job, what dueFunc, now time.Time) (Next, error) {
	p, kept, err := a.state(ctx, j)
	if err != nil {
		return Next{}, err
	}
	return a.postponed(ctx, j, what(j, p, kept, now), now)
}

// state is what decides when a repository is due.
func (a *Agenda) state(ctx context.Context, j Job) (p past, kept store.Repository, err error) {
	if p, err = a.pastOf(ctx, j); err != nil {
		return p, kept, err
	}
	if kept, err = a.Store.Repository(ctx, j.Repository.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		return p, kept, err
	}
	if j.Repository.Settings.Pages {
		if p.pages, err = a.Store.Pages(ctx, j.Repository.ID); err != nil {
			return p, kept, err
		}
		if p.modified, err = a.Store.Modified(ctx, j.Repository.ID); err != nil {
			return p, kept, err
		}
	}
	return p, kept, nil
}

// firstOfAll is what comes first of all that a Scheduler does.
func firstOfAll(j Job, p past, kept store.Repository, now time.Time) (first Next) {
	if p.harvest.State == store.Running { // nothing else comes before it has ended
		return harvestOf(j, p, kept, now)
	}
	for _, due := range [...]dueFunc{harvestOf, sweepOf, pagesOf, filesOf} {
		if next := due(j, p, kept, now); !next.At.IsZero() && (first.At.IsZero() || next.At.Before(first.At)) {
			first = next
		}
	}
	return first
}

// pastOf reads a few runs, and more if the newest harvest, or the newest sweep where
// there are sweeps, is not among them.
func (a *Agenda) pastOf(ctx context.Context, j Job) (p past, err error) {
	for _, n := range [...]int{few, lookBack} {
		runs, err := a.Store.Runs(ctx, j.Repository.ID, n)
		if err != nil || len(runs) == 0 {
			return past{}, err
		}
		p = past{runs: runs, newest: ranOf(runs[0]), oldest: ranOf(runs[len(runs)-1]), harvest: find(runs, isHarvest), sweep: find(runs, isSweep)}
		if len(runs) < n || p.harvest.State != "" && (p.sweep.State != "" || j.Sweep == nil) {
			break
		}
	}
	return p, nil
}

func find(runs []store.Run, is func(store.Run) bool) ran {
	if i := slices.IndexFunc(runs, is); i >= 0 {
		return ranOf(runs[i])
	}
	return ran{}
}

// isHarvest reports whether a run was a harvest or an attempt at one, and not a
// sweep or a remap.
func isHarvest(r store.Run) bool {
	remap := r.Prefix == "" && (r.State == store.Complete || r.State == store.Running)
	return !r.Sweep && !remap
}

func isSweep(r store.Run) bool { return r.Sweep }

// harvestOf is when the next harvest is due.
func harvestOf(j Job, p past, kept store.Repository, now time.Time) Next {
	if j.Schedule.Next(now).IsZero() {
		return Next{}
	}
	last, fails := earlier(p.harvest.at, now), store.FailingOf(p.runs)
	switch {
	case p.harvest.State == "":
		return Next{At: now, Why: ForFirst}
	case p.harvest.State == store.Running || p.harvest.State == store.Interrupted:
		return Next{At: last, Why: ForRest}
	case p.harvest.State == store.Failed && fails.Class != "" && (fails.Times > 1 || !cutShort(kept, j)):
		return failing(fails).next(j.Schedule, kept.MappedBy == "", now)
	case p.harvest.State == store.Failed && kept.MappedBy == "":
		return Next{At: last.Add(soon), Why: ForRetry}
	case p.harvest.State != store.Complete && (cutShort(kept, j) || brokenHere(p.harvest)):
		return Next{At: last.Add(soon), Why: ForRest}
	}
	return Next{At: j.Schedule.Next(last), Why: ForSchedule}
}

// cutShort reports whether the repository's last answer was a request for a pause.
// Such a run is not over: the repository said when to go on.
func cutShort(kept store.Repository, j Job) bool {
	return !kept.Pause.Until.IsZero() && !kept.Pause.Refused && sameAddress(kept.OAIURL, j.Repository.OAIURL)
}

// brokenHere reports whether a run failed because what it had read could not be
// saved, as on a full disk.
func brokenHere(r ran) bool { return r.State == store.Failed && r.Records > 0 }

// sweepOf is when the next sweep is due, counted from the last sweep, or else from
// the oldest run that was read.
func sweepOf(j Job, p past, kept store.Repository, now time.Time) Next {
	if !j.sweeps(kept) {
		return Next{}
	}
	last := now
	switch {
	case p.sweep.State != "":
		last = earlier(p.sweep.at, now)
	case p.newest.State != "":
		last = earlier(p.oldest.at, now)
	}
	next := Next{At: j.Sweep.Next(last), Why: ForSweep}
	if again := harvestOf(j, p, kept, now); again.Why == ForFailing && again.At.After(next.At) {
		next.At = again.At // it is left alone until then
	}
	return next
}

// pagesOf is when landing pages are read next: as soon as nothing else is due,
// unless the repository or the day allows no more.
func pagesOf(j Job, p past, kept store.Repository, now time.Time) Next {
	pages := p.pages
	next := Next{At: now, Why: ForPages}
	switch {
	case !j.Repository.Settings.Pages:
		return Next{}
	case kept.MappedBy == "": // nothing is harvested yet, perhaps by another process
		next.At = now.Add(soon)
	case pages.Pause.Active(now):
		next.At = pages.Pause.Until
	case pages.Limited(now):
		next.At = pages.Day.Add(day)
	case pages.Ended.IsZero(): // the pass goes on
	case p.modified > pages.Modified:
		next.At = earlier(pages.Ended, now).Add(passAfterChange)
	default:
		next.At = earlier(pages.Ended, now).Add(passEvery)
	}
	return next
}

// filesOf is when files are asked about that the last harvest has brought.
func filesOf(j Job, _ past, kept store.Repository, now time.Time) Next {
	if !j.Repository.Settings.Probe || kept.Unasked == 0 || kept.MappedBy == "" {
		return Next{}
	}
	return Next{At: now, Why: ForFiles}
}

// sweeps reports whether a sweep can find anything. It ignores what Identify says
// about deleted records, which is often wrong.
func (j Job) sweeps(kept store.Repository) bool {
	return j.Sweep != nil && kept.MappedBy != ""
}

// postponed moves what is due during a pause to the end of the pause.
func (a *Agenda) postponed(ctx context.Context, j Job, next Next, now time.Time) (Next, error) {
	pause, err := a.paused(ctx, j, now)
	if err != nil || next.At.IsZero() || !pause.At.After(next.At) {
		return next, err
	}
	return pause, nil
}

// paused is when a pause of the repository ends; the zero Next if there is none.
func (a *Agenda) paused(ctx context.Context, j Job, now time.Time) (Next, error) {
	restraints, err := a.Store.Restraints(ctx)
	if err != nil {
		return Next{}, err
	}
	kept, err := a.Store.Repository(ctx, j.Repository.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Next{}, err
	}
	pause := pauseOn(kept, restraints, j.Repository.OAIURL, now)
	switch {
	case pause.Until.IsZero():
		return Next{}, nil
	case pause.Refused:
		return Next{At: pause.Until, Why: ForRefusal, Pause: pause}, nil
	}
	return Next{At: pause.Until, Why: ForPause, Pause: pause}, nil
}

// earlier returns the earlier of two times. With it a clock that was once wrong
// postpones nothing.
func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}
