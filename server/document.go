package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// document is an answer that can be given again: once sealed it is not
// changed.
type document struct {
	status    int // 0 is 200
	mediaType string
	body      []byte
	links     []string // values of the Link header, one line each
	policy    string   // Content-Security-Policy; "" where no browser shows it
	modified  time.Time
	etag      string // names its bytes; "" is a digest of them

	header []field // set by sealed
}

// field is a header with its values, as http.Header holds them. It is shared
// between answers: never changed.
type field struct {
	name   string
	values []string
}

// How long an answer may be used without asking again.
const (
	documentCaching = "public, max-age=300"
	neverCached     = "no-store"
)

const (
	allowed = "GET, HEAD, OPTIONS"
	// Scripts of other sites may read these; others are readable anyway.
	exposed = "Link, ETag, Content-Location, Content-Length"
	// What is published is made from other people's metadata: no browser
	// is to run, load or frame any of it.
	locked = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"
)

// common are the headers of every answer.
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

// preflight answers a browser that asks before it sends. Fetch, 3.3.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowed)
	h.Set("Access-Control-Allow-Methods", allowed)
	h.Set("Access-Control-Allow-Headers", "Accept, If-None-Match, If-Modified-Since, Range, X-Fingerpost-URI")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// sealed makes the headers of a document, a strong ETag among them.
func (d document) sealed() *document {
	if d.etag == "" {
		sum := sha256.Sum256(d.body)
		d.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
	}
	const most = 6 // beside Link
	d.header = make([]field, 0, most+1)
	values := make([]string, 0, most)
	add := func(name, value string) {
		if value == "" {
			return
		}
		values = append(values, value)
		d.header = append(d.header, field{name, values[len(values)-1 : len(values) : len(values)]})
	}
	add("Content-Type", d.mediaType)
	add("Etag", d.etag)
	add("Cache-Control", documentCaching)
	add("Content-Security-Policy", d.policy)
	add("Last-Modified", d.modified.UTC().Format(http.TimeFormat))
	add("Content-Length", strconv.Itoa(len(d.body)))
	if d.links != nil {
		d.header = append(d.header, field{"Link", d.links})
	}
	return &d
}

// serve answers with d, or with 304 where the client has it. A time in the
// future is not sent, whatever the clock said when d was modified: RFC 9110,
// 8.8.2.1.
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
		w.Write(d.body) // if the client has gone, there is nobody to tell
	}
}

// notModified answers 304, without what describes a body. RFC 9110, 15.4.5.
func notModified(w http.ResponseWriter) {
	h := w.Header()
	delete(h, "Content-Type")
	delete(h, "Content-Length")
	w.WriteHeader(http.StatusNotModified)
}

// isCurrent reports whether the client has what would be sent. RFC 9110, 13.2.2.
// A date in the future says nothing: a clock was wrong when it was made.
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

// hasTag reports whether If-None-Match has the tag, compared weakly. None of
// our tags has a comma. RFC 9110, 13.1.2.
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

// refusal is an answer of one sentence, as an error.
type refusal struct {
	status   int
	sentence string
}

func (r refusal) Error() string { return r.sentence }

// fail answers for a handler that could not: with a refusal, or for a store
// that could not be read.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused refusal
	if errors.As(err, &refused) {
		say(w, refused.status, refused.sentence)
		return
	}
	if !errors.Is(err, context.Canceled) { // the client has gone: not worth a line
		s.Log.Error("reading the store failed; is the database file still there and readable?", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Retry-After", "30")
	say(w, http.StatusServiceUnavailable, "The gateway cannot read its database at the moment. Try again later.")
}

// say answers with one sentence. Nothing of the request is in it.
func say(w http.ResponseWriter, status int, sentence string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", neverCached)
	h.Set("Content-Length", strconv.Itoa(len(sentence)+1))
	w.WriteHeader(status)
	w.Write([]byte(sentence + "\n"))
}
