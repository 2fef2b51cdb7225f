// Package description makes of what a record states the documents that other
// machines read: schema.org in JSON-LD, DataCite JSON, CSL-JSON, BibTeX, RIS, DCAT.
// Nothing is invented: each value is what an element states, or follows from it
// by a table. It is pure: no input, no output, no clock.
package description

import (
	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
)

// Description is what a citation needs. Every document renders from it.
type Description struct {
	// What the links say too: page, identifiers, type, licence, files.
	Object     bridge.Object
	Identifier string // of the record, in OAI-PMH
	Changed    string // the day of the record's datestamp

	Type          kind
	StatedType    Value
	Titles        []Value
	Creators      []Agent
	Contributors  []Agent
	Issued        Value // "2014", "2014-03" or "2014-03-09"; "" unless it is sure
	Dates         []Value
	Publishers    []Value
	PublisherID   Value // of the first
	PublishedIn   Value // the city
	Container     Container
	Languages     []Value // as BCP 47 has them
	Subjects      []Value
	Concepts      []Value // URIs of subjects
	Descriptions  []Value
	Rights        []Value
	Conditions    []Value // the rights without the licence that the links name
	Funding       []Funding
	Related       []Value // URIs
	RelatedTitles []Value
	Places        []Place
	Periods       []Value
	Formats       []Value
	Sizes         []Value
	Files         map[string]File // by address
	ISBN          Value
	Version       Value
	Edition       Value
	Thesis        Thesis
	Citations     []Value // how others should cite it
	Audience      []Value
	Holders       []Value // of the rights

	complete bridge.Documents
	prefixes []string // of the records, by Statement.Doc
}

// From says where a value stands: the prefix of the format, and the element;
// of a value that was joined, of each part.
func (d *Description) From(v Value) string {
	if v.From == nil {
		return ""
	}
	out := d.at(v.From)
	for _, st := range v.With {
		out += ", " + d.at(st)
	}
	return out
}

func (d *Description) at(st *crosswalk.Statement) string {
	path := st.At.Path()
	if st.Attr != "" {
		path += "/@" + st.Attr
	}
	return d.prefixes[st.Doc] + " " + path
}
