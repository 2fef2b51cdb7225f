package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/vocabulary"
)

// readMODS reads MODS 3. What stands in relatedItem is about something else.
func readMODS(s *Statements, root element.Element) {
	if root.Local() == "modsCollection" {
		root = root.Child("mods")
	}
	for e := range root.Children() {
		switch e.Local() {
		case "location":
			for u := range e.Children() {
				if u.Local() == "url" {
					readMODSURL(s, u)
				}
			}
		case "identifier":
			if valid(e) {
				s.text(Identifier, e, e.Attr("type"))
			}
		case "name":
			readMODSName(s, e)
		case "typeOfResource", "genre":
			s.attribute(Type, e, "valueURI", "")
			s.text(Type, e, "")
		case "accessCondition":
			s.attribute(Licence, e, "href", "")
			s.text(Rights, e, "")
		case "originInfo":
			for d := range e.Children() {
				if d.Local() == "dateIssued" || d.Local() == "dateCreated" {
					s.text(Date, d, "")
				}
			}
		case "physicalDescription":
			for f := range e.Children() {
				if f.Local() == "internetMediaType" {
					s.text(Format, f, "")
				}
			}
		}
	}
}

// readMODSURL reads a location by what it says that the address gives.
func readMODSURL(s *Statements, u element.Element) {
	access := strings.ToLower(u.Attr("access"))
	switch {
	case access == "raw object":
		s.text(File, u, "")
	case access == "preview":
		s.text(Related, u, "a preview")
	case u.Attr("note") != "" && strings.Contains(strings.ToLower(u.Attr("note")), "iiif"):
		s.text(Related, u, "a IIIF manifest")
	case access == "object in context", strings.HasPrefix(strings.ToLower(u.Attr("usage")), "primary") && !vocabulary.IsFileURL(u.Text()):
		s.text(Page, u, "")
	default:
		s.text(Identifier, u, "")
	}
}

// valid reports whether an identifier still is one. MODS 3, invalid.
func valid(e element.Element) bool {
	return e.Attr("invalid") != "yes"
}

// readMODSName reads the identifiers of a name whose role is that of an
// author, or has none.
func readMODSName(s *Statements, name element.Element) {
	role := strings.ToLower(name.Child("role").Text())
	switch {
	case role == "", strings.Contains(role, "aut"), strings.Contains(role, "cre"):
	default:
		return
	}
	s.nextPerson()
	s.attribute(Creator, name, "valueURI", "")
	for e := range name.Children() {
		if e.Local() == "nameIdentifier" && valid(e) {
			s.text(Creator, e, e.Attr("type"))
		}
	}
}
