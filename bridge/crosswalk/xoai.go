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
				if xoaiField(b, "name").Text() == "ORIGINAL" {
					readXOAIBundle(s, b)
				}
			}
		case "others":
			if h := xoaiField(e, "handle"); h.Valid() {
				s.say(Statement{Kind: Identifier, At: h, Value: "hdl:" + h.Text()})
			}
		}
	}
}

// readXOAIElement reads one element of Dublin Core with all its qualifiers.
func readXOAIElement(s *Statements, e element.Element) {
	var k Kind
	switch e.Attr("name") {
	case "identifier":
		k = Identifier
	case "relation":
		k = Relation
	case "rights":
		k = Rights
	case "type":
		k = Type
	case "creator":
		k = Creator
	case "contributor":
		e, k = xoaiChild(e, "author"), Creator
	case "date":
		e, k = xoaiChild(e, "issued"), Date
	default:
		return
	}
	for f := range e.Descendants() {
		if f.Local() == "field" && f.Attr("name") == "value" {
			s.nextPerson()
			s.text(k, f, "")
		}
	}
}

func readXOAIBundle(s *Statements, bundle element.Element) {
	for f := range xoaiChild(bundle, "bitstreams").Children() {
		if u := xoaiField(f, "url"); u.Valid() {
			s.say(Statement{Kind: File, At: u, Value: u.Text(), Media: xoaiField(f, "format").Text()})
		}
	}
}

func xoaiChild(e element.Element, name string) element.Element {
	for c := range e.Children() {
		if c.Local() == "element" && c.Attr("name") == name {
			return c
		}
	}
	return element.Element{}
}

func xoaiField(e element.Element, name string) element.Element {
	for c := range e.Children() {
		if c.Local() == "field" && c.Attr("name") == name {
			return c
		}
	}
	return element.Element{}
}
