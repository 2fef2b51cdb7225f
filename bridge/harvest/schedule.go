package harvest

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"fingerpost/bridge/store"
)

// Schedule says when a repository is due: the first time after the given one.
// The schedules of robfig/cron are of this form.
type Schedule interface {
	Next(after time.Time) time.Time
}

// Job is a repository and when it is due.
type Job struct {
	Repository Repository
	Schedule   Schedule
	Sweep      Schedule // nil: none
	// Jitter is by how much a run may begin later than its time, so that many
	// gateways with the same schedule do not all come in the same second.
	Jitter time.Duration
}

// Scheduler harvests repositories when they are due, as many at a time as there are
// Workers. A repository that fails does not affect the others.
type Scheduler struct {
	*Harvester
	Jobs []Job
	// Ended is called with what Run returned; may be nil.
	Ended func(Job, []store.Run, error)

	agenda Agenda
	ended  chan *task
	pages  *Harvester // reads landing pages, with workers of its own: it waits most of the time
}

// slice is how long landing pages are read at a time. Then what has become due
// gets its turn.
const slice = 10 * time.Minute

// defaultWorkers are those of a Harvester that has none.
const defaultWorkers = 8

// task is a Job with its activities, of which one runs at a time.
type task struct {
	*Job
	activities []*activity
	refreshed  bool
	running    bool
}

// activity is a harvest or a sweep that comes again and again.
type activity struct {
	due  dueFunc
	once func(context.Context, Job) (notBefore time.Time)
	late time.Duration // the same all the time: what is due is looked up again and again
	// workers do it; nil: those of the Scheduler
	workers *Workers

	since     time.Time // the wait began
	notBefore time.Time
	told      time.Time // until when it was said that the repository is left alone
	at        time.Time // when it is due, as it looked at checked
	checked   time.Time
}

// Run harvests until ctx ends. First it maps again what another version of the
// mapping has mapped. A repository that was never harvested, whose last run was
// interrupted, or that missed its time is harvested at once; one that missed its
// sweep is swept. Pauses are obeyed.
func (s *Scheduler) Run(ctx context.Context) {
	if s.Workers == nil {
		h := *s.Harvester
		h.Workers = NewWorkers(defaultWorkers)
		s.Harvester = &h
	}
	s.agenda.Store, s.ended = s.Store, make(chan *task, len(s.Jobs))
	pages := *s.Harvester
	pages.Workers, pages.Progress, pages.Paused = NewWorkers(defaultWorkers), nil, nil
	s.pages = &pages
	tasks := s.tasks()
	running := 0
	for ctx.Err() == nil {
		begun, idle, next := s.begin(ctx, tasks)
		running += begun
		switch {
		case idle > 0: // in short steps: clocks are set, machines sleep, and other processes harvest
			running -= s.sleep(ctx, min(next.Sub(s.Clock.Now()), time.Minute))
		case running > 0:
			s.rest(<-s.ended)
			running--
		default:
			return
		}
	}
	for ; running > 0; running-- {
		<-s.ended
	}
}

// sleep sleeps for d, or until an activity has ended. It returns how many have.
func (s *Scheduler) sleep(ctx context.Context, d time.Duration) (ended int) {
	ctx, wake := context.WithCancel(ctx)
	awake := make(chan struct{})
	go func() {
		_ = s.Clock.Sleep(ctx, d)
		close(awake)
	}()
	select {
	case t := <-s.ended:
		s.rest(t)
		ended++
	case <-awake:
	}
	wake()
	<-awake
	return ended
}

// rest prepares a task for its next activity.
func (s *Scheduler) rest(t *task) {
	t.running = false
	for _, a := range t.activities {
		a.since, a.checked = s.Clock.Now(), time.Time{}
	}
}

// tasks makes a task of every Job.
func (s *Scheduler) tasks() []*task {
	now := s.Clock.Now()
	var out []*task
	for i := range s.Jobs {
		j := &s.Jobs[i]
		t := &task{Job: j}
		add := func(schedule Schedule, due dueFunc, once func(context.Context, Job) time.Time) {
			if schedule == nil || schedule.Next(now).IsZero() {
				return
			}
			a := &activity{due: due, once: once, since: now}
			if j.Jitter > 0 {
				a.late = rand.N(j.Jitter)
			}
			t.activities = append(t.activities, a)
		}
		add(j.Schedule, harvestOf, s.harvestOnce)
		add(j.Sweep, sweepOf, s.sweepOnce)
		if j.Repository.Settings.Pages {
			t.activities = append(t.activities, &activity{due: pagesOf, once: s.readPages, workers: s.pages.Workers, since: now})
		}
		out = append(out, t)
	}
	return out
}

// begin begins what is due. It returns how many activities that were, how many
// tasks wait for their time, and when the first of them is due.
func (s *Scheduler) begin(ctx context.Context, tasks []*task) (begun, idle int, next time.Time) {
	for _, t := range tasks {
		if t.running {
			continue
		}
		a := s.first(ctx, t)
		if !t.refreshed {
			a, t.refreshed = &activity{once: s.refresh}, true
		}
		switch {
		case a == nil:
		case a.at.After(s.Clock.Now()):
			if idle++; idle == 1 || a.at.Before(next) {
				next = a.at
			}
		default:
			begun++
			t.running = true
			s.do(ctx, t, a)
		}
	}
	return begun, idle, next
}

// first returns the activity of a task that is due first; nil if none ever is.
func (s *Scheduler) first(ctx context.Context, t *task) (first *activity) {
	for _, a := range t.activities {
		if a.at = s.when(ctx, *t.Job, a); a.at.IsZero() {
			continue
		}
		if first == nil || a.at.Before(first.at) {
			first = a
		}
	}
	return first
}

// do runs an activity as soon as a worker is free.
func (s *Scheduler) do(ctx context.Context, t *task, a *activity) {
	cmp.Or(a.workers, s.Workers).Go(func() {
		if ctx.Err() == nil {
			a.notBefore = a.once(ctx, *t.Job)
		}
		s.ended <- t
	})
}

// when is when an activity is due; the zero time if it never is.
func (s *Scheduler) when(ctx context.Context, j Job, a *activity) time.Time {
	now := s.Clock.Now()
	if now.Before(a.at) && now.Sub(a.checked) < time.Minute {
		return a.at
	}
	a.checked = now
	due, err := s.agenda.due(ctx, j, a.due, a.since)
	switch {
	case err != nil && ctx.Err() == nil:
		s.Log.Error("harvest: the store does not say when the repository is due; it is asked again", "repository", j.Repository.ID, "error", err)
		return now.Add(soon)
	case due.At.IsZero():
		return due.At
	case due.Pause.Reason != "" && !due.At.Equal(a.told):
		s.Log.Info("harvest: the repository is left alone", "repository", j.Repository.ID, "until", due.At, "reason", due.Pause.Reason)
		a.told = due.At
	}
	if onTime := due.Why == ForSchedule || due.Why == ForSweep; onTime && due.At.After(a.since) {
		due.At = due.At.Add(a.late)
	}
	if a.notBefore.After(due.At) {
		return a.notBefore
	}
	return due.At
}

// refresh maps again what another version of the mapping has mapped.
func (s *Scheduler) refresh(ctx context.Context, j Job) time.Time {
	runs, err := s.Refresh(ctx, j.Repository)
	if len(runs) == 0 && err == nil {
		return time.Time{}
	}
	return s.note(j, runs, err)
}

// harvestOnce runs a harvest. It returns the earliest time for the next.
func (s *Scheduler) harvestOnce(ctx context.Context, j Job) time.Time {
	runs, err := s.Harvester.Run(ctx, j.Repository, Options{})
	return s.note(j, runs, err)
}

// readPages reads landing pages for a slice of time.
func (s *Scheduler) readPages(ctx context.Context, j Job) time.Time {
	runs, err := s.pages.Probe(ctx, j.Repository, ProbeOptions{Until: s.Clock.Now().Add(slice)})
	return s.note(j, runs, err)
}

// sweepOnce runs a sweep if it can find anything.
func (s *Scheduler) sweepOnce(ctx context.Context, j Job) time.Time {
	next := j.Sweep.Next(s.Clock.Now())
	kept, err := s.Store.Repository(ctx, j.Repository.ID)
	if err != nil || !j.sweeps(kept) {
		return next
	}
	runs, err := s.Harvester.Sweep(ctx, j.Repository, Options{})
	if again := s.note(j, runs, err); err != nil {
		return again
	}
	return next
}

// note reports the end of an activity. After a failure that left no trace in the
// store, such as a full disk, the next attempt has to wait.
func (s *Scheduler) note(j Job, runs []store.Run, err error) time.Time {
	if s.Ended != nil {
		s.Ended(j, runs, err)
	}
	var locked *store.LockedError
	switch {
	case err == nil:
		return time.Time{}
	case errors.As(err, &locked):
		s.Log.Info("harvest: the repository is locked by another run", "repository", j.Repository.ID, "owner", locked.Owner)
	case len(runs) > 0 && runs[len(runs)-1].Reason == err.Error(): // it was told as the run ended
	default:
		s.Log.Error("harvest: could not go on", "repository", j.Repository.ID, "error", err)
	}
	return s.Clock.Now().Add(soon)
}
