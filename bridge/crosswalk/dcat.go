package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDCAT reads DCAT in RDF/XML as InvenioRDM writes it: a description of the
// object, with a Distribution for every file.
func readDCAT(s *Statements, root element.Element) {
	for object := range root.Children() {
		switch object.Local() {
		case "Distribution":
			readDistribution(s, object)
		case "Description", "Dataset", "Catalog", "CatalogRecord":
			for e := range object.Children() {
				readDCATProperty(s, e)
			}
		}
	}
}

func readDCATProperty(s *Statements, e element.Element) {
	switch e.Local() {
	case "distribution":
		readDistribution(s, e.Child("Distribution"))
	case "landingPage":
		s.attribute(Page, e, "resource", "")
	case "identifier":
		s.text(Identifier, e, "")
	case "license":
		s.attribute(Licence, e, "resource", "")
		s.text(Rights, e, "")
	case "rights":
		s.attribute(Rights, e, "resource", "")
		s.text(Rights, e, "")
	case "type":
		s.attribute(Type, e, "resource", "")
	case "issued":
		s.text(Date, e, "")
	case "creator":
		s.nextGroup()
		s.attribute(CreatorID, e, "resource", "")
		for c := range e.Children() {
			s.attribute(CreatorID, c, "about", "")
			readAgent(s, c, CreatorName, "")
		}
	default:
		s.rest(readDCATDescription, e)
	}
}

// readDCATDescription reads what is no part of links.
func readDCATDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "contributor", "editor", "funding", "qualifiedAttribution":
		s.nextGroup()
		for c := range e.Descendants() {
			s.say(Statement{Kind: ContributorID, At: c, Attr: "about", Value: c.Attr("about"), Qualifier: e.Local()})
			readAgent(s, c, Contributor, e.Local())
		}
	case "publisher":
		for c := range e.Children() {
			s.attribute(PublisherID, c, "about", "")
			s.text(Publisher, c.Child("name"), "")
		}
		if e.Text() != "" && !e.Child("Agent").Valid() && !e.Child("Organization").Valid() {
			s.text(Publisher, e, "")
		}
	case "spatial":
		s.addDescendants(dcatTerms, e)
	case "relation", "isReferencedBy", "references", "isVersionOf", "hasVersion", "isPartOf", "hasPart":
		s.say(Statement{Kind: Related, At: e, Attr: "resource", Value: e.Attr("resource"), Qualifier: e.Local()})
		s.related(e, e.Local())
	default:
		s.add(dcatTerms, e.Local(), e, "")
		if t, ok := dcatTerms[e.Local()]; ok {
			s.say(Statement{Kind: t.kind, At: e, Attr: "resource", Value: e.Attr("resource"), Qualifier: t.qualifier})
		}
	}
}

// dcatTerms are the properties whose name alone says what they mean.
var dcatTerms = map[string]term{
	"title": {Title, ""}, "alternative": {Title, "alternative"}, "description": {Description, ""}, "abstract": {Description, "abstract"},
	"keyword": {Subject, ""}, "subject": {Subject, ""}, "theme": {SubjectURI, ""}, "language": {Language, ""}, "hasVersionInfo": {Version, ""},
	"versionInfo": {Version, ""}, "version": {Version, ""}, "modified": {OtherDate, "modified"}, "created": {OtherDate, "created"},
	"available": {OtherDate, "available"}, "extent": {Extent, ""}, "temporal": {Coverage, "temporal"}, "prefLabel": {Coverage, "spatial"},
	"geometry": {Coordinates, "geometry"}, "bbox": {Coordinates, "bbox"}, "centroid": {Coordinates, "centroid"},
	"accessRights": {Access, ""}, "bibliographicCitation": {Citation, ""}, "provenance": {Note, "provenance"},
}

// readAgent reads the names of a person or an organisation.
func readAgent(s *Statements, agent element.Element, name Kind, role string) {
	for e := range agent.Children() {
		switch e.Local() {
		case "name":
			s.qualified(name, e, role)
		case "givenName":
			s.qualified(GivenName, e, role)
		case "familyName":
			s.qualified(FamilyName, e, role)
		case "identifier":
			s.qualified(ContributorID, e, role)
		case "memberOf":
			s.qualified(Affiliation, e.First("name"), role)
		}
	}
}

// readDistribution reads one file. A media type may be the URI that IANA gives it.
func readDistribution(s *Statements, d element.Element) {
	media := ""
	if m := d.Child("mediaType"); m.Valid() {
		if media = m.Attr("resource"); media == "" {
			media = m.Text()
		}
		if _, after, ok := strings.Cut(media, "/media-types/"); ok {
			media = after
		}
	}
	s.nextGroup()
	for e := range d.Children() {
		switch e.Local() {
		case "downloadURL":
			s.say(Statement{Kind: File, At: e, Attr: "resource", Value: e.Attr("resource"), Media: media})
		case "byteSize":
			s.text(FileSize, e, "")
		case "title":
			s.text(FileName, e, "")
		}
	}
}
