package verify

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
)

// form is what a page with a form has besides its report.
type form struct {
	URL, Token, Sentence, Within string
}

// A Form is a page at which people verify any URL, for a listener that the public
// does not reach: it would be an open proxy. What may be reached is what the
// command reaches: the network of this machine too if a person names a host
// in it, as the page of a new repository often is, but nothing in it by a redirect
// or a link of a public page (outbound.Guard).
//
// It sends requests only if a person asks for it, not if a web page makes a
// browser do so; and for one page at a time.
type Form struct {
	version string
	client  func() *Client
	token   string        // of the form, which no other web page can read
	busy    chan struct{} // full while a page is verified
	now     func() time.Time
}

// within is how long a page may take to be verified while a person waits.
const within = time.Minute

// NewForm makes a Form. client makes the Client for each page.
func NewForm(version string, client func() *Client, now func() time.Time) *Form {
	return &Form{version: version, client: client, token: rand.Text(), busy: make(chan struct{}, 1), now: now}
}

func (f *Form) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := sheet{Version: f.version, form: form{URL: strings.TrimSpace(r.FormValue("url")), Token: f.token, Within: "a minute"}}
	status := http.StatusOK
	switch {
	case s.URL == "":
	case !f.asked(r):
		s.Sentence = "Another web page leads here. Choose Verify if you want this page to be requested."
	default:
		status = f.verify(r, &s)
	}
	s.Made = f.now()
	var b bytes.Buffer
	if err := sheets.ExecuteTemplate(&b, "page", s); err != nil { // template and data are ours
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // it fails only if the client has gone
}

// asked reports whether a person wants the request, or a program of theirs.
// Browsers say so by Sec-Fetch-Site, but only on https and to their own machine
// (Fetch Metadata, 3.2: potentially trustworthy URLs). Elsewhere the token says that
// the request comes from the form.
func (f *Form) asked(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
		return isLoopback(r.Host) || subtle.ConstantTimeCompare([]byte(r.FormValue("token")), []byte(f.token)) == 1
	}
	return false
}

// isLoopback reports whether a Host header names this machine to itself. Secure
// Contexts, 3.1.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// verify adds the report of a page, and returns the status of the answer.
func (f *Form) verify(r *http.Request, s *sheet) int {
	page, err := linkset.Anchor(s.URL)
	if err != nil {
		s.Sentence = "This is not the URL of a landing page, which begins with https:// or http://."
		return http.StatusBadRequest
	}
	select {
	case f.busy <- struct{}{}:
		defer func() { <-f.busy }()
	default:
		s.Sentence = "Another page is being verified. Try again in a minute."
		return http.StatusServiceUnavailable
	}
	c := f.client()
	c.Deadline = within
	report, err := Page(r.Context(), c, page, Options{MaxTargets: 50})
	if err == nil {
		s.Reports = []Report{report}
	}
	return http.StatusOK // if there is an error, the client has gone
}
