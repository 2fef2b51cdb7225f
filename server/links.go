package server

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
)

// lookupTime is how long a lookup may take. The page of the repository waits
// for it: after that it is better served without links.
const lookupTime = 250 * time.Millisecond

var (
	varyByURI     = []string{"X-Fingerpost-Uri"}
	lookupCaching = []string{"public, max-age=60"}
)

// serveLookup answers web servers in front of a repository: 204 and one Link
// header with all links of the URI, without any white space, or none. It
// never fails: a page without links is better than no page.
func (s *lookup) serveLookup(w http.ResponseWriter, r *http.Request, _ vars) error {
	h := w.Header()
	h["Vary"] = varyByURI
	h["Cache-Control"] = lookupCaching
	asked := []string{r.Header.Get("X-Fingerpost-Uri")}
	if asked[0] == "" || len(asked[0]) > maxURI {
		asked = askedURIs(r.URL.RawQuery)
	}
	for _, uri := range asked {
		if a := s.soon(r.Context(), uri); a.header != nil {
			h["Link"] = a.header
			break
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Links returns all links whose context is uri, and false if there are none.
// For a persistent identifier these are the landing page's. Their Anchor is uri
// or the form in which it is published. It takes at most a quarter of a second.
// What it returns must not be changed.
func (s *lookup) Links(ctx context.Context, uri string) (linkset.LinkSet, bool) {
	a := s.soon(ctx, uri)
	return a.Links, a.Links != nil
}

// soon is the answer of the lookup, or an empty one if that fails or takes too long.
func (s *lookup) soon(ctx context.Context, uri string) *Answer {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	a, err := s.answer(ctx, uri)
	if err != nil {
		s.Log.Debug("looking up links failed", "error", err)
		return &Answer{}
	}
	return a
}

// Answers yields what the lookup answers for every landing page, file and
// metadata document of a repository, but for the copies of metadata kept here.
func (s *lookup) Answers(ctx context.Context, repository string) iter.Seq2[*Answer, error] {
	return func(yield func(*Answer, error) bool) {
		now, err := s.repositories.current(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		repo, err := now.repository(ctx, repository)
		if err != nil {
			yield(nil, err)
			return
		}
		if repo == nil {
			return
		}
		for o, err := range s.store.Objects(ctx, repository, 0) {
			if err != nil {
				yield(nil, err)
				return
			}
			for a := range repo.answers(o) {
				if !strings.HasPrefix(a.URI, s.urls.base+"/") && !yield(a, nil) {
					return
				}
			}
		}
	}
}

// serveFinder redirects from a URL of an object to its link set.
func (s *lookup) serveFinder(w http.ResponseWriter, r *http.Request, _ vars) error {
	asked := askedURIs(r.URL.RawQuery)
	if len(asked) == 0 {
		return refusal{http.StatusBadRequest, "Ask with ?uri= and one absolute URL of at most 2048 bytes."}
	}
	for _, uri := range asked {
		a, err := s.answer(r.Context(), uri)
		if err != nil {
			return err
		}
		if a.object == "" {
			continue
		}
		w.Header().Set("Vary", "Accept")
		if target := a.object; wantsPage(r) {
			seeOther(w, strings.TrimSuffix(target, "/linkset"))
		} else {
			seeOther(w, target)
		}
		return nil
	}
	return refusal{http.StatusNotFound, "No object has this URL: it is no landing page, file, metadata or identifier of one."}
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
