package crosswalk

import (
	"fingerpost/bridge/element"
)

// isDublinCore accepts what servers send as oai_dc though its namespace is
// another or none: a root called dc, or a lone Dublin Core element.
func isDublinCore(root element.Element) bool {
	switch root.Local() {
	case "dc":
		return true
	case "identifier", "title":
		return root.Space() == "" || root.Space() == "http://purl.org/dc/elements/1.1/"
	}
	return false
}

// readDublinCore reads oai_dc. Elements are known by their local names: some
// servers put them in no namespace, or in that of oai_dc.
func readDublinCore(s *Statements, root element.Element) {
	if root.Local() != "dc" {
		readDublinCoreElement(s, root)
		return
	}
	for e := range root.Children() {
		readDublinCoreElement(s, e)
	}
}

func readDublinCoreElement(s *Statements, e element.Element) {
	switch e.Local() {
	case "identifier":
		s.text(Identifier, e, e.Attr("linktype"))
	case "relation":
		s.text(Relation, e, "")
	case "source":
		s.text(Source, e, "")
	case "rights", "license":
		s.text(Rights, e, "")
		// A few give the address beside the words.
		s.attribute(Rights, e, "uri", "")
		s.attribute(Rights, e, "resource", "")
	case "licenseCondition": // OpenAIRE's, which DOAB and OAPEN put among those of Dublin Core
		s.attribute(Licence, e, "uri", "")
		s.text(Rights, e, "")
	case "type":
		s.text(Type, e, "")
	case "format":
		s.text(Format, e, "")
	case "date":
		s.text(Date, e, "")
	case "creator":
		s.nextPerson()
		s.text(Creator, e, "")
		// A few servers give the creator's own URI beside the name.
		s.attribute(Creator, e, "id", "")
		s.attribute(Creator, e, "resource", "")
		s.attribute(Creator, e, "authorityURI", "")
	}
}
