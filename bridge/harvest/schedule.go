package harvest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Schedule tells when a repository is due: the first time after the given
// one. The schedules of robfig/cron are of this form.
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
	// SweepAnyway sweeps a repository even if it declares that it keeps its
	// deleted records, which makes a sweep needless.
	SweepAnyway bool
}

// soon is when a repository is tried again that another run holds, or of which
// nothing is kept yet because its first harvest failed.
const soon = 10 * time.Minute

// Scheduler harvests repositories when they are due, each on its own, a few
// at a time. One that fails touches no other.
type Scheduler struct {
	*Harvester
	Jobs    []Job
	Workers int // harvests at a time; 0: 4
	// Ended is called with what Run returned; may be nil.
	Ended func(Job, []store.Run, error)

	slots chan struct{}
}

// Run harvests until ctx ends. A repository that was never harvested, whose
// last run was interrupted, or that missed its time is harvested at once; one
// that missed its sweep is swept.
func (s *Scheduler) Run(ctx context.Context) {
	if s.Workers == 0 {
		s.Workers = 4
	}
	s.slots = make(chan struct{}, s.Workers)
	var jobs sync.WaitGroup
	for _, j := range s.Jobs {
		jobs.Go(func() { s.keep(ctx, j, j.Schedule, s.harvestOnce, s.firstDue(ctx, j)) })
		if j.Sweep != nil {
			jobs.Go(func() { s.keep(ctx, j, j.Sweep, s.sweepOnce, s.firstSweep(ctx, j)) })
		}
	}
	jobs.Wait()
}

// keep does once whenever schedule says so.
func (s *Scheduler) keep(ctx context.Context, j Job, schedule Schedule, once func(context.Context, Job) time.Time, due time.Time) {
	for s.wait(ctx, due) {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		again := once(ctx, j)
		<-s.slots
		if due = again; due.IsZero() {
			due = j.later(schedule.Next(s.Clock.Now()))
		}
	}
}

// later is a time with the jitter added; the zero time never comes.
func (j Job) later(due time.Time) time.Time {
	if j.Jitter <= 0 || due.IsZero() {
		return due
	}
	return due.Add(rand.N(j.Jitter))
}

// wait waits until due, in short steps: clocks are set, machines sleep. What
// is due at the zero time never is.
func (s *Scheduler) wait(ctx context.Context, due time.Time) bool {
	for !due.IsZero() {
		left := due.Sub(s.Clock.Now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		if s.Clock.Sleep(ctx, min(left, time.Minute)) != nil {
			return false
		}
	}
	return false
}

// firstDue is now for a repository that is behind, else its next time.
func (s *Scheduler) firstDue(ctx context.Context, j Job) time.Time {
	now := s.Clock.Now()
	if j.Schedule.Next(now).IsZero() {
		return time.Time{}
	}
	runs, err := s.Store.Runs(ctx, j.Repository.ID, lookBack)
	i := slices.IndexFunc(runs, isHarvest)
	if err != nil || i < 0 {
		return now
	}
	last := runs[i]
	if last.State == store.Running || last.State == store.Interrupted {
		return now
	}
	return j.caughtUp(j.Schedule, last.Started, now)
}

// firstSweep is now for a repository whose sweep is overdue, counted from the
// last one, or from the oldest run that is looked at.
func (s *Scheduler) firstSweep(ctx context.Context, j Job) time.Time {
	now := s.Clock.Now()
	runs, err := s.Store.Runs(ctx, j.Repository.ID, lookBack)
	if err != nil || len(runs) == 0 {
		return j.later(j.Sweep.Next(now))
	}
	i := slices.IndexFunc(runs, func(r store.Run) bool { return r.Sweep })
	if i < 0 {
		i = len(runs) - 1
	}
	return j.caughtUp(j.Sweep, runs[i].Started, now)
}

// lookBack is how many runs are looked at: those of months.
const lookBack = 1000

// isHarvest tells a harvest, or a try, from sweeps and remaps.
func isHarvest(r store.Run) bool {
	return !r.Sweep && (r.Prefix != "" || r.State != store.Complete)
}

// caughtUp is now if the time after the last run has passed, else the next.
func (j Job) caughtUp(schedule Schedule, last, now time.Time) time.Time {
	if missed := schedule.Next(last); !missed.IsZero() && missed.Before(now) {
		return now
	}
	return j.later(schedule.Next(now))
}

// harvestOnce runs a harvest. It returns when to go on with it if that is not
// at its next time.
func (s *Scheduler) harvestOnce(ctx context.Context, j Job) time.Time {
	runs, err := s.Harvester.Run(ctx, j.Repository, Options{})
	again := s.note(j, runs, err)
	failed := slices.ContainsFunc(runs, func(r store.Run) bool { return r.State == store.Failed })
	if !again.IsZero() || err == nil && !failed {
		return again
	}
	if kept, err := s.Store.Repository(ctx, j.Repository.ID); err == nil && kept.MappedBy != "" {
		return time.Time{}
	}
	return s.Clock.Now().Add(soon)
}

func (s *Scheduler) sweepOnce(ctx context.Context, j Job) time.Time {
	kept, err := s.Store.Repository(ctx, j.Repository.ID)
	if err != nil || kept.Identify.DeletedRecord == oaipmh.Persistent && !j.SweepAnyway {
		return time.Time{}
	}
	runs, err := s.Harvester.Sweep(ctx, j.Repository, Options{})
	return s.note(j, runs, err)
}

// note tells of what ended. It returns when to try again if the repository
// asked to be left alone until then, or another run held it.
func (s *Scheduler) note(j Job, runs []store.Run, err error) time.Time {
	if s.Ended != nil {
		s.Ended(j, runs, err)
	}
	var parked *oaipmh.ParkedError
	var held *store.HeldError
	switch {
	case err == nil:
		return time.Time{}
	case errors.As(err, &held):
		s.Log.Info("harvest: another run holds the repository", "repository", j.Repository.ID, "holder", held.Holder)
		return s.Clock.Now().Add(soon)
	}
	s.Log.Error("harvest: could not go on", "repository", j.Repository.ID, "error", err)
	if errors.As(err, &parked) {
		return parked.Until
	}
	return time.Time{}
}
