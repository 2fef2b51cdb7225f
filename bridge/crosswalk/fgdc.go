package crosswalk

import (
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
	for e := range root.Children() {
		if e.Local() == "distinfo" && len(names) < most {
			names = append(names, e.Child("resdesc").Text())
		}
	}
	readFGDCCitation(s, info.Child("citation").Child("citeinfo"), names)
	s.text(Rights, info.Child("useconst"), "")
	for e := range root.Children() {
		if e.Local() == "distinfo" {
			readFGDCDistribution(s, e)
		}
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
			s.nextPerson()
			s.text(Creator, e, "")
		case "pubdate":
			day := e.Text()
			if text.IsDigits(day) && len(day) > 4 { // YYYYMMDD, without hyphens
				day = day[:4]
			}
			s.say(Statement{Kind: Date, At: e, Value: day})
		case "geoform":
			s.text(Type, e, "")
		case "onlink":
			switch {
			case identifier.IsPersistent(e.Text()):
				pids = append(pids, e)
			case vocabulary.IsFileURL(e.Text()):
				s.text(File, e, "")
			case s.entrance(e):
			case namesAny(e.Text(), names):
				pages = append(pages, e)
			default:
				s.text(Identifier, e, "")
			}
		}
	}
	s.sole(PID, pids)
	s.sole(Page, pages)
}

func namesAny(uri string, names []string) bool {
	for _, name := range names {
		if namesDataset(uri, name) {
			return true
		}
	}
	return false
}

// readFGDCDistribution reads network resource names: of files, services and
// pages to order from.
func readFGDCDistribution(s *Statements, distribution element.Element) {
	for e := range distribution.Descendants() {
		switch {
		case e.Local() != "networkr":
		case vocabulary.IsFileURL(e.Text()):
			s.text(File, e, "")
		default:
			s.text(Related, e, "a page to download from")
		}
	}
}
