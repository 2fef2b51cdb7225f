package bridge

import "fingerpost/bridge/element"

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
func readDublinCore(s *statements, root element.Element) {
	if root.Local() != "dc" {
		readDublinCoreElement(s, root)
		return
	}
	for e := range root.Children() {
		readDublinCoreElement(s, e)
	}
}

func readDublinCoreElement(s *statements, e element.Element) {
	switch e.Local() {
	case "identifier":
		s.text(identifier, e, e.Attr("linktype"))
	case "relation":
		s.text(relation, e, "")
	case "source":
		s.text(source, e, "")
	case "rights", "license":
		s.text(rights, e, "")
		// A few give the address beside the words.
		s.attribute(rights, e, "uri", "")
		s.attribute(rights, e, "resource", "")
	case "licenseCondition": // OpenAIRE's, which DOAB and OAPEN put among those of Dublin Core
		s.attribute(licence, e, "uri", "")
		s.text(rights, e, "")
	case "type":
		s.text(typ, e, "")
	case "format":
		s.text(format, e, "")
	case "date":
		s.text(date, e, "")
	case "creator":
		s.nextPerson()
		s.text(creator, e, "")
		// A few servers give the creator's own URI beside the name.
		s.attribute(creator, e, "id", "")
		s.attribute(creator, e, "resource", "")
		s.attribute(creator, e, "authorityURI", "")
	}
}
