package engine

import "math"

// Columns says which columns of objects to read beside ID and Identifier.
type Columns uint8

// The columns. Both together are all.
const (
	Published Columns = 1 << iota // those from State to Value
	Records
)

// State is what an object is.
type State int64

// The states of an object.
const (
	Unmapped State = iota // there are records, but they could not be mapped
	Live
	Deleted
)

// Object is an identifier with its records and the object made of them.
type Object struct {
	ID         int64
	Key        int64 // a hash of Identifier; it is not read
	Identifier string

	State    State
	LastMod  int64 // in seconds since 1970
	Modified int64 // in microseconds since 1970
	Page     int64 // of the Signmap; 0 while it was never live
	Weight   int64 // on that page, in bytes
	Links    int64 // which kinds of links it has: a bit each
	Prefixes []byte
	Sets     []byte
	Value    []byte

	Records []byte
}

// Order is a column by which objects are read.
type Order uint8

// The orders of a Span.
const (
	ByID Order = iota
	ByModified
)

// Span says which objects are read: up to Limit of those behind After, in
// ascending Order.
type Span struct {
	Order Order
	After int64
	Page  int64 // of the Signmap, whose live objects are read; 0 for any
	Among int64 // with Page: of these bits of Links the objects have exactly those in Has
	Has   int64
	Limit int
}

// Start is less than any ID: what comes behind it is everything.
const Start = math.MinInt64

// Found is an object that a URL finds, with the columns of Published.
type Found struct {
	Repository string
	Rank       int64 // of URL
	Object
}

// Location says that a repository has an object with a key.
type Location struct {
	Key        int64
	Repository string
}

// URL is a URL that finds an object.
type URL struct {
	Hash   int64 // of its normal form
	Rank   int64 // of those with the same Hash, the lowest comes first
	Object int64
}

// Block is packed metadata of several records. Its bytes are stored apart, so
// that a new Live does not rewrite them.
type Block struct {
	ID   int64
	Size int64 // of the metadata in it
	Live int64 // the part of Size that still belongs to records
}

// Word is a text that rows name by its number.
type Word struct {
	ID   int64
	Text string
}

// Links is how many kinds of links are counted.
const Links = 7

// Page is a page of a Signmap. Page 0 counts the objects that were never live.
type Page struct {
	Number   int64
	Objects  int64 // live
	Deleted  int64
	Weight   int64 // of the live ones
	Modified int64
	LastMod  int64        // in seconds since 1970
	Linked   [Links]int64 // of the live ones, those with each kind of link
}

// Bad is an entry of the quarantine.
type Bad struct {
	ID         int64 // ascending; given by the engine
	Hash       int64 // of Identifier, or of Bytes where there is none
	Identifier string
	Prefix     string
	Stored     bool // its record is stored, and only mapping it failed
	Reason     string
	Page       string
	Bytes      []byte
	At         int64 // in microseconds since 1970
}

// Probe is what was answered about a URL of an object.
type Probe struct {
	Hash       int64 // of the URL
	Object     int64
	Identifier string // of the object; it is not written
	Due        int64  // in seconds since 1970
	Value      []byte
}

// Kind is a kind of documents.
type Kind int64

// The kinds of documents. Their numbers are in databases.
const (
	Repository Kind = iota + 1 // of all repositories, like Restraint
	Restraint
	Checkpoint
	Run
	Pages
	Brief // of all repositories, like Formats
	Formats
	Unfinished
)

// Global reports whether documents of a kind belong to no repository.
func (k Kind) Global() bool { return k == Repository || k == Restraint || k == Brief || k == Formats }

// Document is a small JSON text with a name.
type Document struct {
	Name  string
	Value []byte
}

// Clock says when a repository changed.
type Clock struct {
	Repository string
	Modified   int64 // the newest Object.Modified; 0 if there is none
	Version    int64 // how often its document was put; 0 if there is none
}

// Totals are figures of a repository.
type Totals struct {
	Objects, Deleted, Quarantined int64
	First, Last                   int64        // IDs of objects; 0 if there is none
	Linked                        [Links]int64 // as those of the Pages
}

// Head is the state of a repository when a transaction begins.
type Head struct {
	NextID, NextWord, NextBlock int64
	LastBlock                   Block  // the zero Block if there is none
	LastPage                    Page   // the zero Page if there is none
	Repository                  []byte // its document; nil if there is none
	Clock                       int64  // the newest Object.Modified
	Quarantine                  bool   // there is an entry in it
}
