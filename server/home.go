package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// home has the pages that lead to objects: the list of repositories, and a page
// for each.
type home struct{ *parts }

// shownRepository is a repository as the pages show it.
type shownRepository struct {
	page
	Name, URL, Signmap, Robots, CDIF, Mirror string
	OAI, Identify                            string
	Objects, Deleted                         int
	Changed                                  time.Time
	Shares                                   []share
	Examples                                 []shownLink
}

// shownLink is a link in a page.
type shownLink struct{ Name, URL string }

// share is how many objects have a link.
type share struct {
	Name      string
	Count, Of int
}

// listed is how many repositories a page lists.
const listed = 50

// serveHome lists the repositories, on several pages if there are many. ?name=
// keeps those that have it in their name.
func (s home) serveHome(w http.ResponseWriter, r *http.Request, _ vars) error {
	now, err := s.repositories.current(r.Context())
	if err != nil {
		return err
	}
	query := r.URL.Query()
	wanted := strings.TrimSpace(query.Get("name"))
	all := namedLike(now.order, wanted)
	number, changed := homePage(query.Get("page"), len(all)), s.started
	first := (number - 1) * listed
	some := all[first:min(first+listed, len(all))]
	shown := struct {
		page
		Repositories    []shownRepository
		Columns         []string
		Many            bool
		Wanted          string
		From, To, Of    int
		Previous, Next  string
		Catalog, Robots string
		Finder, Lookup  string
		OAI             string
	}{
		page: s.page("FAIR Signposting gateway", nil), Columns: shareNames(), Many: len(now.order) > listed, Wanted: wanted,
		From: first + 1, To: first + len(some), Of: len(all),
		Catalog: s.urls.catalog(), Robots: s.urls.robots(), Finder: s.urls.finder(), Lookup: s.urls.lookup(), OAI: s.urls.union(),
	}
	for _, source := range some {
		repo, err := now.repository(r.Context(), source.ID)
		if err != nil {
			return err
		}
		row, err := s.row(r.Context(), repo)
		if err != nil {
			return err
		}
		shown.Repositories = append(shown.Repositories, row)
		changed = later(changed, repo.changed(repo.modified))
	}
	if number > 1 {
		shown.Previous = s.urls.home(number-1, wanted)
	}
	if first+listed < len(all) {
		shown.Next = s.urls.home(number+1, wanted)
	}
	shown.page.Home = "" // it is this page
	return s.servePage(w, r, "home", shown, changed)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// namedLike returns the repositories that have a text in their name or ID.
func namedLike(all []*source, wanted string) []*source {
	if wanted == "" {
		return all
	}
	wanted = strings.ToLower(wanted)
	return slices.DeleteFunc(slices.Clone(all), func(s *source) bool {
		return !strings.Contains(strings.ToLower(s.name()), wanted) && !strings.Contains(s.ID, wanted)
	})
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

// row is a repository in the list.
func (s home) row(ctx context.Context, repo *repository) (shownRepository, error) {
	coverage, err := s.store.Coverage(ctx, repo.ID)
	row := shownRepository{Name: repo.Name, URL: s.urls.repository(repo.ID), Objects: coverage.Objects, Shares: shares(coverage)}
	if repo.modified > 0 {
		row.Changed = timeOf(repo.modified)
	}
	return row, err
}

// shares are the counts that say how much the links of a repository tell.
func shares(c bridge.Coverage) []share {
	return []share{
		{"Identifier", c.CiteAs, c.Objects}, {"Files", c.Item, c.Objects}, {"Licence", c.License, c.Objects}, {"Authors", c.Author, c.Objects},
	}
}

func shareNames() (out []string) {
	for _, s := range shares(bridge.Coverage{}) {
		out = append(out, s.Name)
	}
	return out
}

// serveRepository shows one repository with some of its objects.
func (s home) serveRepository(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	shown, err := s.row(r.Context(), repo)
	if err != nil {
		return err
	}
	counts, err := s.store.Counts(r.Context(), repo.ID)
	if err != nil {
		return err
	}
	shown.page, shown.Deleted = s.page(repo.Name, nil), counts.Deleted
	shown.Signmap, shown.CDIF, shown.Mirror = s.urls.signmap(repo.ID), s.urls.cdif(repo.ID), s.urls.mirror(repo.ID)
	shown.Robots, shown.OAI, shown.Identify = s.urls.repositoryRobots(repo.ID), repo.OAIURL, oaipmh.IdentifyURL(repo.OAIURL)
	if shown.Examples, err = s.examples(r.Context(), repo); err != nil {
		return err
	}
	// The metadata of the repository's objects. CDIF, metadata publication.
	list := s.urls.listLink("describedby", s.urls.cdif(repo.ID)).Header()
	return s.servePage(w, r, "repository", shown, repo.changed(repo.modified), list)
}

// How many objects are shown, and how many are read to find them.
const (
	shownExamples = 10
	readExamples  = 100
)

// examples are the pages of some objects that are not deleted.
func (s home) examples(ctx context.Context, repo *repository) (out []shownLink, err error) {
	read := 0
	for o, err := range s.store.Objects(ctx, repo.ID, 0) {
		if err != nil {
			return nil, err
		}
		if !o.Deleted {
			out = append(out, shownLink{exampleName(o), s.urls.object(repo.ID, o.Key)})
		}
		if read++; read == readExamples || len(out) == shownExamples {
			break
		}
	}
	return out, nil
}

func exampleName(o store.Object) string { return cmp.Or(o.LandingPage.URL, o.Identifier) }

// serveFind leads to the page of the object that is asked for by a URL, by a
// persistent identifier or by its identifier in OAI-PMH.
func (s *Server) serveFind(w http.ResponseWriter, r *http.Request, _ vars) error {
	asked := strings.TrimSpace(r.URL.Query().Get("q"))
	if asked == "" || len(asked) > maxURI {
		return refusal{http.StatusBadRequest, "Ask with ?q= and a URL, a DOI or another identifier of at most 2048 bytes."}
	}
	o, err := s.Find(r.Context(), asked)
	if errors.Is(err, store.ErrNotFound) {
		return refusal{http.StatusNotFound, "No object has this URL or identifier."}
	}
	if err != nil {
		return err
	}
	seeOther(w, s.urls.object(o.Repository, o.Key))
	return nil
}

// seeOther leads to another address. RFC 9110, 15.4.4.
func seeOther(w http.ResponseWriter, target string) {
	h := w.Header()
	h.Set("Location", target)
	h.Set("Cache-Control", documentCaching)
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusSeeOther)
}

// homeQuery is the query of a page of the list.
func homeQuery(page int, name string) string {
	v := url.Values{}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if name != "" {
		v.Set("name", name)
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}
