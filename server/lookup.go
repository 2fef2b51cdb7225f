package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

// lookupTime is how long a lookup may take. The page of the repository waits
// for it: after that it is better served without links.
const lookupTime = 250 * time.Millisecond

// maxURI is the longest URL that is looked up, in bytes.
const maxURI = linkset.MaxURI

// lookup is the answer for one URI.
type lookup struct {
	*basis
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
	known, ok := s.lookups.get(uri)
	if ok && s.isFresh() && s.stands(known.basis, s.latest.Load().number) {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	now, err := s.snapshot(ctx)
	if err == nil && ok && s.stands(known.basis, now.number) {
		return known
	}
	var l *lookup
	if err == nil {
		l, err = s.lookUp(ctx, now, uri)
	}
	if err != nil {
		s.Log.Debug("looking up links failed", "error", err)
		return &lookup{}
	}
	return l
}

// lookUp makes the answer for a URI from the store, and keeps it.
func (s *Server) lookUp(ctx context.Context, now *snapshot, uri string) (*lookup, error) {
	in := inquiry{Server: s, now: now}
	found, err := in.find(ctx, uri)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	l := &lookup{basis: newBasis(now.number, in.names...)}
	joined := ""
	if err == nil {
		l.all = s.signpost(found.repository, found.object).From(found.context)
		l.links, _ = l.all.Fit(found.repository.Budget)
	}
	if l.links != nil {
		joined = l.links.Joined()
		l.joined = []string{joined}
	}
	s.lookups.put(uri, l, len(uri)+200+4*len(joined))
	return l, nil
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
