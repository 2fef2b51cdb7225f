package crosswalk

import (
	"cmp"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
)

// readISO19139 reads geographic metadata, ISO 19139. Contacts have addresses
// on the web too; only those of the distribution lead to the object.
func readISO19139(s *Statements, root element.Element) {
	name := root.Child("fileIdentifier").Text()
	for e := range root.Children() {
		switch e.Local() {
		case "fileIdentifier": // of the metadata; some put the object's there
			s.text(Identifier, e, "")
		case "dataSetURI":
			readISOIdentifier(s, e)
		case "hierarchyLevel":
			s.attribute(Type, e.Child("MD_ScopeCode"), "codeListValue", "iso19115")
		case "identificationInfo":
			for info := range e.Children() {
				readISOIdentification(s, info)
			}
		case "distributionInfo":
			readISODistribution(s, e, name)
		case "dataQualityInfo":
			s.qualified(Description, e.First("statement"), "lineage")
			s.qualified(Description, e.First("processStep").First("description"), "lineage")
		case "parentIdentifier":
			if s.scope == All {
				s.related(e, "parent")
			}
		case "hierarchyLevelName":
			s.qualified(Note, e, e.Local())
		}
	}
}

func readISOIdentification(s *Statements, info element.Element) {
	s.rest(readISODescription, info)
	for e := range info.Children() {
		switch e.Local() {
		case "citation":
			for c := range e.Child("CI_Citation").Children("identifier") {
				readISOIdentifier(s, c.First("code"))
			}
		case "resourceConstraints":
			for c := range e.Descendants("useLimitation", "otherConstraints") {
				s.text(Rights, c, "")
			}
		}
	}
}

// readISODescription reads what is no part of links.
func readISODescription(s *Statements, info element.Element) {
	for e := range info.Children() {
		switch e.Local() {
		case "citation":
			readISOCitation(s, e.Child("CI_Citation"))
		case "pointOfContact":
			readISOParty(s, e.Child("CI_ResponsibleParty"))
		case "descriptiveKeywords":
			readISOKeywords(s, e.Child("MD_Keywords"))
		case "topicCategory":
			s.text(Subject, e, "MD_TopicCategoryCode")
		case "extent":
			for c := range e.Descendants() {
				if isISOPlace(c) {
					s.nextGroup()
				}
				s.add(isoTerms, c.Local(), c, "")
			}
		case "resourceFormat":
			s.qualified(Note, e.First("name"), "format")
		case "aggregationInfo":
			kind := isoCode(e.First("DS_AssociationTypeCode"))
			for c := range e.Descendants("code") {
				s.related(c, kind)
			}
		case "resourceConstraints":
			for c := range e.Descendants("MD_RestrictionCode") {
				s.say(Statement{Kind: Access, At: c, Value: isoCode(c), Qualifier: "restriction"})
			}
		case "status", "spatialRepresentationType", "credit", "resourceMaintenance", "graphicOverview", "environmentDescription":
			s.qualified(Note, e, e.Local())
		default:
			s.add(isoTerms, e.Local(), e, "")
		}
	}
}

// isISOPlace reports whether an element is a place: a box, a polygon or a name.
func isISOPlace(e element.Element) bool {
	switch e.Local() {
	case "EX_GeographicBoundingBox", "EX_BoundingPolygon", "EX_GeographicDescription":
		return true
	}
	return false
}

// isoTerms are the elements whose name alone says what they mean.
var isoTerms = map[string]term{
	"abstract": {Description, "abstract"}, "purpose": {Description, "purpose"}, "supplementalInformation": {Description, "supplement"}, "language": {Language, ""},
	"title": {Title, ""}, "alternateTitle": {Title, "alternative"}, "edition": {Edition, ""}, "collectiveTitle": {Title, "collective"},
	"otherCitationDetails": {Citation, ""}, "ISSN": {ISSN, ""}, "ISBN": {ISBN, ""}, "description": {Coverage, ""}, "geographicIdentifier": {Coverage, "spatial"},
	"beginPosition": {Coverage, "temporal begin"}, "endPosition": {Coverage, "temporal end"}, "timePosition": {Coverage, "temporal"},
	"westBoundLongitude": {Coordinates, "west"}, "eastBoundLongitude": {Coordinates, "east"}, "southBoundLatitude": {Coordinates, "south"}, "northBoundLatitude": {Coordinates, "north"},
	"pos": {Coordinates, "pos"}, "posList": {Coordinates, "posList"}, "minimumValue": {Coordinates, "vertical minimum"}, "maximumValue": {Coordinates, "vertical maximum"},
}

// isoCode is a term of a code list: as its attribute says, or in words.
func isoCode(e element.Element) string {
	return cmp.Or(e.Attr("codeListValue"), e.Text())
}

func readISOCitation(s *Statements, citation element.Element) {
	for e := range citation.Children() {
		switch e.Local() {
		case "date":
			date := e.Child("CI_Date")
			s.qualified(OtherDate, date.Child("date"), isoCode(date.First("CI_DateTypeCode")))
		case "editionDate":
			s.qualified(OtherDate, e, "edition")
		case "citedResponsibleParty":
			readISOParty(s, e.Child("CI_ResponsibleParty"))
		case "series":
			s.qualified(Journal, e.First("name"), "series")
			s.text(Issue, e.First("issueIdentification"), "")
			s.text(Pages, e.First("page"), "")
		default:
			s.add(isoTerms, e.Local(), e, "")
		}
	}
}

// readISOParty reads a person or an organisation, whose role says what they did.
func readISOParty(s *Statements, party element.Element) {
	s.nextGroup()
	role := isoCode(party.First("CI_RoleCode"))
	name, organisation := party.Child("individualName"), party.Child("organisationName")
	as := Contributor
	switch role {
	case "author", "originator", "principalInvestigator":
		as = CreatorName
	case "publisher":
		s.text(Publisher, organisation, "")
		s.qualified(Contributor, name, role)
		return
	}
	if !name.Valid() {
		s.qualified(as, organisation, role)
		return
	}
	s.qualified(as, name, role)
	s.text(Affiliation, organisation, "")
}

func readISOKeywords(s *Statements, keywords element.Element) {
	thesaurus, kind := keywords.Child("thesaurusName").First("title").Text(), isoCode(keywords.First("MD_KeywordTypeCode"))
	for k := range keywords.Children() {
		switch {
		case k.Local() != "keyword":
		case kind == "place":
			s.say(Statement{Kind: Coverage, At: k, Value: k.Text(), Scheme: thesaurus, Qualifier: "spatial"})
		case kind == "temporal":
			s.say(Statement{Kind: Coverage, At: k, Value: k.Text(), Scheme: thesaurus, Qualifier: "temporal"})
		default:
			s.text(Subject, k, thesaurus)
		}
	}
}

// readISOIdentifier takes what is persistent for the object's, and anything
// else for what it may be.
func readISOIdentifier(s *Statements, e element.Element) {
	if identifier.IsPersistent(e.Text()) {
		s.text(PID, e, "")
	} else if e.Valid() {
		s.text(Identifier, e, "")
	}
}

// readISODistribution reads the addresses by what they are said to be for. One
// alone for information is the page; of several it is that with the name that
// the centre has for the record.
func readISODistribution(s *Statements, distribution element.Element, name string) {
	if s.scope == All {
		for e := range distribution.Descendants() {
			switch e.Local() {
			case "MD_Format":
				s.qualified(Note, e.Child("name"), "format")
			case "transferSize":
				s.text(Extent, e, "")
			}
		}
	}
	var information, named []element.Element
	for r := range distribution.Descendants("CI_OnlineResource") {
		url := r.First("URL")
		switch r.First("CI_OnLineFunctionCode").Attr("codeListValue") {
		case "information", "landing":
			if namesDataset(url.Text(), name) {
				named = append(named, url)
			} else {
				information = append(information, url)
			}
		case "download":
			if vocabulary.IsFileURL(url.Text()) || strings.Contains(r.Child("protocol").Text(), "DOWNLOAD") {
				s.text(File, url, "")
			} else {
				s.related(url, "a page to download from")
			}
		default:
			s.text(Identifier, url, "")
		}
	}
	if len(named) > 0 {
		s.sole(Page, named)
		s.each(Identifier, information)
		return
	}
	s.sole(Page, information)
}
