package crosswalk

import (
	"cmp"
	"slices"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
)

// kernel is how the namespaces of DataCite's kernels begin.
const kernel = "http://datacite.org/schema/kernel-"

// isDataCite recognises a kernel that was sent without its namespace, or in a
// list of one.
func isDataCite(root element.Element) bool {
	root = dataCiteResource(root)
	return root.Local() == "resource" && root.Child("identifier").Attr("identifierType") != ""
}

// dataCiteResource returns the resource itself, which may be in a list of one.
func dataCiteResource(root element.Element) element.Element {
	if root.Local() == "resources" {
		return root.Child("resource")
	}
	return root
}

// readDataCiteEnvelope reads oai_datacite: the kernel stands inside payload.
func readDataCiteEnvelope(s *Statements, root element.Element) {
	readDataCite(s, root.First("resource"))
}

// readDataCite reads DataCite kernel 2.2, 3 and 4. They differ in what is
// mandatory and in lists of terms, not in the elements that are read here.
func readDataCite(s *Statements, root element.Element) {
	root = dataCiteResource(root)
	for e := range root.Children() {
		readDataCiteElement(s, e)
	}
}

func readDataCiteElement(s *Statements, e element.Element) {
	switch e.Local() {
	case "identifier":
		readDataCiteIdentifier(s, e)
	case "alternateIdentifiers":
		for a := range e.Children() {
			s.text(Identifier, a, a.Attr("alternateIdentifierType"))
		}
	case "relatedIdentifiers":
		for r := range e.Children() {
			readDataCiteRelation(s, r)
		}
	case "relatedIdentifier": // without the list around it
		readDataCiteRelation(s, e)
	case "creators":
		for c := range e.Children() {
			readDataCiteCreator(s, c)
		}
	case "publicationYear":
		s.text(Date, e, "")
	case "resourceType":
		s.attribute(Type, e, "resourceTypeGeneral", "datacite-resourceTypeGeneral")
		s.text(Type, e, "")
	case "formats":
		for f := range e.Children() {
			s.text(Format, f, "")
		}
	case "rightsList":
		for r := range e.Children() {
			readDataCiteRights(s, r)
		}
	case "rights": // kernel 2.2
		readDataCiteRights(s, e)
	default:
		s.rest(readDataCiteDescription, e)
	}
}

// readDataCiteRelation reads what is related. Metadata about the object that
// others know by its name, such as that of an RO-Crate, stands among its files
// elsewhere: so it does here.
func readDataCiteRelation(s *Statements, r element.Element) {
	if _, ok := vocabulary.DescriptionOf(r.Text()); ok && r.Attr("relationType") == "HasMetadata" {
		s.text(File, r, "")
	}
	s.say(Statement{Kind: Related, At: r, Value: r.Text(), Scheme: r.Attr("relatedIdentifierType"), Qualifier: r.Attr("relationType")})
}

// readDataCiteDescription reads what is no part of links.
func readDataCiteDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "publisher":
		s.text(Publisher, e, "")
		s.attribute(PublisherID, e, "publisherIdentifier", e.Attr("publisherIdentifierScheme"))
	case "language":
		s.text(Language, e, "")
	case "version":
		s.text(Version, e, "")
	}
	for c := range e.Children() {
		switch e.Local() {
		case "titles":
			s.qualified(Title, c, c.Attr("titleType"))
		case "contributors":
			readDataCiteContributor(s, c)
		case "subjects":
			s.text(Subject, c, c.Attr("subjectScheme"))
			s.attribute(SubjectURI, c, "valueURI", c.Attr("schemeURI"))
		case "descriptions":
			s.qualified(Description, c, c.Attr("descriptionType"))
		case "dates":
			s.qualified(OtherDate, c, c.Attr("dateType"))
		case "sizes":
			s.text(Extent, c, "")
		case "fundingReferences":
			readDataCiteFunding(s, c)
		case "geoLocations":
			readDataCitePlace(s, c)
		case "relatedItems":
			readDataCiteItem(s, c)
		}
	}
}

func readDataCiteContributor(s *Statements, c element.Element) {
	s.nextGroup()
	role := c.Attr("contributorType")
	named := false
	for e := range c.Children() {
		switch e.Local() {
		case "contributorName":
			s.qualified(Contributor, e, role)
			s.attribute(NameType, e, "nameType", "")
			named = true
		case "nameIdentifier":
			s.say(Statement{Kind: ContributorID, At: e, Value: e.Text(), Scheme: nameScheme(e), Qualifier: role})
		default:
			readDataCiteName(s, e, role)
		}
	}
	if !named {
		s.qualified(Contributor, c, role)
	}
}

// readDataCiteName reads a part of what is said of a creator or contributor.
func readDataCiteName(s *Statements, e element.Element, role string) {
	switch e.Local() {
	case "givenName":
		s.qualified(GivenName, e, role)
	case "familyName":
		s.qualified(FamilyName, e, role)
	case "affiliation":
		s.qualified(Affiliation, e, role)
		s.say(Statement{
			Kind: AffiliationID, At: e, Attr: "affiliationIdentifier", Value: e.Attr("affiliationIdentifier"),
			Scheme: e.Attr("affiliationIdentifierScheme"), Qualifier: role,
		})
	}
}

// nameScheme is what the metadata calls the scheme of a name's identifier.
func nameScheme(e element.Element) string {
	return cmp.Or(e.Attr("nameIdentifierScheme"), e.Attr("schemeURI"))
}

func readDataCiteFunding(s *Statements, f element.Element) {
	s.nextGroup()
	for e := range f.Children() {
		switch e.Local() {
		case "funderName":
			s.text(Funder, e, "")
		case "funderIdentifier":
			s.text(FunderID, e, e.Attr("funderIdentifierType"))
		case "awardNumber":
			s.text(Award, e, "")
			s.attribute(AwardURI, e, "awardURI", "")
		case "awardTitle":
			s.text(AwardTitle, e, "")
		}
	}
}

// readDataCitePlace reads a place by its name, or as a point, a box or a
// polygon, which kernel 3 has as numbers in a row.
func readDataCitePlace(s *Statements, place element.Element) {
	for e := range place.Children() {
		s.nextGroup()
		switch name, children := e.Local(), slices.Collect(e.Children()); {
		case name == "geoLocationPlace":
			s.qualified(Coverage, e, "spatial")
		case len(children) == 0:
			s.qualified(Coordinates, e, strings.TrimPrefix(name, "geoLocation"))
		default:
			for c := range e.Descendants() {
				if c.Local() != "polygonPoint" && c.Local() != "inPolygonPoint" {
					s.qualified(Coordinates, c, c.Local())
				}
			}
		}
	}
}

// readDataCiteItem reads a related item, such as the journal that an article
// was published in. DataCite 4.4, 20.
func readDataCiteItem(s *Statements, item element.Element) {
	s.nextGroup()
	relation := item.Attr("relationType")
	for e := range item.Descendants() {
		switch e.Local() {
		case "relatedItemIdentifier":
			s.say(Statement{Kind: Related, At: e, Value: e.Text(), Scheme: e.Attr("relatedItemIdentifierType"), Qualifier: relation})
		case "title":
			s.qualified(RelatedTitle, e, relation)
		default:
			if relation == "IsPublishedIn" {
				s.add(dataCiteItemTerms, e.Local(), e, "")
			}
		}
	}
}

// dataCiteItemTerms are the parts of what an object is published in.
var dataCiteItemTerms = map[string]term{
	"volume": {Volume, ""}, "issue": {Issue, ""}, "firstPage": {FirstPage, ""}, "lastPage": {LastPage, ""},
	"number": {ArticleNumber, ""}, "edition": {Edition, ""},
}

// readDataCiteIdentifier reads the mandatory identifier. Repositories without
// a DOI put the address of the page there, with type URL.
func readDataCiteIdentifier(s *Statements, e element.Element) {
	scheme := e.Attr("identifierType")
	switch {
	case !strings.EqualFold(scheme, "URL"):
		s.text(PID, e, scheme)
	case identifier.IsPersistent(e.Text()):
		s.text(PID, e, "")
	default:
		s.text(Page, e, scheme)
	}
}

func readDataCiteCreator(s *Statements, c element.Element) {
	s.nextGroup()
	named := false
	for e := range c.Children() {
		switch e.Local() {
		case "creatorName":
			s.text(Creator, e, "")
			s.attribute(NameType, e, "nameType", "")
			named = true
		case "nameIdentifier":
			s.text(CreatorID, e, nameScheme(e))
		default:
			readDataCiteName(s, e, "")
		}
	}
	if !named { // SciCat and others put the name into creator itself
		s.text(Creator, c, "")
	}
}

// readDataCiteRights reads one entry of the rights: the URI says most, the
// SPDX identifier next, the words least.
func readDataCiteRights(s *Statements, e element.Element) {
	s.attribute(Licence, e, "rightsURI", "")
	s.attribute(Licence, e, "rightsIdentifier", e.Attr("rightsIdentifierScheme"))
	s.text(Rights, e, "")
}
