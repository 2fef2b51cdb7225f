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
		return in.findForm(ctx, uri)
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
	o, err := in.store.Find(ctx, uri, in.now.published...)
	if err != nil {
		return found{}, err
	}
	in.names = append(in.names, nameOfObject(o.Repository, o.Key))
	repo := in.now.repositories[o.Repository]
	if repo == nil { // nothing is published, and the store looked at all that is kept
		return found{}, store.ErrNotFound
	}
	return found{repo, o, contextOf(o, uri)}, nil
}

func (in *inquiry) findForm(ctx context.Context, uri string) (found, error) {
	for form, repo := range in.now.forms(uri) {
		f, err := in.findExact(ctx, form)
		if err == nil && (repo == nil || f.repository == repo) || err != nil && !errors.Is(err, store.ErrNotFound) {
			return f, err
		}
	}
	return found{}, store.ErrNotFound
}

// forms yields what else than uri may be published for the same page, with the
// repository whose it is then, if it must be a certain one.
func (now *snapshot) forms(uri string) iter.Seq2[string, *repository] {
	return func(yield func(string, *repository) bool) {
		spellings := spellings(uri)
		for _, other := range spellings[1:] {
			if !yield(other, nil) {
				return
			}
		}
		for _, spelling := range spellings {
			for alias, repo := range now.aliases(spelling) {
				if !yield(alias, repo) {
					return
				}
			}
		}
	}
}

// spellings are a URL and what it is with the slashes of its query as they are,
// and encoded: they divide nothing there, and who encodes a form encodes them.
func spellings(uri string) []string {
	all := []string{uri}
	path, query, _ := strings.Cut(uri, "?")
	plain := strings.ReplaceAll(strings.ReplaceAll(query, "%2F", "/"), "%2f", "/")
	if !strings.Contains(plain, "/") {
		return all
	}
	for _, other := range [...]string{plain, strings.ReplaceAll(plain, "/", "%2F")} {
		if other != query {
			all = append(all, path+"?"+other)
		}
	}
	return all
}

// aliases yields a URL with each of the other names of its host, and the
// repository that goes by these.
func (now *snapshot) aliases(uri string) iter.Seq2[string, *repository] {
	return func(yield func(string, *repository) bool) {
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
				if !strings.EqualFold(u.Host, asked) && !yield(u.String(), repo) {
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
