// Package crosswalk reads the metadata formats: a file for each says what a
// record states, each value with its kind and its place. It decides nothing.
package crosswalk

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/text"
)

// Kind is what a statement is about, in the metadata's own terms.
type Kind uint8

const (
	// Dublin Core's: loose words, from which the decisions must find out
	// what is meant.
	Identifier Kind = iota // of the object, its page, its file, or its citation
	Relation
	Source
	Rights
	Type
	Format
	Creator
	Date
	// Those of formats that say what they mean.
	Page    // the page for people
	PID     // the object's identifier
	File    // a file of the object
	Licence // the licence, as a URI or a code
	Related // something else, said to be

	kinds = iota
)

// Statement is one value that the metadata states.
type Statement struct {
	Kind
	Doc     uint8           // the place in Docs of the record it stands in
	Person  uint16          // of a Creator: equal for all that is said of one person
	At      element.Element // where it stands
	Attr    string          // the attribute of At whose value it is; "" is its text
	Value   string          // after clean-up
	Scheme  string          // what the metadata calls it: "DOI", "ORCID", a vocabulary; of a file: its class
	Media   string          // of a file: its media type as stated
	Licence string          // of a file: its own licence as stated
}

// MostOfKind is how many statements of one kind are read.
const MostOfKind = 10_000

// Document is a record's metadata and how it was read.
type Document struct {
	Prefix    string
	Namespace string
	Root      element.Element

	walk     int // the place of its crosswalk; len(crosswalks) if there is none
	metadata []byte
}

// Statements is what all records of an object say, those of the best format
// first, each in document order. It is for one object after the other: Begin,
// Add each record, Read.
type Statements struct {
	List []Statement
	Docs []Document

	doc     uint8
	person  uint16
	said    [kinds]int        // how many of each kind
	parsers []*element.Parser // of Docs
}

// Begin forgets the object before, but keeps the memory that it took.
func (s *Statements) Begin() {
	*s = Statements{List: again(s.List), Docs: again(s.Docs), parsers: s.parsers}
}

// again is an empty list in the memory of another, unless that is uncommonly
// large.
func again[T any](list []T) []T {
	const common = 1024
	if cap(list) > common {
		return nil
	}
	return list[:0]
}

// maxRecords is more formats than any repository offers for an object.
const maxRecords = 64

// Add parses a record. The order of the records does not matter.
func (s *Statements) Add(prefix string, metadata []byte) error {
	if len(s.Docs) == maxRecords {
		return fmt.Errorf("more records for one identifier than the %d that are read", maxRecords)
	}
	root, err := s.parser(len(s.Docs)).Parse(metadata)
	if err != nil {
		return fmt.Errorf("metadata in %s: %w", prefix, err)
	}
	s.Docs = append(s.Docs, Document{prefix, root.Space(), root, crosswalkOf(root), metadata})
	return nil
}

// parser is that of the document with a number: several are read side by side.
func (s *Statements) parser(i int) *element.Parser {
	for len(s.parsers) <= i {
		s.parsers = append(s.parsers, new(element.Parser))
	}
	return s.parsers[i]
}

// Read reads what the records that were added say.
func (s *Statements) Read() {
	if len(s.Docs) > 1 {
		slices.SortFunc(s.Docs, func(a, b Document) int {
			return cmp.Or(cmp.Compare(a.walk, b.walk), cmp.Compare(a.Prefix, b.Prefix), bytes.Compare(a.metadata, b.metadata))
		})
	}
	for i, d := range s.Docs {
		s.doc = uint8(i)
		if d.readable() {
			crosswalks[d.walk].read(s, d.Root)
		}
	}
}

// Read returns what a single record says.
func Read(metadata []byte) ([]Statement, error) {
	var s Statements
	if err := s.Add("", metadata); err != nil {
		return nil, err
	}
	s.Read()
	return s.List, nil
}

// readable reports whether there is a crosswalk for the document.
func (d Document) readable() bool {
	return d.walk < len(crosswalks)
}

// Readable reports whether there is a crosswalk for any record.
func (s *Statements) Readable() bool {
	return slices.ContainsFunc(s.Docs, Document.readable)
}

// Formats names the formats of the records, for messages.
func (s *Statements) Formats() string {
	var names []string
	for _, d := range s.Docs {
		names = append(names, fmt.Sprintf("%s (%s)", d.Prefix, cmp.Or(d.Namespace, "no namespace")))
	}
	return strings.Join(names, ", ")
}

// say adds a statement, whose value is a text or part of one, unless it is empty.
func (s *Statements) say(st Statement) {
	if !text.IsClean(st.Value) {
		st.Value = text.Clean(st.Value)
	}
	if st.Value == "" || s.said[st.Kind] == MostOfKind {
		return
	}
	s.said[st.Kind]++
	st.Doc, st.Person = s.doc, s.person
	s.List = append(s.List, st)
}

// text adds the text of an element.
func (s *Statements) text(k Kind, e element.Element, scheme string) {
	s.say(Statement{Kind: k, At: e, Value: e.Text(), Scheme: scheme})
}

// attribute adds the value of an attribute.
func (s *Statements) attribute(k Kind, e element.Element, attr, scheme string) {
	s.say(Statement{Kind: k, At: e, Attr: attr, Value: e.Attr(attr), Scheme: scheme})
}

// nextPerson begins what is said of another creator.
func (s *Statements) nextPerson() {
	s.person++ // may wrap: only neighbours are compared
}
