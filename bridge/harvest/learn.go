package harvest

import (
	"context"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// learnFirst learns the mapping of a new repository from its first page, and from
// the first pages in other formats, which may be more precise than oai_dc.
func (s *source) learnFirst(ctx context.Context, prefix string, page oaipmh.Page) error {
	s.untaught = false
	sample := page.Records
	for _, other := range s.prefixes {
		if other == prefix {
			continue
		}
		if more, err := firstPage(ctx, s.client, other, s.repository.sets()[0]); err == nil {
			sample = append(sample[:len(sample):len(sample)], more.Records...)
		}
	}
	if err := s.adopt(ctx, sample); err != nil {
		return err
	}
	s.kept.MappedBy = s.mapping.Version()
	return s.save(ctx)
}

// learnAgain learns the mapping from a sample of all records, after the first
// complete harvest: the first page may be of one faculty only. If the mapping has
// changed, everything is mapped again.
func (s *source) learnAgain(ctx context.Context) error {
	kept, err := s.archive.sample(ctx)
	if err != nil {
		return err
	}
	kept = slices.DeleteFunc(kept, func(r store.Record) bool { return r.Prefix == landingpage.Prefix })
	if err := s.adopt(ctx, asLearnt(kept)); err != nil {
		return err
	}
	return s.settle(ctx)
}

// adopt learns the mapping from a sample.
func (s *source) adopt(ctx context.Context, sample []oaipmh.Record) error {
	before := s.kept.Mapping
	s.kept.Mapping = bridge.Learn(s.repository.OAIURL, s.kept.Identify, s.kept.Formats, nil, sample)
	s.kept.Mapping.PagePrefixes, s.kept.Mapping.PageFiles = before.PagePrefixes, before.PageFiles
	return s.save(ctx)
}

// settle maps what is kept again if the mapping has changed: by a setting, by what
// was learnt, or by the code. A Scheduler does that in turns of its own.
func (s *source) settle(ctx context.Context) error {
	version := s.mapping.Version()
	if s.kept.MappedBy == version || s.h.turn != nil {
		return nil
	}
	s.h.Log.Info("harvest: the mapping has changed, mapping again what is kept", "repository", s.repository.ID)
	run, err := s.remap(ctx, Options{})
	if err != nil || run.State != store.Complete {
		return err
	}
	s.kept.MappedBy = version
	return s.save(ctx)
}

// firstPage is the first page of a list; an empty list is an empty page.
func firstPage(ctx context.Context, client *oaipmh.Client, prefix, set string) (oaipmh.Page, error) {
	for page, err := range client.ListRecords(ctx, oaipmh.List{Prefix: prefix, Set: set}) {
		return page, unlessEmpty(err)
	}
	return oaipmh.Page{}, nil
}
