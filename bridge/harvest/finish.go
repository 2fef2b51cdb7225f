package harvest

import (
	"context"
	"errors"
	"fmt"

	"fingerpost/bridge/store"
)

// finish says how the list ended, and keeps it.
func (l *list) finish(ctx context.Context) (store.Run, error) {
	if l.run.State == store.Running {
		l.end(l.verdict())
		if l.run.State == store.Complete {
			if err := l.remark(context.WithoutCancel(ctx)); err != nil {
				return l.run, err
			}
		}
	}
	l.first = l.first || l.untried && l.run.State == store.Complete
	l.run.Finished = l.Clock.Now()
	if err := l.Store.SaveRun(context.WithoutCancel(ctx), &l.run); err != nil {
		return l.run, fmt.Errorf("end a run of %s: %w", l.repository.ID, err)
	}
	l.Log.Info("harvest: run ended",
		"run", l.run.ID, "repository", l.run.Repository, "prefix", l.run.Prefix, "set", l.run.Set,
		"state", l.run.State, "reason", l.run.Reason, "records", l.run.Records, "new", l.run.New,
		"changed", l.run.Changed, "unchanged", l.run.Unchanged, "deleted", l.run.Deleted,
		"quarantined", l.run.Quarantined, "pages", l.run.Pages, "requests", l.run.Requests, "repairs", l.run.Repairs,
		"seconds", l.run.Finished.Sub(l.run.Started).Seconds())
	return l.run, nil
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

// remark notes on a list that was read to its end that fewer records are held
// of the whole repository than it announced. Some came twice, then, which may
// be all there is to it; or the pages overlapped, because the repository does
// not keep to one order, and what fell between them never came.
func (l *list) remark(ctx context.Context) error {
	if l.promised <= 0 || l.repository.IgnoreSize {
		return nil
	}
	c, err := l.Store.Counts(ctx, l.repository.ID)
	if err != nil {
		return fmt.Errorf("count what is kept of %s: %w", l.repository.ID, err)
	}
	if held := c.Objects + c.Deleted + c.Quarantined; held < l.promised {
		l.run.Reason = fmt.Sprintf("of the %d records announced only %d are different ones, so the list may leave some out: `fingerpost harvest --sweep` finds those, or set ignore_list_size", l.promised, held)
	}
	return nil
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
