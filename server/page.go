package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"fingerpost/bridge/identifier"
	"fingerpost/server/look"
)

const pageType = "text/html; charset=utf-8"

//go:embed home.html
var pagesHTML string

// pages for people. html/template encodes all that comes from elsewhere.
var pages = template.Must(template.New("").Funcs(look.Funcs).Parse(pagesHTML))

// page is what every page for people has.
type page struct {
	Title            string
	Style, Script    string
	Home             string // "" on the list of repositories
	Up               *shownLink
	Find             string
	Data             template.HTML // JSON-LD in its element
	Version, Contact string
}

func (s *parts) page(title string, up *shownLink) page {
	return page{
		Title: title, Style: s.urls.style(), Script: s.urls.script(), Home: s.urls.home(1, ""), Up: up, Find: s.urls.find(), Version: s.Version, Contact: s.Contact,
	}
}

// rendered is a page as a document.
func (s *parts) rendered(name string, shown any, changed time.Time) document {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, shown); err != nil { // template and data are ours
		s.Log.Error("rendering a page failed", "page", name, "error", err)
	}
	return document{mediaType: pageType, body: b.Bytes(), links: []string{s.urls.catalogLink()}, policy: look.Policy, modified: changed}
}

func (s *parts) servePage(w http.ResponseWriter, r *http.Request, name string, shown any, changed time.Time, links ...string) error {
	d := s.rendered(name, shown, changed)
	d.links = append(d.links, links...)
	d.sealed().serve(w, r, s.Now())
	return nil
}

// asset makes a handler of one that answers every request the same.
func asset(serve func(http.ResponseWriter)) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ vars) error {
		serve(w)
		return nil
	}
}

// wantsPage reports whether a client asks for a page for people: browsers name
// the media type.
func wantsPage(r *http.Request) bool {
	_, specificity := quality(r.Header.Get("Accept"), "text", "html")
	return specificity == exact
}

// problem is an answer for a machine that something is wrong. RFC 9457, 3.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// refuse answers with a status and one sentence, as a page to people and as JSON
// to machines. No part of the request may be in it.
func (s *parts) refuse(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	var body []byte
	h := w.Header()
	if wantsPage(r) {
		shown := struct {
			page
			Sentence string
		}{s.page(http.StatusText(status), nil), sentence}
		d := s.rendered("refusal", shown, time.Time{})
		body = d.body
		h.Set("Content-Security-Policy", d.policy)
		h.Set("Content-Type", d.mediaType)
	} else {
		body, _ = json.Marshal(problem{http.StatusText(status), status, sentence}) // texts always have JSON
		body = append(body, '\n')
		h.Set("Content-Type", "application/problem+json")
	}
	h.Set("Cache-Control", neverCached)
	h.Set("Vary", "Accept")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // it fails only if the client has gone
	}
}

// canonical is the URL of an identifier, or what was asked for.
func canonical(asked string) string {
	if id, ok := identifier.Parse(asked); ok && id.URI != "" {
		return id.URI
	}
	return asked
}
