package crosswalk

import (
	"slices"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
	"fingerpost/bridge/vocabulary"
)

// csdgm is the namespace that catalogues (CSW) give to FGDC CSDGM.
const csdgm = "http://www.opengis.net/cat/csw/csdgm"

// isFGDC recognises FGDC CSDGM, which is usually in no namespace, or in that
// of the answer it stands in.
func isFGDC(root element.Element) bool {
	return root.Local() == "metadata" && root.Child("idinfo").Valid()
}

// readFGDC reads geographic metadata, FGDC-STD-001-1998. Larger works and
// cross references have citations too; only that of idinfo is the object's.
func readFGDC(s *Statements, root element.Element) {
	const most = 16 // names that distributors have for one data set
	info := root.Child("idinfo")
	names := []string{info.Child("datasetid").Text()}
	for e := range root.Children("distinfo") {
		if len(names) < most {
			names = append(names, e.Child("resdesc").Text())
		}
	}
	readFGDCCitation(s, info.Child("citation").Child("citeinfo"), names)
	s.text(Rights, info.Child("useconst"), "")
	s.rest(readFGDCDescription, info)
	for e := range root.Children("distinfo") {
		readFGDCDistribution(s, e)
	}
}

// readFGDCCitation reads the citation. Online linkage is where the data set is
// (FGDC-STD-001-1998, 8.10), and many write there where the centre is: it is
// the page if the distributor's name for the data set is in it.
func readFGDCCitation(s *Statements, citation element.Element, names []string) {
	var pids, pages []element.Element
	for e := range citation.Children() {
		switch e.Local() {
		case "origin":
			s.nextGroup()
			s.text(Creator, e, "")
		case "pubdate":
			day := e.Text()
			if text.IsDigits(day) && len(day) > 4 { // YYYYMMDD, without hyphens
				day = day[:4]
			}
			s.say(Statement{Kind: Date, At: e, Value: day})
		case "geoform":
			s.text(Type, e, "")
		case "pubinfo", "serinfo":
			s.addChildren(fgdcTerms, e)
		case "lworkcit":
			s.qualified(RelatedTitle, e.First("title"), "larger work")
		case "onlink":
			switch {
			case identifier.IsPersistent(e.Text()):
				pids = append(pids, e)
			case vocabulary.IsFileURL(e.Text()):
				s.text(File, e, "")
			case s.entrance(e):
			case slices.ContainsFunc(names, func(name string) bool { return namesDataset(e.Text(), name) }):
				pages = append(pages, e)
			default:
				s.text(Identifier, e, "")
			}
		default:
			s.add(fgdcTerms, e.Local(), e, "")
		}
	}
	s.sole(PID, pids)
	s.sole(Page, pages)
}

// readFGDCDescription reads what is no part of links.
func readFGDCDescription(s *Statements, info element.Element) {
	for e := range info.Children() {
		switch e.Local() {
		case "citation", "useconst", "ptcontac", "crossref", "browse":
		case "keywords":
			for group := range e.Children() {
				readFGDCKeywords(s, group)
			}
		default:
			s.nextGroup()
			s.add(fgdcTerms, e.Local(), e, "")
			s.addDescendants(fgdcTerms, e)
		}
	}
}

// readFGDCKeywords reads keywords with the name of their thesaurus.
func readFGDCKeywords(s *Statements, group element.Element) {
	thesaurus := ""
	for e := range group.Children() {
		if strings.HasSuffix(e.Local(), "kt") {
			thesaurus = e.Text()
		}
	}
	for e := range group.Children() {
		switch e.Local() {
		case "themekey", "stratkey":
			s.text(Subject, e, thesaurus)
		case "placekey":
			s.say(Statement{Kind: Coverage, At: e, Value: e.Text(), Scheme: thesaurus, Qualifier: "spatial"})
		case "tempkey":
			s.say(Statement{Kind: Coverage, At: e, Value: e.Text(), Scheme: thesaurus, Qualifier: "temporal"})
		}
	}
}

// fgdcTerms are the elements whose name alone says what they mean.
var fgdcTerms = map[string]term{
	"title": {Title, ""}, "edition": {Edition, ""}, "publish": {Publisher, ""}, "pubplace": {Place, ""}, "sername": {Journal, "series"}, "issue": {Issue, ""},
	"othercit": {Citation, ""}, "abstract": {Description, "abstract"}, "purpose": {Description, "purpose"}, "supplinf": {Description, "supplement"},
	"westbc": {Coordinates, "westbc"}, "eastbc": {Coordinates, "eastbc"}, "northbc": {Coordinates, "northbc"}, "southbc": {Coordinates, "southbc"},
	"caldate": {Coverage, "temporal"}, "begdate": {Coverage, "temporal begin"}, "enddate": {Coverage, "temporal end"}, "current": {Note, "currentness"},
	"accconst": {Access, ""}, "datacred": {Note, "credit"}, "progress": {Note, "progress"}, "update": {Note, "update"}, "native": {Note, "native"},
}

// readFGDCDistribution reads network resource names: of files, services and
// pages to order from.
func readFGDCDistribution(s *Statements, distribution element.Element) {
	for e := range distribution.Descendants() {
		switch {
		case e.Local() == "formname":
			s.qualified(Note, e, "format")
		case e.Local() == "transize":
			s.text(Extent, e, "")
		case e.Local() != "networkr":
		case vocabulary.IsFileURL(e.Text()):
			s.text(File, e, "")
		default:
			s.related(e, "a page to download from")
		}
	}
}
