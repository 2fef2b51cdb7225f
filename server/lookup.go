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
	header []string // the links that go into a header, as its one value; nil if there are none
	whole  bool     // whether links are kept as well
	links  linkset.LinkSet
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
	asked := []string{r.Header.Get("X-Fingerpost-Uri")}
	if asked[0] == "" || len(asked[0]) > maxURI {
		asked = askedURIs(r.URL.RawQuery)
	}
	for _, uri := range asked {
		if found := s.lookup(r.Context(), uri, false); found.header != nil {
			h["Link"] = found.header
			break
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// Links returns all links whose context is uri, for whoever has room for them.
// For a persistent identifier these are the landing page's. Their Anchor is uri
// or the form in which it is published. It takes at most a quarter of a second.
func (s *Server) Links(ctx context.Context, uri string) (linkset.LinkSet, bool) {
	if len(uri) > maxURI {
		return nil, false
	}
	found := s.lookup(ctx, uri, true)
	return found.links, found.links != nil
}

// held is an answer that was kept and stands; nil if there is none.
func (s *Server) held(now *snapshot, uri string, whole bool) *lookup {
	if l, ok := s.lookups.get(uri); ok && (l.whole || !whole) && s.stands(l.basis, now.number) {
		return l
	}
	return nil
}

// lookup returns the answer for a URI, whole or for a header alone.
func (s *Server) lookup(ctx context.Context, uri string, whole bool) *lookup {
	if s.isFresh() {
		if l := s.held(s.latest.Load(), uri, whole); l != nil {
			return l
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	now, err := s.snapshot(ctx)
	var l *lookup
	if err == nil {
		if l = s.held(now, uri, whole); l != nil {
			return l
		}
		l, err = s.lookUp(ctx, now, uri, whole)
	}
	if err != nil {
		s.Log.Debug("looking up links failed", "error", err)
		return &lookup{}
	}
	return l
}

// lookUp makes the answer for a URI from the store, and keeps it.
func (s *Server) lookUp(ctx context.Context, now *snapshot, uri string, whole bool) (*lookup, error) {
	in := inquiry{Server: s, now: now}
	found, err := in.find(ctx, uri)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	l := &lookup{basis: newBasis(now.number, in.names...), whole: whole}
	bytes := 400 + len(uri)
	if err == nil {
		links := s.signpostFrom(found.context, found.repository, found.object)
		kept, _ := links.Fit(found.repository.Budget)
		if header := kept.Joined(); header != "" {
			l.header = []string{header}
			bytes += len(header)
		}
		if whole {
			l.links = links
			bytes += 200 * len(links)
		}
	}
	s.lookups.put(uri, l, bytes)
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
