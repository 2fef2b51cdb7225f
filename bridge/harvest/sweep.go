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

// sweepPage is how many vanished records are marked in one transaction.
const sweepPage = 500

// ShrinkError is a sweep that found more gone than it may mark unasked.
type ShrinkError struct {
	Gone, Held int
}

func (e *ShrinkError) Error() string {
	return fmt.Sprintf("%d of %d records are no longer listed; that looks like a fault of the repository, so nothing was marked: if it is true, sweep again with --allow-shrink", e.Gone, e.Held)
}

// Sweep compares what is held with what the repository still lists, and marks
// as deleted what is gone. It is for repositories that do not keep track of
// deletions (OAI-PMH 2.5.1, "no" and "transient"). Nothing is marked unless
// every list ended well. What is listed and not held, though its datestamp has
// passed, has the next harvest read everything: it vanished and came back, or
// was never shown.
func (h *Harvester) Sweep(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	return h.holding(ctx, r, func(s *source) ([]store.Run, error) { return s.sweepAll(ctx, o) })
}

func (s *source) sweepAll(ctx context.Context, o Options) ([]store.Run, error) {
	var runs []store.Run
	for _, prefix := range s.prefixes {
		run, err := s.sweep(ctx, prefix, o)
		if err != nil {
			return runs, err
		}
		if runs = append(runs, run); run.State == store.Interrupted || s.over != nil {
			break
		}
	}
	return runs, s.over
}

// sweep sweeps one format.
func (s *source) sweep(ctx context.Context, prefix string, o Options) (store.Run, error) {
	l := &list{source: s, prefix: prefix, total: -1, least: -1, by: s.granularity()}
	l.asked, l.repeated = s.client.Requests(), s.client.Retries()
	l.at = store.Checkpoint{Repository: s.repository.ID, Prefix: prefix, OAIURL: s.repository.OAIURL}
	l.run = store.Run{Repository: s.repository.ID, Prefix: prefix, Sweep: true, State: store.Running, Started: s.Clock.Now()}
	if err := s.Store.SaveRun(ctx, &l.run); err != nil {
		return l.run, fmt.Errorf("begin a sweep of %s: %w", s.repository.ID, err)
	}
	if err := l.compare(ctx, o.AllowShrink); err != nil {
		return l.unswept(ctx, err)
	}
	return l.finish(ctx)
}

func (l *list) compare(ctx context.Context, allowShrink bool) error {
	var err error
	if l.unread, err = l.inQuarantine(ctx, l.prefix); err != nil {
		return err
	}
	listed, err := l.listed(ctx)
	if err != nil {
		return err
	}
	if err := l.readAgain(ctx, listed); err != nil {
		return err
	}
	gone, err := l.gone(ctx, listed, allowShrink)
	if err != nil {
		return err
	}
	if listed.doubtful {
		if gone, err = l.confirmed(ctx, gone); err != nil {
			return err
		}
	}
	if err := l.mark(ctx, gone); err != nil {
		return err
	}
	reason := fmt.Sprintf("%d records are gone", len(gone))
	if listed.missing > 0 {
		reason += fmt.Sprintf("; %d are listed that are not kept: the next harvest reads everything", listed.missing)
	}
	l.end(store.Complete, reason)
	return nil
}

// unswept says why a sweep came to no end. Only a failure on our side is
// returned.
func (l *list) unswept(ctx context.Context, err error) (store.Run, error) {
	var own *storeError
	var shrink *ShrinkError
	switch {
	case ctx.Err() != nil:
		l.end(store.Interrupted, "stopped; the next sweep begins again")
	case errors.As(err, &own):
		return l.fail(ctx, err)
	case errors.As(err, &shrink):
		l.end(store.Incomplete, err.Error())
	default:
		if hold := holdOf(err, l.Clock.Now()); !hold.Until.IsZero() {
			l.over = err
		}
		l.end(store.Failed, fmt.Sprintf("nothing was marked: %v", err))
	}
	return l.finish(ctx)
}

// readAgain has the next harvest read those lists from their start in which
// there is something that is not held.
func (l *list) readAgain(ctx context.Context, listed *identifierSet) error {
	for _, set := range listed.lacking {
		c := l.fresh(time.Time{}, time.Time{})
		c.Set = set
		if err := l.Store.Save(ctx, l.repository.ID, store.Batch{Checkpoint: c}); err != nil {
			return &storeError{fmt.Errorf("have %s read again: %w", l.repository.ID, err)}
		}
	}
	return nil
}

// identifierSet is a set of identifiers at eight bytes each. Two that share a
// hash keep a record alive that is gone; they never delete one that is not.
type identifierSet struct {
	seed     maphash.Seed
	hashes   []uint64
	missing  int      // listed, but not held
	lacking  []string // the sets in which they are
	doubtful bool     // some may be there that were not listed
}

func (s *identifierSet) add(id string) { s.hashes = append(s.hashes, maphash.String(s.seed, id)) }

func (s *identifierSet) has(id string) bool {
	_, found := slices.BinarySearch(s.hashes, maphash.String(s.seed, id))
	return found
}

// listed reads which records the repository still lists as alive.
func (l *list) listed(ctx context.Context) (*identifierSet, error) {
	sets := l.repository.Sets
	if len(sets) == 0 {
		sets = []string{""}
	}
	out := &identifierSet{seed: maphash.MakeSeed()}
	for _, set := range sets {
		if err := l.listInto(ctx, set, out); err != nil {
			return nil, err
		}
	}
	slices.Sort(out.hashes)
	return out, nil
}

func (l *list) listInto(ctx context.Context, set string, out *identifierSet) error {
	request := oaipmh.List{Prefix: l.at.Prefix, Set: set, Granularity: l.by}
	read, err := l.Store.Checkpoint(ctx, l.repository.ID, l.prefix, set)
	if err != nil {
		return &storeError{fmt.Errorf("read the checkpoint of %s: %w", l.repository.ID, err)}
	}
	missing, before := 0, len(out.hashes)
	l.at.Pages, l.at.Records, l.total, l.least = 0, 0, -1, -1
	for page, err := range l.client.ListIdentifiers(ctx, request) {
		if err != nil {
			return err
		}
		l.announced(page.Token.CompleteListSize)
		if err := l.brokenOff(page); err != nil {
			return err
		}
		l.at.Pages++
		l.at.Records += len(page.Records) + len(page.Bad)
		l.run.Pages++
		l.run.Records += len(page.Records)
		for _, r := range page.Records {
			if !r.Deleted {
				out.add(r.Identifier)
			}
		}
		n, err := l.missing(ctx, page.Records, l.since(read.Watermark))
		if err != nil {
			return err
		}
		missing += n
		l.tally()
		l.report(Progress{Total: l.total, Read: l.at.Records})
		if page.Token.Value == "" && !page.Token.Present && l.at.Pages > 1 && (l.least < 0 || l.repository.IgnoreSize) {
			out.doubtful = true // nothing shows that the list is whole
		}
	}
	if out.missing += missing; missing > 0 {
		out.lacking = append(out.lacking, set)
	}
	out.compact(before)
	return nil
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

// missing is how many of the records listed are neither held nor in
// quarantine, although a harvest should have met them by their datestamps.
func (l *list) missing(ctx context.Context, records []oaipmh.Record, before time.Time) (int, error) {
	known, err := l.Store.Digests(ctx, l.repository.ID, l.prefix, identifiersOf(records))
	if err != nil {
		return 0, &storeError{fmt.Errorf("look up a page of %s: %w", l.repository.ID, err)}
	}
	n := 0
	for _, r := range records {
		was, met := known[r.Identifier]
		_, unread := l.unread[r.Identifier]
		stamp, _ := r.Time() // one that cannot be read is a date long ago
		if !r.Deleted && !unread && (!met || was.Deleted) && stamp.Before(before) {
			n++
		}
	}
	return n, nil
}

// gone are the records held alive that are not listed.
func (l *list) gone(ctx context.Context, listed *identifierSet, allowShrink bool) ([]string, error) {
	var gone []string
	held := 0
	for id, err := range l.Store.Identifiers(ctx, l.repository.ID, l.at.Prefix, "") {
		if err != nil {
			return nil, &storeError{fmt.Errorf("read the identifiers of %s: %w", l.repository.ID, err)}
		}
		held++
		if !listed.has(id) {
			gone = append(gone, id)
		}
	}
	if len(gone)*10 > held && !allowShrink {
		return nil, &ShrinkError{Gone: len(gone), Held: held}
	}
	return gone, nil
}

// confirmed are those of the records that seem gone that the repository does
// not have if it is asked for them either.
func (l *list) confirmed(ctx context.Context, gone []string) ([]string, error) {
	var out []string
	for _, id := range gone {
		r, err := l.client.GetRecord(ctx, id, l.prefix)
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
func (l *list) mark(ctx context.Context, gone []string) error {
	for chunk := range slices.Chunk(gone, sweepPage) {
		page := kept{counts: store.Run{Deleted: len(chunk)}}
		for _, id := range chunk {
			page.Records = append(page.Records, store.Record{Identifier: id, Prefix: l.prefix, Deleted: true})
		}
		if err := l.mapInto(ctx, &page, ""); err != nil {
			return &storeError{err}
		}
		l.count(page.counts)
		page.Run = &l.run
		if err := l.Store.Save(ctx, l.repository.ID, page.Batch); err != nil {
			return &storeError{fmt.Errorf("mark what is gone from %s: %w", l.repository.ID, err)}
		}
	}
	return nil
}
