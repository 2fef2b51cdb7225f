package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// readMARC reads MARC 21 in XML: the electronic location (856) and what
// identifies the object and its authors.
func readMARC(s *Statements, root element.Element) {
	if root.Local() == "collection" {
		root = root.Child("record")
	}
	for f := range root.Children() {
		if f.Local() != "datafield" {
			continue
		}
		switch f.Attr("tag") {
		case "856":
			readMARCLocation(s, f)
		case "024":
			readMARCIdentifier(s, f)
		case "540":
			s.text(Licence, marcSubfield(f, "u"), "")
			s.text(Rights, marcSubfield(f, "a"), "")
		case "100", "110":
			readMARCName(s, f)
		case "700", "710":
			if marcSubfield(f, "e").Text() == "" && marcSubfield(f, "4").Text() == "" {
				readMARCName(s, f)
			}
		case "260", "264":
			s.text(Date, marcSubfield(f, "c"), "")
		case "655":
			s.text(Type, marcSubfield(f, "a"), "")
		}
	}
}

// readMARCLocation reads 856, first indicator 4 for HTTP. By the second
// indicator it is the resource itself, a version, or something related. With
// a media type it is a file; else its form must tell.
func readMARCLocation(s *Statements, f element.Element) {
	u, media := marcSubfield(f, "u"), marcSubfield(f, "q").Text()
	switch {
	case f.Attr("ind1") != "4":
		s.text(Related, u, "not by HTTP")
	case f.Attr("ind2") == "2":
		s.text(Related, u, "a related resource")
	case strings.Contains(media, "/"):
		s.say(Statement{Kind: File, At: u, Value: u.Text(), Media: media})
	default:
		s.text(Identifier, u, "")
	}
}

// readMARCIdentifier reads 024 with first indicator 7: $2 says the scheme.
func readMARCIdentifier(s *Statements, f element.Element) {
	switch scheme := marcSubfield(f, "2").Text(); strings.ToLower(scheme) {
	case "doi", "hdl", "ark", "urn", "uri", "handle":
		s.text(PID, marcSubfield(f, "a"), scheme)
	}
}

// readMARCName reads the identifiers of a name: $0 and $1, such as
// "(orcid)0000-0002-1825-0097" or a URI.
func readMARCName(s *Statements, f element.Element) {
	s.nextPerson()
	for e := range f.Children() {
		if code := e.Attr("code"); code != "0" && code != "1" {
			continue
		}
		value, scheme := e.Text(), ""
		if inner, after, ok := strings.Cut(strings.TrimPrefix(value, "("), ")"); ok && strings.HasPrefix(value, "(") && inner != "DE-588" {
			value, scheme = after, inner
		}
		s.say(Statement{Kind: Creator, At: e, Value: value, Scheme: scheme})
	}
}

func marcSubfield(f element.Element, code string) element.Element {
	for e := range f.Children() {
		if e.Attr("code") == code {
			return e
		}
	}
	return element.Element{}
}
