package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"fingerpost/server/look"
)

// vars are the variable parts of a path, unescaped; "" where it has none.
type vars struct{ repo, key, prefix, document, page string }

// handler answers a request, or returns an error for which Server.fail does.
type handler func(w http.ResponseWriter, r *http.Request, v vars) error

// route is a path and what is published there.
type route struct {
	path    string
	handler handler
}

// anObject is how the path of an object's documents begins.
const anObject = "/{repo}/{key:[a-z2-7]{16}}"

// findPath is where the field for any URL or identifier leads.
const findPath = "/find"

// aPage is the number of a page.
const aPage = "{page:[1-9][0-9]{0,5}}"

// routes is the one table of what is published where. What is asked for most
// comes first.
func (s *Server) routes() []route {
	home, documents, discovery, mirrors := home{s.parts}, documents{s.parts}, discovery{s.parts}, mirrors{s.parts, s.provider}
	return []route{
		{"/links", s.serveLookup},
		{anObject, s.in(documents.serveObject)},
		{anObject + "/linkset", s.in(documents.serveNegotiated)},
		{anObject + "/linkset.json", s.in(documents.serveLinkSet(asJSON))},
		{anObject + "/linkset.txt", s.in(documents.serveLinkSet(asText))},
		{anObject + "/metadata/{prefix}.xml", s.in(documents.serveMetadata)},
		{anObject + "/metadata/{document}", s.in(documents.serveDocument)},
		{anObject + "/metadata", s.in(documents.serveFormat)},
		{"/{repo}/signmap.xml", s.in(s.signmaps.serveSignmap)},
		{"/{repo}/signmap-" + aPage + ".xml", s.in(s.signmaps.serveSignmapPage)},
		{"/{repo}/cdif.jsonld", s.in(s.cdif.serveList)},
		{"/{repo}/cdif-" + aPage + ".jsonld", s.in(s.cdif.serveListPage)},
		{"/{repo}/cdif-sitemap.xml", s.in(s.cdif.serveListSitemap)},
		{"/linkset", s.serveFinder},
		{"/{repo}/oai", s.in(mirrors.serveMirror)},
		{"/oai", mirrors.serveUnion},
		{"/healthz", discovery.serveHealth},
		{"/readyz", discovery.serveReady},
		{"/robots.txt", discovery.serveRobots},
		{"/signmaps-" + aPage + ".xml", s.signmaps.serveSignmaps},
		{"/cdif-sitemaps-" + aPage + ".xml", s.cdif.serveCDIFSitemaps},
		{"/.well-known/api-catalog", discovery.serveCatalog},
		{contextPath, discovery.serveContext},
		{look.StylePath, asset(look.ServeStyle)},
		{look.ScriptPath, asset(look.ServeScript)},
		{findPath, s.serveFind},
		{"/", home.serveHome},
		{"/{repo}/robots.txt", s.in(discovery.serveRepositoryRobots)},
		{"/{repo}/", s.in(home.serveRepository)},
		{"/{repo}", s.in(home.serveRepository)},
	}
}

// newRouter finds the route of a request. Paths are matched as they were sent
// (UseEncodedPath) and never cleaned by a redirect (SkipClean): an odd path is
// simply not found.
func (s *Server) newRouter() http.Handler {
	m := mux.NewRouter().UseEncodedPath().SkipClean(true)
	m.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, http.StatusNotFound, "Nothing is published at this address.")
	})
	for _, r := range s.routes() {
		tally := s.traffic.routes[r.path]
		m.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) {
			if !r.takes(q.Method) {
				s.refuseMethod(w, q, r)
				return
			}
			w.(*recorder).tally = tally
			v, err := varsOf(q)
			if err == nil {
				err = r.handler(w, q, v)
			}
			if err != nil {
				s.fail(w, q, err)
			}
		})
	}
	return m
}

// varsOf reads the variable parts of the path of a request.
func varsOf(r *http.Request) (vars, error) {
	var failed error
	encoded := mux.Vars(r)
	part := func(name string) string {
		value, err := url.PathUnescape(encoded[name])
		failed = errors.Join(failed, err)
		return value
	}
	v := vars{repo: part("repo"), key: part("key"), prefix: part("prefix"), document: part("document"), page: part("page")}
	if failed != nil {
		return v, refusal{http.StatusBadRequest, "The address is not a valid URL."}
	}
	return v, nil
}

// in makes a handler of one that answers within a repository.
func (s *Server) in(h func(http.ResponseWriter, *http.Request, *repository, vars) error) handler {
	return func(w http.ResponseWriter, r *http.Request, v vars) error {
		now, err := s.repositories.current(r.Context())
		if err != nil {
			return err
		}
		repo, err := now.repository(r.Context(), v.repo)
		if err != nil {
			return err
		}
		if repo == nil {
			return refusal{http.StatusNotFound, "No repository is published under this name."}
		}
		return h(w, r, repo, v)
	}
}

// ServeHTTP answers GET and HEAD, which differ in the body alone, OPTIONS, and POST
// where a route takes it. It does so with and without the path prefix of the public URL: some proxies
// in front strip it and some do not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := s.traffic.begin(w)
	defer s.traffic.end(rec, r.Method)
	setAll(rec.Header(), common)
	if r.Method == http.MethodOptions {
		preflight(rec)
		return
	}
	s.router.ServeHTTP(rec, at(s.unprefixed(r.URL.EscapedPath()), r))
}

// post reports whether a route takes POST: OAI-PMH must. OAI-PMH 3.1.1.
func (r route) post() bool { return strings.HasSuffix(r.path, "/oai") }

func (r route) takes(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodPost && r.post()
}

func (s *Server) refuseMethod(w http.ResponseWriter, q *http.Request, r route) {
	methods := allowed
	if r.post() {
		methods += ", POST"
	}
	w.Header().Set("Allow", methods)
	s.refuse(w, q, http.StatusMethodNotAllowed, "Only "+methods+" are answered here.")
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
