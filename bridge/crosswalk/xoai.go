package crosswalk

import (
	"fingerpost/bridge/element"
)

// readXOAI reads DSpace's internal format: everything is an element with a
// name, values are fields.
func readXOAI(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Attr("name") {
		case "dc", "dcterms":
			for f := range e.Children() {
				readXOAIElement(s, f)
			}
		case "bundles":
			for b := range e.Children() {
				if xoaiNamed(b, "field", "name").Text() == "ORIGINAL" {
					readXOAIBundle(s, b)
				}
			}
		case "others":
			if h := xoaiNamed(e, "field", "handle"); h.Valid() {
				s.say(Statement{Kind: Identifier, At: h, Value: "hdl:" + h.Text()})
			}
		}
	}
}

// readXOAIElement reads one element of Dublin Core with all its qualifiers.
func readXOAIElement(s *Statements, e element.Element) {
	switch e.Attr("name") {
	case "identifier":
		readXOAIFields(s, Identifier, e)
	case "relation":
		readXOAIFields(s, Relation, e)
	case "rights":
		readXOAIFields(s, Rights, e)
	case "type":
		readXOAIFields(s, Type, e)
	case "creator":
		readXOAIFields(s, Creator, e)
	case "contributor":
		author := xoaiNamed(e, "element", "author")
		readXOAIFields(s, Creator, author)
		readXOAIOthers(s, e, author)
	case "date":
		issued := xoaiNamed(e, "element", "issued")
		readXOAIFields(s, Date, issued)
		readXOAIOthers(s, e, issued)
	default:
		readXOAIOthers(s, e, element.Element{})
	}
}

// readXOAIFields reads the values in an element of XOAI.
func readXOAIFields(s *Statements, k Kind, e element.Element) {
	for f := range e.Descendants("field") {
		if f.Attr("name") == "value" {
			s.nextGroup()
			s.text(k, f, "")
		}
	}
}

// readXOAIOthers reads what is no part of links among the qualifiers of an element, but
// for one that was read already.
func readXOAIOthers(s *Statements, e, read element.Element) {
	if s.scope == Links {
		if name := e.Attr("name"); name == "title" || name == "publisher" {
			s.rest(func(s *Statements, e element.Element) { readXOAIOthers(s, e, read) }, e)
		}
		return
	}
	for q := range e.Children() {
		if q == read {
			continue
		}
		t, ok := xoaiTerm(e.Attr("name"), q.Attr("name"))
		if !ok {
			t = term{Note, e.Attr("name")}
		}
		for f := range q.Descendants("field") {
			if f.Attr("name") == "value" {
				s.nextGroup()
				s.say(Statement{Kind: t.kind, At: f, Value: f.Text(), Qualifier: t.qualifier})
			}
		}
	}
}

// xoaiTerm is the meaning of an element with a qualifier, or with a language in
// its place, as DSpace has them.
func xoaiTerm(name, qualifier string) (term, bool) {
	if t, ok := dublinCoreTerms[qualifier]; ok && name != "contributor" {
		return t, true
	}
	t, ok := dublinCoreTerms[name]
	switch {
	case name == "date":
		return term{OtherDate, qualifier}, true
	case ok && t.qualifier == "" && qualifier != "none" && len(qualifier) != len("en") && len(qualifier) != len("en_US"):
		t.qualifier = qualifier
	}
	return t, ok
}

func readXOAIBundle(s *Statements, bundle element.Element) {
	for f := range xoaiNamed(bundle, "element", "bitstreams").Children() {
		if u := xoaiNamed(f, "field", "url"); u.Valid() {
			s.nextGroup()
			s.text(FileName, xoaiNamed(f, "field", "name"), "")
			s.text(FileSize, xoaiNamed(f, "field", "size"), "")
			s.say(Statement{Kind: File, At: u, Value: u.Text(), Media: xoaiNamed(f, "field", "format").Text()})
		}
	}
}

// xoaiNamed returns the first child of a kind, "element" or "field", with a name.
func xoaiNamed(e element.Element, kind, name string) element.Element {
	for c := range e.Children() {
		if c.Local() == kind && c.Attr("name") == name {
			return c
		}
	}
	return element.Element{}
}
