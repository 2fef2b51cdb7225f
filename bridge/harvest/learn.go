package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// sampleSize is how many records a repository is judged by.
const sampleSize = 300

// learnFirst judges a repository of which nothing is held by its first page,
// so that the page can be mapped, and by the first pages in other formats:
// what oai_dc says loosely, they may say outright.
func (s *source) learnFirst(ctx context.Context, prefix string, page oaipmh.Page) error {
	s.untaught = false
	sample := page.Records
	for _, other := range s.prefixes {
		if other == prefix {
			continue
		}
		if more, err := firstPage(ctx, s.client, other, s.repository.Sets); err == nil {
			sample = append(sample[:len(sample):len(sample)], more.Records...)
		}
	}
	if err := s.adopt(ctx, sample); err != nil {
		return err
	}
	s.known.MappedBy = s.mapping.Version()
	return s.remember(ctx)
}

// learnAgain judges a repository that was just read for the first time by a
// sample of all its records: the first page may be of one faculty only. What
// was mapped otherwise is mapped again.
func (s *source) learnAgain(ctx context.Context) error {
	sample, err := s.sample(ctx)
	if err != nil {
		return err
	}
	if err := s.adopt(ctx, sample); err != nil {
		return err
	}
	return s.settle(ctx)
}

// adopt maps by what a sample teaches from now on.
func (s *source) adopt(ctx context.Context, sample []oaipmh.Record) error {
	s.known.Mapping = bridge.Learn(s.repository.OAIURL, s.known.Identify, s.known.Formats, nil, sample)
	return s.remember(ctx)
}

// sample is about sampleSize identifiers' records, from all over the store;
// fewer, and still from all over it, where they are large.
func (s *source) sample(ctx context.Context) ([]oaipmh.Record, error) {
	ids, err := s.sampleIdentifiers(ctx)
	if err != nil {
		return nil, err
	}
	few := spread(ids)[:min(len(ids), askedRecords)]
	held, n, err := s.held(ctx, few)
	if err != nil {
		return nil, err
	}
	if most := max(n, n*atOnce/max(metadataIn(held), 1)); most < len(ids) {
		ids = spread(ids)[:most]
	}
	var out []oaipmh.Record
	for left := ids; len(left) > 0; left = left[n:] {
		if held, n, err = s.held(ctx, left); err != nil {
			return nil, err
		}
		for _, r := range held {
			out = append(out, asReceived(r))
		}
	}
	return out, nil
}

// sampleIdentifiers are those of about sampleSize live records, from all over
// the store. A run looks for them once.
func (s *source) sampleIdentifiers(ctx context.Context) (ids []string, err error) {
	if s.sampled == nil {
		s.sampled, err = s.Store.Sample(ctx, s.repository.ID, sampleSize)
	}
	return s.sampled, err
}

// recount takes off the runs' figures what has left quarantine since, because
// it was mapped again.
func (s *source) recount(ctx context.Context, runs []store.Run) error {
	left := map[string]int{}
	for q, err := range s.Store.Quarantined(ctx, s.repository.ID) {
		if err != nil {
			return fmt.Errorf("read the quarantine of %s: %w", s.repository.ID, err)
		}
		left[q.Prefix]++
	}
	for i := range runs {
		r := &runs[i]
		if r.Quarantined <= left[r.Prefix] {
			continue
		}
		r.Quarantined = left[r.Prefix]
		if err := s.Store.SaveRun(ctx, r); err != nil {
			return fmt.Errorf("correct run %d of %s: %w", r.ID, s.repository.ID, err)
		}
	}
	return nil
}

func asReceived(r store.Record) oaipmh.Record {
	return oaipmh.Record{
		Header:   oaipmh.Header{Identifier: r.Identifier, Datestamp: r.Datestamp, Sets: r.Sets, Deleted: r.Deleted},
		Metadata: r.Metadata,
	}
}

// settle maps what is held once more if it was mapped otherwise: since then a
// setting, what was learnt, or the code has changed.
func (s *source) settle(ctx context.Context) error {
	version := s.mapping.Version()
	if s.known.MappedBy == version {
		return nil
	}
	s.Log.Info("harvest: the mapping has changed, mapping again what is held", "repository", s.repository.ID)
	run, err := s.remap(ctx)
	if err != nil || run.State != store.Complete {
		return err
	}
	s.known.MappedBy = version
	return s.remember(ctx)
}
