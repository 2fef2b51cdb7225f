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
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/text"
)

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

	scope   Scope
	doc     uint8
	group   uint16
	said    [kinds]uint16     // how many of each kind
	parsers []*element.Parser // of Docs
}

// Begin begins another object in the memory of the one before.
func (s *Statements) Begin(scope Scope) {
	*s = Statements{List: again(s.List), Docs: again(s.Docs), scope: scope, parsers: s.parsers}
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

// Divide divides List into what the harvested metadata states, and what landing
// pages do. Of an object that has either, the former is asked first.
func (s *Statements) Divide() (harvested, shown []Statement) {
	isPage := func(d Document) bool { return d.Namespace == landingpage.Namespace }
	doc := slices.IndexFunc(s.Docs, isPage) // all behind it are pages too, but for those that nothing can read
	if doc < 0 {
		return s.List, nil
	}
	i := slices.IndexFunc(s.List, func(st Statement) bool { return int(st.Doc) >= doc })
	if i < 0 {
		return s.List, nil
	}
	return s.List[:i:i], s.List[i:]
}

// Read returns what a single record says.
func Read(metadata []byte, scope Scope) ([]Statement, error) {
	s := Statements{scope: scope}
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

// wants reports whether statements of a kind are asked for.
func (s *Statements) wants(k Kind) bool {
	switch s.scope {
	case All:
		return true
	case brief:
		return Title <= k && k <= lastOfLinks
	}
	return k <= lastOfLinks
}

// rest reads what is no part of links, but for what says which documents can be
// made.
func (s *Statements) rest(read func(*Statements, element.Element), e element.Element) {
	if s.scope == Links {
		s.scope = brief
		defer func() { s.scope = Links }()
	}
	read(s, e)
}

// say adds a statement, whose value is a text or part of one, unless it is
// empty or not asked for.
func (s *Statements) say(st Statement) {
	switch {
	case s.scope == All:
		st.Lang = st.At.Lang()
	case !s.wants(st.Kind):
		return
	case !text.IsClean(st.Value):
		st.Value = text.Clean(st.Value)
	}
	if st.Value == "" || s.said[st.Kind] == MostOfKind {
		return
	}
	s.said[st.Kind]++
	st.Doc, st.Group = s.doc, s.group
	s.List = append(s.List, st)
}

// text adds the text of an element.
func (s *Statements) text(k Kind, e element.Element, scheme string) {
	if s.wants(k) {
		s.say(Statement{Kind: k, At: e, Value: e.Text(), Scheme: scheme})
	}
}

// attribute adds the value of an attribute.
func (s *Statements) attribute(k Kind, e element.Element, attr, scheme string) {
	if s.wants(k) {
		s.say(Statement{Kind: k, At: e, Attr: attr, Value: e.Attr(attr), Scheme: scheme})
	}
}

// qualified adds the text of an element, with what the metadata says about its
// kind.
func (s *Statements) qualified(k Kind, e element.Element, qualifier string) {
	if s.wants(k) {
		s.say(Statement{Kind: k, At: e, Value: e.Text(), Qualifier: qualifier})
	}
}

// related adds the text of an element that is about something else, as the
// qualifier says.
func (s *Statements) related(e element.Element, qualifier string) {
	s.qualified(Related, e, qualifier)
}

// nextGroup begins what is said of another person, funder, place or file.
func (s *Statements) nextGroup() {
	s.group++ // may wrap: only neighbours are compared
}
