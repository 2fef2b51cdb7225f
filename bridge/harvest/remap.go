package harvest

import (
	"context"
	"errors"
	"fmt"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// remapPage is how many identifiers are mapped again in one transaction, or in
// several if their metadata is large.
const remapPage = 500

// Remap maps everything that is held once more, with the mapping as it is
// now, without asking the repository anything. It may be broken off: what was
// mapped already is found unchanged the next time.
func (h *Harvester) Remap(ctx context.Context, r Repository) (store.Run, error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil {
		return store.Run{}, err
	}
	defer unlock()
	known, err := h.Store.Repository(ctx, r.ID)
	if err != nil {
		return store.Run{}, fmt.Errorf("remap %s, which must have been harvested once: %w", r.ID, err)
	}
	s := &source{Harvester: h, repository: r, known: known, prefixes: prefixes(known.Formats)}
	if err := s.remember(ctx); err != nil {
		return store.Run{}, err
	}
	run, err := s.remap(ctx)
	if err != nil || run.State != store.Complete {
		return run, err
	}
	s.known.MappedBy = s.mapping.Version()
	return run, s.remember(ctx)
}

func (s *source) remap(ctx context.Context) (store.Run, error) {
	l := &list{source: s, total: -1, least: -1}
	l.run = store.Run{Repository: s.repository.ID, State: store.Running, Started: s.Clock.Now()}
	if err := s.Store.SaveRun(ctx, &l.run); err != nil {
		return l.run, fmt.Errorf("begin a remap of %s: %w", s.repository.ID, err)
	}
	var ids []string
	for id, err := range s.Store.Identifiers(ctx, s.repository.ID, "", "") {
		if err != nil {
			return l.fail(ctx, fmt.Errorf("read the identifiers of %s: %w", s.repository.ID, err))
		}
		if ids = append(ids, id); len(ids) < remapPage {
			continue
		}
		if err := l.remapPage(ctx, ids); err != nil {
			return l.stopped(ctx, err)
		}
		ids = ids[:0]
	}
	if err := l.remapPage(ctx, ids); err != nil {
		return l.stopped(ctx, err)
	}
	l.end(store.Complete, "remap")
	return l.finish(ctx)
}

// stopped ends a run that was told to stop, or failed on our side.
func (l *list) stopped(ctx context.Context, err error) (store.Run, error) {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return l.fail(ctx, err)
	}
	l.end(store.Interrupted, "stopped; what was mapped is kept")
	return l.finish(ctx)
}

// remapPage maps what is held for some identifiers.
func (l *list) remapPage(ctx context.Context, ids []string) error {
	mapper := l.mapping.Mapper()
	for len(ids) > 0 {
		held, n, err := l.held(ctx, ids)
		if err != nil {
			return err
		}
		if err := l.remapHeld(ctx, mapper, held); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// remapHeld maps what is held, in one transaction.
func (l *list) remapHeld(ctx context.Context, mapper *bridge.Mapper, held []store.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	page := kept{counts: store.Run{Pages: 1}}
	for _, records := range byIdentifier(held) {
		l.remapOne(&page, mapper, records)
	}
	if err := l.probed(ctx, page.Objects); err != nil {
		return err
	}
	l.count(page.counts)
	page.Run = &l.run
	if err := l.Store.Save(ctx, l.repository.ID, page.Batch); err != nil {
		return fmt.Errorf("keep a page of %s: %w", l.repository.ID, err)
	}
	l.report(Progress{Total: -1, Read: l.run.Records})
	return nil
}

// remapOne maps the records of one identifier, unless all were mapped with
// this very mapping already.
func (l *list) remapOne(page *kept, mapper *bridge.Mapper, records []store.Record) {
	page.counts.Records++
	stale := mappedOtherwise(l.mapping, records)
	if len(stale) == 0 {
		page.counts.Unchanged++
		return
	}
	page.Records = append(page.Records, stale...)
	object, err := makeObject(mapper, records[0].Identifier, records)
	if err != nil {
		l.prefix = records[0].Prefix
		l.quarantine(page, "", records[0].Identifier, records[0].Metadata, err)
		return
	}
	page.counts.Changed++
	page.Objects = append(page.Objects, object)
}

// mappedOtherwise are the live records whose hash is not of this mapping,
// with the hash it would be and without metadata: that stays as it is.
func mappedOtherwise(m bridge.Mapping, records []store.Record) []store.Record {
	var out []store.Record
	for _, r := range records {
		if r.Deleted {
			continue
		}
		if now := hash(m, r.Sets, r.Metadata); now != r.Hash {
			r.Hash, r.Metadata = now, nil
			out = append(out, r)
		}
	}
	return out
}

// byIdentifier cuts records, which come in the order of their identifiers.
func byIdentifier(records []store.Record) [][]store.Record {
	var out [][]store.Record
	for i, r := range records {
		if i == 0 || r.Identifier != records[i-1].Identifier {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}
