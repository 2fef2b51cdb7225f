// Package harvest keeps a store in step with repositories. A reader reads the pages
// of a list, a mapper maps what is new on them, and a saver saves it in one
// transaction with the checkpoint behind the page, so that a run that is killed
// continues where it stopped.
//
// A run says how it ended. Only a list that ended as the protocol requires is
// complete, and only a complete list moves the watermark.
package harvest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// Repository is a source as its administrator describes it.
type Repository struct {
	ID            string
	OAIURL        string
	MovedFrom     string   // its OAIURL before; "" if it did not move
	Prefixes      []string // metadataPrefixes; none: oai_dc, the best DataCite format, and the one that names files best
	Sets          []string // none: the whole repository
	HarvestedOnly bool     // no format is linked but those that are harvested: nothing is asked about others
	Settings      bridge.Settings
	// Learned replaces what the records teach, where it is not zero.
	Learned bridge.Learned
	// Overlap is how far behind the watermark a run begins, against records
	// that appear late. 0: a day at day granularity, an hour at seconds.
	Overlap  time.Duration
	FullOnly bool // from and until do not work there: every run reads everything
	// IgnoreSize accepts a list that is shorter than its completeListSize, or that
	// never ends with an empty resumptionToken.
	IgnoreSize bool
	Client     oaipmh.Options
}

// Options are for one run.
type Options struct {
	Full  bool      // read everything, whatever the watermark says
	From  time.Time // read from here instead of the watermark, which then stays
	Until time.Time
	Sets  []string // these sets instead of the configured ones
	// AllowShrink lets a sweep, or a full run, mark more than a tenth of the
	// records as deleted.
	AllowShrink bool
	// Force has a remap map again what was mapped by the same version of the
	// mapping, too.
	Force bool
}

// Store is what a Harvester needs of the store.
type Store interface {
	agendaStore
	sourceStore
	pageStore
	Lock(ctx context.Context, repository string) (unlock func(), err error)
	SaveRepository(ctx context.Context, r store.Repository) error
	SaveRestraint(ctx context.Context, r oaipmh.Restraint) error
	Counts(ctx context.Context, repository string) (store.Counts, error)
	Modified(ctx context.Context, repository string) (int64, error)

	Checkpoint(ctx context.Context, repository, prefix, set string) (store.Checkpoint, error)
	Digests(ctx context.Context, repository, prefix string, identifiers []string) (map[string]store.Digest, error)
	Save(ctx context.Context, repository string, b store.Batch) error
	SaveRun(ctx context.Context, r *store.Run) error
	SaveUnfinished(ctx context.Context, repository string, value any) error
	Unfinished(ctx context.Context, repository string, into any) error
	Release(ctx context.Context, repository, prefix string, before time.Time) (int, error)

	Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error]
	Records(ctx context.Context, repository string, identifiers ...string) ([]store.Record, error)
	Sample(ctx context.Context, repository string, n int) ([]string, error)
	Quarantined(ctx context.Context, repository string) iter.Seq2[store.Quarantined, error]

	ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error)
	Changed(ctx context.Context, repository string, modified int64) iter.Seq2[store.Object, error]
	Find(ctx context.Context, uri string, in ...string) (store.Object, error)
	Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error)
	DueProbes(ctx context.Context, repository string, before time.Time, n int) ([]store.Probe, error)
}

// Harvester runs harvests. Its fields are set once; it may then be used by
// many goroutines.
type Harvester struct {
	Store    Store
	Clock    outbound.Clock
	Log      *slog.Logger
	Progress func(Progress) // called after every page; may be nil
	Workers  *Workers       // of the Scheduler, and of others who run several at a time; may be nil
	// Paused is called when a run waits because a host asked for a pause, and with
	// the zero time when the run continues; may be nil.
	Paused func(repository string, until time.Time)

	turn *turn // nil for a run by hand
}

// Progress is the progress of a run.
type Progress struct {
	store.Run
	Total int // what the repository says the list holds; -1 if it does not
	Read  int // records of this list so far, those before an interruption included
}

// Run harvests every list of a repository: each format, each set. There is a
// store.Run per list. The error is nil unless the repository could not be
// begun or must be left alone: *store.LockedError while another run has it,
// *MovedError if its records came from another address, *PauseError if no request
// was sent because of a pause, *oaipmh.PauseError, *oaipmh.StatusError, or another
// failure of the repository, which is then also the Reason of the last run.
func (h *Harvester) Run(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	return h.byHand(ctx, r, func() ([]store.Run, error) { return h.harvest(ctx, r, o) })
}

func (h *Harvester) harvest(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	run, left, err := h.goOn(ctx, r.ID, func(r store.Run) bool { return isHarvest(r) && r.Prefix != "" })
	if err != nil {
		return nil, err
	}
	if !left.of(r) {
		run, left = store.Run{}, unfinished{}
	}
	return h.opened(ctx, r, &source{goesOn: run, left: left}, func(s *source) ([]store.Run, error) { return s.harvest(ctx, o) })
}

// Sweep compares the records that are kept with the identifiers that the repository
// lists, and marks as deleted what is gone. Nothing is marked unless every list
// ended well. If a record is listed but not kept although its datestamp has passed,
// the next harvest reads everything: the record vanished and came back, or was
// never listed before.
func (h *Harvester) Sweep(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	return h.byHand(ctx, r, func() ([]store.Run, error) { return h.sweep(ctx, r, o) })
}

func (h *Harvester) sweep(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	return h.opened(ctx, r, new(source), func(s *source) ([]store.Run, error) { return s.sweep(ctx, o) })
}

// byHand does what sends requests to a repository. A Scheduler then looks at it:
// it may be due sooner.
func (h *Harvester) byHand(ctx context.Context, r Repository, do func() ([]store.Run, error)) ([]store.Run, error) {
	release, err := h.take(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	runs, err := do()
	return runs, errors.Join(err, h.Store.LookAt(context.WithoutCancel(ctx), r.ID))
}

// opened opens a repository, which the caller has locked, and calls do.
func (h *Harvester) opened(ctx context.Context, r Repository, s *source, do func(*source) ([]store.Run, error)) ([]store.Run, error) {
	if err := CheckAddress(ctx, h.Store, r); err != nil {
		return nil, err
	}
	if err := errors.Join(h.closeAbandoned(ctx, r.ID, s.goesOn.ID), h.ensureRepository(ctx, r)); err != nil {
		return nil, err
	}
	s.h, s.archive = h, &archive{store: h.Store, repository: r.ID}
	started := h.Clock.Now()
	if err := s.open(ctx, r); err != nil {
		return s.refused(ctx, r, started, err)
	}
	defer s.client.Close()
	runs, err := do(s)
	return runs, errors.Join(err, h.savePause(ctx, r.ID, err))
}

// ensureRepository stores a stub, so that status works before the repository
// has answered.
func (h *Harvester) ensureRepository(ctx context.Context, r Repository) error {
	_, err := h.Store.Repository(ctx, r.ID)
	if errors.Is(err, store.ErrNotFound) {
		err = h.Store.SaveRepository(ctx, store.Repository{ID: r.ID, OAIURL: r.OAIURL})
	}
	if err != nil {
		return fmt.Errorf("begin with repository %s: %w", r.ID, err)
	}
	return nil
}

// closeAbandoned ends the runs of processes that were killed, but not the one that
// goes on. The caller has locked the repository, so that no other process runs them.
func (h *Harvester) closeAbandoned(ctx context.Context, repository string, goesOn int64) error {
	runs, err := h.Store.Runs(ctx, repository, 20)
	if err != nil {
		return fmt.Errorf("read the runs of %s: %w", repository, err)
	}
	for _, r := range runs {
		if r.State != store.Running || r.ID == goesOn {
			continue
		}
		r.State, r.Reason, r.Finished = store.Interrupted, "the process ended before the run did; it goes on from its checkpoint", h.Clock.Now()
		if err := h.Store.SaveRun(ctx, &r); err != nil {
			return fmt.Errorf("close run %d of %s: %w", r.ID, repository, err)
		}
	}
	return nil
}

// harvestRun is one harvest of a repository.
type harvestRun struct {
	source  *source
	options Options
	sets    []string // "" is the whole repository
	lists   []*listRun
	done    []doneList // those of earlier turns, too
}

// harvest reads every list, set by set and format by format. After a list that
// failed it continues with the next, unless the repository refuses access.
func (s *source) harvest(ctx context.Context, o Options) ([]store.Run, error) {
	h := &harvestRun{source: s, options: o, sets: s.repository.sets(), done: s.left.Done}
	if len(o.Sets) > 0 {
		h.sets = o.Sets
	}
	over, err := h.read(ctx)
	if over || err != nil {
		return h.runs(), err
	}
	if len(o.Sets) == 0 {
		if err := h.release(ctx); err != nil {
			return h.runs(), err
		}
	}
	if err := h.learn(ctx); err != nil {
		return h.runs(), err
	}
	if err := s.renewOffered(ctx); err != nil {
		return h.runs(), err
	}
	return h.runs(), s.probeLater(ctx)
}

// read reads the lists, and reports whether the harvest is over before its end.
func (h *harvestRun) read(ctx context.Context) (over bool, err error) {
	for _, d := range h.done {
		h.source.noteFruitless(d)
	}
	listed := h.censuses()
	for _, set := range h.sets {
		for _, prefix := range h.source.prefixes {
			if slices.ContainsFunc(h.done, func(d doneList) bool { return d.Prefix == prefix && d.Set == set }) {
				continue
			}
			if over, err := h.list(ctx, prefix, set, listed[prefix]); over || err != nil {
				return true, err
			}
		}
	}
	return false, nil
}

// list reads one list, and reports whether the harvest is over with it, at least
// for this turn.
func (h *harvestRun) list(ctx context.Context, prefix, set string, listed *census) (over bool, err error) {
	l, err := h.source.list(ctx, prefix, set, h.options, listed)
	if l != nil {
		h.lists = append(h.lists, l)
	}
	if err != nil {
		return true, err
	}
	if l.run.State == store.Running {
		r := h.source.repository
		return true, l.run.leave(ctx, unfinished{
			OAIURL: r.OAIURL, Sets: r.Sets, Wanted: r.Prefixes, Prefixes: h.source.prefixes, Done: h.done, List: l.evidence(),
		})
	}
	complete := l.run.State == store.Complete
	done := doneList{
		Prefix: prefix, Set: set, Began: l.run.Started, First: complete && l.reader.untried, Whole: complete && l.reader.whole,
		Fruitless: l.reader.fruitless(),
	}
	h.done = append(h.done, done)
	h.source.noteFruitless(done)
	return l.reader.refusal != nil || l.run.State == store.Interrupted, l.reader.refusal
}

func (s *source) noteFruitless(d doneList) {
	if d.Fruitless {
		s.fruitless = append(s.fruitless, d.Set)
	}
}

func (h *harvestRun) runs() []store.Run {
	var out []store.Run
	for _, l := range h.lists {
		out = append(out, l.run.Run)
	}
	return out
}

// learn derives the mapping again if a list was read to its end for the first time.
func (h *harvestRun) learn(ctx context.Context) error {
	if !slices.ContainsFunc(h.done, func(d doneList) bool { return d.First }) {
		return nil
	}
	if err := h.source.learnAgain(ctx); err != nil {
		return err
	}
	return h.recount(ctx)
}

// recount corrects the figures of the runs: some records have left quarantine
// because they were mapped again.
func (h *harvestRun) recount(ctx context.Context) error {
	left := map[string]int{}
	for q, err := range h.source.h.Store.Quarantined(ctx, h.source.repository.ID) {
		if err != nil {
			return fmt.Errorf("read the quarantine of %s: %w", h.source.repository.ID, err)
		}
		left[q.Prefix]++
	}
	for _, l := range h.lists {
		if l.run.Quarantined <= left[l.run.Prefix] {
			continue
		}
		l.run.Quarantined = left[l.run.Prefix]
		if err := h.source.h.Store.SaveRun(ctx, &l.run.Run); err != nil {
			return fmt.Errorf("correct run %d of %s: %w", l.run.ID, l.run.Repository, err)
		}
	}
	return nil
}

// release takes out of quarantine what could not be read and is no longer listed.
// For records without an identifier there is no other way: nothing shows which
// record has replaced them.
func (h *harvestRun) release(ctx context.Context) error {
	for _, prefix := range h.source.prefixes {
		var began []time.Time
		for _, d := range h.done {
			if d.Prefix == prefix && d.Whole {
				began = append(began, d.Began)
			}
		}
		if len(began) < len(h.sets) {
			continue // what was not read may still list it
		}
		n, err := h.source.h.Store.Release(ctx, h.source.repository.ID, prefix, slices.MinFunc(began, time.Time.Compare))
		if err != nil {
			return err
		}
		if n > 0 {
			h.source.h.Log.Info("harvest: out of quarantine, since the whole list was read without them",
				"repository", h.source.repository.ID, "prefix", prefix, "records", n)
		}
	}
	return nil
}
