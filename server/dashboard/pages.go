package dashboard

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// How many runs the history shows: of one repository, of each of several, and
// in all.
const (
	historyOfOne  = 200
	historyOfEach = 20
	historyInAll  = 500
)

//go:embed pages.html
var pagesHTML string

//go:embed style.css
var style []byte

// pages encode all that comes from elsewhere; text is for what strangers
// wrote.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"text": text, "when": when, "number": number, "share": share, "took": took, "span": span,
	"runWords": runWords, "runTone": runTone, "listName": listName, "column": column, "age": age,
}).Parse(pagesHTML))

// column is the name of a column of bridge.Coverage for people.
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

// page is what every page is made from.
type page struct {
	Title   string
	Refresh int    // seconds after which the page asks for itself again; 0 for never
	One     string // the one repository that it is about; "" for all
	Version string
	Now     time.Time
	Said    any
}

func (d *Dashboard) serveOverview(w http.ResponseWriter, r *http.Request) {
	all, err := d.survey(r.Context())
	if err != nil {
		d.unavailable(w, r, err)
		return
	}
	d.render(w, "overview", page{Title: "Repositories", Said: all})
}

// serveRunning shows the runs under way, and keeps itself up to date.
func (d *Dashboard) serveRunning(w http.ResponseWriter, r *http.Request) {
	all, err := d.survey(r.Context())
	if err != nil {
		d.unavailable(w, r, err)
		return
	}
	d.render(w, "running", page{Title: "Running", Refresh: 5, Said: d.under(all)})
}

// serveHistory shows runs, newest first.
func (d *Dashboard) serveHistory(w http.ResponseWriter, r *http.Request) {
	chosen, one, ok := d.chosen(w, r)
	if !ok {
		return
	}
	n := historyOfEach
	if one != "" {
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
	d.render(w, "history", page{Title: "History", One: one, Said: runs[:min(len(runs), historyInAll)]})
}

func (d *Dashboard) serveQuarantine(w http.ResponseWriter, r *http.Request) {
	chosen, one, ok := d.chosen(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	var wards []ward
	for _, s := range chosen {
		if s.Status.Quarantined == 0 {
			continue
		}
		more, err := d.ward(ctx, s)
		if err != nil {
			d.unavailable(w, r, err)
			return
		}
		wards = append(wards, more)
	}
	d.render(w, "quarantine", page{Title: "Quarantine", One: one, Said: wards})
}

// covered is what the coverage page says of a repository.
type covered struct {
	standing
	count
	Ready   bool // there is a count
	Stale   bool // the repository has changed since
	TooLong bool
	Failed  bool
}

// counted is a row of the coverage page.
type counted struct {
	Name      string
	Count, Of int
}

// Shares are the counts, each of the objects that it is a share of. Where no
// object has files there is none of their media types.
func (c covered) Shares() (out []counted) {
	for i, name := range bridge.CoverageColumns() {
		if of := c.Of(name); of > 0 {
			out = append(out, counted{name, c.Counts()[i], of})
		}
	}
	return out
}

// Pending tells whether the repository is being counted or waits for it.
func (c covered) Pending() bool { return c.pending }

// serveCoverage shows what was counted and asks for what was not. It comes
// again by itself until everything has been.
func (d *Dashboard) serveCoverage(w http.ResponseWriter, r *http.Request) {
	chosen, one, ok := d.chosen(w, r)
	if !ok {
		return
	}
	p := page{Title: "Coverage", One: one}
	var all []covered
	for _, s := range chosen {
		modified, err := d.store.Modified(r.Context(), s.ID)
		if err != nil {
			d.unavailable(w, r, err)
			return
		}
		c := covered{standing: s, count: d.coverage.want(s.ID, modified, d.Now())}
		c.Ready, c.Stale = c.modified >= 0, c.modified != modified
		c.TooLong, c.Failed = errors.Is(c.err, errTooLong), c.err != nil
		if c.pending {
			p.Refresh = 5
		}
		all = append(all, c)
	}
	p.Said = all
	d.render(w, "coverage", p)
}

// serveStatus is the overview for programs.
func (d *Dashboard) serveStatus(w http.ResponseWriter, r *http.Request) {
	all, err := d.survey(r.Context())
	if err != nil {
		d.unavailable(w, r, err)
		return
	}
	said := make([]Status, 0, len(all))
	for _, s := range all {
		said = append(said, s.Status)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(said) // if the client has gone, there is nobody to tell
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Write(style)
}

// chosen are the repositories that a request is about: the one under
// ?repository=, or all. It has answered if it returns false.
func (d *Dashboard) chosen(w http.ResponseWriter, r *http.Request) (all []standing, one string, ok bool) {
	one = r.URL.Query().Get("repository")
	if _, known := d.known[one]; one != "" && !known {
		http.Error(w, "There is no such repository.", http.StatusNotFound)
		return nil, "", false
	}
	all, err := d.survey(r.Context())
	if err != nil {
		d.unavailable(w, r, err)
		return nil, "", false
	}
	if one != "" {
		i := slices.IndexFunc(all, func(s standing) bool { return s.ID == one })
		all = all[i : i+1]
	}
	return all, one, true
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

// unavailable answers for a store that could not be read.
func (d *Dashboard) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil { // else the client has gone: not worth a line
		d.Log.Error("reading the store failed; is the database file still there and readable?", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Retry-After", "30")
	http.Error(w, "The database cannot be read at the moment; the log says why.", http.StatusServiceUnavailable)
}
