package harvest

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Remap maps everything that is kept once more, without asking the repository
// anything. It may be interrupted: what was mapped already is found unchanged
// the next time.
func (h *Harvester) Remap(ctx context.Context, r Repository, o Options) (store.Run, error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil {
		return store.Run{}, err
	}
	defer unlock()
	run, err := h.remap(ctx, r, o)
	return run, errors.Join(err, h.Store.LookAt(context.WithoutCancel(ctx), r.ID))
}

// remap is Remap of a repository that the caller has locked.
func (h *Harvester) remap(ctx context.Context, r Repository, o Options) (store.Run, error) {
	if err := CheckAddress(ctx, h.Store, r); err != nil {
		return store.Run{}, err
	}
	kept, err := h.Store.Repository(ctx, r.ID)
	if err != nil {
		return store.Run{}, fmt.Errorf("remap %s, which must have been harvested once: %w", r.ID, err)
	}
	s := &source{h: h, repository: r, kept: kept, archive: &archive{store: h.Store, repository: r.ID}}
	if err := s.save(ctx); err != nil {
		return store.Run{}, err
	}
	run, err := s.remap(ctx, o)
	if err != nil || run.State != store.Complete {
		return run, err
	}
	s.kept.MappedBy = s.mapping.Version()
	return run, s.save(ctx)
}

// stale reports whether a repository was mapped by another version of the mapping:
// since then a setting, what was learnt, or the code has changed.
func stale(r Repository, kept store.Repository) (bool, error) {
	if kept.MappedBy == "" || !sameAddress(kept.OAIURL, r.OAIURL) { // the next harvest maps everything
		return false, nil
	}
	mapping, err := (&source{repository: r, kept: kept}).newMapping()
	return err == nil && kept.MappedBy != mapping.Version(), err
}

// remapRun maps what is kept once more.
type remapRun struct {
	store interface {
		Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error]
	}
	run      *activeRun
	archive  *archive
	mapper   *mapper
	objects  *bridge.Mapper
	saver    *saver
	force    bool  // what was mapped with this very mapping is mapped again, too
	skipped  bool  // some records were not mapped again
	modified int64 // the newest Object.Modified before the run
	turn     *turn
	after    string // the identifier up to which all is mapped
}

// noRequests counts the requests of a run that sends none.
type noRequests struct{}

func (noRequests) Requests() int { return 0 }
func (noRequests) Retries() int  { return 0 }

func (s *source) remap(ctx context.Context, o Options) (store.Run, error) {
	goesOn, left, err := s.h.goOn(ctx, s.repository.ID, func(r store.Run) bool { return r.Prefix == "" && !r.Sweep })
	if err != nil {
		return store.Run{}, err
	}
	if left.Mapping != s.mapping.Version() {
		goesOn, left = store.Run{Repository: s.repository.ID}, unfinished{}
	}
	if err := s.h.closeAbandoned(ctx, s.repository.ID, goesOn.ID); err != nil {
		return store.Run{}, err
	}
	run, err := s.h.begin(ctx, goesOn, noRequests{})
	if err != nil {
		return store.Run{}, err
	}
	r := &remapRun{
		store: s.h.Store, run: run, archive: s.archive, force: o.Force,
		objects: s.mapping.Mapper(), saver: &saver{store: s.h.Store, run: run, total: -1},
		turn: s.h.turn, after: left.After, skipped: goesOn.ID != 0,
	}
	r.saver.saved = r.count
	if r.modified, err = s.h.Store.Modified(ctx, s.repository.ID); err == nil {
		r.mapper, err = s.mapper(ctx, "")
	}
	whole := false
	if err == nil {
		whole, err = r.all(ctx)
	}
	switch {
	case err == nil && !whole:
		return run.Run, run.leave(ctx, unfinished{Mapping: s.mapping.Version(), After: r.after})
	case err == nil:
		s.warnOfRules(r)
		run.end(store.Complete, "remap")
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		run.end(store.Interrupted, "stopped; what was mapped is kept")
	default:
		return run.Run, run.fail(ctx, err)
	}
	err = run.finish(ctx)
	return run.Run, err
}

// warnOfRules names the administrator's rules that matched nothing in all that
// there is. A remap that skipped records does not tell.
func (s *source) warnOfRules(r *remapRun) {
	if r.skipped || r.run.Records == 0 {
		return
	}
	for _, i := range r.objects.UnmatchedRules() {
		rule := s.repository.Settings.Rules[i]
		s.h.Log.Warn("remap: a rule matched nothing; compare its field and match with what explain prints",
			"repository", s.repository.ID, "rule", i+1, "place", rule.Place, "field", rule.Field, "match", rule.Match)
	}
}

// remapAtOnce is how many identifiers are looked up at once.
const remapAtOnce = 500

// all maps what is kept, and reports whether it came to the end before the turn
// did.
func (r *remapRun) all(ctx context.Context) (whole bool, err error) {
	var ids []string
	for id, err := range r.store.Identifiers(ctx, r.run.Repository, "", r.after) {
		if err != nil {
			return false, fmt.Errorf("read the identifiers of %s: %w", r.run.Repository, err)
		}
		if ids = append(ids, id); len(ids) < remapAtOnce {
			continue
		}
		if err := r.some(ctx, ids); err != nil {
			return false, err
		}
		if r.after = id; r.turn.over() {
			return false, nil
		}
		ids = ids[:0]
	}
	return true, r.some(ctx, ids)
}

// some maps what is kept for some identifiers.
func (r *remapRun) some(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		records, n, err := r.archive.records(ctx, ids)
		if err != nil {
			return err
		}
		if err := r.save(ctx, r.objects, records); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// save maps records, in one transaction.
func (r *remapRun) save(ctx context.Context, mapper *bridge.Mapper, records []store.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	out := changes{counts: store.Run{Pages: 1}}
	for _, ofOne := range byIdentifier(records) {
		r.one(&out, mapper, ofOne)
	}
	if err := r.mapper.correct(ctx, out.Objects); err != nil {
		return err
	}
	r.saver.add(out, store.Checkpoint{}, nil)
	r.saver.read += out.counts.Records
	return r.saver.flush(ctx)
}

// one maps the records of one identifier, unless all were mapped with this very
// mapping already and nobody insists.
func (r *remapRun) one(out *changes, mapper *bridge.Mapper, records []store.Record) {
	out.counts.Records++
	stale := mappedOtherwise(r.mapper.mapping, records)
	if len(stale) == 0 && !r.force {
		out.counts.Unchanged++
		r.skipped = true
		return
	}
	out.Records = append(out.Records, stale...)
	object, err := makeObject(mapper, records[0].Identifier, records)
	if err != nil {
		r.mapper.prefix = records[0].Prefix
		r.mapper.quarantine(out, "", records[0].Identifier, records[0].Metadata, err)
		return
	}
	out.Objects = append(out.Objects, object)
}

// count counts the objects that were saved: as changed only those that are stored
// otherwise than before.
func (r *remapRun) count(objects []store.Object) {
	for i := range objects {
		if objects[i].Modified > r.modified {
			r.run.Changed++
		} else {
			r.run.Unchanged++
		}
	}
}

// mappedOtherwise are the live records whose hash is not of this mapping,
// with the hash it would be and without metadata: that stays as it is.
func mappedOtherwise(m bridge.Mapping, records []store.Record) []store.Record {
	var out []store.Record
	for _, r := range records {
		if r.Deleted {
			continue
		}
		if now := hash(m, r); now != r.Hash {
			r.Hash, r.Metadata, r.Provenance = now, nil, nil
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
