// Package store says what fingerpost keeps, and what whoever keeps it must
// hold to. store/storetest is this contract as a test suite.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"fingerpost/bridge"
	"fingerpost/oaipmh"
)

// ErrNotFound is returned where nothing is kept under the name given.
var ErrNotFound = errors.New("not found")

// ErrFull is returned where nothing can be kept because the disk is full.
var ErrFull = errors.New("the disk is full: make room, then start again")

// LockedError is returned by Lock while another run has the repository.
type LockedError struct {
	Repository string
	Owner      string // of the lock, in words: process, machine, since when
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("repository %s is locked by another run (%s): wait until it has ended", e.Repository, e.Owner)
}

// Repository is a harvested source and what was learnt about it.
type Repository struct {
	ID       string
	OAIURL   string
	Identify oaipmh.Identify
	Formats  []oaipmh.MetadataFormat // what it offers
	Prefixes []string                // of those that were found worth harvesting
	Offered  Offered                 // what is known of the formats that are not harvested
	Mapping  bridge.Learned          // what its records taught the mapping
	MappedBy string                  // version of the mapping that all its objects went through
	Probed   int64                   // Modified of the object up to which all URLs were asked about
	Pause    Pause                   // the zero Pause if the repository may be asked
}

// Pause says until when a repository is not asked, and why. The zero Pause is
// none.
type Pause struct {
	At     time.Time // of the answer that it goes back to
	Until  time.Time
	Reason string // a sentence
	// Refused: access was (HTTP status 403, or a bot shield). If not, a pause
	// was asked for by Retry-After.
	Refused bool
}

// Active reports whether the pause lasts at the time now. A pause from the
// future does not: the clock was wrong when it began.
func (p Pause) Active(now time.Time) bool {
	return now.Before(p.Until) && p.At.Before(now.Add(time.Hour))
}

// Offered says in which formats a repository offers every record, beside those
// that are harvested, as far as a sample of its records can tell.
type Offered struct {
	Of       []oaipmh.MetadataFormat // that the repository is asked about, by prefix
	Prefixes []string                // of those, that every record seems to be available in
	At       time.Time               // of the answers; the zero time before there are any
}

// Record is metadata as received, keyed (Repository, Identifier, Prefix).
type Record struct {
	Identifier string
	Prefix     string
	Datestamp  string // as received
	Sets       []string
	Deleted    bool
	Hash       [16]byte // of the metadata and the mapping it was mapped with
	Metadata   []byte   // a document that stands alone; nil if deleted
	// Nil metadata of a record that is not deleted leaves what Save finds
	// kept under its key: a remap changes Hash alone.
}

// Object is a mapped object, keyed (Repository, Identifier), made from all
// records held for that identifier.
type Object struct {
	ID         int64 // ascending in the order of first appearance; 0 before it is saved
	Repository string
	Identifier string // the OAI identifier
	Key        string // in URLs; KeyOf(Identifier)
	Deleted    bool
	LastMod    time.Time // newest datestamp among its records at its last change; the zero time if none could be read
	Modified   int64     // our own clock in microseconds, set by Save, strictly ascending
	Prefixes   []string  // formats in which it is held and not deleted
	Sets       []string
	bridge.Object
}

// Quarantined is a record that could not be read or mapped.
type Quarantined struct {
	Identifier string // "" if even that could not be read
	Prefix     string
	Reason     string
	Page       string // the request whose answer it came in
	Bytes      []byte // as received
	At         time.Time
}

// Probe is what a server answered when it was asked about a URL of an object.
type Probe struct {
	Asked      string    // the URL
	Identifier string    // of the object
	Due        time.Time // when to ask again; to the second
	bridge.Probe
}

// Checkpoint is how far the harvest of one list has come. It is keyed
// (Repository, Prefix, Set).
type Checkpoint struct {
	Repository string
	Prefix     string
	Set        string
	// Watermark is the responseDate from which the next incremental run
	// asks. It moves only when a list ended as the protocol says.
	Watermark time.Time
	// Under way: the list that an interrupted run left, to be resumed at
	// Token. Zero when none is.
	Token        string
	From         time.Time
	Until        time.Time
	ResponseDate time.Time // of the run's first answer
	Pages        int
	Records      int
	Pending      []Window // windows still to be asked for after this one
	// Gap is the first window of the list that could not be read, and why; ""
	// while there is none. The end of a list with a gap moves no watermark.
	Gap string
	// Remark is what is doubtful about the list although it was complete, a
	// sentence; "" if nothing is. It stands until all of the list is read again.
	Remark string
	// OAIURL is where the repository was when it was asked: how far the list
	// of another has come says nothing. "" if that was not noted yet.
	OAIURL string
}

// Window is a span of datestamps, both ends included. OAI-PMH 2.7.1.
type Window struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// State is how a run ended, or that it has not.
type State string

// The states of a run.
const (
	Running     State = "running"
	Complete    State = "complete"
	Incomplete  State = "incomplete"
	Failed      State = "failed"
	Interrupted State = "interrupted"
)

// Run is one harvest of one list. Its JSON is what `harvest --json` prints.
type Run struct {
	ID          int64     `json:"-"`
	Repository  string    `json:"repository"`
	Prefix      string    `json:"prefix"`
	Set         string    `json:"set,omitempty"`
	Sweep       bool      `json:"sweep,omitempty"` // it compared identifiers only
	State       State     `json:"state"`
	Reason      string    `json:"reason"`
	Remark      string    `json:"remark,omitempty"` // what is doubtful although it is complete, a sentence
	Records     int       `json:"records"`
	New         int       `json:"new"`
	Changed     int       `json:"changed"`
	Unchanged   int       `json:"unchanged"`
	Deleted     int       `json:"deleted"`
	Quarantined int       `json:"quarantined"`
	Pages       int       `json:"pages"`
	Requests    int       `json:"requests"`
	Retries     int       `json:"retries"` // of the requests, those for what had failed
	Repairs     int       `json:"repairs"`
	Started     time.Time `json:"started"`
	Finished    time.Time `json:"finished"`
	Listed      int       `json:"listed,omitempty"` // live records of the list, if this run has read all of it
	Closed      bool      `json:"closed,omitempty"` // the list had several pages, and its end was shown
}

// Batch is what one transaction saves: all of it or nothing.
type Batch struct {
	Records     []Record
	Objects     []Object // Save sets Repository, ID, Key, LastMod and Modified to what is kept
	Quarantined []Quarantined
	Probes      []Probe    // each in place of what is kept about its URL
	Checkpoint  Checkpoint // kept unless its Prefix is ""
	Run         *Run       // updated in the same transaction; nil leaves runs alone
}

// Digest is what a harvest compares a record with that it meets again.
type Digest struct {
	Hash    [16]byte
	Deleted bool
}

// Counts are the figures of one repository.
type Counts struct {
	Objects     int // live
	Deleted     int
	Quarantined int
}

// SignmapPage is a page of a repository's Signmap. An object stays on the
// page on which it first appeared.
type SignmapPage struct {
	Number   int // from 1
	Objects  int // live ones
	Modified int64
	LastMod  time.Time // newest of its objects
}

// Reader is what the published documents are made from. All methods return
// ErrNotFound, wrapped, where the one thing asked for is not kept.
type Reader interface {
	// Repositories returns all that are kept, by ID.
	Repositories(ctx context.Context) ([]Repository, error)
	Repository(ctx context.Context, id string) (Repository, error)
	Counts(ctx context.Context, repository string) (Counts, error)
	// Modified is the newest Object.Modified of a repository; 0 if it is empty.
	Modified(ctx context.Context, repository string) (int64, error)

	// Object finds an object by its key in URLs.
	Object(ctx context.Context, repository, key string) (Object, error)
	// ByIdentifier finds an object by its OAI identifier.
	ByIdentifier(ctx context.Context, repository, identifier string) (Object, error)
	// Find finds the object that has uri as landing page, persistent
	// identifier, alias or file, in that order of preference, of a live
	// object rather than of a deleted one, of the oldest of several. Forms of
	// uri with the same bridge.NormalURL find it too. Of all repositories, or of
	// those that are named: what is kept of others hides nothing of theirs.
	Find(ctx context.Context, uri string, in ...string) (Object, error)
	// Objects yields a repository's objects, deleted ones included, in
	// ascending ID from after on.
	Objects(ctx context.Context, repository string, after int64) iter.Seq2[Object, error]

	SignmapPages(ctx context.Context, repository string) ([]SignmapPage, error)
	// SignmapObjects yields the live objects of a page in ascending ID, those
	// with from <= ID < to.
	SignmapObjects(ctx context.Context, repository string, page int, from, to int64) iter.Seq2[Object, error]
	// Changed yields the objects, deleted ones included, with a newer
	// Modified, in ascending order of it.
	Changed(ctx context.Context, repository string, modified int64) iter.Seq2[Object, error]

	// Records returns the records kept for the identifiers, all formats, with
	// their metadata, in the order of identifiers, then of prefix.
	Records(ctx context.Context, repository string, identifiers ...string) ([]Record, error)
	// Identifiers yields those of live records in one format, or in any if
	// prefix is "", in the order of their first appearance from after on,
	// which is an identifier; "" starts at the first.
	Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error]
	// Sample returns identifiers of up to n live records, in any format, from
	// all over the order of their first appearance, in that order: all, if
	// there are no more. It may return fewer where most are deleted, and
	// returns the same while nothing changes.
	Sample(ctx context.Context, repository string, n int) ([]string, error)
	// Quarantined yields what is in quarantine, oldest first.
	Quarantined(ctx context.Context, repository string) iter.Seq2[Quarantined, error]
	// Probes returns what is kept about URLs, by URL: never a nil map.
	Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error)
	// DueProbes returns up to n that were due before a time, the longest first.
	DueProbes(ctx context.Context, repository string, before time.Time, n int) ([]Probe, error)
	// Runs returns the newest n runs of a repository, newest first.
	Runs(ctx context.Context, repository string, n int) ([]Run, error)
	// Restraints returns what hosts have asked for, by name.
	Restraints(ctx context.Context) ([]oaipmh.Restraint, error)
	// Checkpoint returns the zero Checkpoint, with its key, if none is kept.
	Checkpoint(ctx context.Context, repository, prefix, set string) (Checkpoint, error)
}

// Writer is what a harvest needs. One run per repository writes at a time.
type Writer interface {
	SaveRepository(ctx context.Context, r Repository) error
	// Digests returns those of the records that are stored in one format, by
	// identifier.
	Digests(ctx context.Context, repository, prefix string, identifiers []string) (map[string]Digest, error)
	// Save saves a batch in one transaction, and keeps nothing of its memory. A
	// record replaces the one kept under its key, and takes it out of
	// quarantine.
	//
	// An object replaces the one kept for its identifier. One that is deleted
	// keeps what it was, so that it can be cited. One that is as it was keeps
	// Modified and LastMod: a repository that stamps every record with today's
	// date does not make its objects new. An object takes its records out of
	// quarantine where they were kept and only their mapping failed; what
	// could not be read waits for a record that can, or for Release.
	//
	// What the batch quarantines goes in last, in place of an entry for the
	// same identifier and format; of nameless entries those with the same
	// bytes are one.
	Save(ctx context.Context, repository string, b Batch) error
	// Release takes out of quarantine what came in one format before a time
	// and could not be read: the whole list was read since, and it was not in
	// it. What is kept and only could not be mapped stays. It returns how
	// many entries those were.
	Release(ctx context.Context, repository, prefix string, before time.Time) (int, error)
	// SaveRun keeps a run: a new one (ID 0, which it sets) or its new state.
	SaveRun(ctx context.Context, r *Run) error
	// SaveRestraint keeps what a host asks for, in place of what it asked for
	// before.
	SaveRestraint(ctx context.Context, r oaipmh.Restraint) error
	// Lock gives one run the repository, in this process or any other, until
	// unlock is called or the process ends. It does not wait: *LockedError.
	Lock(ctx context.Context, repository string) (unlock func(), err error)
}

// Store is both, and what its owner needs.
type Store interface {
	Reader
	Writer
	// Backup writes a copy that can be opened as it is, while runs go on.
	Backup(ctx context.Context, file string) error
	Close() error
}
