package server

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh/outbound"
	"fingerpost/server/provider"
)

// source is what is in memory of every repository, of which there may be tens of
// thousands.
type source struct {
	*Repository // as configured
	brief       store.Brief
	clock       store.Clock
	modified    int64    // newest Object.Modified
	aliases     []string // its host's names, the first with its port too; nil if there is only one

	inForce atomic.Pointer[inForce]    // nil before a document was made
	whole   atomic.Pointer[repository] // nil if it is not in memory
}

// inForce is a digest of the settings of a repository, and since when they are in
// force.
type inForce struct {
	settings string
	since    time.Time
}

func newSource(configured *Repository, brief store.Brief, clock store.Clock) *source {
	s := &source{Repository: configured, brief: brief, clock: clock, modified: clock.Modified}
	if len(s.Hosts) == 0 {
		return s
	}
	if u, err := url.Parse(s.OAIURL); err == nil {
		s.aliases = append(slices.Compact([]string{u.Hostname(), u.Host}), s.Hosts...)
	}
	return s
}

// name is what people call it.
func (s *source) name() string { return nameFor(*s.Repository, s.brief.Name) }

// source returns a published repository; nil if there is none with the ID.
func (p *published) source(id string) *source {
	if p == nil {
		return nil
	}
	if i, ok := p.index[id]; ok {
		return p.order[i]
	}
	return nil
}

// repository returns a published repository with all that its documents need; nil
// if there is none with the ID.
func (p *published) repository(ctx context.Context, id string) (*repository, error) {
	s := p.source(id)
	if s == nil {
		return nil, nil
	}
	repo := s.whole.Load()
	switch {
	case repo == nil:
		var err error
		if repo, err = p.load(ctx, s); err != nil {
			return nil, err
		}
	case repo.version == p.version:
		return repo, nil
	}
	same := *repo // which is in use; this one gets another version
	same.version = p.version
	s.whole.Store(&same)
	return &same, nil
}

// sources are all repositories as OAI-PMH serves them.
func (p *published) sources() []provider.Source {
	out := make([]provider.Source, 0, len(p.order))
	for _, s := range p.order {
		harvested := s.Prefixes
		if len(harvested) == 0 {
			harvested = s.brief.Prefixes
		}
		out = append(out, provider.Source{ID: s.ID, Name: s.name(), BaseURL: s.OAIURL, Formats: s.brief.Formats, Prefixes: harvested, Modified: s.modified})
	}
	slices.SortFunc(out, func(a, b provider.Source) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// nameFor is the name of a repository for people: the configured one, or else the
// one that it gives itself.
func nameFor(configured Repository, says string) string {
	name := configured.Name
	if name == "" {
		name = says
	}
	if name == "" {
		name = configured.ID
	}
	return outbound.Printable(name, longestName)
}
