package harvest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

const (
	// probeAge is how long an answer is good, and silenceAge how long it is
	// that there was none, or none that says anything about the file.
	probeAge   = 90 * 24 * time.Hour
	silenceAge = 7 * 24 * time.Hour
	// probeChunk is how many objects' answers are looked up at once.
	probeChunk = 100
)

func unproven(objects []store.Object) []string {
	var out []string
	for _, o := range objects {
		if !o.Deleted {
			out = append(out, o.Unproven()...)
		}
	}
	return out
}

// probeRun asks about the files of a repository's objects, and corrects the
// objects by the answers.
type probeRun struct {
	prober *prober
	store  interface {
		Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error)
		DueProbes(ctx context.Context, repository string, before time.Time, n int) ([]store.Probe, error)
		Find(ctx context.Context, uri string, in ...string) (store.Object, error)
		Changed(ctx context.Context, repository string, modified int64) iter.Seq2[store.Object, error]
		Records(ctx context.Context, repository string, identifiers ...string) ([]store.Record, error)
		Save(ctx context.Context, repository string, b store.Batch) error
	}
	repository string
	mapping    bridge.Mapping
	now        func() time.Time
	probed     int64 // Modified of the object up to which all URLs were asked about
}

// probeLater asks about files after a harvest: a Scheduler does it in turns of their
// own.
func (s *source) probeLater(ctx context.Context) error {
	if s.h.turn == nil || !s.repository.Settings.Probe {
		s.probe(ctx)
		return nil
	}
	s.kept.Unasked = probesARun
	return s.save(ctx)
}

// probe asks about URLs that are new since the last run, and about those whose
// answer is old. If something fails, objects stay as their metadata say.
func (s *source) probe(ctx context.Context) {
	if !s.repository.Settings.Probe {
		return
	}
	prober, err := newProber(s.repository, s.h.Log, s.h.Clock.Now)
	if err != nil {
		return // the harvest had the same client
	}
	defer prober.client.Close()
	if prober.turn = s.h.turn; prober.turn != nil {
		prober.left = s.kept.Unasked
	}
	p := &probeRun{
		prober: prober, store: s.h.Store, repository: s.repository.ID,
		mapping: s.mapping, now: s.h.Clock.Now, probed: s.kept.Probed,
	}
	err = p.again(ctx)
	if err == nil {
		err = p.first(ctx)
	}
	left := 0
	if prober.turn.over() && !prober.ended {
		left = max(prober.left-prober.client.Requests(), 0)
	}
	if p.probed != s.kept.Probed || left != s.kept.Unasked {
		s.kept.Probed, s.kept.Unasked = p.probed, left
		err = errors.Join(err, s.h.Store.SaveRepository(context.WithoutCancel(ctx), s.kept))
	}
	if err != nil && ctx.Err() == nil {
		s.h.Log.Warn("harvest: asking about files failed; they are as the metadata says", "repository", s.repository.ID, "error", err)
	}
	s.h.Log.Info("harvest: asked about files", "repository", s.repository.ID, "requests", prober.client.Requests(), "kept_out_by_robots_txt", prober.kept)
}

// again asks about the URLs whose answer is old.
func (p *probeRun) again(ctx context.Context) error {
	due, err := p.store.DueProbes(ctx, p.repository, p.now(), probesARun)
	if err != nil {
		return err
	}
	for _, o := range due {
		fresh, whole := p.ask(ctx, o.Identifier, o.Asked)
		if !whole {
			return nil
		}
		if err := p.keep(ctx, o.Identifier, fresh); err != nil {
			return err
		}
		if err := p.others(ctx, o, fresh[0]); err != nil {
			return err
		}
	}
	return nil
}

// others corrects the other objects with the same file if its answer has changed.
func (p *probeRun) others(ctx context.Context, was, now store.Probe) error {
	if was.Status == now.Status {
		return nil
	}
	for met := map[string]bool{was.Identifier: true}; ; {
		o, err := p.store.Find(ctx, was.Asked, p.repository)
		if errors.Is(err, store.ErrNotFound) || err == nil && met[o.Identifier] {
			return nil
		}
		if err != nil {
			return err
		}
		met[o.Identifier] = true
		if err := p.keep(ctx, o.Identifier, nil); err != nil {
			return err
		}
	}
}

// first asks about the URLs of objects that are new or changed since the last run.
func (p *probeRun) first(ctx context.Context) error {
	var some []store.Object
	for o, err := range p.store.Changed(ctx, p.repository, p.probed) {
		if err != nil {
			return err
		}
		if some = append(some, o); len(some) < probeChunk {
			continue
		}
		if whole, err := p.firstOf(ctx, some); err != nil || !whole {
			return err
		}
		some = some[:0]
	}
	_, err := p.firstOf(ctx, some)
	return err
}

// firstOf asks about objects in the order of their changes, and reports
// whether it came to the end of them.
func (p *probeRun) firstOf(ctx context.Context, objects []store.Object) (bool, error) {
	known, err := p.store.Probes(ctx, p.repository, unproven(objects))
	if err != nil {
		return false, err
	}
	for _, o := range objects {
		if whole, err := p.firstOfOne(ctx, o, known); err != nil || !whole {
			return false, err
		}
		p.probed = o.Modified
	}
	return true, nil
}

func (p *probeRun) firstOfOne(ctx context.Context, o store.Object, known map[string]bridge.Probe) (whole bool, err error) {
	if o.Deleted {
		return true, nil
	}
	unasked := slices.DeleteFunc(o.Unproven(), func(u string) bool { _, ok := known[u]; return ok })
	fresh, whole := p.ask(ctx, o.Identifier, unasked...)
	for _, f := range fresh {
		known[f.Asked] = f.Probe
	}
	// An answer may have come to another object that has the same file.
	if len(fresh) == 0 && reflect.DeepEqual(p.mapping.Probed(o.Identifier, o.Object, known, nil), o.Object) {
		return whole, nil
	}
	return whole, p.keep(ctx, o.Identifier, fresh)
}

// keep saves answers together with the corrected object.
func (p *probeRun) keep(ctx context.Context, identifier string, fresh []store.Probe) error {
	ctx = context.WithoutCancel(ctx) // what was answered need not be asked again
	records, err := p.store.Records(ctx, p.repository, identifier)
	if err != nil {
		return err
	}
	page := store.Batch{Probes: fresh}
	if o, err := makeObject(p.mapping.Mapper(), identifier, records); err == nil && !o.Deleted {
		probes, err := p.store.Probes(ctx, p.repository, o.Unproven())
		if err != nil {
			return err
		}
		for _, f := range fresh {
			probes[f.Asked] = f.Probe
		}
		o.Object = p.mapping.Probed(identifier, o.Object, probes, nil)
		page.Objects = []store.Object{o}
	}
	if err := p.store.Save(ctx, p.repository, page); err != nil {
		return fmt.Errorf("keep what was answered about %s: %w", identifier, err)
	}
	return nil
}

// ask returns the answers about URLs, and whether it came to the end of them.
func (p *probeRun) ask(ctx context.Context, identifier string, urls ...string) (out []store.Probe, whole bool) {
	for _, u := range urls {
		answer, ok := p.prober.follow(ctx, u)
		if !ok {
			return out, false
		}
		good := silenceAge
		if answer.Telling() {
			good = probeAge
		}
		out = append(out, store.Probe{Asked: u, Identifier: identifier, Due: p.now().Add(good), Probe: answer})
	}
	return out, true
}
