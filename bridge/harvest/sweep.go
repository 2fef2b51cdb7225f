package harvest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// sweepRun compares the records kept in one format with those that are listed.
type sweepRun struct {
	*marker
	source  *source
	missing int      // records listed, but not kept
	lacking []string // the sets in which they are
	over    error    // why the repository must not be asked for its other lists
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
	w := &sweepRun{source: s}
	mapper, err := s.mapper(ctx, prefix)
	if err != nil {
		return nil, run.fail(ctx, err)
	}
	w.marker = &marker{store: s.h.Store, client: s.client, run: run, mapper: mapper, saver: &saver{store: s.h.Store, run: run, total: -1}}
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
	if err := w.readAgain(ctx); err != nil {
		return err
	}
	gone, err := w.markGone(ctx, listed, allowShrink)
	if err != nil {
		return err
	}
	reason := fmt.Sprintf("%d records are gone", gone)
	if w.missing > 0 {
		reason += fmt.Sprintf("; %d are listed that are not kept: the next harvest reads everything", w.missing)
	}
	w.run.end(store.Complete, reason)
	return nil
}

// unswept ends a sweep that failed. It returns only failures on our side.
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
		w.run.Class = classOf(err)
	}
	return w.run.finish(ctx)
}

// readAgain makes the next harvest read the lists from the start that contain
// records that are not kept.
func (w *sweepRun) readAgain(ctx context.Context) error {
	for _, set := range w.lacking {
		start := store.Checkpoint{Repository: w.run.Repository, Prefix: w.run.Prefix, Set: set, OAIURL: w.source.repository.OAIURL}
		if err := w.source.h.Store.Save(ctx, w.run.Repository, store.Batch{Checkpoint: start}); err != nil {
			return &storeError{fmt.Errorf("have %s read again: %w", w.run.Repository, err)}
		}
	}
	return nil
}

// listed returns the live records that the repository lists.
func (w *sweepRun) listed(ctx context.Context) (*identifierSet, error) {
	out := newIdentifierSet()
	for _, set := range w.source.repository.sets() {
		if err := w.listSet(ctx, set, out); err != nil {
			return nil, err
		}
	}
	out.compact()
	return out, nil
}

// listSet lists one set.
func (w *sweepRun) listSet(ctx context.Context, set string, out *identifierSet) error {
	at, err := w.source.h.Store.Checkpoint(ctx, w.run.Repository, w.run.Prefix, set)
	if err != nil {
		return &storeError{fmt.Errorf("read the checkpoint of %s: %w", w.run.Repository, err)}
	}
	missing, pages, read, size := 0, 0, 0, unannounced
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
		w.run.report(size.Last, read)
		if page.Token.Value == "" && !page.Token.Present && pages > 1 && (size.Least < 0 || w.source.repository.IgnoreSize) {
			out.doubtful = true // nothing shows that the list is whole
		}
	}
	if w.missing += missing; missing > 0 {
		w.lacking = append(w.lacking, set)
	}
	out.endList()
	return nil
}

// whole is an error if a list ends before its end.
func (w *sweepRun) whole(page oaipmh.Page, size announced, read int) error {
	if page.Token.Value != "" || w.source.repository.IgnoreSize {
		return nil
	}
	return size.brokenOff(read)
}

// page adds the live records of a page. It returns how many of them are neither kept
// nor in quarantine, although by their datestamps a harvest should have met them.
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
