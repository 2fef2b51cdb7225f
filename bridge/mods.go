package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readMODS reads MODS 3. What stands in relatedItem is about something else.
func readMODS(s *statements, root element.Element) {
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
				s.text(identifier, e, e.Attr("type"))
			}
		case "name":
			readMODSName(s, e)
		case "typeOfResource", "genre":
			s.attribute(typ, e, "valueURI", "")
			s.text(typ, e, "")
		case "accessCondition":
			s.attribute(licence, e, "href", "")
			s.text(rights, e, "")
		case "originInfo":
			for d := range e.Children() {
				if d.Local() == "dateIssued" || d.Local() == "dateCreated" {
					s.text(date, d, "")
				}
			}
		case "physicalDescription":
			for f := range e.Children() {
				if f.Local() == "internetMediaType" {
					s.text(format, f, "")
				}
			}
		}
	}
}

// readMODSURL reads a location by what it says that the address gives.
func readMODSURL(s *statements, u element.Element) {
	access := strings.ToLower(u.Attr("access"))
	switch {
	case access == "raw object":
		s.text(file, u, "")
	case access == "preview":
		s.text(related, u, "a preview")
	case u.Attr("note") != "" && strings.Contains(strings.ToLower(u.Attr("note")), "iiif"):
		s.text(related, u, "a IIIF manifest")
	case access == "object in context", strings.HasPrefix(strings.ToLower(u.Attr("usage")), "primary") && !isFileURL(u.Text()):
		s.text(page, u, "")
	default:
		s.text(identifier, u, "")
	}
}

// valid reports whether an identifier still is one. MODS 3, invalid.
func valid(e element.Element) bool {
	return e.Attr("invalid") != "yes"
}

// readMODSName reads the identifiers of a name whose role is that of an
// author, or has none.
func readMODSName(s *statements, name element.Element) {
	role := strings.ToLower(name.Child("role").Text())
	switch {
	case role == "", strings.Contains(role, "aut"), strings.Contains(role, "cre"):
	default:
		return
	}
	s.nextPerson()
	s.attribute(creator, name, "valueURI", "")
	for e := range name.Children() {
		if e.Local() == "nameIdentifier" && valid(e) {
			s.text(creator, e, e.Attr("type"))
		}
	}
}
