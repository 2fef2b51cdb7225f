package harvest

import (
	"context"
	"errors"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// listRun is the harvest of one list: what its reader reads is mapped and saved.
type listRun struct {
	source *source
	run    *activeRun
	reader *reader
	mapper *mapper
	saver  *saver

	repetition repetition
	census     *census // nil unless all of the repository is read again
	cut        bool    // not all that was read is saved, since the run was told to stop
}

// list reads one list as far as possible, or as far as the turn lasts. Its error is
// a failure on our side; a failure of the repository is the Reason of the run.
func (s *source) list(ctx context.Context, prefix, set string, o Options, all *census) (*listRun, error) {
	l := &listRun{source: s, census: all}
	begun := store.Run{Repository: s.repository.ID, Prefix: prefix, Set: set}
	if s.goesOn.Prefix == prefix && s.goesOn.Set == set {
		begun, s.goesOn = s.goesOn, store.Run{}
	}
	var err error
	if l.reader, err = s.reader(ctx, prefix, set, o); err != nil {
		return nil, err
	}
	if l.mapper, err = s.mapper(ctx, prefix); err != nil {
		return nil, err
	}
	if l.run, err = s.h.begin(ctx, begun, s.client); err != nil {
		return nil, err
	}
	l.saver = &saver{store: s.h.Store, run: l.run, total: -1, read: l.reader.at.Records}
	l.repetition = repetition{store: s.h.Store, repository: s.repository.ID}
	if begun.ID != 0 {
		l.resume(s.left.List)
	}
	if err := l.harvest(ctx); err != nil {
		return l, l.run.fail(ctx, err)
	}
	if l.run.State == store.Running {
		return l, nil
	}
	if err := l.remark(context.WithoutCancel(ctx)); err != nil {
		return l, l.run.fail(ctx, err)
	}
	if err := l.markGone(ctx, o.AllowShrink); err != nil {
		return l, l.run.fail(ctx, err)
	}
	return l, l.run.finish(ctx)
}

// harvest reads the list, then the records that earlier runs could not read.
func (l *listRun) harvest(ctx context.Context) error {
	if err := l.read(ctx); err != nil {
		return err
	}
	if l.cut {
		l.reader.interrupt(ctx)
	}
	l.run.end(l.reader.state, l.reader.reason)
	if l.run.State == store.Failed {
		l.run.Class = l.reader.class
	}
	if !l.reader.ended || l.run.State == store.Interrupted {
		return nil
	}
	return l.readMissing(ctx)
}

// read reads the list to its end. While pages are saved, the next one is mapped,
// and the one after that is on its way.
func (l *listRun) read(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	mapped := l.mapped(ctx)
	defer func() { // nothing of this read outlives it
		stop()
		for range mapped {
		}
	}()
	for m := range mapped {
		if err := l.saveWith(ctx, m, mapped); err != nil {
			return err
		}
	}
	return nil
}

// mappedStep is a step of a list and what is to be saved of its page.
type mappedStep struct {
	step
	changes
	err error
}

// mapped reads and maps the pages of the list, a few ahead of the consumer.
func (l *listRun) mapped(ctx context.Context) <-chan mappedStep {
	out := make(chan mappedStep, 1)
	go func() {
		defer close(out)
		for s := range l.reader.steps(ctx) {
			m := mappedStep{step: s}
			m.changes, m.err = l.mapStep(ctx, s.page)
			if err := l.repetition.check(ctx, m); err != nil {
				m.behind, m.last = l.reader.abandon(err), true
			}
			select {
			case out <- m:
			case <-ctx.Done():
				return
			}
			if m.err != nil || l.reader.state != store.Running {
				return
			}
		}
	}()
	return out
}

func (l *listRun) mapStep(ctx context.Context, page *oaipmh.Page) (changes, error) {
	if page == nil {
		return changes{}, nil
	}
	if l.source.untaught && recordsOf(*page) > 0 {
		if err := l.source.learnFirst(ctx, l.mapper.prefix, *page); err != nil {
			return changes{}, err
		}
		l.mapper.mapping = l.source.mapping
	}
	l.census.note(*page)
	out, err := l.mapper.page(ctx, *page)
	if len(out.Records)+len(out.Quarantined) == 0 {
		page.Release()
	}
	return out, err
}

// batchTime is how long a page waits for others to be saved with it. It is by
// the wall clock: it decides when something is saved, not what.
const batchTime = 200 * time.Millisecond

// saveWith saves a page together with those that come soon after it.
func (l *listRun) saveWith(ctx context.Context, m mappedStep, more <-chan mappedStep) error {
	over := time.NewTimer(batchTime)
	defer over.Stop()
	for open := true; open; {
		if l.cut = ctx.Err() != nil; l.cut || m.err != nil {
			break
		}
		l.stage(m)
		if m.last || l.saver.full() {
			break
		}
		select {
		case m, open = <-more:
		case <-over.C:
			open = false
		}
	}
	err := l.saver.flush(ctx)
	if !l.cut {
		err = errors.Join(err, m.err)
	}
	return err
}

func (l *listRun) stage(m mappedStep) {
	var release func()
	if m.page != nil {
		release = m.page.Release
	}
	l.saver.add(m.changes, m.behind, release)
	l.saver.total, l.saver.read = m.total, m.read
}

// missingAtMost bounds the records that a run requests again.
const missingAtMost = 100

// readMissing asks for the records of which nothing ever came.
func (l *listRun) readMissing(ctx context.Context) error {
	page := getAgain(ctx, l.source.client, l.run.Prefix, l.mapper.missing(missingAtMost))
	if len(page.Records) == 0 {
		return nil
	}
	out, err := l.mapper.page(ctx, page)
	if err != nil {
		return err
	}
	l.saver.add(out, store.Checkpoint{}, nil)
	return l.saver.flush(ctx)
}
