package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// document is an answer that can be given again: it is not changed once made.
type document struct {
	status    int // 0 is 200
	mediaType string
	body      []byte
	links     []string // values of the Link header, one line each
	location  string   // Content-Location, of a negotiated answer
	vary      string
	cache     string // Cache-Control; "" is documentCaching
	modified  time.Time
	etag      string      // set by sealed
	of        *repository // what it was made from; nil if from none
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
	policy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"
)

// Header values that every answer carries. They are shared: never changed.
var (
	anyOrigin     = []string{"*"}
	exposedValue  = []string{exposed}
	noSniff       = []string{"nosniff"}
	policyValue   = []string{policy}
	referrerValue = []string{"no-referrer"}
)

func commonHeader(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposedValue
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = policyValue
	h["Referrer-Policy"] = referrerValue
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

// sealed gives a document its strong ETag: a digest of its bytes.
func (d document) sealed() *document {
	sum := sha256.Sum256(d.body)
	d.etag = `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
	return &d
}

// serve answers with d, or with 304 where the client has it.
func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.mediaType)
	h.Set("Etag", d.etag)
	caching := d.cache
	if caching == "" {
		caching = documentCaching
	}
	h.Set("Cache-Control", caching)
	if d.links != nil {
		h["Link"] = d.links
	}
	if d.location != "" {
		h.Set("Content-Location", d.location)
	}
	if d.vary != "" {
		h.Set("Vary", d.vary)
	}
	if d.status == 0 {
		http.ServeContent(w, r, "", d.modified, bytes.NewReader(d.body))
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(d.body)))
	w.WriteHeader(d.status)
	w.Write(d.body)
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

func plain(status int, sentence string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, status, sentence) })
}

// unavailable answers for a store that could not be read.
func (s *Server) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, context.Canceled) { // the client has gone: not worth a line
		s.Log.Error("reading the store failed; is the database file still there and readable?", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Retry-After", "30")
	say(w, http.StatusServiceUnavailable, "The gateway cannot read its database at the moment. Try again later.")
}
