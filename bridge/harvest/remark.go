package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
)

// remark notes how a complete list ended, and what is doubtful about it.
func (l *listRun) remark(ctx context.Context) (err error) {
	if l.run.State != store.Complete {
		return nil
	}
	end := l.reader.closing
	l.run.Closed = end.Shown && !end.Unclosed
	if l.reader.whole {
		l.run.Listed = end.Live
	}
	if !l.reader.ignoreSize {
		if l.run.Remark, err = l.openEnd(ctx); err == nil && l.run.Remark == "" {
			l.run.Remark, err = l.overlap(ctx)
		}
	}
	if err != nil {
		return err
	}
	return l.keepRemark(ctx)
}

// keepRemark saves the remark with the checkpoint. It stays until the whole list is
// read again.
func (l *listRun) keepRemark(ctx context.Context) error {
	at, settled := l.reader.at, l.reader.whole || l.reader.ignoreSize
	if l.reader.bounded || l.run.Remark == at.Remark || l.run.Remark == "" && !settled {
		return nil
	}
	at.Remark = l.run.Remark
	return l.source.h.Store.Save(ctx, l.run.Repository, store.Batch{Checkpoint: at})
}

// openEnd is the remark on a list whose end is unproven, if that is unusual.
func (l *listRun) openEnd(ctx context.Context) (string, error) {
	end, why := l.reader.closing, ""
	if !end.Open {
		return "", nil
	}
	before, closed, err := l.before(ctx)
	switch {
	case err != nil:
		return "", err
	case l.reader.whole && end.Live*10 < before*9:
		why = fmt.Sprintf("and there were %d when all of it was last read", before)
	case end.Abrupt:
		why = "as one that was cut off between two pages would"
	case end.Unclosed && closed:
		why = "which it had before"
	default:
		return "", nil
	}
	return fmt.Sprintf("the list ended after %d live records without the closing resumptionToken that OAI-PMH 3.5 requires, %s: compare with what the repository itself counts, and if nothing is missing, set ignore_list_size", end.Live, why), nil
}

// overlap is the remark on a list that announced more records than are kept. Some
// came twice, which may be the only reason. Or the pages overlapped, because their
// order is not stable or a record moved during the harvest, and records between
// them never came.
func (l *listRun) overlap(ctx context.Context) (string, error) {
	announced := l.saver.total
	if announced <= 0 {
		return "", nil
	}
	c, err := l.source.h.Store.Counts(ctx, l.run.Repository)
	if err != nil {
		return "", fmt.Errorf("count what is kept of %s: %w", l.run.Repository, err)
	}
	kept := c.Objects + c.Deleted + c.Quarantined
	if kept >= announced {
		return "", nil
	}
	return fmt.Sprintf("of the %d records announced only %d are different ones, so the list may leave some out: `fingerpost harvest --sweep` finds those, or set ignore_list_size", announced, kept), nil
}

// before is how many live records the list had when all of it was last read, 0
// if that is unknown, and whether it was ever closed.
func (l *listRun) before(ctx context.Context) (live int, closed bool, err error) {
	if l.reader.untried {
		return 0, false, nil
	}
	runs, err := l.source.h.Store.Runs(ctx, l.run.Repository, lookBack)
	if err != nil {
		return 0, false, fmt.Errorf("read the runs of %s: %w", l.run.Repository, err)
	}
	for _, r := range runs {
		if r.ID == l.run.ID || r.Prefix != l.run.Prefix || r.Set != l.run.Set || r.Sweep || r.State != store.Complete {
			continue
		}
		if live == 0 {
			live = r.Listed
		}
		closed = closed || r.Closed
	}
	return live, closed, nil
}
