package crosswalk

import (
	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// readEML reads the Ecological Metadata Language, versions 2.0 to 2.2. It has
// one resource beside annotations; people and projects have addresses too.
func readEML(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "dataset", "software":
			s.say(Statement{Kind: Type, At: e, Value: e.Local()})
			readEMLResource(s, root, e)
		case "citation", "protocol":
			readEMLResource(s, root, e)
		}
	}
}

func readEMLResource(s *Statements, root, resource element.Element) {
	var alternates, information []element.Element
	for e := range resource.Children() {
		switch e.Local() {
		case "alternateIdentifier":
			alternates = append(alternates, e)
		case "creator":
			s.nextGroup()
			readEMLParty(s, e, CreatorName, CreatorID, "")
		case "pubDate":
			s.text(Date, e, "")
		case "licensed": // EML 2.2
			s.text(Licence, e.Child("url"), "")
			s.text(Licence, e.Child("identifier"), "")
		case "intellectualRights":
			readEMLRights(s, e)
		case "distribution":
			information = append(information, readEMLOnline(s, e.Child("online"))...)
		case "dataTable", "spatialRaster", "spatialVector", "storedProcedure", "view", "otherEntity":
			readEMLEntity(s, e)
		default:
			s.rest(readEMLDescription, e)
		}
	}
	readEMLIdentifiers(s, root, alternates, information)
}

// readEMLParty reads a person or an organisation; as and id are the kinds of the
// name and of identifiers. Without a person the organisation is meant.
func readEMLParty(s *Statements, party element.Element, as, id Kind, role string) {
	person := party.Child("individualName")
	for e := range party.Children() {
		switch e.Local() {
		case "userId":
			s.say(Statement{Kind: id, At: e, Value: e.Text(), Scheme: e.Attr("directory"), Qualifier: role})
		case "individualName":
			for n := range e.Children() {
				switch n.Local() {
				case "givenName":
					s.qualified(GivenName, n, role)
				case "surName":
					s.qualified(FamilyName, n, role)
				}
			}
		case "organizationName":
			if person.Valid() {
				s.qualified(Affiliation, e, role)
			} else {
				s.qualified(as, e, role)
			}
		case "positionName":
			s.qualified(Note, e, "position")
		}
	}
}

// readEMLDescription reads what is no part of links.
func readEMLDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "associatedParty":
		s.nextGroup()
		readEMLParty(s, e, Contributor, ContributorID, e.Child("role").Text())
	case "metadataProvider":
		s.nextGroup()
		readEMLParty(s, e, Contributor, ContributorID, e.Local())
	case "publisher":
		s.text(Publisher, e.Child("organizationName"), "")
	case "keywordSet":
		for k := range e.Children("keyword") {
			s.text(Subject, k, e.Child("keywordThesaurus").Text())
		}
	case "coverage":
		for c := range e.Children() {
			s.nextGroup()
			s.addDescendants(emlTerms, c)
		}
	case "project":
		readEMLProject(s, e)
	case "methods":
		s.qualified(Description, e, "methods")
	default:
		s.add(emlTerms, e.Local(), e, "")
	}
}

// readEMLProject reads who paid: in EML 2.2 an award, before that words.
func readEMLProject(s *Statements, project element.Element) {
	s.qualified(Note, project.Child("title"), "project")
	s.qualified(Note, project.Child("funding"), "funding")
	for e := range project.Children("award") {
		s.nextGroup()
		for a := range e.Children() {
			s.add(emlAward, a.Local(), a, "")
		}
	}
}

var (
	// emlTerms are the elements whose name alone says what they mean.
	emlTerms = map[string]term{
		"title": {Title, ""}, "shortName": {Title, "short"}, "series": {Journal, "series"}, "language": {Language, ""}, "abstract": {Description, "abstract"},
		"additionalInfo": {Description, "additionalInfo"}, "purpose": {Description, "purpose"}, "introduction": {Description, "introduction"}, "gettingStarted": {Description, "gettingStarted"},
		"pubPlace": {Place, ""}, "edition": {Edition, ""}, "version": {Version, ""}, "acknowledgements": {Note, "acknowledgements"}, "maintenance": {Note, "maintenance"},
		"geographicDescription": {Coverage, "spatial"}, "calendarDate": {Coverage, "temporal"}, "taxonRankValue": {Coverage, "taxonomic"}, "generalTaxonomicCoverage": {Coverage, "taxonomic"}, "commonName": {Coverage, "taxonomic"},
		"westBoundingCoordinate": {Coordinates, "west"}, "eastBoundingCoordinate": {Coordinates, "east"}, "northBoundingCoordinate": {Coordinates, "north"}, "southBoundingCoordinate": {Coordinates, "south"},
	}
	// emlAward are the parts of an award.
	emlAward = map[string]term{
		"funderName": {Funder, ""}, "funderIdentifier": {FunderID, ""}, "awardNumber": {Award, ""}, "title": {AwardTitle, ""}, "awardUrl": {AwardURI, ""},
	}
)

func readEMLRights(s *Statements, e element.Element) {
	for c := range e.Descendants("ulink") {
		s.attribute(Rights, c, "url", "")
	}
	s.text(Rights, e, "")
}

// readEMLOnline reads the address of the whole resource, and returns it if it
// is to inform about that. A function that is left out would be "download", but
// home pages stand there, too. EML 2.2, online resource
func readEMLOnline(s *Statements, online element.Element) (information []element.Element) {
	url := online.Child("url")
	switch function := url.Attr("function"); {
	case saysOther(online.Child("onlineDescription").Text()):
		s.related(url, "the page of a project, or one to search with")
	case s.entrance(url):
	case function == "information" && vocabulary.IsFileURL(url.Text()):
		s.related(url, "information about the object")
	case function == "information":
		return []element.Element{url}
	case vocabulary.IsFileURL(url.Text()) || function == "download" && !identifier.IsPersistent(url.Text()):
		s.text(File, url, "")
	default:
		s.text(Identifier, url, "")
	}
	return nil
}

// readEMLEntity reads a table, a grid or another part: its data are a file.
func readEMLEntity(s *Statements, entity element.Element) {
	for physical := range entity.Children("physical") {
		media := physical.Child("dataFormat").Child("externallyDefinedFormat").Child("formatName").Text()
		for url := range physical.Descendants() {
			switch {
			case url.Local() != "url":
			case url.Attr("function") == "information":
				s.related(url, "about a part of the object")
			case !s.entrance(url):
				s.nextGroup()
				s.say(Statement{Kind: File, At: url, Value: url.Text(), Media: media})
				s.text(FileName, physical.Child("objectName"), "")
				s.text(FileSize, physical.Child("size"), "")
			}
		}
	}
}

// readEMLIdentifiers finds the page: where an address identifies the resource
// it is that, else where nothing does the one for information. Beside a
// persistent identifier that is often a project's.
func readEMLIdentifiers(s *Statements, root element.Element, alternates, information []element.Element) {
	var pids, pages []element.Element
	for _, e := range alternates {
		_, isURL := uri.Parse(e.Text())
		switch {
		case identifier.IsPersistent(e.Text()):
			pids = append(pids, e)
		case !isURL || vocabulary.IsFileURL(e.Text()):
			s.text(Identifier, e, "")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	identified := identifier.IsPersistent(root.Attr("packageId"))
	if identified {
		s.attribute(PID, root, "packageId", "")
		s.each(Identifier, pids)
	} else {
		s.sole(PID, pids)
	}
	s.sole(Page, pages)
	if identified || len(pages)+len(pids) > 0 {
		s.each(Identifier, information)
	} else {
		s.sole(Page, information)
	}
}
