package crosswalk

import (
	"fingerpost/bridge/element"
)

// readUNTL reads UNTL, the format of the University of North Texas, in which a
// qualifier says what an element means.
func readUNTL(s *Statements, root element.Element) {
	for e := range root.Children() {
		qualifier := e.Attr("qualifier")
		switch e.Local() {
		case "identifier":
			readUNTLIdentifier(s, e, qualifier)
		case "relation":
			s.text(Related, e, qualifier)
		case "rights":
			if qualifier == "license" {
				s.text(Licence, e, "")
			} else {
				s.text(Rights, e, "")
			}
		case "resourceType":
			s.text(Type, e, "")
		case "date":
			if qualifier == "creation" {
				s.text(Date, e, "")
			}
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "info" { // where an ORCID iD stands with the years of a life
					s.text(Creator, c, "")
				}
			}
		}
	}
}

func readUNTLIdentifier(s *Statements, e element.Element, qualifier string) {
	switch qualifier {
	case "itemURL":
		s.text(Page, e, "")
	case "thumbnailURL":
		s.text(Related, e, "thumbnail")
	default:
		s.text(Identifier, e, qualifier)
	}
}
