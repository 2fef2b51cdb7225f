package dashboard

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

// How many runs the history shows: of one repository, of each of several, and
// in all.
const (
	historyOfOne  = 200
	historyOfEach = 20
	historyInAll  = 100
)

//go:embed pages.html
var pagesHTML string

// pages encode all values; text is for what strangers wrote.
var pages = template.Must(template.New("").Funcs(look.Funcs).Funcs(template.FuncMap{
	"took": took, "span": span,
	"runWords": runWords, "runTone": runTone, "listName": listName, "column": column, "age": age,
}).Parse(pagesHTML))

// column is the name of a column of bridge.Coverage in plain words.
func column(name string) string {
	switch name {
	case "landing_page":
		return "landing page"
	case "item":
		return "files (item)"
	case "item_type":
		return "media type of every file, where there are files"
	case "type":
		return "specific type"
	}
	return strings.ReplaceAll(name, "_", "-")
}

// age is how long ago t was.
func age(now, t time.Time) string { return span(now.Sub(t)) }

// page has the data of every page.
type page struct {
	Title   string
	Refresh int    // seconds after which the page reloads itself; 0 for never
	One     string // the one repository that it is about; "" for several
	Part    part   // of the repositories
	Version string
	Now     time.Time
	Data    any
}

// maxShown is how many repositories a page shows.
const maxShown = 50

// part says which of the repositories a page shows, counted from 1.
type part struct{ From, To, Of int }

// Earlier and Later are where the parts before and after begin; 0 if there is
// none.
func (p part) Earlier() int {
	if p.From <= 1 {
		return 0
	}
	return max(p.From-maxShown, 1)
}

func (p part) Later() int {
	if p.To >= p.Of {
		return 0
	}
	return p.To + 1
}

func (d *Dashboard) serveOverview(w http.ResponseWriter, r *http.Request) {
	all, p, ok := d.chosen(w, r)
	if ok {
		p.Title, p.Data = "Repositories", all
		d.render(w, "overview", p)
	}
}

// serveRunning shows the runs under way, and reloads itself.
func (d *Dashboard) serveRunning(w http.ResponseWriter, r *http.Request) {
	all, err := d.underWay(r.Context())
	if err != nil {
		d.unavailable(w, r, err)
		return
	}
	d.render(w, "running", page{Title: "Running", Refresh: 5, Data: all})
}

// serveHistory shows runs, newest first.
func (d *Dashboard) serveHistory(w http.ResponseWriter, r *http.Request) {
	chosen, p, ok := d.chosen(w, r)
	if !ok {
		return
	}
	n := historyOfEach
	if p.One != "" {
		n = historyOfOne
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	var runs []store.Run
	for _, s := range chosen {
		more, err := d.runs(ctx, s.ID, n)
		if err != nil {
			d.unavailable(w, r, err)
			return
		}
		runs = append(runs, more...)
	}
	slices.SortStableFunc(runs, func(a, b store.Run) int { return b.Started.Compare(a.Started) })
	p.Title, p.Data = "History", runs[:min(len(runs), historyInAll)]
	d.render(w, "history", p)
}

func (d *Dashboard) serveQuarantine(w http.ResponseWriter, r *http.Request) {
	chosen, p, ok := d.chosen(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	var all []quarantine
	for _, s := range chosen {
		if s.Status.Quarantined == 0 {
			continue
		}
		one, err := d.quarantine(ctx, s)
		if err != nil {
			d.unavailable(w, r, err)
			return
		}
		all = append(all, one)
	}
	p.Title, p.Data = "Quarantine", all
	d.render(w, "quarantine", p)
}

// covered is a repository on the coverage page.
type covered struct {
	summary
	bridge.Coverage
}

// counted is a row of the coverage page.
type counted struct {
	Name      string
	Count, Of int
}

// Shares are the counts, each with the number of objects that it is a share of.
// That of media types is left out if no object has files.
func (c covered) Shares() (out []counted) {
	for i, name := range bridge.CoverageColumns() {
		if of := c.Of(name); of > 0 {
			out = append(out, counted{name, c.Counts()[i], of})
		}
	}
	return out
}

// serveCoverage shows how many objects have each link.
func (d *Dashboard) serveCoverage(w http.ResponseWriter, r *http.Request) {
	chosen, p, ok := d.chosen(w, r)
	if !ok {
		return
	}
	var all []covered
	for _, s := range chosen {
		c, err := d.store.Coverage(r.Context(), s.ID)
		if err != nil {
			d.unavailable(w, r, err)
			return
		}
		all = append(all, covered{s, c})
	}
	p.Title, p.Data = "Coverage", all
	d.render(w, "coverage", p)
}

// serveStatus is the overview for programs.
func (d *Dashboard) serveStatus(w http.ResponseWriter, r *http.Request) {
	all, err := d.summaries(r.Context(), d.Repositories)
	if err != nil {
		d.unavailable(w, r, err)
		return
	}
	statuses := make([]Status, 0, len(all))
	for _, s := range all {
		statuses = append(statuses, s.Status)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(statuses) // an error means that the client has gone
}

// chosen returns the repositories of a request: the one in ?repository=, or a part
// of all, which begins at ?from=. If it returns false, it has answered.
func (d *Dashboard) chosen(w http.ResponseWriter, r *http.Request) (chosen []summary, p page, ok bool) {
	var repositories []Repository
	if p.One = r.FormValue("repository"); p.One != "" {
		one, configured := d.byID[p.One]
		if !configured {
			http.Error(w, "There is no such repository.", http.StatusNotFound)
			return nil, page{}, false
		}
		repositories = []Repository{one}
	} else {
		n := len(d.Repositories)
		from, _ := strconv.Atoi(r.FormValue("from")) // 0 if it is no number
		from = max(min(from, n), 1)
		p.Part = part{From: from, To: min(from+maxShown-1, n), Of: n}
		repositories = d.Repositories[min(from-1, n):p.Part.To]
	}
	chosen, err := d.summaries(r.Context(), repositories)
	if err != nil {
		d.unavailable(w, r, err)
		return nil, page{}, false
	}
	return chosen, p, true
}

func (d *Dashboard) render(w http.ResponseWriter, name string, p page) {
	p.Version, p.Now = d.Version, d.Now()
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, p); err != nil { // template and data are ours
		d.Log.Error("rendering a page failed", "page", name, "error", err)
		http.Error(w, "The page could not be made; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes())
}

// unavailable answers if the store could not be read.
func (d *Dashboard) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil { // else the client has gone
		d.Log.Error("reading the store failed; is the database file still there and readable?", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Retry-After", "30")
	http.Error(w, "The database cannot be read at the moment; the log says why.", http.StatusServiceUnavailable)
}
