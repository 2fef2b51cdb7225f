// Package oaipmh speaks the Open Archives Initiative Protocol for Metadata
// Harvesting 2.0 as a harvester does: requests, responses, lists, datestamps,
// errors, and the misbehaviour of servers. It has nothing to do with links,
// databases or configuration.
package oaipmh

import (
	"fmt"
	"time"
)

// Granularity is the precision of a repository's datestamps. OAI-PMH 3.3.
type Granularity string

// The two granularities that OAI-PMH 2.0 allows.
const (
	Day    Granularity = "YYYY-MM-DD"
	Second Granularity = "YYYY-MM-DDThh:mm:ssZ"
)

// DeletedRecord says how a repository treats deletions. OAI-PMH 2.5.1.
type DeletedRecord string

// The three levels of support for deleted records.
const (
	No         DeletedRecord = "no"
	Transient  DeletedRecord = "transient"
	Persistent DeletedRecord = "persistent"
)

// Identify is the answer to the Identify verb. OAI-PMH 4.2.
type Identify struct {
	RepositoryName    string
	BaseURL           string // as the repository prints it; advisory only
	ProtocolVersion   string
	AdminEmails       []string
	EarliestDatestamp string // as received; advisory only
	DeletedRecord     DeletedRecord
	Granularity       Granularity
	Descriptions      []string // the description containers, each a document that stands alone
	ResponseDate      time.Time
}

// MetadataFormat is an entry of ListMetadataFormats. OAI-PMH 4.4.
type MetadataFormat struct {
	Prefix    string `json:"prefix"`
	Schema    string `json:"schema,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// Set is an entry of ListSets. OAI-PMH 4.6.
type Set struct {
	Spec string
	Name string
}

// Header is the head of a record. OAI-PMH 2.5.
type Header struct {
	Identifier string
	Datestamp  string // as received; Time reads it leniently
	Sets       []string
	Deleted    bool
}

// Time is the datestamp as ParseDatestamp reads it.
func (h Header) Time() (time.Time, error) { return ParseDatestamp(h.Datestamp) }

// Record is a header and, unless it is deleted, its metadata and its provenance.
type Record struct {
	Header
	// Metadata is the element inside <metadata>, with every namespace
	// declaration from further out that it needs to be read by itself. Elements
	// of Dublin Core that stand there without a container get oai_dc:dc as
	// theirs. It may share the memory of the whole page; copy it to keep it for
	// long.
	Metadata []byte
	// Provenance is the originDescription in the record's about container, as
	// Origin.Append makes it; nil if there is none.
	Provenance []byte
}

// BadRecord is a part of a page that could not be read as a record. It does not
// affect the records around it. GetRecord returns it as its error.
type BadRecord struct {
	Identifier string // "" if even that could not be read
	Bytes      []byte // as received, in UTF-8 if that was UTF-16 or so
	Err        error
}

func (b *BadRecord) Error() string {
	if b.Identifier == "" {
		return "a record without a readable identifier: " + b.Err.Error()
	}
	return fmt.Sprintf("record %s: %v", clip(b.Identifier), b.Err)
}

func (b *BadRecord) Unwrap() error { return b.Err }

// ResumptionToken leads to the next page of a list. OAI-PMH 3.5.
type ResumptionToken struct {
	Value            string    // opaque; "" ends the list
	Present          bool      // the element was there, perhaps empty: the list ended as OAI-PMH 3.5 says
	Cursor           int       // -1 if absent
	CompleteListSize int       // -1 if absent; advisory only
	ExpirationDate   time.Time // zero if absent; advisory only
}

// Page is one answer to ListRecords or ListIdentifiers.
type Page struct {
	URL          string // the request that was answered, without credentials
	ResponseDate time.Time
	Records      []Record // ListIdentifiers gives records without Metadata
	Bad          []BadRecord
	Token        ResumptionToken
	Repairs      int // places where bytes had to be mended to be XML
	Bytes        int // size of the answer after decompression
	body         *buffer
}

// Release lets the Client that read the page use its memory for another one.
// The caller no longer uses the Metadata and Bytes of its records, or has copied
// them. A page that is not released is collected like any other memory.
func (p Page) Release() { p.body.release() }

// List selects what ListRecords and ListIdentifiers ask for. With Token set
// the list is resumed there and the rest is not sent (the token is exclusive,
// OAI-PMH 3.5); the rest still says which list it is.
type List struct {
	Prefix string
	Set    string
	From   time.Time // zero: from the beginning
	Until  time.Time // zero: to the end
	Token  string
	// Granularity of From and Until; "" is what Identify said, or Day before it was asked.
	Granularity Granularity
	// More is asked before another page is requested; nil is always true. If it is
	// false the list ends with a page that has a token.
	More func() bool
}
