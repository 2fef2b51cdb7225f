package harvest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

// Schedule says when a repository is due: the first time after the given one. The schedules of robfig/cron are of this form.
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

// Scheduler harvests repositories when they are due, each on its own, a few
// at a time. One that fails touches no other.
type Scheduler struct {
	*Harvester
	Jobs    []Job
	Workers int // harvests at a time; 0: 4
	// Ended is called with what Run returned; may be nil.
	Ended func(Job, []store.Run, error)

	agenda Agenda
	slots  chan struct{}
}

// Run harvests until ctx ends. What another version of the mapping has mapped is
// mapped again first. A repository that was never harvested, whose last run was
// interrupted, or that missed its time is harvested at once; one that missed its
// sweep is swept. None is asked before it wants to be.
func (s *Scheduler) Run(ctx context.Context) {
	if s.Workers == 0 {
		s.Workers = 4
	}
	s.slots, s.agenda.Store = make(chan struct{}, s.Workers), s.Store
	var jobs sync.WaitGroup
	for _, j := range s.Jobs {
		jobs.Go(func() {
			s.refresh(ctx, j)
			if j.Sweep != nil {
				jobs.Go(func() { s.keep(ctx, j, j.Sweep, sweepOf, s.sweepOnce) })
			}
			s.keep(ctx, j, j.Schedule, harvestOf, s.harvestOnce)
		})
	}
	jobs.Wait()
}

// refresh maps again what another version of the mapping has mapped.
func (s *Scheduler) refresh(ctx context.Context, j Job) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-s.slots }()
	if runs, err := s.Refresh(ctx, j.Repository); len(runs) > 0 || err != nil {
		s.note(j, runs, err)
	}
}

// keep does once whenever it is due, and not before the time that once has
// returned.
func (s *Scheduler) keep(ctx context.Context, j Job, schedule Schedule, what dueFunc, once func(context.Context, Job) time.Time) {
	if schedule.Next(s.Clock.Now()).IsZero() {
		return
	}
	late := time.Duration(0) // the same all the time: what is due is looked up again and again
	if j.Jitter > 0 {
		late = rand.N(j.Jitter)
	}
	var notBefore time.Time
	for s.wait(ctx, j, what, late, notBefore) {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		notBefore = once(ctx, j)
		<-s.slots
	}
}

// wait waits until what is due, in short steps: clocks are set, machines
// sleep, and other processes harvest, or are told not to.
func (s *Scheduler) wait(ctx context.Context, j Job, what dueFunc, late time.Duration, notBefore time.Time) bool {
	since, told := s.Clock.Now(), time.Time{}
	for {
		due, err := s.agenda.due(ctx, j, what, since)
		if err != nil && ctx.Err() == nil {
			s.Log.Error("harvest: the store does not say when the repository is due; it is asked again", "repository", j.Repository.ID, "error", err)
			due.At = s.Clock.Now().Add(soon)
		}
		if due.At.IsZero() {
			return false
		}
		if due.Pause.Reason != "" && !due.At.Equal(told) {
			s.Log.Info("harvest: the repository is left alone", "repository", j.Repository.ID, "until", due.At, "reason", due.Pause.Reason)
			told = due.At
		}
		if onTime := due.Why == ForSchedule || due.Why == ForSweep; onTime && due.At.After(since) {
			due.At = due.At.Add(late)
		}
		if notBefore.After(due.At) {
			due.At = notBefore
		}
		left := due.At.Sub(s.Clock.Now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		if s.Clock.Sleep(ctx, min(left, time.Minute)) != nil {
			return false
		}
	}
}

// harvestOnce runs a harvest. It returns before when there is to be no other.
func (s *Scheduler) harvestOnce(ctx context.Context, j Job) time.Time {
	runs, err := s.Harvester.Run(ctx, j.Repository, Options{})
	return s.note(j, runs, err)
}

// sweepOnce runs a sweep, if there is anything for it to find.
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

// note reports what ended. What has failed in a way that left no trace in the
// store, as a full disk does, is not tried again at once.
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
