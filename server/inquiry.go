package server

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// inquiry looks for the object that a URI belongs to. It knows landing pages,
// files, persistent identifiers, GetRecord requests and kept metadata.
type inquiry struct {
	*Server
	now   *snapshot
	names []name // that the store was asked for, and of what it answered
}

// found is the object that a URI belongs to, and the context of the links
// that the URI has: itself, in the form in which it is published.
type found struct {
	repository *repository
	object     store.Object
	context    string
}

func (in *inquiry) find(ctx context.Context, uri string) (found, error) {
	if id, key, prefix, ok := in.urls.readMetadata(uri); ok {
		return in.findCopy(ctx, in.now.repositories[id], key, prefix)
	}
	f, err := in.findExact(ctx, uri)
	if errors.Is(err, store.ErrNotFound) {
		return in.findAlias(ctx, uri)
	}
	return f, err
}

func (in *inquiry) findExact(ctx context.Context, uri string) (found, error) {
	f, err := in.findGetRecord(ctx, uri)
	if errors.Is(err, store.ErrNotFound) {
		return in.findURL(ctx, uri)
	}
	return f, err
}

func (in *inquiry) findURL(ctx context.Context, uri string) (found, error) {
	in.names = append(in.names, nameOfURL(uri))
	o, err := in.store.Find(ctx, uri)
	if err != nil {
		return found{}, err
	}
	in.names = append(in.names, nameOfObject(o.Repository, o.Key))
	repo := in.now.repositories[o.Repository]
	if repo == nil { // kept, but no longer published
		return found{}, store.ErrNotFound
	}
	return found{repo, o, contextOf(o, uri)}, nil
}

// findAlias knows a URL by another of the names of its repository's host.
func (in *inquiry) findAlias(ctx context.Context, uri string) (found, error) {
	for repo, alias := range in.now.aliases(uri) {
		f, err := in.findExact(ctx, alias)
		if err == nil && f.repository == repo || err != nil && !errors.Is(err, store.ErrNotFound) {
			return f, err
		}
	}
	return found{}, store.ErrNotFound
}

// aliases yields the forms that a URL has by the other names of its host, with
// the repository that goes by these.
func (now *snapshot) aliases(uri string) iter.Seq2[*repository, string] {
	return func(yield func(*repository, string) bool) {
		if !slices.ContainsFunc(now.order, func(r *repository) bool { return r.hosts != nil }) {
			return
		}
		u, err := url.Parse(uri)
		if err != nil {
			return
		}
		asked, name := u.Host, u.Hostname()
		for _, repo := range now.order {
			if !slices.ContainsFunc(repo.hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
				continue
			}
			for _, u.Host = range repo.hosts {
				if !strings.EqualFold(u.Host, asked) && !yield(repo, u.String()) {
					return
				}
			}
		}
	}
}

// contextOf is the file that uri names, or else the landing page.
func contextOf(o store.Object, uri string) string {
	page := anchor(o.LandingPage.URL)
	if bridge.SameURL(o.LandingPage.URL, uri) {
		return page
	}
	asked := bridge.NormalURL(uri)
	for _, item := range o.Items {
		if target, err := linkset.Target(item.URL); err == nil && bridge.NormalURL(item.URL) == asked {
			return target
		}
	}
	return page
}

// anchor is a landing page as bridge.Signpost publishes it.
func anchor(raw string) string {
	a, err := linkset.Anchor(raw)
	if err != nil {
		return raw
	}
	return a
}

func (in *inquiry) findCopy(ctx context.Context, repo *repository, key, prefix string) (found, error) {
	if repo == nil {
		return found{}, store.ErrNotFound
	}
	in.names = append(in.names, nameOfObject(repo.ID, key))
	o, err := in.store.Object(ctx, repo.ID, key)
	if err == nil && !slices.Contains(o.Prefixes, prefix) {
		err = store.ErrNotFound
	}
	return found{repo, o, in.urls.metadata(repo.ID, key, prefix)}, err
}

// findGetRecord knows a GetRecord request to a repository. OAI-PMH 4.1.
func (in *inquiry) findGetRecord(ctx context.Context, uri string) (found, error) {
	base, identifier, prefix, ok := oaipmh.ReadGetRecordURL(uri)
	if !ok {
		return found{}, store.ErrNotFound
	}
	base = bridge.NormalURL(base)
	for _, repo := range in.now.order {
		if repo.records != base {
			continue
		}
		in.names = append(in.names, nameOfObject(repo.ID, store.KeyOf(identifier)))
		o, err := in.store.ByIdentifier(ctx, repo.ID, identifier)
		if err == nil {
			return found{repo, o, oaipmh.GetRecordURL(repo.OAIURL, o.Identifier, prefix)}, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return found{}, err
		}
	}
	return found{}, store.ErrNotFound
}
