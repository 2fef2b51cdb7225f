package server

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

const pageType = "text/html; charset=utf-8"

//go:embed home.html
var homeHTML string

// pages for people. html/template encodes all that comes from elsewhere.
var pages = template.Must(template.New("").Parse(homeHTML))

// homeRepository is what the page of all repositories says of one.
type homeRepository struct {
	Name, URL, Signmap, Robots string
	OAI, Identify              string
	Objects, Deleted           int
	Example                    *homeObject
}

// homeObject is an object as an example.
type homeObject struct {
	LandingPage, JSON, Text string
	Metadata                []string
}

// serveHome lists the repositories.
func (s *Server) serveHome(w http.ResponseWriter, r *http.Request, _ vars) {
	now, err := s.snapshot(r.Context())
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	said := struct {
		Repositories             []homeRepository
		Catalog, Robots, Version string
		Finder, Lookup, Contact  string
	}{
		Catalog: s.urls.catalog(), Robots: s.urls.robots(), Version: s.Version,
		Finder: s.urls.finder(), Lookup: s.urls.lookup(), Contact: s.Contact,
	}
	changed := s.started
	for _, repo := range now.order {
		said.Repositories = append(said.Repositories, s.homeRepository(repo))
		if repo.since.After(changed) {
			changed = repo.since
		}
	}
	s.page("home", said, changed).serve(w, r)
}

// serveRepository shows one repository with an example.
func (s *Server) serveRepository(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) {
	said := s.homeRepository(repo)
	counts, err := s.store.Counts(r.Context(), repo.ID)
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	said.Objects, said.Deleted = counts.Objects, counts.Deleted
	if said.Example, err = s.example(r.Context(), repo); err != nil {
		s.unavailable(w, r, err)
		return
	}
	s.page("repository", said, repo.changed(repo.modified)).serve(w, r)
}

func (s *Server) homeRepository(repo *repository) homeRepository {
	return homeRepository{
		Name: repo.Name, URL: s.urls.repository(repo.ID), Signmap: s.urls.signmap(repo.ID),
		Robots: s.urls.repositoryRobots(repo.ID), OAI: repo.OAIURL, Identify: oaipmh.IdentifyURL(repo.OAIURL),
	}
}

// examples are how many objects are looked at for one that is not deleted.
const examples = 100

// example returns nil if there is none.
func (s *Server) example(ctx context.Context, repo *repository) (*homeObject, error) {
	seen := 0
	for o, err := range s.store.Objects(ctx, repo.ID, 0) {
		if err != nil {
			return nil, err
		}
		if !o.Deleted {
			return s.homeObject(repo, o), nil
		}
		if seen++; seen == examples {
			break
		}
	}
	return nil, nil
}

func (s *Server) homeObject(repo *repository, o store.Object) *homeObject {
	shown := &homeObject{
		LandingPage: o.LandingPage.URL,
		JSON:        s.urls.linkSetJSON(repo.ID, o.Key),
		Text:        s.urls.linkSetText(repo.ID, o.Key),
	}
	for _, m := range s.metadata(repo, o) {
		shown.Metadata = append(shown.Metadata, m.URL)
	}
	return shown
}

func (s *Server) page(name string, said any, changed time.Time) *document {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, said); err != nil { // template and data are ours
		s.Log.Error("rendering a page failed", "page", name, "error", err)
	}
	return document{
		mediaType: pageType, body: b.Bytes(), links: []string{s.catalogLink()},
		policy: locked, modified: changed,
	}.sealed()
}
