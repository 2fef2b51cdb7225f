package server

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/store"
)

// preferred is the object that a URL leads to, where several sources have it:
// a repository and its mirrors, or two addresses of one repository. The order in
// which they were harvested does not count. It is false if none is published.
//
// An object whose landing page lies on the host of another source comes last:
// that source has a say about it, even if it has deleted it. Otherwise a live
// object comes before a deleted one, one that the URL names before one that has
// it as another identifier, and that before one of whose files it is. Then comes
// the one whose landing page is on its own source's host, the one that is not
// marked as harvested elsewhere, and the order of the store.
func (p *published) preferred(all []store.Object, uri string) (best store.Object, ok bool) {
	all = slices.DeleteFunc(all, func(o store.Object) bool { return p.source(o.Repository) == nil })
	if len(all) == 0 {
		return best, false
	}
	if len(all) == 1 {
		return all[0], true
	}
	normal := bridge.NormalURL(uri)
	return slices.MinFunc(all, func(a, b store.Object) int {
		return slices.Compare(p.doubts(a, normal), p.doubts(b, normal))
	}), true
}

// doubts are the reasons to prefer another object, the gravest first, as numbers
// of which the lowest is preferred.
func (p *published) doubts(o store.Object, normal string) []int {
	place := p.place(o)
	return []int{oneIf(place == elsewhere), oneIf(o.Deleted), int(roleOf(o, normal)), place, oneIf(o.Origin != "")}
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// roleOf is what a URL is to an object: its name, another of its identifiers, or
// a file.
func roleOf(o store.Object, normal string) bridge.Role {
	for role, uri := range o.URLs() {
		if bridge.NormalURL(uri) == normal {
			return max(role, bridge.CiteAsRole)
		}
	}
	return bridge.ItemRole
}

// Where the landing page of an object is.
const (
	onOwnHost = iota
	nowhere   // at a resolver, or on a host that is no source's
	elsewhere // on the host of another source
)

func (p *published) place(o store.Object) int {
	groups := p.hosts[bridge.PageHost([]bridge.Object{o.Object})]
	switch {
	case len(groups) == 0:
		return nowhere
	case slices.Contains(groups[0], o.Repository):
		return onOwnHost
	}
	return elsewhere
}

// having returns the published repositories that may have an OAI identifier, by
// ID: those on whose host it says that its record lies; if none of these has it,
// all.
func (s *parts) having(ctx context.Context, now *published, oaiIdentifier string) ([]string, error) {
	found, err := s.store.RepositoriesOf(ctx, oaiIdentifier)
	if err != nil {
		return nil, err
	}
	ids := slices.DeleteFunc(found[0], func(id string) bool { return now.source(id) == nil })
	for _, group := range now.hosts[bareHost(identifier.SplitOAI(oaiIdentifier, "").Host)] {
		owners := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(group, id) })
		if len(owners) > 0 {
			return owners, nil
		}
	}
	return ids, nil
}

// Find finds an object by its OAI identifier, or else by a persistent identifier
// or a URL, as the lookup does.
func (s *lookup) Find(ctx context.Context, asked string) (store.Object, error) {
	now, err := s.repositories.current(ctx)
	if err != nil {
		return store.Object{}, err
	}
	ids, err := s.having(ctx, now, asked)
	if err != nil {
		return store.Object{}, err
	}
	var all []store.Object
	for _, id := range ids {
		o, err := s.store.ByIdentifier(ctx, id, asked)
		switch {
		case err == nil:
			all = append(all, o)
		case !errors.Is(err, store.ErrNotFound):
			return o, err
		}
	}
	if len(all) > 0 {
		return slices.MinFunc(all, func(a, b store.Object) int { return cmp.Compare(oneIf(a.Deleted), oneIf(b.Deleted)) }), nil
	}
	search := search{lookup: s, now: now}
	f, err := search.find(ctx, canonical(asked))
	return f.object, err
}
