package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// source is a repository that has answered Identify, and its mapping.
type source struct {
	h          *Harvester
	repository Repository // as configured
	client     *oaipmh.Client
	kept       store.Repository // what is kept of it
	archive    *archive
	prefixes   []string // that are harvested
	mapping    bridge.Mapping
	untaught   bool // nothing is kept that could have taught anything

	goesOn store.Run  // a run whose last turn was over before its list was
	left   unfinished // by the last turn of this harvest

	fruitless []string // sets of which nothing came in a format before: a second empty list proves nothing
}

// sets are the sets to harvest; "" is the whole repository.
func (r Repository) sets() []string {
	if len(r.Sets) == 0 {
		return []string{""}
	}
	return r.Sets
}

// list is the first of a repository's lists in one format.
func (r Repository) list(prefix string, g oaipmh.Granularity) oaipmh.List {
	return oaipmh.List{Prefix: prefix, Set: r.sets()[0], Granularity: g}
}

func (r Repository) granularity(id oaipmh.Identify) oaipmh.Granularity {
	if r.Client.DayGranularity || id.Granularity != oaipmh.Second {
		return oaipmh.Day
	}
	return oaipmh.Second
}

func (s *source) granularity() oaipmh.Granularity {
	return s.repository.granularity(s.kept.Identify)
}

// since is where an incremental run begins: before the watermark, because some
// records show up after their datestamp has passed.
func (s *source) since(watermark time.Time) time.Time {
	if watermark.IsZero() {
		return watermark
	}
	overlap := s.repository.Overlap
	if overlap == 0 && s.granularity() == oaipmh.Day {
		overlap = 24 * time.Hour
	} else if overlap == 0 {
		overlap = time.Hour
	}
	return watermark.Add(-overlap)
}

// open asks a repository who it is and what it offers.
func (s *source) open(ctx context.Context, r Repository) (err error) {
	if s.repository, err = s.h.restrained(ctx, r); err != nil {
		return err
	}
	if s.client, err = oaipmh.New(r.OAIURL, s.repository.Client); err != nil {
		return err
	}
	if s.kept, err = s.h.Store.Repository(ctx, r.ID); err != nil {
		return fmt.Errorf("read what is kept of %s: %w", r.ID, err)
	}
	if !sameAddress(s.kept.OAIURL, r.OAIURL) {
		s.kept = store.Repository{ID: r.ID}
	}
	s.kept.OAIURL = r.OAIURL
	if pause := s.kept.Pause; pause.Active(s.h.Clock.Now()) && !pause.Refused {
		return &PauseError{pause}
	}
	if s.goesOn.ID != 0 { // it has said who it is in the first turn
		s.prefixes = s.left.Prefixes
	} else if err := s.introduce(ctx); err != nil {
		return err
	}
	s.untaught = s.kept.MappedBy == ""
	if err := s.save(ctx); err != nil || s.untaught {
		return err
	}
	return s.settle(ctx)
}

// introduce sends the requests with which every run begins.
func (s *source) introduce(ctx context.Context) (err error) {
	if s.kept.Identify, err = s.client.Identify(ctx); err != nil {
		return unasked(s.client, err, s.h.Clock.Now())
	}
	s.kept.Pause = store.Pause{}
	if s.kept.Formats, err = s.client.ListMetadataFormats(ctx, ""); err != nil {
		return err
	}
	if s.prefixes, err = selectFormats(ctx, s.client, s.repository, s.kept); err != nil {
		return err
	}
	if len(s.repository.Prefixes) == 0 {
		s.keepFormats()
	}
	s.expectOffered()
	return nil
}

// keepFormats notes the formats that were found for later runs. A format that is not
// offered today may be offered tomorrow: it is given up only for another one.
func (s *source) keepFormats() {
	missing := without(s.kept.Prefixes, s.kept.Formats)
	if len(missing) == 0 || slices.ContainsFunc(s.prefixes, func(p string) bool { return !slices.Contains(s.kept.Prefixes, p) }) {
		s.kept.Prefixes = s.prefixes
		return
	}
	s.h.Log.Warn("harvest: formats that were harvested are not offered at the moment", "repository", s.repository.ID, "missing", missing)
}

// formats are those whose records make the objects.
func (s *source) formats() []string {
	all := slices.Clone(s.prefixes)
	if len(s.repository.Prefixes) == 0 {
		all = append(all, s.kept.Prefixes...)
	}
	if s.repository.Settings.Pages {
		all = append(all, landingpage.Prefix)
	}
	return all
}

// save saves the repository and derives the mapping from it.
func (s *source) save(ctx context.Context) error {
	mapping, err := s.newMapping()
	if err != nil {
		return err
	}
	s.mapping = mapping
	if err := s.h.Store.SaveRepository(ctx, s.kept); err != nil {
		return fmt.Errorf("save what %s says of itself: %w", s.repository.ID, err)
	}
	return nil
}

func (s *source) newMapping() (bridge.Mapping, error) {
	return bridge.NewMapping(s.repository.OAIURL, s.learned(), s.repository.Settings)
}

// learned is what the administrator configured, or else what the records taught.
func (s *source) learned() bridge.Learned {
	l := s.kept.Mapping
	if s.repository.Learned.Platform != "" {
		l.Platform = s.repository.Learned.Platform
	}
	if len(s.repository.Learned.OwnPrefixes) > 0 {
		l.OwnPrefixes, l.PagePrefixes = s.repository.Learned.OwnPrefixes, nil
	}
	return l
}

// refused saves a run of a repository that could not be opened.
func (s *source) refused(ctx context.Context, r Repository, started time.Time, err error) ([]store.Run, error) {
	run := store.Run{Repository: r.ID, State: store.Failed, Reason: err.Error(), Class: classOf(err), Started: started, Finished: s.h.Clock.Now()}
	if s.client != nil {
		run.Requests, run.Retries = s.client.Requests(), s.client.Retries()
	}
	if isOver(ctx) {
		return nil, nil // it is not asked during a pause, and has not begun
	}
	if errors.Is(err, context.Canceled) {
		run.State, run.Reason = store.Interrupted, "stopped before the repository answered"
	}
	if paused := (*PauseError)(nil); errors.As(err, &paused) {
		return []store.Run{run}, err // nobody was asked: there is nothing to save
	}
	ctx = context.WithoutCancel(ctx)
	if e := s.h.Store.SaveRun(ctx, &run); e != nil {
		return nil, errors.Join(err, e)
	}
	s.h.logEnd(ctx, run)
	return []store.Run{run}, errors.Join(err, s.h.savePause(ctx, r.ID, err))
}
