package harvest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// sweepAtOnce is how many vanished records are marked in one transaction.
const sweepAtOnce = 500

// ShrinkError is a sweep that found more gone than it may mark unasked.
type ShrinkError struct {
	Gone, Kept int
}

func (e *ShrinkError) Error() string {
	return fmt.Sprintf("%d of %d records are no longer listed; that looks like a fault of the repository, so nothing was marked: if it is true, sweep again with --allow-shrink", e.Gone, e.Kept)
}

// sweepRun compares the records kept in one format with those that are listed.
type sweepRun struct {
	source *source
	run    *activeRun
	mapper *mapper
	saver  *saver
	over   error // why the repository must not be asked for its other lists
}

// sweep sweeps every format.
func (s *source) sweep(ctx context.Context, o Options) (runs []store.Run, err error) {
	for _, prefix := range s.prefixes {
		w, err := s.sweepFormat(ctx, prefix, o.AllowShrink)
		if err != nil {
			return runs, err
		}
		if runs = append(runs, w.run.Run); w.run.State == store.Interrupted || w.over != nil {
			return runs, w.over
		}
	}
	return runs, nil
}

func (s *source) sweepFormat(ctx context.Context, prefix string, allowShrink bool) (*sweepRun, error) {
	run, err := s.h.begin(ctx, store.Run{Repository: s.repository.ID, Prefix: prefix, Sweep: true}, s.client)
	if err != nil {
		return nil, err
	}
	w := &sweepRun{source: s, run: run, saver: &saver{store: s.h.Store, run: run, total: -1}}
	if w.mapper, err = s.mapper(ctx, prefix); err != nil {
		return w, run.fail(ctx, err)
	}
	if err := w.compare(ctx, allowShrink); err != nil {
		return w, w.unswept(ctx, err)
	}
	return w, run.finish(ctx)
}

// compare lists, confirms and marks. Its errors are *storeErrors, *ShrinkErrors
// and the repository's.
func (w *sweepRun) compare(ctx context.Context, allowShrink bool) error {
	listed, err := w.listed(ctx)
	if err != nil {
		return err
	}
	if err := w.readAgain(ctx, listed); err != nil {
		return err
	}
	gone, err := w.gone(ctx, listed, allowShrink)
	if err != nil {
		return err
	}
	if listed.doubtful {
		if gone, err = w.confirmed(ctx, gone); err != nil {
			return err
		}
	}
	if err := w.mark(ctx, gone); err != nil {
		return err
	}
	reason := fmt.Sprintf("%d records are gone", len(gone))
	if listed.missing > 0 {
		reason += fmt.Sprintf("; %d are listed that are not kept: the next harvest reads everything", listed.missing)
	}
	w.run.end(store.Complete, reason)
	return nil
}

// storeError is a failure on our side.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// unswept says why a sweep came to no end. Only a failure on our side is
// returned.
func (w *sweepRun) unswept(ctx context.Context, err error) error {
	var own *storeError
	var shrink *ShrinkError
	switch {
	case ctx.Err() != nil:
		w.run.end(store.Interrupted, "stopped; the next sweep begins again")
	case errors.As(err, &own):
		return w.run.fail(ctx, err)
	case errors.As(err, &shrink):
		w.run.end(store.Incomplete, err.Error())
	default:
		if pause := pauseOf(err, w.source.h.Clock.Now()); !pause.Until.IsZero() {
			w.over = err
		}
		w.run.end(store.Failed, fmt.Sprintf("nothing was marked: %v", err))
	}
	return w.run.finish(ctx)
}

// readAgain has the next harvest read those lists from their start in which
// there is something that is not kept.
func (w *sweepRun) readAgain(ctx context.Context, listed *identifierSet) error {
	for _, set := range listed.lacking {
		start := store.Checkpoint{Repository: w.run.Repository, Prefix: w.run.Prefix, Set: set, OAIURL: w.source.repository.OAIURL}
		if err := w.source.h.Store.Save(ctx, w.run.Repository, store.Batch{Checkpoint: start}); err != nil {
			return &storeError{fmt.Errorf("have %s read again: %w", w.run.Repository, err)}
		}
	}
	return nil
}

// identifierSet is a set of identifiers at eight bytes each. Two that share a
// hash keep a record alive that is gone; they never delete one that is not.
type identifierSet struct {
	seed     maphash.Seed
	hashes   []uint64
	missing  int      // listed, but not kept
	lacking  []string // the sets in which they are
	doubtful bool     // some may be there that were not listed
}

func (s *identifierSet) add(id string) { s.hashes = append(s.hashes, maphash.String(s.seed, id)) }

func (s *identifierSet) has(id string) bool {
	_, found := slices.BinarySearch(s.hashes, maphash.String(s.seed, id))
	return found
}

// compact leaves of what was added since then each identifier once.
func (s *identifierSet) compact(since int) {
	added := s.hashes[since:]
	slices.Sort(added)
	distinct := slices.Compact(added)
	// Where identifiers come twice pages overlap, and as many may have fallen
	// between them.
	s.doubtful = s.doubtful || len(distinct) < len(added)
	s.hashes = s.hashes[:since+len(distinct)]
}

// listed reads which records the repository still lists as alive.
func (w *sweepRun) listed(ctx context.Context) (*identifierSet, error) {
	out := &identifierSet{seed: maphash.MakeSeed()}
	for _, set := range w.source.repository.sets() {
		if err := w.listSet(ctx, set, out); err != nil {
			return nil, err
		}
	}
	slices.Sort(out.hashes)
	return out, nil
}

// listSet lists one set.
func (w *sweepRun) listSet(ctx context.Context, set string, out *identifierSet) error {
	at, err := w.source.h.Store.Checkpoint(ctx, w.run.Repository, w.run.Prefix, set)
	if err != nil {
		return &storeError{fmt.Errorf("read the checkpoint of %s: %w", w.run.Repository, err)}
	}
	before, missing, pages, read, size := len(out.hashes), 0, 0, 0, unannounced
	for page, err := range w.source.client.ListIdentifiers(ctx, oaipmh.List{Prefix: w.run.Prefix, Set: set}) {
		if err != nil {
			return err
		}
		pages++
		read += recordsOf(page)
		size.note(page.Token.CompleteListSize)
		if err := w.whole(page, size, read); err != nil {
			return err
		}
		n, err := w.page(ctx, page, w.source.since(at.Watermark), out)
		if err != nil {
			return err
		}
		missing += n
		w.run.Run = w.run.with(store.Run{Pages: 1, Records: len(page.Records)})
		w.run.report(size.last, read)
		if page.Token.Value == "" && !page.Token.Present && pages > 1 && (size.least < 0 || w.source.repository.IgnoreSize) {
			out.doubtful = true // nothing shows that the list is whole
		}
	}
	if out.missing += missing; missing > 0 {
		out.lacking = append(out.lacking, set)
	}
	out.compact(before)
	return nil
}

// whole is an error if a list ends before its end.
func (w *sweepRun) whole(page oaipmh.Page, size announced, read int) error {
	if page.Token.Value != "" || w.source.repository.IgnoreSize {
		return nil
	}
	return size.brokenOff(read)
}

// page adds the records that a page lists as alive. It returns how many of them
// are neither kept nor in quarantine, although a harvest should have met them by
// their datestamps.
func (w *sweepRun) page(ctx context.Context, page oaipmh.Page, before time.Time, out *identifierSet) (missing int, err error) {
	kept, err := w.source.h.Store.Digests(ctx, w.run.Repository, w.run.Prefix, identifiersOf(page.Records))
	if err != nil {
		return 0, &storeError{fmt.Errorf("look up a page of %s: %w", w.run.Repository, err)}
	}
	for _, r := range page.Records {
		if r.Deleted {
			continue
		}
		out.add(r.Identifier)
		was, met := kept[r.Identifier]
		_, unread := w.mapper.unread[r.Identifier]
		stamp, _ := r.Time() // one that cannot be read is a date long ago
		if !unread && (!met || was.Deleted) && stamp.Before(before) {
			missing++
		}
	}
	return missing, nil
}

// gone are the records kept alive that are not listed.
func (w *sweepRun) gone(ctx context.Context, listed *identifierSet, allowShrink bool) (gone []string, err error) {
	kept := 0
	for id, err := range w.source.h.Store.Identifiers(ctx, w.run.Repository, w.run.Prefix, "") {
		if err != nil {
			return nil, &storeError{fmt.Errorf("read the identifiers of %s: %w", w.run.Repository, err)}
		}
		kept++
		if !listed.has(id) {
			gone = append(gone, id)
		}
	}
	if len(gone)*10 > kept && !allowShrink {
		return nil, &ShrinkError{Gone: len(gone), Kept: kept}
	}
	return gone, nil
}

// confirmed are those of the records that seem gone that the repository does
// not have if it is asked for them either.
func (w *sweepRun) confirmed(ctx context.Context, gone []string) ([]string, error) {
	var out []string
	for _, id := range gone {
		r, err := w.source.client.GetRecord(ctx, id, w.run.Prefix)
		var protocol *oaipmh.Error
		var bad *oaipmh.BadRecord
		switch {
		case err == nil && r.Deleted:
			out = append(out, id)
		case err == nil, errors.As(err, &bad):
		case errors.As(err, &protocol) && (protocol.Code == oaipmh.IDDoesNotExist || protocol.Code == oaipmh.CannotDisseminateFormat):
			out = append(out, id)
		default:
			return nil, err
		}
	}
	return out, nil
}

// mark keeps tombstones for what is gone.
func (w *sweepRun) mark(ctx context.Context, gone []string) error {
	for some := range slices.Chunk(gone, sweepAtOnce) {
		out := changes{counts: store.Run{Deleted: len(some)}}
		for _, id := range some {
			out.Records = append(out.Records, store.Record{Identifier: id, Prefix: w.run.Prefix, Deleted: true})
		}
		if err := w.mapper.objects(ctx, &out, ""); err != nil {
			return &storeError{err}
		}
		w.saver.add(out, store.Checkpoint{}, nil)
		w.saver.total, w.saver.read = -1, w.run.Records
		if err := w.saver.flush(ctx); err != nil {
			return &storeError{fmt.Errorf("mark what is gone from %s: %w", w.run.Repository, err)}
		}
	}
	return nil
}
