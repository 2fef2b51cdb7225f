package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
)

// Limits of one transaction, besides atOnce. A transaction costs as much as many
// records.
const (
	batchPages   = 16
	batchRecords = 500
)

// saver saves the changes of several pages in one transaction, with the checkpoint
// behind the last page and the figures of the run.
type saver struct {
	store interface {
		Save(ctx context.Context, repository string, b store.Batch) error
	}
	run     *activeRun
	staged  store.Batch
	counts  store.Run // of what is staged
	pages   int
	weight  int // of its metadata, good and bad, in bytes
	release []func()
	saved   func([]store.Object) // called with what is stored; may be nil
	total   int                  // as in Progress, behind the last page
	read    int
}

// add stages changes and the checkpoint behind them. done is called when they are
// saved and their memory may be reused.
func (s *saver) add(c changes, behind store.Checkpoint, done func()) {
	s.staged.Records = append(s.staged.Records, c.Records...)
	s.staged.Objects = append(s.staged.Objects, c.Objects...)
	s.staged.Quarantined = append(s.staged.Quarantined, c.Quarantined...)
	s.staged.Checkpoint = behind
	s.weight += metadataIn(c.Records)
	for i := range c.Quarantined {
		s.weight += len(c.Quarantined[i].Bytes)
	}
	add(&s.counts, c.counts)
	s.pages++
	if done != nil {
		s.release = append(s.release, done)
	}
}

// full reports whether what is staged should be saved.
func (s *saver) full() bool {
	return s.pages >= batchPages || len(s.staged.Records) >= batchRecords || s.weight >= atOnce
}

// flush saves what is staged, even if ctx has ended. The run counts as new or
// changed only what is saved.
func (s *saver) flush(ctx context.Context) error {
	if s.pages == 0 {
		return nil
	}
	run := s.run.with(s.counts)
	run.Size, run.Read = max(s.total, 0), s.read
	s.staged.Run = &run
	if err := s.store.Save(context.WithoutCancel(ctx), run.Repository, s.staged); err != nil {
		s.run.Records += s.counts.Records // they were read, but are neither new nor changed
		return fmt.Errorf("save page %d of %s: %w", run.Pages, run.Repository, err)
	}
	s.run.Run = run
	if s.saved != nil {
		s.saved(s.staged.Objects)
	}
	for _, release := range s.release {
		release()
	}
	s.empty()
	s.run.report(s.total, s.read)
	return nil
}

// empty forgets what was staged, and keeps the memory.
func (s *saver) empty() {
	clear(s.staged.Records)
	clear(s.staged.Objects)
	clear(s.release)
	s.staged = store.Batch{Records: s.staged.Records[:0], Objects: s.staged.Objects[:0]}
	s.counts, s.pages, s.weight, s.release = store.Run{}, 0, 0, s.release[:0]
}
