// Package oaitest is a fake OAI-PMH 2.0 repository: an http.Handler that
// serves generated, given or recorded records with paging, selective
// harvesting, sets and deleted records, and misbehaves on demand in the ways
// that real servers do.
package oaitest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"fingerpost/oaipmh"
)

// Options say what kind of repository it is. The zero value is ready for use.
type Options struct {
	Name          string               // Default: "Example Repository".
	BaseURL       string               // That Identify prints. Default: where the request came to.
	PageSize      int                  // Default: 100.
	Granularity   oaipmh.Granularity   // Default: Second.
	DeletedRecord oaipmh.DeletedRecord // Default: Persistent.
	NoListSize    bool                 // No completeListSize and no cursor.
	Gzip          bool                 // Compress where that is accepted.
	Now           func() time.Time     // Default: time.Now.

	Site     string // Of generated records. Default: "https://repository.example.org".
	Platform string // Whose habits generated records have: "eprints" (default) or "dspace".
	Bare     bool   // Generated records of EPrints name no more than their landing page, which Pages have the rest of.
}

func (o Options) withDefaults() Options {
	set := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	set(&o.Name, "Example Repository")
	set(&o.Site, "https://repository.example.org")
	set(&o.Platform, "eprints")
	set((*string)(&o.Granularity), string(oaipmh.Second))
	set((*string)(&o.DeletedRecord), string(oaipmh.Persistent))
	if o.PageSize <= 0 {
		o.PageSize = 100
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Repository is a fake repository. It may be changed while it is served.
type Repository struct {
	contents

	mu       sync.Mutex
	faults   []*Fault
	requests []string
}

// contents are what a repository has. They answer requests.
type contents struct {
	Options
	records    source
	recorded   *recording // instead of records
	generation int        // of resumptionTokens: expiry ends those of earlier ones
	sizes      map[query]int
}

// New returns a repository of the records given.
func New(o Options, records ...Record) *Repository {
	return newRepository(o, newStored(records))
}

// Generated returns a repository of n records, each in oai_dc and DataCite,
// made up deterministically when they are asked for.
func Generated(n int, o Options) *Repository {
	o = o.withDefaults()
	return newRepository(o, newGenerated(n, o))
}

func newRepository(o Options, s source) *Repository {
	return &Repository{contents: contents{Options: o.withDefaults(), records: s, sizes: map[query]int{}}}
}

// Put adds a record, or replaces the one with its identifier. Its datestamp is
// now, unless it has one.
func (r *Repository) Put(rec Record) {
	if rec.Datestamp == "" {
		rec.Datestamp = r.Granularity.Format(r.Now())
	}
	r.change(func(s *stored) { s.put(rec) })
}

// Delete turns the record into a tombstone with the datestamp now.
func (r *Repository) Delete(identifier string) {
	r.change(func(s *stored) {
		if i, ok := s.find(identifier); ok {
			rec := s.list[i]
			rec.Deleted = true
			rec.Datestamp = r.Granularity.Format(r.Now())
			s.put(rec)
		}
	})
}

// Vanish takes the record away without a trace.
func (r *Repository) Vanish(identifier string) {
	r.change(func(s *stored) { s.remove(identifier) })
}

func (r *Repository) change(f func(*stored)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := materialise(r.records)
	f(s)
	r.records = s
	clear(r.sizes)
}

// Identifiers are those of all records, tombstones included, in the order of
// their datestamps.
func (r *Repository) Identifiers() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]string, r.records.len())
	for i := range ids {
		ids[i] = r.records.header(i).Identifier
	}
	return ids
}

// Requests are the queries that came in, in order.
func (r *Repository) Requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Forget empties the list that Requests returns.
func (r *Repository) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

func (r *Repository) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	req.Body = http.MaxBytesReader(w, req.Body, 1<<20)
	if err := req.ParseForm(); err != nil {
		http.Error(w, "the query cannot be read", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, req.Form.Encode())
	a := r.answer(req.Form)
	fault := r.strike(req.Form, &a)
	r.mu.Unlock()
	if fault != nil && fault.before(w, req) {
		return
	}
	r.write(w, req, a, fault)
}

// protocolError is an error of the protocol in the making.
func protocolError(code oaipmh.Code, format string, args ...any) answer {
	return answer{err: &oaipmh.Error{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// answer answers a request, before any fault.
func (r *contents) answer(form url.Values) answer {
	verb := form.Get("verb")
	takes, ok := oaipmh.Verbs[verb]
	if !ok || len(form["verb"]) > 1 {
		return protocolError(oaipmh.BadVerb, "%q is not a verb", verb)
	}
	resumed := form.Has("resumptionToken")
	for key, values := range form {
		if !takes.Takes(key) || len(values) > 1 || resumed && key != "verb" && key != "resumptionToken" {
			return protocolError(oaipmh.BadArgument, "%s does not take %s so", verb, key)
		}
	}
	for _, key := range takes.Required {
		if !resumed && form.Get(key) == "" {
			return protocolError(oaipmh.BadArgument, "%s needs %s", verb, key)
		}
	}
	switch verb {
	case "Identify":
		return answer{body: r.identify}
	case "ListMetadataFormats":
		return r.listFormats(form.Get("identifier"))
	case "ListSets":
		return r.listSets()
	case "GetRecord":
		return r.getRecord(form.Get("identifier"), form.Get("metadataPrefix"))
	}
	return r.list(form)
}
