package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"
)

// vars are the variable parts of a path, unescaped; "" where it has none.
type vars struct{ repo, key, prefix, page string }

type handler func(w http.ResponseWriter, r *http.Request, v vars)

// route is a path and what is published there.
type route struct {
	path    string
	handler handler
}

// anObject is how the path of an object's documents begins.
const anObject = "/{repo}/{key:[a-z2-7]{16}}"

// What follows it in the paths of link sets in one form.
const (
	linkSetJSON = "/linkset.json"
	linkSetText = "/linkset.txt"
)

// routes is the one table of what is published where.
func (s *Server) routes() []route {
	return []route{
		{"/links", s.serveLookup},
		{anObject + "/linkset", s.in(s.serveNegotiated)},
		{anObject + linkSetJSON, s.in(s.serveLinkSet(asJSON))},
		{anObject + linkSetText, s.in(s.serveLinkSet(asText))},
		{"/linkset", s.serveFinder},
		{"/healthz", s.serveHealth},
		{"/readyz", s.serveReady},
		{"/robots.txt", s.serveRobots},
		{"/.well-known/api-catalog", s.serveCatalog},
		{"/", s.serveHome},
		{anObject + "/metadata/{prefix}.xml", s.in(s.serveMetadata)},
		{"/{repo}/signmap.xml", s.in(s.serveSignmap)},
		{"/{repo}/signmap-{page:[1-9][0-9]{0,5}}.xml", s.in(s.serveSignmapPage)},
		{"/{repo}/robots.txt", s.in(s.serveRepositoryRobots)},
		{"/{repo}/", s.in(s.serveRepository)},
		{"/{repo}", s.in(s.serveRepository)},
	}
}

// newRouter finds the route of a request: in a map where the path, or what
// follows the object in it, has no variable part, since these are asked for
// most; and by mux elsewhere, which would find the same. Paths are matched as
// they were sent (UseEncodedPath) and never cleaned by a redirect (SkipClean):
// whatever is odd about a path, it is simply not found.
func newRouter(routes []route) http.Handler {
	fixed, ofObject := map[string]handler{}, map[string]handler{}
	m := mux.NewRouter().UseEncodedPath().SkipClean(true)
	m.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusNotFound, "Nothing is published at this address.")
	})
	for _, r := range routes {
		rest, inObject := strings.CutPrefix(r.path, anObject)
		switch {
		case inObject && !strings.Contains(rest, "{"):
			ofObject[rest] = r.handler
		case !strings.Contains(r.path, "{"):
			fixed[r.path] = r.handler
			continue
		}
		m.Handle(r.path, unescaped(r.handler))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if h, ok := fixed[path]; ok {
			h(w, r, vars{})
			return
		}
		v, rest := cutObject(path)
		if h, ok := ofObject[rest]; ok {
			h(w, r, v)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// cutObject reads anObject, and returns what follows it; "" if the path begins
// otherwise, or has escapes.
func cutObject(path string) (v vars, rest string) {
	const keyLen = 16
	path, rooted := strings.CutPrefix(path, "/")
	repo, path, ok := strings.Cut(path, "/")
	if !rooted || !ok || repo == "" || strings.Contains(repo, "%") || len(path) < keyLen {
		return vars{}, ""
	}
	for i := range keyLen {
		if c := path[i]; (c < 'a' || 'z' < c) && (c < '2' || '7' < c) {
			return vars{}, ""
		}
	}
	return vars{repo: repo, key: path[:keyLen]}, path[keyLen:]
}

// unescaped hands the variable parts of the path to h.
func unescaped(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var failed error
		part := func(name string) string {
			value, err := url.PathUnescape(mux.Vars(r)[name])
			failed = errors.Join(failed, err)
			return value
		}
		v := vars{repo: part("repo"), key: part("key"), prefix: part("prefix"), page: part("page")}
		if failed != nil {
			say(w, http.StatusBadRequest, "The address is not a valid URL.")
			return
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
		repo, ok := now.repositories[v.repo]
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
	rec, began := s.traffic.begin(w), time.Now()
	defer s.traffic.end(rec, r.Method, began)
	s.answer(rec, r)
}

func (s *Server) answer(w *recorder, r *http.Request) {
	setAll(w.Header(), common)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		path := s.unprefixed(r.URL.EscapedPath())
		if d := s.known(path); d != nil {
			w.tally = s.traffic.ofLinkSet(path)
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
