package bridge

import (
	"strings"

	"fingerpost/bridge/element"
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
func readDataCiteEnvelope(s *statements, root element.Element) {
	readDataCite(s, root.First("resource"))
}

// readDataCite reads DataCite kernel 2.2, 3 and 4. They differ in what is
// mandatory and in lists of terms, not in the elements that are read here.
func readDataCite(s *statements, root element.Element) {
	root = dataCiteResource(root)
	for e := range root.Children() {
		readDataCiteElement(s, e)
	}
}

func readDataCiteElement(s *statements, e element.Element) {
	switch e.Local() {
	case "identifier":
		readDataCiteIdentifier(s, e)
	case "alternateIdentifiers":
		for a := range e.Children() {
			s.text(identifier, a, a.Attr("alternateIdentifierType"))
		}
	case "relatedIdentifiers":
		for r := range e.Children() {
			s.text(related, r, r.Attr("relationType"))
		}
	case "creators":
		for c := range e.Children() {
			readDataCiteCreator(s, c)
		}
	case "publicationYear":
		s.text(date, e, "")
	case "resourceType":
		s.attribute(typ, e, "resourceTypeGeneral", "datacite-resourceTypeGeneral")
		s.text(typ, e, "")
	case "formats":
		for f := range e.Children() {
			s.text(format, f, "")
		}
	case "rightsList":
		for r := range e.Children() {
			readDataCiteRights(s, r)
		}
	case "rights": // kernel 2.2
		readDataCiteRights(s, e)
	}
}

// readDataCiteIdentifier reads the mandatory identifier. Repositories without
// a DOI put the address of the page there, with type URL.
func readDataCiteIdentifier(s *statements, e element.Element) {
	scheme := e.Attr("identifierType")
	switch {
	case !strings.EqualFold(scheme, "URL"):
		s.text(pid, e, scheme)
	case isPersistent(e.Text()):
		s.text(pid, e, "")
	default:
		s.text(page, e, scheme)
	}
}

func readDataCiteCreator(s *statements, c element.Element) {
	s.nextPerson()
	named := false
	for e := range c.Children() {
		switch e.Local() {
		case "creatorName":
			s.text(creator, e, "")
			named = true
		case "nameIdentifier":
			scheme := e.Attr("nameIdentifierScheme")
			if scheme == "" {
				scheme = e.Attr("schemeURI")
			}
			s.text(creator, e, scheme)
		}
	}
	if !named { // SciCat and others put the name into creator itself
		s.text(creator, c, "")
	}
}

// readDataCiteRights reads one entry of the rights: the URI says most, the
// SPDX identifier next, the words least.
func readDataCiteRights(s *statements, e element.Element) {
	s.attribute(licence, e, "rightsURI", "")
	s.attribute(licence, e, "rightsIdentifier", e.Attr("rightsIdentifierScheme"))
	s.text(rights, e, "")
}
