package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// isRIOXX recognises RIOXX 3 without its namespace, as its published examples
// have it.
func isRIOXX(root element.Element) bool {
	return root.Local() == "rioxx" && root.Space() == ""
}

// readRIOXX reads RIOXX 2 and 3. Version 3 was written with Signposting in
// mind: dc:identifier is the landing page, dc:relation says what it relates
// to. In version 2 dc:identifier is the page or the file, as the repository
// likes.
func readRIOXX(s *Statements, root element.Element) {
	identifiers := Page
	if strings.Contains(root.Space(), "/v2.0/") {
		identifiers = Identifier
	}
	for e := range root.Children() {
		switch e.Local() {
		case "identifier":
			s.text(identifiers, e, "")
		case "relation":
			readRIOXXRelation(s, e)
		case "resource": // drafts of version 3
			s.say(Statement{Kind: File, At: e, Value: e.Text(), Media: e.Attr("format"), Licence: e.Attr("license_ref")})
		case "ext_relation", "version_of_record":
			s.text(Related, e, e.Local())
		case "license_ref":
			s.text(Licence, e, "")
		case "type":
			s.attribute(Type, e, "uri", "")
			s.text(Type, e, "")
		case "format":
			s.text(Format, e, "")
		case "publication_date", "issued":
			s.text(Date, e, "")
		case "author", "creator":
			readRIOXXCreator(s, e)
		}
	}
}

func readRIOXXRelation(s *Statements, e element.Element) {
	switch rel := e.Attr("rel"); rel {
	case "item":
		s.say(Statement{Kind: File, At: e, Value: e.Text(), Scheme: e.Attr("coar_type"), Media: e.Attr("type"), Licence: e.Attr("license_ref")})
	case "cite-as":
		s.text(PID, e, "")
	case "":
		s.text(Relation, e, "")
	default:
		s.text(Related, e, rel)
	}
}

func readRIOXXCreator(s *Statements, e element.Element) {
	s.nextPerson()
	s.attribute(Creator, e, "id", "")
	s.attribute(Creator, e, "uri", "") // drafts of version 3
	found := false
	for c := range e.Children() {
		if c.Local() == "id" || c.Local() == "name" {
			s.text(Creator, c, "")
			found = true
		}
	}
	if !found {
		s.text(Creator, e, "")
	}
}
