package harvest

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

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
	// Settings are in words what decides when it is due, and how it is mapped: with
	// others it is looked at again.
	Settings string
}

// Scheduler harvests sources when they are due. What it knows is in the table of
// sources, so that a process may die, and any number may work: Plan says which
// hosts are due, and Work does what is due of one host. A queue is between them: the
// one of Run, or another.
type Scheduler struct {
	*Harvester
	// Job returns that of a source; false if it is not configured. There may be tens
	// of thousands: it is made when it is needed.
	Job func(repository string) (Job, bool)
	// Ended is called with what has ended in a turn, and the error; may be nil.
	Ended func(Job, []store.Run, error)

	hosts atomic.Int64 // of all sources
}

const (
	// slice is how long a host has a worker, before other hosts have theirs.
	slice = time.Minute
	// horizon is how far Plan looks ahead. It is called as often.
	horizon = time.Minute
	// lockedTime is how soon a source that another run has locked is looked at
	// again: the lock of a process that was killed may end at any moment.
	lockedTime = horizon / 2
	// atATime is how many sources of a host are looked up.
	atATime = 100
	// othersTime is how long a host is left to the processes that know its sources.
	othersTime = 3 * time.Second
)

// Set says which sources are configured, at the start and whenever they change. A
// source that is new, or has other settings, is looked at at once.
func (s *Scheduler) Set(ctx context.Context, jobs iter.Seq[Job]) error {
	hosts, rows := map[string]bool{}, []store.Source(nil)
	for j := range jobs {
		row := j.Row()
		hosts[row.Host] = true
		rows = append(rows, row)
	}
	s.hosts.Store(int64(len(hosts)))
	return s.Store.SyncSources(ctx, rows)
}

// Plan returns the hosts with a source that is due, or will be within a minute, by
// that time.
func (s *Scheduler) Plan(ctx context.Context) ([]store.DueHost, error) {
	return s.Store.DueHosts(ctx, s.Clock.Now().Add(horizon))
}

// Work does what is due of a host, for a slice of time. It returns when the host is
// to be worked next, if that is within a minute; else the zero time: Plan says it
// then. While another process has the host, that is in a few seconds.
func (s *Scheduler) Work(ctx context.Context, host string) (next time.Time, err error) {
	free, err := s.lockHost(ctx, host)
	switch {
	case errors.As(err, new(*store.LockedError)):
		return s.Clock.Now().Add(10 * turnTime), nil
	case err != nil:
		return time.Time{}, err
	}
	defer free()
	for end := s.Clock.Now().Add(slice); ctx.Err() == nil; {
		row, job, err := s.first(ctx, host)
		now := s.Clock.Now()
		if err != nil || row.Repository == "" || row.Due.After(now) || !now.Before(end) {
			return row.Due, err
		}
		if err := s.turnOf(ctx, job, end); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, ctx.Err()
}

// lockHost locks a host, unless a run by hand waits for it.
func (s *Scheduler) lockHost(ctx context.Context, host string) (free func(), err error) {
	mine, err := s.Store.Lock(ctx, nextLock+host)
	if err != nil {
		return nil, err
	}
	defer mine()
	return s.Store.Lock(ctx, hostLock+host)
}

// first returns the source of a host that is due first, within a minute; none has no
// Repository. What this process does not know is left to those that do: two may
// have read different versions of the configuration.
func (s *Scheduler) first(ctx context.Context, host string) (store.Source, Job, error) {
	soon := s.Clock.Now().Add(horizon)
	due, err := s.Store.DueSources(ctx, host, soon, atATime)
	for _, row := range due {
		if j, ok := s.Job(row.Repository); ok && j.Row().Settings == row.Settings {
			if row.Due.IsZero() {
				row.Due = s.Clock.Now()
			}
			return row, j, err
		}
	}
	if len(due) > 0 {
		return store.Source{Due: s.Clock.Now().Add(othersTime)}, Job{}, err
	}
	return store.Source{}, Job{}, err
}

// turnOf looks at a source, does what is due, and saves when it is due again. The
// error is that of the store.
func (s *Scheduler) turnOf(ctx context.Context, j Job, end time.Time) error {
	unlock, err := s.Store.Lock(ctx, j.Repository.ID)
	var locked *store.LockedError
	switch {
	case errors.As(err, &locked):
		s.Log.Info("harvest: the repository is locked by another run", "repository", j.Repository.ID, "owner", locked.Owner)
		return s.save(ctx, j, s.Clock.Now().Add(lockedTime))
	case err != nil:
		return err
	}
	defer unlock()
	row, next, err := s.look(ctx, j)
	if err != nil {
		return err
	}
	if next.At.IsZero() || next.At.After(s.Clock.Now()) {
		return s.save(ctx, j, time.Time{})
	}
	if next.Why != ForPages && next.Why != ForFiles {
		row.State, row.Reason = store.Running, ""
		if err := s.Store.SaveSource(ctx, row); err != nil {
			return err
		}
	}
	return s.save(ctx, j, s.do(ctx, j, next.Why, end))
}

// Look looks at a source and saves what is known of it. Nobody is asked.
func (s *Scheduler) Look(ctx context.Context, j Job) error {
	unlock, err := s.Store.Lock(ctx, j.Repository.ID)
	if err != nil {
		return err
	}
	defer unlock()
	return s.save(ctx, j, time.Time{})
}

// look is Agenda.Look, with the delay that spreads the gateways.
func (s *Scheduler) look(ctx context.Context, j Job) (store.Source, Next, error) {
	now := s.Clock.Now()
	row, next, err := (&Agenda{Store: s.Store}).Look(ctx, j, now)
	if onTime := next.Why == ForSchedule || next.Why == ForFailing || next.Why == ForSweep; onTime && j.Jitter > 0 && next.At.After(now) {
		late := time.Duration(xxhash.Sum64String(row.Repository+row.Settings) % uint64(j.Jitter))
		row.Due = row.Due.Add(late)
	}
	return row, next, err
}

// save saves what is known of a source, and when it is due: not before a time, and
// behind the host's others.
func (s *Scheduler) save(ctx context.Context, j Job, notBefore time.Time) error {
	ctx = context.WithoutCancel(ctx)
	row, next, err := s.look(ctx, j)
	if err != nil {
		return err
	}
	if next.Pause.Reason != "" {
		s.Log.Info("harvest: the repository is left alone", "repository", j.Repository.ID, "until", next.At, "reason", next.Pause.Reason)
	}
	for _, t := range [...]time.Time{notBefore, s.Clock.Now()} {
		if row.Due.Before(t) {
			row.Due = t
		}
	}
	return s.Store.SaveSource(ctx, row)
}

// do does what is due of a source, until it ends or its time is over. It returns the
// earliest time for what comes next.
func (s *Scheduler) do(ctx context.Context, j Job, why Why, end time.Time) (notBefore time.Time) {
	h, ctx := s.turnUntil(ctx, end)
	defer h.turn.stop(nil)
	var runs []store.Run
	var err error
	switch r := j.Repository; why {
	case ForMapping:
		var run store.Run
		run, err = h.remap(ctx, r, Options{})
		runs = []store.Run{run}
	case ForSweep:
		h.turn.without() // what it compares lies in memory
		runs, err = h.sweep(ctx, r, Options{})
	case ForPages:
		runs, err = h.readPagesOf(ctx, r)
	case ForFiles:
		err = h.probeFilesOf(ctx, r)
	default:
		runs, err = h.harvest(ctx, r, Options{})
	}
	if isOver(ctx) {
		err = nil
	}
	return s.note(j, runs, err)
}

// note reports what has ended. After a failure the next attempt has to wait: it may
// have left no trace in the store, such as a full disk.
func (s *Scheduler) note(j Job, runs []store.Run, err error) time.Time {
	var ended []store.Run
	for _, r := range runs {
		if r.State != store.Running {
			ended = append(ended, r)
		}
	}
	if s.Ended != nil && (len(ended) > 0 || err != nil) {
		s.Ended(j, ended, err)
	}
	switch {
	case err == nil:
		return time.Time{}
	case len(runs) > 0 && runs[len(runs)-1].Reason == err.Error(): // it was told as the run ended
	default:
		s.Log.Error("harvest: could not go on", "repository", j.Repository.ID, "error", err)
	}
	return s.Clock.Now().Add(soon)
}
