package bridge

import "fingerpost/bridge/element"

// readUNTL reads UNTL, the format of the University of North Texas, in which a
// qualifier says what an element means.
func readUNTL(s *statements, root element.Element) {
	for e := range root.Children() {
		qualifier := e.Attr("qualifier")
		switch e.Local() {
		case "identifier":
			readUNTLIdentifier(s, e, qualifier)
		case "relation":
			s.text(related, e, qualifier)
		case "rights":
			if qualifier == "license" {
				s.text(licence, e, "")
			} else {
				s.text(rights, e, "")
			}
		case "resourceType":
			s.text(typ, e, "")
		case "date":
			if qualifier == "creation" {
				s.text(date, e, "")
			}
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "info" { // where an ORCID iD stands with the years of a life
					s.text(creator, c, "")
				}
			}
		}
	}
}

func readUNTLIdentifier(s *statements, e element.Element, qualifier string) {
	switch qualifier {
	case "itemURL":
		s.text(page, e, "")
	case "thumbnailURL":
		s.text(related, e, "thumbnail")
	default:
		s.text(identifier, e, qualifier)
	}
}
