// Package description makes of what a record states the documents that other
// machines read: schema.org in JSON-LD, DataCite JSON, CSL-JSON, BibTeX, RIS.
// Nothing is invented: each value is what an element states, or follows from it
// by a table. It is pure: no input, no output, no clock.
package description

import (
	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
)

// Value is a text, and the statement that it was made of.
type Value struct {
	Text string
	From *crosswalk.Statement // nil: it follows from the links of the object
}

// Description is what a citation needs. Every document renders from it.
type Description struct {
	// What the links say too: page, identifiers, type, licence, files.
	Object     bridge.Object
	Identifier string // of the record, in OAI-PMH
	Changed    string // the day of the record's datestamp

	Type         kind
	StatedType   Value
	Titles       []Value
	Creators     []Agent
	Contributors []Agent
	Issued       Value // "2014", "2014-03" or "2014-03-09"; "" unless it is sure
	Dates        []Value
	Publishers   []Value
	Container    Container
	Languages    []Value // as BCP 47 has them
	Subjects     []Value
	Descriptions []Value
	Rights       []Value
	Funding      []Funding
	Related      []Value // with URIs
	Places       []Value
	Periods      []Value
	Formats      []Value
	Sizes        []Value
	FileSizes    map[string]Value // by the address of the file
	ISBN         Value
	Version      Value

	prefixes []string // of the records, by Statement.Doc
}

// Agent is a person or an organisation.
type Agent struct {
	Name          Value
	Family, Given Value // as stated, or as the comma has them if it is a person
	Kind          Value // "Person" or "Organization"; "" if it is not said
	ID            Value // as a URI
	Scheme        string
	Role          Value
	Affiliations  []Value
}

// Container is what an object was published in.
type Container struct {
	Title, Volume, Issue, First, Last, Number Value
	ISSN                                      []Value
}

// Funding is a grant.
type Funding struct {
	Funder, FunderID, Award, URI, Title Value
}

// From says where a value stands: the prefix of the format, and the element.
func (d *Description) From(v Value) string {
	if v.From == nil {
		return ""
	}
	path := v.From.At.Path()
	if v.From.Attr != "" {
		path += "/@" + v.From.Attr
	}
	return d.prefixes[v.From.Doc] + " " + path
}
