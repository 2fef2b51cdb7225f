package crosswalk

import (
	"cmp"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/vocabulary"
)

// readMODS reads MODS 3. What stands in relatedItem is about something else.
func readMODS(s *Statements, root element.Element) {
	if root.Local() == "modsCollection" {
		root = root.Child("mods")
	}
	s.rest(readMODSDescription, root)
	for e := range root.Children() {
		switch e.Local() {
		case "location":
			for u := range e.Children("url") {
				readMODSURL(s, u)
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
			s.qualified(Rights, e, e.Attr("type"))
		case "originInfo":
			for d := range e.Children("dateIssued", "dateCreated") {
				s.qualified(Date, d, d.Local())
			}
		case "physicalDescription":
			for f := range e.Children("internetMediaType") {
				s.text(Format, f, "")
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
		s.related(u, "a preview")
	case u.Attr("note") != "" && strings.Contains(strings.ToLower(u.Attr("note")), "iiif"):
		s.related(u, "a IIIF manifest")
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

// readMODSName reads a name. A creator is one whose role is that of an author,
// or who has none.
func readMODSName(s *Statements, name element.Element) {
	s.nextGroup()
	role := name.Child("role").Text()
	if !isCreator(role) {
		readMODSAgent(s, name, Contributor, ContributorID, role)
		return
	}
	s.attribute(CreatorID, name, "valueURI", "")
	readMODSAgent(s, name, CreatorName, CreatorID, "")
}

// isCreator reports whether a role is that of an author, or none is stated.
func isCreator(role string) bool {
	role = strings.ToLower(role)
	return role == "" || strings.Contains(role, "aut") || strings.Contains(role, "cre")
}

// readMODSAgent reads the parts of a name; as and id are the kinds of the whole
// name and of its identifiers.
func readMODSAgent(s *Statements, name element.Element, as, id Kind, role string) {
	if as == Contributor {
		s.say(Statement{Kind: id, At: name, Attr: "valueURI", Value: name.Attr("valueURI"), Qualifier: role})
	}
	s.attribute(NameType, name, "type", "")
	for e := range name.Children() {
		switch e.Local() {
		case "nameIdentifier":
			if valid(e) {
				s.say(Statement{Kind: id, At: e, Value: e.Text(), Scheme: e.Attr("type"), Qualifier: role})
			}
		case "namePart":
			switch kind := e.Attr("type"); kind {
			case "":
				s.qualified(as, e, role)
			case "family":
				s.qualified(FamilyName, e, role)
			case "given":
				s.qualified(GivenName, e, role)
			default:
				s.qualified(Note, e, "name "+kind)
			}
		case "displayForm":
			s.qualified(as, e, role)
		case "affiliation":
			s.qualified(Affiliation, e, role)
		}
	}
}

// readMODSDescription reads what is no part of links.
func readMODSDescription(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "titleInfo":
			readMODSTitle(s, e, Title, e.Attr("type"))
		case "abstract":
			s.qualified(Description, e, cmp.Or(e.Attr("type"), "abstract"))
		case "note":
			s.qualified(Note, e, e.Attr("type"))
		case "subject", "classification":
			readMODSSubject(s, e)
		case "language":
			for t := range e.Children() {
				s.text(Language, t, t.Attr("authority"))
			}
		case "originInfo", "physicalDescription":
			for c := range e.Children() {
				if c.Local() == "place" {
					s.text(Place, c, "")
				}
				s.add(modsTerms, c.Local(), c, "")
			}
		case "part":
			readMODSPart(s, e)
		case "relatedItem":
			s.nextGroup()
			readMODSRelated(s, e)
		case "location":
			for c := range e.Children() {
				if c.Local() != "url" {
					s.qualified(Note, c, c.Local())
				}
			}
		case "extension":
			for c := range e.Descendants() {
				if !s.add(modsTerms, c.Local(), c, "") {
					s.add(modsDegree, c.Local(), c, "")
				}
			}
		default:
			s.add(modsTerms, e.Local(), e, "")
		}
	}
}

// modsTerms are the elements whose name alone says what they mean.
var modsTerms = map[string]term{
	"tableOfContents": {Description, "tableOfContents"}, "targetAudience": {Audience, ""},
	"publisher": {Publisher, ""}, "edition": {Edition, ""}, "issuance": {Note, "issuance"}, "frequency": {Note, "frequency"},
	"dateCaptured": {OtherDate, "dateCaptured"}, "dateValid": {OtherDate, "dateValid"}, "dateModified": {OtherDate, "dateModified"},
	"copyrightDate": {OtherDate, "copyrightDate"}, "dateOther": {OtherDate, "dateOther"},
	"dateAccessioned": {OtherDate, "accessioned"}, "dateAvailable": {OtherDate, "available"}, "defenseDate": {OtherDate, "defense"},
	"extent": {Extent, ""}, "form": {Note, "form"}, "digitalOrigin": {Note, "digitalOrigin"}, "reformattingQuality": {Note, "reformattingQuality"}, "note": {Note, "physical description"},
}

// modsDegree are the parts of a degree, which stands in an extension.
var modsDegree = map[string]term{
	"name": {Degree, "name"}, "level": {Degree, "level"}, "discipline": {Degree, "discipline"}, "grantor": {Degree, "grantor"},
}

func readMODSTitle(s *Statements, info element.Element, k Kind, qualifier string) {
	for t := range info.Children() {
		switch t.Local() {
		case "title":
			s.qualified(k, t, qualifier)
		case "subTitle":
			s.qualified(k, t, "subtitle")
		default: // nonSort, partNumber, partName
			s.qualified(k, t, t.Local())
		}
	}
}

// readMODSSubject reads the parts of a subject: places, times and names among
// them are coverage and subjects.
func readMODSSubject(s *Statements, subject element.Element) {
	scheme := subject.Attr("authority")
	s.attribute(SubjectURI, subject, "valueURI", scheme)
	if subject.Local() == "classification" {
		s.text(Subject, subject, scheme)
		return
	}
	s.nextGroup()
	for e := range subject.Children() {
		own := cmp.Or(e.Attr("authority"), scheme)
		s.attribute(SubjectURI, e, "valueURI", own)
		switch e.Local() {
		case "geographic", "geographicCode":
			s.say(Statement{Kind: Coverage, At: e, Value: e.Text(), Scheme: own, Qualifier: "spatial"})
		case "hierarchicalGeographic":
			for c := range e.Children() {
				s.say(Statement{Kind: Coverage, At: c, Value: c.Text(), Scheme: own, Qualifier: c.Local()})
			}
		case "temporal":
			s.say(Statement{Kind: Coverage, At: e, Value: e.Text(), Scheme: own, Qualifier: "temporal"})
		case "cartographics":
			for c := range e.Children() {
				s.qualified(Coordinates, c, c.Local())
			}
		default:
			s.text(Subject, e, own)
		}
	}
}

// readMODSPart reads where in its host an object stands.
func readMODSPart(s *Statements, part element.Element) {
	for e := range part.Children() {
		kind := e.Attr("type")
		switch e.Local() {
		case "detail":
			k := Note
			switch kind {
			case "volume":
				k = Volume
			case "issue", "number":
				k = Issue
			case "article", "articleNumber", "e-locator":
				k = ArticleNumber
			}
			s.text(k, e.Child("number"), "")
			s.qualified(Note, e.Child("title"), "part "+kind)
		case "extent":
			s.text(FirstPage, e.Child("start"), "")
			s.text(LastPage, e.Child("end"), "")
			s.text(Pages, e.Child("list"), "")
			s.qualified(Extent, e.Child("total"), e.Attr("unit"))
		case "date":
			s.qualified(OtherDate, e, "part")
		}
	}
}

// readMODSRelated reads what is said of another item. That of a host is where
// the object was published.
func readMODSRelated(s *Statements, item element.Element) {
	kind := item.Attr("type")
	host := kind == "host"
	for e := range item.Children() {
		switch e.Local() {
		case "titleInfo":
			k := RelatedTitle
			if host {
				k = Journal
			}
			readMODSTitle(s, e, k, kind)
		case "identifier":
			switch {
			case host && strings.Contains(strings.ToLower(e.Attr("type")), "issn"):
				s.text(ISSN, e, "")
			case host && strings.EqualFold(e.Attr("type"), "isbn"):
				s.text(ISBN, e, "")
			default:
				s.say(Statement{Kind: Related, At: e, Value: e.Text(), Scheme: e.Attr("type"), Qualifier: kind})
			}
		case "location":
			for u := range e.Children("url") {
				s.related(u, kind)
			}
		case "part":
			if host {
				readMODSPart(s, e)
			}
		case "originInfo":
			if host {
				s.text(Publisher, e.Child("publisher"), "")
			}
		}
	}
	if item.Child("titleInfo").Text() == "" && !item.Child("identifier").Valid() {
		s.qualified(RelatedTitle, item, kind)
	}
	s.say(Statement{Kind: Related, At: item, Attr: "href", Value: item.Attr("href"), Qualifier: kind})
}
