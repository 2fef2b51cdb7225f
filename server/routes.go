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

// route is a path and what is published there.
type route struct {
	path    string
	handler handler
}

// routes is the one table of what is published where.
func (s *Server) routes() []route {
	return []route{
		{"/links", s.serveLookup},
		{"/{repo}/{key:[a-z2-7]{16}}/linkset.json", s.in(s.serveLinkSet(asJSON))}, // asked for most: tried first
		{"/{repo}/{key:[a-z2-7]{16}}/linkset", s.in(s.serveNegotiated)},
		{"/{repo}/{key:[a-z2-7]{16}}/linkset.txt", s.in(s.serveLinkSet(asText))},
		{"/linkset", s.serveFinder},
		{"/healthz", s.serveHealth},
		{"/readyz", s.serveReady},
		{"/robots.txt", s.serveRobots},
		{"/.well-known/api-catalog", s.serveCatalog},
		{"/", s.serveHome},
		{"/{repo}/{key:[a-z2-7]{16}}/metadata/{prefix}.xml", s.in(s.serveMetadata)},
		{"/{repo}/signmap.xml", s.in(s.serveSignmap)},
		{"/{repo}/signmap-{page:[1-9][0-9]{0,5}}.xml", s.in(s.serveSignmapPage)},
		{"/{repo}/robots.txt", s.in(s.serveRepositoryRobots)},
		{"/{repo}/", s.in(s.serveRepository)},
		{"/{repo}", s.in(s.serveRepository)},
	}
}

// newRouter finds the route of a request: in a map where the path has no
// variable part, since the lookup is asked for with every page of a
// repository, and by mux elsewhere. Paths are matched as they were sent
// (UseEncodedPath) and never cleaned by a redirect (SkipClean): whatever is
// odd about a path, it is simply not found.
func newRouter(routes []route) http.Handler {
	fixed := map[string]handler{}
	m := mux.NewRouter().UseEncodedPath().SkipClean(true)
	m.NotFoundHandler = plain(http.StatusNotFound, "Nothing is published at this address.")
	for _, r := range routes {
		if strings.Contains(r.path, "{") {
			m.Handle(r.path, unescaped(r.handler))
		} else {
			fixed[r.path] = r.handler
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := fixed[r.URL.EscapedPath()]; ok {
			h(w, r, nil)
			return
		}
		m.ServeHTTP(w, r)
	})
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
	setAll(w.Header(), common)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		path := s.unprefixed(r.URL.EscapedPath())
		if d := s.known(path); d != nil {
			d.serve(w, r)
			return
		}
		s.router.ServeHTTP(w, at(path, r))
	case http.MethodOptions:
		preflight(w)
	default:
		w.Header().Set("Allow", allowed)
		say(w, http.StatusMethodNotAllowed, "Only GET, HEAD and OPTIONS are answered here.")
	}
}

// unprefixed is the path of a request below that of the public URL.
func (s *Server) unprefixed(path string) string {
	rest, ok := strings.CutPrefix(path, s.urls.prefix)
	switch {
	case !ok || rest != "" && rest[0] != '/':
		return path
	case rest == "":
		return "/"
	}
	return rest
}

// at is a request as if it had been sent to another path.
func at(path string, r *http.Request) *http.Request {
	decoded, err := url.PathUnescape(path)
	if err != nil || decoded == r.URL.Path {
		return r
	}
	moved := *r
	target := *r.URL
	target.Path, target.RawPath = decoded, path
	moved.URL = &target
	return &moved
}
