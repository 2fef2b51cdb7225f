package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// document is an answer that can be sent many times. Once sealed it does not
// change.
type document struct {
	status    int // 0 is 200
	mediaType string
	body      []byte
	links     []string // values of the Link header, one line each
	policy    string   // Content-Security-Policy; "" if no browser shows the document
	robots    string   // X-Robots-Tag; "" if search engines may show it
	modified  time.Time
	etag      string // names its bytes; "" takes a digest of them
	caching   string // Cache-Control; "" is documentCaching

	header []field // set by sealed
}

// field is a header field with its values, as in http.Header. Answers share it:
// it is never changed.
type field struct {
	name   string
	values []string
}

// How long caches may use an answer.
const (
	documentCaching = "public, max-age=300"
	neverCached     = "no-store"
)

const (
	allowed = "GET, HEAD, OPTIONS"
	// Scripts of other sites may read these, besides those that Fetch allows.
	exposed = "Link, ETag, Content-Location, Content-Length"
	// Documents are made from other people's metadata: a browser must not run,
	// load or frame any of it.
	locked = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"
)

// common are the header fields of every answer.
var common = []field{
	{"Access-Control-Allow-Origin", []string{"*"}},
	{"Access-Control-Expose-Headers", []string{exposed}},
	{"X-Content-Type-Options", []string{"nosniff"}},
}

func setAll(h http.Header, fields []field) {
	for _, f := range fields {
		h[f.name] = f.values
	}
}

// preflight answers OPTIONS, by which browsers ask for permission. Fetch, 3.3.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowed)
	h.Set("Access-Control-Allow-Methods", allowed)
	h.Set("Access-Control-Allow-Headers", "Accept, If-None-Match, If-Modified-Since, Range, X-Fingerpost-URI")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// sealed makes the header of a document, with a strong ETag.
func (d document) sealed() *document {
	if d.etag == "" {
		sum := sha256.Sum256(d.body)
		d.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
	}
	add := func(name, value string) {
		if value != "" {
			d.header = append(d.header, field{name, []string{value}})
		}
	}
	add("Content-Type", d.mediaType)
	add("Etag", d.etag)
	add("Cache-Control", cmp.Or(d.caching, documentCaching))
	add("Content-Security-Policy", d.policy)
	add("X-Robots-Tag", d.robots)
	add("Last-Modified", d.modified.UTC().Format(http.TimeFormat))
	add("Content-Length", strconv.Itoa(len(d.body)))
	if d.links != nil {
		d.header = append(d.header, field{"Link", d.links})
	}
	return &d
}

// serve answers with d, or with 304 if the client has it. A Last-Modified in the
// future is left out: the clock was wrong then. RFC 9110, 8.8.2.1.
func (d *document) serve(w http.ResponseWriter, r *http.Request, now time.Time) {
	setAll(w.Header(), d.header)
	if d.modified.After(now) {
		delete(w.Header(), "Last-Modified")
	}
	switch {
	case d.status != 0:
		w.WriteHeader(d.status)
	case isCurrent(r, d.etag, d.modified, now):
		notModified(w)
		return
	}
	if r.Method != http.MethodHead {
		w.Write(d.body) // it fails only if the client has gone
	}
}

// notModified answers 304, without the fields about a body. RFC 9110, 15.4.5.
func notModified(w http.ResponseWriter) {
	h := w.Header()
	delete(h, "Content-Type")
	delete(h, "Content-Length")
	w.WriteHeader(http.StatusNotModified)
}

// isCurrent reports whether the client has the current document. RFC 9110,
// 13.2.2. A date in the future does not count: it comes from a wrong clock.
func isCurrent(r *http.Request, etag string, changed, now time.Time) bool {
	if tags := r.Header["If-None-Match"]; tags != nil {
		return hasTag(tags, etag)
	}
	header := r.Header.Get("If-Modified-Since")
	if header == "" {
		return false
	}
	since, err := http.ParseTime(header)
	return err == nil && !since.After(now) && !changed.Truncate(time.Second).After(since)
}

// hasTag reports whether If-None-Match names the tag, by weak comparison. Our
// tags have no comma. RFC 9110, 13.1.2.
func hasTag(headers []string, tag string) bool {
	for _, header := range headers {
		for one := range strings.SplitSeq(header, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// refusal is an error that is answered with a status and one sentence.
type refusal struct {
	status   int
	sentence string
}

func (r refusal) Error() string { return r.sentence }

// fail answers a request whose handler has returned an error: a refusal, or one
// of the store.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused refusal
	if errors.As(err, &refused) {
		s.refuse(w, r, refused.status, refused.sentence)
		return
	}
	if !errors.Is(err, context.Canceled) { // unless the client has gone
		s.Log.Error("reading the store failed: check that the database is there and that this user may read it", "path", r.URL.EscapedPath(), "error", err)
	}
	w.Header().Set("Retry-After", "30")
	s.refuse(w, r, http.StatusServiceUnavailable, "The gateway cannot read its database at the moment. Try again later.")
}

// say answers with one sentence. No part of the request may be in it.
func say(w http.ResponseWriter, status int, sentence string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", neverCached)
	h.Set("Content-Length", strconv.Itoa(len(sentence)+1))
	w.WriteHeader(status)
	w.Write([]byte(sentence + "\n"))
}
