package bridge

import "fingerpost/bridge/element"

// csdgm is the namespace that catalogues (CSW) give to FGDC CSDGM.
const csdgm = "http://www.opengis.net/cat/csw/csdgm"

// isFGDC recognises FGDC CSDGM, which is usually in no namespace, or in that
// of the answer it stands in.
func isFGDC(root element.Element) bool {
	return root.Local() == "metadata" && root.Child("idinfo").Valid()
}

// readFGDC reads geographic metadata, FGDC-STD-001-1998. Larger works and
// cross references have citations too; only that of idinfo is the object's.
func readFGDC(s *statements, root element.Element) {
	const most = 16 // names that distributors have for one data set
	info := root.Child("idinfo")
	names := []string{info.Child("datasetid").Text()}
	for e := range root.Children() {
		if e.Local() == "distinfo" && len(names) < most {
			names = append(names, e.Child("resdesc").Text())
		}
	}
	readFGDCCitation(s, info.Child("citation").Child("citeinfo"), names)
	s.text(rights, info.Child("useconst"), "")
	for e := range root.Children() {
		if e.Local() == "distinfo" {
			readFGDCDistribution(s, e)
		}
	}
}

// readFGDCCitation reads the citation. Online linkage is where the data set is
// (FGDC-STD-001-1998, 8.10), and many write there where the centre is: it is
// the page if the distributor's name for the data set is in it.
func readFGDCCitation(s *statements, citation element.Element, names []string) {
	var pids, pages []element.Element
	for e := range citation.Children() {
		switch e.Local() {
		case "origin":
			s.nextPerson()
			s.text(creator, e, "")
		case "pubdate":
			day := e.Text()
			if isDigits(day) && len(day) > 4 { // YYYYMMDD, without hyphens
				day = day[:4]
			}
			s.say(statement{kind: date, at: e, value: day})
		case "geoform":
			s.text(typ, e, "")
		case "onlink":
			switch {
			case isPersistent(e.Text()):
				pids = append(pids, e)
			case isFileURL(e.Text()):
				s.text(file, e, "")
			case s.entrance(e):
			case namesAny(e.Text(), names):
				pages = append(pages, e)
			default:
				s.text(identifier, e, "")
			}
		}
	}
	s.sole(pid, pids)
	s.sole(page, pages)
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
func readFGDCDistribution(s *statements, distribution element.Element) {
	for e := range distribution.Descendants() {
		switch {
		case e.Local() != "networkr":
		case isFileURL(e.Text()):
			s.text(file, e, "")
		default:
			s.text(related, e, "a page to download from")
		}
	}
}
