// Package provider speaks the Open Archives Initiative Protocol for Metadata
// Harvesting 2.0 as a repository does: it serves again what was harvested, in
// every format, byte for byte.
//
// A request is read and checked (request), answered from the store (list,
// record, formats, sets, identify) and sent (answer). There is no state between
// two requests: a resumptionToken says where its list goes on (token).
package provider

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// Store is what is served. Where a repository has nothing, its methods return
// nothing, or store.ErrNotFound, wrapped.
type Store interface {
	Counts(ctx context.Context, repository string) (store.Counts, error)
	// ListRecords returns the first records of a list, by Modified.
	ListRecords(ctx context.Context, repository string, l store.List) (store.Listing, error)
	// OfIdentifier returns the records of an identifier, all formats, by prefix.
	OfIdentifier(ctx context.Context, repository, identifier string) ([]store.Listed, error)
	// Formats returns those of some prefixes in which a repository has records.
	Formats(ctx context.Context, repository string, prefixes ...string) ([]string, error)
	// Words returns up to n prefixes and setSpecs behind an ID, by ID.
	Words(ctx context.Context, repository string, after int64, n int) ([]store.Word, error)
}

// Source is a repository that was harvested.
type Source struct {
	ID           string                  // the store's name for it; a setSpec
	Name         string                  // for people
	BaseURL      string                  // of its OAI-PMH interface
	Formats      []oaipmh.MetadataFormat // that it offers
	Prefixes     []string                // of those that are harvested; none: perhaps all
	Descriptions []string                // of its Identify
	Modified     int64                   // the newest Object.Modified, perhaps a moment ago
}

// Mirror is what is served at one address.
type Mirror struct {
	BaseURL string // the address
	Name    string
	Sources []Source // by ID
	// Union says that every source is a set, with its own sets below it.
	Union bool
	// Having returns the IDs of the sources that may have an identifier, the
	// preferred first.
	Having func(ctx context.Context, identifier string) ([]string, error)
}

// Provider answers requests.
type Provider struct {
	Store   Store
	Contact string // mail address or URL of the people who run the gateway; "" if none is given
	Log     *slog.Logger
	Now     func() time.Time
	turns   chan struct{} // of requests that read the store
	answers chan struct{} // that are in memory until they are sent
}

// Bounds of what one request may cost.
const (
	// atOnce is how many requests read the store at the same time: what else
	// the gateway answers must not wait for harvesters.
	atOnce = 2
	// inMemory is how many answers wait for clients that read slowly, and
	// longestSending how long a client may take.
	inMemory       = 16
	longestSending = 2 * time.Minute
	// longestWait is how long a request waits for its turn, and retryAfter is when
	// a harvester that waited in vain should come back, in seconds.
	longestWait = 10 * time.Second
	retryAfter  = "30"
	// A page of a list has pageRecords, or fewer if they are large, or
	// pageHeaders, or pageSets. A block of metadata is unpacked once a page: on
	// a small page most of it would be for nothing.
	pageRecords = 500
	pageBytes   = 4 << 20
	pageHeaders = 1000
	pageSets    = 1000
)

// New returns a Provider.
func New(from Store, contact string, log *slog.Logger, now func() time.Time) *Provider {
	return &Provider{Store: from, Contact: contact, Log: log, Now: now, turns: make(chan struct{}, atOnce), answers: make(chan struct{}, inMemory)}
}

// Serve answers a request by GET, HEAD or POST. Its error is one of the store.
func (p *Provider) Serve(w http.ResponseWriter, r *http.Request, m Mirror) error {
	q := &query{Provider: p, mirror: m, ctx: r.Context()}
	args, refused := readArguments(w, r)
	if refused == nil {
		q.args = args
		refused = q.check()
	}
	sent, ok := turn(r.Context(), p.answers)
	if !ok {
		overloaded(w)
		return nil
	}
	defer sent()
	read, ok := turn(r.Context(), p.turns)
	if !ok {
		overloaded(w)
		return nil
	}
	body, err := q.answer(refused)
	read()
	if err != nil {
		return err
	}
	// It fails only where there is no connection, as in tests.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestSending))
	send(w, r, body)
	return nil
}

// turn waits for a place among those that do something at the same time, until done
// is called. It is false if that takes too long.
func turn(ctx context.Context, places chan struct{}) (done func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	select {
	case places <- struct{}{}:
		return func() { <-places }, true
	case <-ctx.Done():
		return nil, false
	}
}

// query is a request that is answered.
type query struct {
	*Provider
	mirror Mirror
	ctx    context.Context
	args   arguments

	formats []oaipmh.MetadataFormat // of all sources; nil before they are asked for
	embed   embedder
}

// source returns one of the sources; nil if there is none with the ID.
func (m *Mirror) source(id string) *Source {
	i, ok := slices.BinarySearchFunc(m.Sources, id, func(s Source, id string) int { return strings.Compare(s.ID, id) })
	if !ok {
		return nil
	}
	return &m.Sources[i]
}

// settling is how long a transaction may take. A record is stamped with the time
// by which the transaction that saved it has ended for certain, so that a list
// from the responseDate of an earlier one has all that this did not have: a
// transaction takes its clock when it begins, and is seen when it has ended.
const settling = time.Minute

// stampOf is the datestamp of what was modified at a time of our own clock.
func stampOf(modified int64) time.Time {
	return time.UnixMicro(modified).UTC().Add(settling).Truncate(time.Second)
}

// modifiedAt is the first time of our own clock with a datestamp.
func modifiedAt(stamp time.Time) int64 { return stamp.Add(-settling).UnixMicro() }
