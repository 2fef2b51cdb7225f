// Package harvest keeps a store in step with a repository. A page is read,
// what is new on it is mapped, and everything is saved in one transaction with
// the checkpoint behind it: a run that is killed goes on where it stopped.
//
// A run says how it ended. Only a list that ended as the protocol says is
// complete, and only a complete list moves the watermark.
package harvest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// Repository is a source as its administrator describes it.
type Repository struct {
	ID       string
	OAIURL   string
	Prefixes []string // metadataPrefixes; none: oai_dc, the best DataCite format, and the one that names files best
	Sets     []string // none: the whole repository
	HeldOnly bool     // no format is linked but those that are harvested: nothing is asked about others
	Settings bridge.Settings
	// Learned, where it is not zero, replaces what the records teach.
	Learned bridge.Learned
	// Overlap is how far behind the watermark a run begins, against records
	// that appear late. 0: a day at day granularity, an hour at seconds.
	Overlap  time.Duration
	FullOnly bool // from and until do not work there: every run reads everything
	// IgnoreSize does not mistake a list for broken off that has fewer records
	// than its completeListSize: the repository is known to announce too many.
	IgnoreSize bool
	Client     oaipmh.Options
}

// Options are for one run.
type Options struct {
	Full  bool      // read everything, whatever the watermark says
	From  time.Time // read from here instead of the watermark, which then stays
	Until time.Time
	Sets  []string // these sets instead of the configured ones
	// AllowShrink lets a sweep mark more than a tenth of the objects as gone.
	AllowShrink bool
}

// Harvester runs harvests. Its fields are set once; it may then be used by
// many goroutines.
type Harvester struct {
	Store    store.Store
	Clock    outbound.Clock
	Log      *slog.Logger
	Progress func(Progress) // called after every page; may be nil
}

// Progress is where a run stands.
type Progress struct {
	store.Run
	Total int // what the repository says the list holds; -1 if it does not
	Read  int // records of this list so far, those before an interruption included
}

// NoFormatError says that a repository offers no format that is asked for.
type NoFormatError struct {
	Wanted  []string
	Offered []string
}

func (e *NoFormatError) Error() string {
	if len(e.Offered) == 0 {
		return "the repository offers no metadata format at all: tell its administrators"
	}
	return fmt.Sprintf("the repository does not offer the format %s, but %s: name one of those under formats in the configuration",
		some(e.Wanted), some(e.Offered))
}

// some are as many names as a sentence bears.
func some(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Run harvests every list of a repository: each format, each set. There is a
// store.Run per list. The error is nil unless the repository could not be
// begun or must be left alone: *store.LockedError while another run holds it,
// *HoldError where nobody was asked, since a pause was asked for,
// *oaipmh.ParkedError, *oaipmh.StatusError, or what else kept it from
// answering, which is then also in the Reason of the last run.
func (h *Harvester) Run(ctx context.Context, r Repository, o Options) ([]store.Run, error) {
	return h.holding(ctx, r, func(s *source) ([]store.Run, error) { return s.harvest(ctx, o) })
}

// holding opens a repository and does something with it that nobody else may
// do at the same time, in this process or another.
func (h *Harvester) holding(ctx context.Context, r Repository, do func(*source) ([]store.Run, error)) ([]store.Run, error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := errors.Join(h.closeAbandoned(ctx, r.ID), h.know(ctx, r)); err != nil {
		return nil, err
	}
	s := &source{Harvester: h}
	started := h.Clock.Now()
	if err := s.open(ctx, r); err != nil {
		return s.refused(ctx, r, started, err)
	}
	defer s.client.Close()
	runs, err := do(s)
	return runs, errors.Join(err, h.heed(ctx, r.ID, err))
}

// know lets a repository be known before it has answered, so that its status
// can be asked for while it keeps us waiting.
func (h *Harvester) know(ctx context.Context, r Repository) error {
	_, err := h.Store.Repository(ctx, r.ID)
	if errors.Is(err, store.ErrNotFound) {
		err = h.Store.SaveRepository(ctx, store.Repository{ID: r.ID, OAIURL: r.OAIURL})
	}
	if err != nil {
		return fmt.Errorf("begin with repository %s: %w", r.ID, err)
	}
	return nil
}

// closeAbandoned ends the runs of a process that could not: since we hold the
// repository, nobody is running them.
func (h *Harvester) closeAbandoned(ctx context.Context, repository string) error {
	runs, err := h.Store.Runs(ctx, repository, 20)
	if err != nil {
		return fmt.Errorf("read the runs of %s: %w", repository, err)
	}
	for _, r := range runs {
		if r.State != store.Running {
			continue
		}
		r.State, r.Reason, r.Finished = store.Interrupted, "the process ended before the run did; it goes on from its checkpoint", h.Clock.Now()
		if err := h.Store.SaveRun(ctx, &r); err != nil {
			return fmt.Errorf("close run %d of %s: %w", r.ID, repository, err)
		}
	}
	return nil
}

// refused records that a repository could not even be opened.
func (s *source) refused(ctx context.Context, r Repository, started time.Time, err error) ([]store.Run, error) {
	run := store.Run{Repository: r.ID, State: store.Failed, Reason: err.Error(), Started: started, Finished: s.Clock.Now()}
	if s.client != nil {
		run.Requests, run.Retries = s.client.Requests(), s.client.Retries()
	}
	if errors.Is(err, context.Canceled) {
		run.State, run.Reason = store.Interrupted, "stopped before the repository answered"
	}
	if held := (*HoldError)(nil); errors.As(err, &held) {
		return []store.Run{run}, err // nobody was asked: there is nothing to keep
	}
	ctx = context.WithoutCancel(ctx)
	if e := s.Store.SaveRun(ctx, &run); e != nil {
		return nil, errors.Join(err, e)
	}
	s.logEnd(ctx, run)
	return []store.Run{run}, errors.Join(err, s.heed(ctx, r.ID, err))
}

// source is a repository during a run: what it says of itself, and how its
// records are mapped.
type source struct {
	*Harvester
	repository Repository
	client     *oaipmh.Client
	known      store.Repository
	mapping    bridge.Mapping
	prefixes   []string
	heldAtOnce int            // of how many identifiers records are read at once; 0: not known yet
	untaught   bool           // nothing is held that could have taught anything
	sampled    []string       // identifiers from all over what is held; nil until they are looked for
	first      bool           // a list was read to its end that never was before
	whole      map[int64]bool // runs that began at the start of everything
	over       error          // why the repository must not be asked anything more today
}

// open asks a repository who it is and what it offers.
func (s *source) open(ctx context.Context, r Repository) (err error) {
	if s.repository, err = s.obeying(ctx, r); err != nil {
		return err
	}
	if s.client, err = oaipmh.New(r.OAIURL, s.repository.Client); err != nil {
		return err
	}
	if s.known, err = s.Store.Repository(ctx, r.ID); err != nil {
		return fmt.Errorf("read what is kept of %s: %w", r.ID, err)
	}
	if s.known.OAIURL != r.OAIURL {
		s.warnOfMove()
		s.known = store.Repository{ID: r.ID, OAIURL: r.OAIURL}
	}
	if hold := s.known.Pause; hold.Active(s.Clock.Now()) && !hold.Refused {
		return &HoldError{hold}
	}
	if err := s.introduce(ctx); err != nil {
		return err
	}
	s.untaught = s.known.MappedBy == ""
	if err := s.remember(ctx); err != nil || s.untaught {
		return err
	}
	return s.settle(ctx)
}

// warnOfMove tells of what else it may be if a repository is at another address.
func (s *source) warnOfMove() {
	if s.known.MappedBy == "" {
		return
	}
	s.Log.Warn("harvest: the repository is at another address than before; what was harvested there stays published under its id. If it has not moved, but is another repository, give it an id or a data folder of its own",
		"repository", s.known.ID, "before", s.known.OAIURL, "now", s.repository.OAIURL)
}

// introduce asks the questions with which everything begins.
func (s *source) introduce(ctx context.Context) (err error) {
	if s.known.Identify, err = s.client.Identify(ctx); err != nil {
		return unasked(s.client, err, s.Clock.Now())
	}
	s.known.Pause = store.Pause{}
	if s.known.Formats, err = s.client.ListMetadataFormats(ctx, ""); err != nil {
		return err
	}
	if s.prefixes, err = s.selectFormats(ctx); err != nil {
		return err
	}
	if len(s.repository.Prefixes) == 0 {
		s.keepFormats()
	}
	s.expectOffered()
	return nil
}

// remember keeps what is known of the repository and maps by it from now on.
func (s *source) remember(ctx context.Context) error {
	mapping, err := bridge.NewMapping(s.repository.OAIURL, s.learned(), s.repository.Settings)
	if err != nil {
		return err
	}
	s.mapping = mapping
	if err := s.Store.SaveRepository(ctx, s.known); err != nil {
		return fmt.Errorf("keep what %s says of itself: %w", s.repository.ID, err)
	}
	return nil
}

// learned is what the administrator says, else what the records taught.
func (s *source) learned() bridge.Learned {
	l := s.known.Mapping
	if s.repository.Learned.Platform != "" {
		l.Platform = s.repository.Learned.Platform
	}
	if len(s.repository.Learned.OwnPrefixes) > 0 {
		l.OwnPrefixes = s.repository.Learned.OwnPrefixes
	}
	return l
}

// harvest reads every list, the formats of one set after the other. A list
// that fails does not keep the next from being read, unless the run is over.
func (s *source) harvest(ctx context.Context, o Options) ([]store.Run, error) {
	sets := s.repository.Sets
	if len(o.Sets) > 0 {
		sets = o.Sets
	}
	if len(sets) == 0 {
		sets = []string{""}
	}
	var runs []store.Run
	for _, set := range sets {
		for _, prefix := range s.prefixes {
			run, err := s.list(ctx, prefix, set, o)
			if run.ID != 0 {
				runs = append(runs, run)
			}
			if err != nil {
				return runs, err
			}
			if s.over != nil || run.State == store.Interrupted {
				return runs, s.over
			}
		}
	}
	if len(o.Sets) == 0 {
		if err := s.released(ctx, sets, runs); err != nil {
			return runs, err
		}
	}
	if s.first {
		if err := s.learnAgain(ctx); err != nil {
			return runs, err
		}
		if err := s.recount(ctx, runs); err != nil {
			return runs, err
		}
	}
	if err := s.renewOffered(ctx); err != nil {
		return runs, err
	}
	s.probe(ctx)
	return runs, nil
}
