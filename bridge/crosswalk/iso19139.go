package crosswalk

import (
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
			s.attribute(Type, e.Child("MD_ScopeCode"), "codeListValue", "")
		case "identificationInfo":
			for info := range e.Children() {
				readISOIdentification(s, info)
			}
		case "distributionInfo":
			readISODistribution(s, e, name)
		}
	}
}

func readISOIdentification(s *Statements, info element.Element) {
	for e := range info.Children() {
		switch e.Local() {
		case "citation":
			for c := range e.Child("CI_Citation").Children() {
				if c.Local() == "identifier" {
					readISOIdentifier(s, c.First("code"))
				}
			}
		case "resourceConstraints":
			for c := range e.Descendants() {
				if c.Local() == "useLimitation" || c.Local() == "otherConstraints" {
					s.text(Rights, c, "")
				}
			}
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
	var information, named []element.Element
	for r := range distribution.Descendants() {
		if r.Local() != "CI_OnlineResource" {
			continue
		}
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
				s.text(Related, url, "a page to download from")
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
