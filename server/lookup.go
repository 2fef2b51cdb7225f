package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// lookupTime is how long a lookup may take. The page of the repository waits
// for it: after that it is better served without links.
const lookupTime = 250 * time.Millisecond

// maxURI is the longest URL that is looked up, in bytes.
const maxURI = linkset.MaxURI

// lookup is the answer for one URI, as the store had it at the time of a
// snapshot.
type lookup struct {
	at     *snapshot
	all    linkset.LinkSet // nil: none are known
	links  linkset.LinkSet // those of all that go into a header
	joined []string        // links as one value of the Link header
}

var (
	varyByURI     = []string{"X-Fingerpost-Uri"}
	lookupCaching = []string{"public, max-age=60"}
)

// serveLookup answers web servers in front of a repository: 204 and one Link
// header with all links of the URI, without any white space, or none. It
// never fails: a page without links is better than no page.
func (s *Server) serveLookup(w http.ResponseWriter, r *http.Request, _ vars) {
	h := w.Header()
	h["Vary"] = varyByURI
	h["Cache-Control"] = lookupCaching
	asked := askedURIs(r.URL.RawQuery)
	if uri := r.Header.Get("X-Fingerpost-Uri"); uri != "" && len(uri) <= maxURI {
		asked = []string{uri}
	}
	for _, uri := range asked {
		if found := s.lookup(r.Context(), uri); found.links != nil {
			h["Link"] = found.joined
			break
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// Links returns the links whose context is uri, as they go into the headers of
// its answers: inside the repository's budget. For a persistent identifier
// these are the landing page's. It takes at most a quarter of a second.
func (s *Server) Links(ctx context.Context, uri string) (linkset.LinkSet, bool) {
	if len(uri) > maxURI {
		return nil, false
	}
	found := s.lookup(ctx, uri)
	return found.links, found.links != nil
}

// AllLinks are Links without a budget, as a page's HTML can hold them.
func (s *Server) AllLinks(ctx context.Context, uri string) (linkset.LinkSet, bool) {
	if len(uri) > maxURI {
		return nil, false
	}
	found := s.lookup(ctx, uri)
	return found.all, found.all != nil
}

func (s *Server) lookup(ctx context.Context, uri string) *lookup {
	if known, ok := s.lookups.get(uri); ok && known.at == s.latest.Load() && s.isFresh() {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	now, err := s.snapshot(ctx)
	if err != nil {
		s.Log.Debug("looking up links failed", "error", err)
		return &lookup{}
	}
	if known, ok := s.lookups.get(uri); ok && known.at == now {
		return known
	}
	found, err := s.find(ctx, now, uri)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.Log.Debug("looking up links failed", "error", err)
		return &lookup{}
	}
	l := &lookup{at: now}
	if err == nil {
		l.all = s.signpost(found.repository, found.object).From(found.context)
		l.links, _ = l.all.Fit(found.repository.Budget)
	}
	joined := l.links.Joined()
	if l.links != nil {
		l.joined = []string{joined}
	}
	s.lookups.put(uri, l, len(uri)+200+4*len(joined))
	return l
}

// found is the object that a URI belongs to, and the context of the links
// that the URI has: itself, in the form in which it is published.
type found struct {
	repository *repository
	object     store.Object
	context    string
}

// find knows landing pages, files, persistent identifiers, GetRecord requests
// and kept metadata.
func (s *Server) find(ctx context.Context, now *snapshot, uri string) (found, error) {
	if id, key, prefix, ok := s.urls.readMetadata(uri); ok {
		return s.findCopy(ctx, now.repositories[id], key, prefix)
	}
	if strings.Contains(uri, "verb=GetRecord") {
		if f, err := s.findGetRecord(ctx, now, uri); err == nil {
			return f, nil
		}
	}
	f, err := s.findURL(ctx, now, uri)
	if errors.Is(err, store.ErrNotFound) {
		return s.findAlias(ctx, now, uri)
	}
	return f, err
}

func (s *Server) findURL(ctx context.Context, now *snapshot, uri string) (found, error) {
	o, err := s.store.Find(ctx, uri)
	if err != nil {
		return found{}, err
	}
	repo := now.repositories[o.Repository]
	if repo == nil { // kept, but no longer published
		return found{}, store.ErrNotFound
	}
	return found{repo, o, contextOf(o, uri)}, nil
}

// findAlias knows a URL by another of the names of its repository's host.
func (s *Server) findAlias(ctx context.Context, now *snapshot, uri string) (found, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return found{}, store.ErrNotFound
	}
	host := u.Hostname()
	for _, repo := range now.order {
		if !slices.ContainsFunc(repo.hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
			continue
		}
		for _, u.Host = range repo.hosts {
			if strings.EqualFold(u.Host, host) {
				continue
			}
			f, err := s.findURL(ctx, now, u.String())
			if err == nil && f.repository == repo || err != nil && !errors.Is(err, store.ErrNotFound) {
				return f, err
			}
		}
	}
	return found{}, store.ErrNotFound
}

// contextOf is the file that uri names, or else the landing page.
func contextOf(o store.Object, uri string) string {
	asked := bridge.NormalURL(uri)
	if bridge.NormalURL(o.LandingPage.URL) != asked {
		for _, item := range o.Items {
			if target, err := linkset.Target(item.URL); err == nil && bridge.NormalURL(item.URL) == asked {
				return target
			}
		}
	}
	return anchor(o.LandingPage.URL)
}

// anchor is a landing page as bridge.Signpost publishes it.
func anchor(raw string) string {
	a, err := linkset.Anchor(raw)
	if err != nil {
		return raw
	}
	return a
}

func (s *Server) findCopy(ctx context.Context, repo *repository, key, prefix string) (found, error) {
	if repo == nil {
		return found{}, store.ErrNotFound
	}
	o, err := s.store.Object(ctx, repo.ID, key)
	if err == nil && !slices.Contains(o.Prefixes, prefix) {
		err = store.ErrNotFound
	}
	return found{repo, o, s.urls.metadata(repo.ID, key, prefix)}, err
}

// findGetRecord reads a GetRecord request. OAI-PMH 4.1.
func (s *Server) findGetRecord(ctx context.Context, now *snapshot, uri string) (found, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return found{}, store.ErrNotFound
	}
	q := u.Query()
	verb, identifier, prefix := q.Get("verb"), q.Get("identifier"), q.Get("metadataPrefix")
	for _, argument := range []string{"verb", "identifier", "metadataPrefix"} {
		q.Del(argument)
	}
	u.RawQuery = q.Encode() // what is left belongs to the base URL
	for _, repo := range now.order {
		if verb != "GetRecord" || !bridge.SameURL(repo.OAIURL, u.String()) {
			continue
		}
		o, err := s.store.ByIdentifier(ctx, repo.ID, identifier)
		if err != nil {
			return found{}, err
		}
		format := []oaipmh.MetadataFormat{{Prefix: prefix}}
		for _, m := range bridge.MetadataResources(repo.OAIURL, o.Identifier, format, nil) {
			return found{repo, o, m.URL}, nil
		}
	}
	return found{}, store.ErrNotFound
}

// askedURIs reads ?uri=. The value may have been pasted as it is by a rule of
// a web server that cannot encode, so that its own query seems to be part of
// ours: then the rest of the query is tried as well.
func askedURIs(query string) []string {
	var asked []string
	values, _ := url.ParseQuery(query) // what could be read, is
	if uri := values.Get("uri"); uri != "" && len(uri) <= maxURI {
		asked = append(asked, uri)
	}
	raw, ok := strings.CutPrefix(query, "uri=")
	if ok && strings.Contains(raw, "://") && len(raw) <= maxURI && (len(asked) == 0 || raw != asked[0]) {
		asked = append(asked, raw)
	}
	return asked
}
