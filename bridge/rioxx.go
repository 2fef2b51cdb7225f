package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readRIOXX reads RIOXX 2 and 3. Version 3 was written with Signposting in
// mind: dc:identifier is the landing page, dc:relation says what it relates
// to. In version 2 dc:identifier is the page or the file, as the repository
// likes.
func readRIOXX(s *statements, root element.Element) {
	identifiers := page
	if strings.Contains(root.Space(), "/v2.0/") {
		identifiers = identifier
	}
	for e := range root.Children() {
		switch e.Local() {
		case "identifier":
			s.text(identifiers, e, "")
		case "relation":
			readRIOXXRelation(s, e)
		case "resource": // drafts of version 3
			s.say(statement{kind: file, at: e, value: e.Text(), media: e.Attr("format"), licence: e.Attr("license_ref")})
		case "ext_relation", "version_of_record":
			s.text(related, e, e.Local())
		case "license_ref":
			s.text(licence, e, "")
		case "type":
			s.attribute(typ, e, "uri", "")
			s.text(typ, e, "")
		case "format":
			s.text(format, e, "")
		case "publication_date", "issued":
			s.text(date, e, "")
		case "author", "creator":
			readRIOXXCreator(s, e)
		}
	}
}

func readRIOXXRelation(s *statements, e element.Element) {
	switch rel := e.Attr("rel"); rel {
	case "item":
		s.say(statement{kind: file, at: e, value: e.Text(), scheme: e.Attr("coar_type"), media: e.Attr("type"), licence: e.Attr("license_ref")})
	case "cite-as":
		s.text(pid, e, "")
	case "":
		s.text(relation, e, "")
	default:
		s.text(related, e, rel)
	}
}

func readRIOXXCreator(s *statements, e element.Element) {
	s.nextPerson()
	s.attribute(creator, e, "id", "")
	s.attribute(creator, e, "uri", "") // drafts of version 3
	found := false
	for c := range e.Children() {
		if c.Local() == "id" || c.Local() == "name" {
			s.text(creator, c, "")
			found = true
		}
	}
	if !found {
		s.text(creator, e, "")
	}
}
