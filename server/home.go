package server

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

const pageType = "text/html; charset=utf-8"

//go:embed home.html
var homeHTML string

// pages for people. html/template encodes all that comes from elsewhere.
var pages = template.Must(template.New("").Parse(homeHTML))

// homeRepository is a repository as the pages show it.
type homeRepository struct {
	Name, URL, Signmap, Robots string
	CDIF                       string
	OAI, Identify              string
	Objects, Deleted           int
	Example                    *homeObject
}

// homeObject is an object as an example.
type homeObject struct {
	LandingPage, JSON, Text string
	Metadata                []string
}

// home has the pages for people.
type home struct{ *parts }

// listed is how many repositories a page lists: about 60 kB.
const listed = 200

// serveHome lists the repositories, on several pages if there are many.
func (s home) serveHome(w http.ResponseWriter, r *http.Request, _ vars) error {
	now, err := s.repositories.current(r.Context())
	if err != nil {
		return err
	}
	shown := struct {
		Repositories             []homeRepository
		Previous, Next           string
		Catalog, Robots, Version string
		Finder, Lookup, Contact  string
	}{
		Catalog: s.urls.catalog(), Robots: s.urls.robots(), Version: s.Version,
		Finder: s.urls.finder(), Lookup: s.urls.lookup(), Contact: s.Contact,
	}
	number, changed := homePage(r.URL.Query().Get("page"), len(now.order)), s.started
	first := (number - 1) * listed
	for _, repo := range now.order[first:min(first+listed, len(now.order))] {
		shown.Repositories = append(shown.Repositories, repo.homeRepository())
		if repo.since.After(changed) {
			changed = repo.since
		}
	}
	if number > 1 {
		shown.Previous = s.urls.home(number - 1)
	}
	if first+listed < len(now.order) {
		shown.Next = s.urls.home(number + 1)
	}
	return s.servePage(w, r, "home", shown, changed, s.urls.catalogLink())
}

// homePage is the number of a page that lists some of all repositories: the
// nearest that there is.
func homePage(asked string, all int) int {
	number, err := strconv.Atoi(asked)
	if err != nil {
		return 1
	}
	return max(1, min(number, (all+listed-1)/listed))
}

// serveRepository shows one repository with an example.
func (s home) serveRepository(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	shown := repo.homeRepository()
	counts, err := s.store.Counts(r.Context(), repo.ID)
	if err != nil {
		return err
	}
	shown.Objects, shown.Deleted = counts.Objects, counts.Deleted
	if shown.Example, err = s.example(r.Context(), repo); err != nil {
		return err
	}
	// The metadata of the repository's objects. CDIF, metadata publication.
	list := s.urls.listLink("describedby", s.urls.cdif(repo.ID)).Header()
	return s.servePage(w, r, "repository", shown, repo.changed(repo.modified), s.urls.catalogLink(), list)
}

func (r *repository) homeRepository() homeRepository {
	return homeRepository{
		Name: r.Name, URL: r.urls.repository(r.ID), Signmap: r.urls.signmap(r.ID), CDIF: r.urls.cdif(r.ID),
		Robots: r.urls.repositoryRobots(r.ID), OAI: r.OAIURL, Identify: oaipmh.IdentifyURL(r.OAIURL),
	}
}

// examples is how many objects are read to find one that is not deleted.
const examples = 100

// example returns an object that is not deleted; nil if none is found.
func (s home) example(ctx context.Context, repo *repository) (*homeObject, error) {
	seen := 0
	for o, err := range s.store.Objects(ctx, repo.ID, 0) {
		if err != nil {
			return nil, err
		}
		if !o.Deleted {
			return repo.homeObject(o), nil
		}
		if seen++; seen == examples {
			break
		}
	}
	return nil, nil
}

func (r *repository) homeObject(o store.Object) *homeObject {
	shown := &homeObject{
		LandingPage: o.LandingPage.URL,
		JSON:        r.urls.linkSetJSON(r.ID, o.Key),
		Text:        r.urls.linkSetText(r.ID, o.Key),
	}
	for _, m := range slices.Concat(r.documents(o), r.metadata(o)) {
		shown.Metadata = append(shown.Metadata, m.URL)
	}
	return shown
}

func (s home) servePage(w http.ResponseWriter, r *http.Request, name string, shown any, changed time.Time, links ...string) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, shown); err != nil { // template and data are ours
		s.Log.Error("rendering a page failed", "page", name, "error", err)
	}
	document{
		mediaType: pageType, body: b.Bytes(), links: links,
		policy: locked, modified: changed,
	}.sealed().serve(w, r, s.Now())
	return nil
}
