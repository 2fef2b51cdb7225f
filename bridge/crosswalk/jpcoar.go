package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
)

// readJPCOAR reads JPCOAR 1.0 and 2.0, the format of Japanese repositories.
func readJPCOAR(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "identifier":
			if scheme := e.Attr("identifierType"); strings.EqualFold(scheme, "URI") && !identifier.IsPersistent(e.Text()) {
				s.text(Page, e, "")
			} else {
				s.text(Identifier, e, scheme)
			}
		case "identifierRegistration": // a DOI that the repository itself registered
			s.text(PID, e, "DOI")
		case "relation":
			s.text(Related, e, e.Attr("relationType"))
		case "file":
			readJPCOARFile(s, e)
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "nameIdentifier" {
					s.say(Statement{Kind: Creator, At: c, Value: jpcoarName(c), Scheme: c.Attr("nameIdentifierScheme")})
				}
			}
		case "type":
			s.attribute(Type, e, "resource", "")
			s.text(Type, e, "")
		case "rights":
			s.attribute(Licence, e, "resource", "")
			s.text(Rights, e, "")
		case "date", "issued":
			s.text(Date, e, "")
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

func readJPCOARFile(s *Statements, f element.Element) {
	uri := f.Child("URI")
	switch kind := uri.Attr("objectType"); kind {
	case "thumbnail":
		s.text(Related, uri, kind)
	default:
		s.say(Statement{Kind: File, At: uri, Value: uri.Text(), Media: f.Child("mimeType").Text()})
	}
}
