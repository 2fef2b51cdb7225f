package bridge

import "fingerpost/bridge/element"

// readXOAI reads DSpace's internal format: everything is an element with a
// name, values are fields.
func readXOAI(s *statements, root element.Element) {
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
				s.say(statement{kind: identifier, at: h, value: "hdl:" + h.Text()})
			}
		}
	}
}

// readXOAIElement reads one element of Dublin Core with all its qualifiers.
func readXOAIElement(s *statements, e element.Element) {
	var k kind
	switch e.Attr("name") {
	case "identifier":
		k = identifier
	case "relation":
		k = relation
	case "rights":
		k = rights
	case "type":
		k = typ
	case "creator":
		k = creator
	case "contributor":
		e, k = xoaiChild(e, "author"), creator
	case "date":
		e, k = xoaiChild(e, "issued"), date
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

func readXOAIBundle(s *statements, bundle element.Element) {
	for f := range xoaiChild(bundle, "bitstreams").Children() {
		if u := xoaiField(f, "url"); u.Valid() {
			s.say(statement{kind: file, at: u, value: u.Text(), media: xoaiField(f, "format").Text()})
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
