package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readJPCOAR reads JPCOAR 1.0 and 2.0, the format of Japanese repositories.
func readJPCOAR(s *statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "identifier":
			if scheme := e.Attr("identifierType"); strings.EqualFold(scheme, "URI") && !isPersistent(e.Text()) {
				s.text(page, e, "")
			} else {
				s.text(identifier, e, scheme)
			}
		case "identifierRegistration": // a DOI that the repository itself registered
			s.text(pid, e, "DOI")
		case "relation":
			s.text(related, e, e.Attr("relationType"))
		case "file":
			readJPCOARFile(s, e)
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "nameIdentifier" {
					s.say(statement{kind: creator, at: c, value: jpcoarName(c), scheme: c.Attr("nameIdentifierScheme")})
				}
			}
		case "type":
			s.attribute(typ, e, "resource", "")
			s.text(typ, e, "")
		case "rights":
			s.attribute(licence, e, "resource", "")
			s.text(rights, e, "")
		case "date", "issued":
			s.text(date, e, "")
		}
	}
}

// jpcoarName prefers the URI that stands beside an identifier.
func jpcoarName(e element.Element) string {
	if uri := e.Attr("nameIdentifierURI"); uri != "" {
		return uri
	}
	return e.Text()
}

func readJPCOARFile(s *statements, f element.Element) {
	uri := f.Child("URI")
	switch kind := uri.Attr("objectType"); kind {
	case "thumbnail":
		s.text(related, uri, kind)
	default:
		s.say(statement{kind: file, at: uri, value: uri.Text(), media: f.Child("mimeType").Text()})
	}
}
