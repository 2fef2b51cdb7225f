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
			readJPCOARRelation(s, e)
		case "file":
			readJPCOARFile(s, e)
		case "creator":
			s.nextGroup()
			readJPCOARName(s, e, CreatorName, CreatorID, "")
		case "contributor":
			s.nextGroup()
			readJPCOARName(s, e, Contributor, ContributorID, e.Attr("contributorType"))
		case "type":
			s.attribute(Type, e, "resource", "")
			s.text(Type, e, "")
		case "rights":
			s.attribute(Licence, e, "resource", "")
			s.text(Rights, e, "")
		case "accessRights":
			s.text(Access, e, "")
			s.attribute(Access, e, "resource", "")
		case "date", "issued":
			s.qualified(Date, e, e.Attr("dateType"))
		default:
			s.rest(readJPCOARDescription, e)
		}
	}
}

// readJPCOARDescription reads what is no part of links.
func readJPCOARDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "description":
		s.qualified(Description, e, e.Attr("descriptionType"))
	case "subject":
		s.text(Subject, e, e.Attr("subjectScheme"))
		s.attribute(SubjectURI, e, "subjectURI", e.Attr("subjectScheme"))
	case "sourceIdentifier":
		s.text(ISSN, e, e.Attr("identifierType"))
	case "version":
		s.text(Version, e, "")
		s.attribute(Version, e, "resource", "")
	case "fundingReference", "conference", "degreeGrantor", "geoLocation", "rightsHolder", "holdingAgent":
		s.nextGroup()
		for c := range e.Descendants() {
			s.add(jpcoarTerms, c.Local(), c, c.Attr("funderIdentifierType"))
			s.attribute(AwardURI, c, "awardURI", "")
		}
	default:
		s.add(jpcoarTerms, e.Local(), e, "")
	}
}

// jpcoarTerms are the elements whose name alone says what they mean.
var jpcoarTerms = map[string]term{
	"title": {Title, ""}, "alternative": {Title, "alternative"}, "publisher": {Publisher, ""}, "publisherName": {Publisher, ""},
	"language": {Language, ""}, "temporal": {Coverage, "temporal"}, "geoLocationPlace": {Coverage, "spatial"},
	"sourceTitle": {Journal, ""}, "volume": {Volume, ""}, "issue": {Issue, ""}, "numPages": {Extent, "pages"},
	"pageStart": {FirstPage, ""}, "pageEnd": {LastPage, ""}, "edition": {Edition, ""},
	"funderName": {Funder, ""}, "funderIdentifier": {FunderID, ""}, "awardNumber": {Award, ""}, "awardTitle": {AwardTitle, ""},
	"fundingStream": {Note, "fundingStream"}, "fundingStreamIdentifier": {Note, "fundingStreamIdentifier"},
	"conferenceName": {Event, ""}, "conferenceSequence": {Event, "sequence"}, "conferenceDate": {Event, "date"},
	"conferencePlace": {Event, "place"}, "conferenceCountry": {Event, "country"}, "conferenceSponsor": {Event, "sponsor"}, "conferenceVenue": {Event, "venue"},
	"degreeName": {Degree, "name"}, "degreeGrantorName": {Degree, "grantor"}, "dateGranted": {OtherDate, "granted"}, "dissertationNumber": {Note, "dissertationNumber"},
	"rightsHolderName": {RightsHolder, ""}, "apc": {Note, "apc"}, "originalLanguage": {Language, "original"},
	"pointLongitude": {Coordinates, "pointLongitude"}, "pointLatitude": {Coordinates, "pointLatitude"},
	"westBoundLongitude": {Coordinates, "westBoundLongitude"}, "eastBoundLongitude": {Coordinates, "eastBoundLongitude"},
	"southBoundLatitude": {Coordinates, "southBoundLatitude"}, "northBoundLatitude": {Coordinates, "northBoundLatitude"},
	"holdingAgentName": {Note, "holdingAgentName"}, "degreeGrantorIdentifier": {Note, "nameIdentifier"}, "format": {Format, ""}, "extent": {Extent, ""},
}

// readJPCOARName reads a creator or contributor; name and id are the kinds of
// its name and of its identifiers.
func readJPCOARName(s *Statements, e element.Element, name, id Kind, role string) {
	for c := range e.Children() {
		switch c.Local() {
		case "nameIdentifier":
			value, attr := jpcoarName(c)
			s.say(Statement{Kind: id, At: c, Attr: attr, Value: value, Scheme: c.Attr("nameIdentifierScheme"), Qualifier: role})
		case "creatorName", "contributorName":
			s.qualified(name, c, role)
			s.attribute(NameType, c, "nameType", "")
		case "creatorAlternative", "contributorAlternative":
			s.qualified(Note, c, c.Local())
		case "familyName":
			s.qualified(FamilyName, c, role)
		case "givenName":
			s.qualified(GivenName, c, role)
		case "affiliation":
			for a := range c.Children() {
				switch a.Local() {
				case "affiliationName":
					s.qualified(Affiliation, a, role)
				case "nameIdentifier":
					s.say(Statement{Kind: AffiliationID, At: a, Value: a.Text(), Scheme: a.Attr("nameIdentifierScheme"), Qualifier: role})
				}
			}
		}
	}
}

// readJPCOARRelation reads a relation, of which an identifier and a title are
// stated.
func readJPCOARRelation(s *Statements, e element.Element) {
	kind := e.Attr("relationType")
	if s.scope == Links {
		s.related(e, kind)
		return
	}
	s.nextGroup()
	for c := range e.Children() {
		switch c.Local() {
		case "relatedIdentifier":
			s.say(Statement{Kind: Related, At: c, Value: c.Text(), Scheme: c.Attr("identifierType"), Qualifier: kind})
		case "relatedTitle":
			s.qualified(RelatedTitle, c, kind)
		}
	}
}

// jpcoarName prefers the URI that stands beside an identifier.
func jpcoarName(e element.Element) (value, attr string) {
	const attribute = "nameIdentifierURI"
	if uri := e.Attr(attribute); uri != "" {
		return uri, attribute
	}
	return e.Text(), ""
}

func readJPCOARFile(s *Statements, f element.Element) {
	s.nextGroup()
	uri := f.Child("URI")
	switch kind := uri.Attr("objectType"); kind {
	case "thumbnail":
		s.related(uri, kind)
	default:
		s.say(Statement{Kind: File, At: uri, Value: uri.Text(), Media: f.Child("mimeType").Text()})
		s.attribute(FileName, uri, "label", "")
	}
	for e := range f.Children() {
		switch e.Local() {
		case "extent":
			s.text(FileSize, e, "")
		case "date":
			s.qualified(OtherDate, e, e.Attr("dateType"))
		case "version":
			s.qualified(Note, e, "file version")
		}
	}
}
