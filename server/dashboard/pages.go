package dashboard

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"fingerpost/server/look"
)

//go:embed pages.html
var pagesHTML string

// pages encode all values; text is for what strangers wrote.
var pages = template.Must(template.New("").Funcs(look.Funcs).Funcs(template.FuncMap{
	"column": columnName, "count": count, "outcomes": outcomes, "efforts": efforts, "prose": prose, "short": short, "medium": medium, "span": span, "listName": listName, "runWords": runWords, "runTone": runTone, "took": took,
}).Parse(pagesHTML))

// page has the data of every page.
type page struct {
	Title   string
	Up      *Repository // that the page is below
	Reload  bool        // without its script the page reloads itself
	Version string
	Now     time.Time
	Data    any
}

// patience is how long reading the store may take.
const patience = 20 * time.Second

// show answers with a page made of what read returns.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, name string, p *page, read func(ctx context.Context) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	var err error
	if p.Data, err = read(ctx); err != nil {
		d.unavailable(w, r, err)
		return
	}
	d.render(w, http.StatusOK, name, *p)
}

func (d *Dashboard) render(w http.ResponseWriter, status int, name string, p page) {
	p.Version, p.Now = d.Version, d.Now()
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, p); err != nil { // template and data are ours
		d.Log.Error("rendering a page failed", "page", name, "error", err)
		http.Error(w, "The page could not be made; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // it fails only if the client has gone
}

// refuse answers with one sentence.
func (d *Dashboard) refuse(w http.ResponseWriter, status int, sentence string) {
	d.render(w, status, "refusal", page{Title: http.StatusText(status), Data: sentence})
}

// unavailable answers if the store could not be read.
func (d *Dashboard) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil { // else the client has gone
		d.Log.Error("reading the store failed; is the database file still there and readable?", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Retry-After", "30")
	d.refuse(w, http.StatusServiceUnavailable, "The database cannot be read at the moment; the log says why.")
}
