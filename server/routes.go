package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"
)

// vars are the variable parts of a path, unescaped.
type vars map[string]string

type handler func(w http.ResponseWriter, r *http.Request, v vars)

// routes is the one table of what is published where. Paths are matched as
// they were sent (UseEncodedPath) and never cleaned by redirect (SkipClean):
// whatever is odd about a path, it is simply not found.
func (s *Server) routes() http.Handler {
	m := mux.NewRouter().UseEncodedPath().SkipClean(true)
	m.NotFoundHandler = plain(http.StatusNotFound, "Nothing is published at this address.")
	for _, route := range []struct {
		path    string
		handler handler
	}{
		{"/links", s.serveLookup},
		{"/linkset", s.serveFinder},
		{"/healthz", s.serveHealth},
		{"/readyz", s.serveReady},
		{"/robots.txt", s.serveRobots},
		{"/.well-known/api-catalog", s.serveCatalog},
		{"/", s.serveHome},
		{"/{repo}/{key:[a-z2-7]{16}}/linkset", s.in(s.serveNegotiated)},
		{"/{repo}/{key:[a-z2-7]{16}}/linkset.json", s.in(s.serveLinkSet(asJSON))},
		{"/{repo}/{key:[a-z2-7]{16}}/linkset.txt", s.in(s.serveLinkSet(asText))},
		{"/{repo}/{key:[a-z2-7]{16}}/metadata/{prefix}.xml", s.in(s.serveMetadata)},
		{"/{repo}/signmap.xml", s.in(s.serveSignmap)},
		{"/{repo}/signmap-{page:[1-9][0-9]{0,5}}.xml", s.in(s.serveSignmapPage)},
		{"/{repo}/robots.txt", s.in(s.serveRepositoryRobots)},
		{"/{repo}/", s.in(s.serveRepository)},
		{"/{repo}", s.in(s.serveRepository)},
	} {
		m.Handle(route.path, unescaped(route.handler))
	}
	return m
}

// unescaped hands the variable parts of the path to h.
func unescaped(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := mux.Vars(r)
		for name, value := range v {
			if !strings.Contains(value, "%") {
				continue
			}
			plainValue, err := url.PathUnescape(value)
			if err != nil {
				say(w, http.StatusBadRequest, "The address is not a valid URL.")
				return
			}
			v[name] = plainValue
		}
		h(w, r, v)
	})
}

// in makes a handler of one that answers within a repository.
func (s *Server) in(h func(http.ResponseWriter, *http.Request, *repository, vars)) handler {
	return func(w http.ResponseWriter, r *http.Request, v vars) {
		now, err := s.snapshot(r.Context())
		if err != nil {
			s.unavailable(w, r, err)
			return
		}
		repo, ok := now.repositories[v["repo"]]
		if !ok {
			say(w, http.StatusNotFound, "No repository is published under this name.")
			return
		}
		h(w, r, repo, v)
	}
}

// ServeHTTP answers GET and HEAD, alike but for the body, and OPTIONS; it
// does so with and without the path prefix of the public URL, since some
// proxies in front strip it and some do not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	commonHeader(w.Header())
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.router.ServeHTTP(w, s.unprefixed(r))
	case http.MethodOptions:
		preflight(w)
	default:
		w.Header().Set("Allow", allowed)
		say(w, http.StatusMethodNotAllowed, "Only GET, HEAD and OPTIONS are answered here.")
	}
}

func (s *Server) unprefixed(r *http.Request) *http.Request {
	path := r.URL.EscapedPath()
	rest, ok := strings.CutPrefix(path, s.urls.prefix)
	if s.urls.prefix == "" || !ok || (rest != "" && rest[0] != '/') {
		return r
	}
	if rest == "" {
		rest = "/"
	}
	decoded, err := url.PathUnescape(rest)
	if err != nil {
		return r
	}
	stripped := new(http.Request)
	*stripped = *r
	stripped.URL = new(url.URL)
	*stripped.URL = *r.URL
	stripped.URL.Path, stripped.URL.RawPath = decoded, rest
	return stripped
}
