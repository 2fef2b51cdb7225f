package crosswalk

import (
	"cmp"
	"strings"

	"fingerpost/bridge/element"
)

// readMARC reads MARC 21 in XML: the electronic location (856) and what
// identifies the object and its authors.
func readMARC(s *Statements, root element.Element) {
	if root.Local() == "collection" {
		root = root.Child("record")
	}
	for f := range root.Children("datafield") {
		readMARCField(s, f)
	}
}

func readMARCField(s *Statements, f element.Element) {
	switch f.Attr("tag") {
	case "856":
		readMARCLocation(s, f)
	case "024":
		readMARCIdentifier(s, f)
	case "540":
		s.text(Licence, marcSubfield(f, "u"), "")
		s.text(Rights, marcSubfield(f, "a"), "")
	case "100", "110":
		readMARCName(s, f, CreatorName, CreatorID, "")
	case "700", "710":
		if role := cmp.Or(marcSubfield(f, "e").Text(), marcSubfield(f, "4").Text()); role != "" {
			readMARCName(s, f, Contributor, ContributorID, role)
		} else {
			readMARCName(s, f, CreatorName, CreatorID, "")
		}
	case "260", "264":
		s.text(Date, marcSubfield(f, "c"), "")
		s.text(Place, marcSubfield(f, "a"), "")
		s.text(Publisher, marcSubfield(f, "b"), "")
	case "655":
		s.text(Type, marcSubfield(f, "a"), "")
	default:
		s.rest(readMARCDescription, f)
	}
}

// readMARCDescription reads what is no part of links: what each subfield of a
// field means.
func readMARCDescription(s *Statements, f element.Element) {
	scheme := marcSubfield(f, "2").Text()
	if f.Attr("tag") == "773" { // what it was published in
		s.nextGroup()
	}
	for e := range f.Children() {
		s.add(marcTerms, f.Attr("tag")+e.Attr("code"), e, scheme)
	}
}

// marcTerms are the subfields of MARC 21, by field and code.
var marcTerms = map[string]term{
	"020a": {ISBN, ""}, "022a": {ISSN, ""}, "041a": {Language, ""}, "080a": {Subject, "UDC"}, "082a": {Subject, "DDC"}, "084a": {Subject, ""},
	"210a": {Title, "abbreviated"}, "240a": {Title, "uniform"}, "242a": {Title, "translated"}, "245a": {Title, ""}, "245b": {Title, "subtitle"},
	"245c": {Note, "responsibility"}, "245n": {Title, "part number"}, "245p": {Title, "part name"}, "246a": {Title, "alternative"},
	"250a": {Edition, ""}, "300a": {Extent, ""}, "300c": {Extent, "dimensions"}, "347b": {Format, ""}, "490a": {RelatedTitle, "series"}, "830a": {RelatedTitle, "series"},
	"500a": {Note, ""}, "502a": {Degree, "note"}, "502b": {Degree, "name"}, "502c": {Degree, "grantor"}, "502d": {OtherDate, "granted"},
	"505a": {Description, "table of contents"}, "506a": {Access, ""}, "510a": {Note, "cited in"}, "520a": {Description, "abstract"}, "521a": {Audience, ""},
	"522a": {Coverage, "spatial"}, "524a": {Citation, ""}, "536a": {Funder, ""}, "536c": {Award, ""}, "546a": {Language, "note"},
	"600a": {Subject, "person"}, "610a": {Subject, "organisation"}, "630a": {Subject, "title"}, "648a": {Coverage, "temporal"},
	"650a": {Subject, ""}, "650x": {Subject, "general subdivision"}, "650y": {Subject, "chronological subdivision"}, "650z": {Subject, "geographic subdivision"},
	"6500": {SubjectURI, ""}, "6501": {SubjectURI, ""}, "651a": {Coverage, "spatial"}, "653a": {Subject, ""},
	"773t": {Journal, ""}, "773x": {ISSN, ""}, "773z": {ISBN, ""}, "773g": {Citation, "host part"}, "773w": {Related, "host"}, "787o": {Related, ""}, "787n": {RelatedTitle, ""},
	"111a": {Event, ""}, "711a": {Event, ""}, "542d": {RightsHolder, ""}, "034d": {Coordinates, "west"}, "034e": {Coordinates, "east"}, "034f": {Coordinates, "north"}, "034g": {Coordinates, "south"},
}

// readMARCLocation reads 856, first indicator 4 for HTTP. By the second
// indicator it is the resource itself, a version, or something related. With
// a media type it is a file; else its form must tell.
func readMARCLocation(s *Statements, f element.Element) {
	u, media := marcSubfield(f, "u"), marcSubfield(f, "q").Text()
	switch {
	case f.Attr("ind1") != "4":
		s.related(u, "not by HTTP")
	case f.Attr("ind2") == "2":
		s.related(u, "a related resource")
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

// readMARCName reads a name and its identifiers: $0 and $1, such as
// "(orcid)0000-0002-1825-0097" or a URI; as and id are their kinds.
func readMARCName(s *Statements, f element.Element, as, id Kind, role string) {
	s.nextGroup()
	for e := range f.Children() {
		switch e.Attr("code") {
		case "0", "1":
			value, scheme := e.Text(), ""
			if inner, after, ok := strings.Cut(strings.TrimPrefix(value, "("), ")"); ok && strings.HasPrefix(value, "(") && inner != "DE-588" {
				value, scheme = after, inner
			}
			s.say(Statement{Kind: id, At: e, Value: value, Scheme: scheme, Qualifier: role})
		case "a":
			s.qualified(as, e, role)
		case "u":
			s.qualified(Affiliation, e, role)
		}
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
