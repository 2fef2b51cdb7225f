package harvest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"fingerpost/bridge/store"
)

// finish says how the list ended, and keeps it.
func (l *list) finish(ctx context.Context) (store.Run, error) {
	if l.run.State == store.Running {
		l.end(l.verdict())
	}
	if l.run.State == store.Complete && !l.run.Sweep {
		if err := l.remark(context.WithoutCancel(ctx)); err != nil {
			return l.run, err
		}
	}
	l.first = l.first || l.untried && l.run.State == store.Complete
	l.tally()
	l.run.Finished = l.Clock.Now()
	if err := l.Store.SaveRun(context.WithoutCancel(ctx), &l.run); err != nil {
		return l.run, fmt.Errorf("end a run of %s: %w", l.repository.ID, err)
	}
	if err := l.keepRemark(ctx); err != nil {
		return l.run, err
	}
	l.logEnd(ctx, l.run)
	return l.run, nil
}

// logEnd is the one log line that every run has when it has ended.
func (h *Harvester) logEnd(ctx context.Context, r store.Run) {
	level := slog.LevelInfo
	if r.State == store.Failed || r.State == store.Incomplete || r.Remark != "" {
		level = slog.LevelWarn
	}
	h.Log.Log(ctx, level, "harvest: run ended",
		"run", r.ID, "repository", r.Repository, "prefix", r.Prefix, "set", r.Set, "sweep", r.Sweep,
		"state", r.State, "reason", r.Reason, "remark", r.Remark, "records", r.Records, "new", r.New,
		"changed", r.Changed, "unchanged", r.Unchanged, "deleted", r.Deleted,
		"quarantined", r.Quarantined, "pages", r.Pages, "requests", r.Requests, "retries", r.Retries, "repairs", r.Repairs,
		"seconds", r.Finished.Sub(r.Started).Seconds())
}

// verdict is for a list that was read to its end. A first harvest that kept
// nothing is no success: nobody sets up a gateway for an empty repository.
func (l *list) verdict() (store.State, string) {
	switch {
	case l.gaps > 1:
		return store.Incomplete, fmt.Sprintf("%d periods could not be read, the first %s", l.gaps, l.gap)
	case l.gap != "":
		return store.Incomplete, "could not be read: " + l.gap
	case l.barren():
		return store.Incomplete, "the repository sent no record: is the address, the set or the format right?"
	}
	return store.Complete, ""
}

// barren tells whether a list that was never read before is empty, although
// it was asked for, not only tried because the repository offers its format.
func (l *list) barren() bool {
	asked := l.at.Prefix == oaiDC || len(l.repository.Prefixes) > 0
	return asked && l.untried && l.run.Records == 0
}

// fail ends the run because of a failure on our side, which is returned.
func (l *list) fail(ctx context.Context, cause error) (store.Run, error) {
	l.end(store.Failed, cause.Error())
	run, err := l.finish(ctx)
	return run, errors.Join(cause, err)
}
