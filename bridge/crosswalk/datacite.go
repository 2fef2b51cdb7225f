package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
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
			s.text(Related, r, r.Attr("relationType"))
		}
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
	}
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
	s.nextPerson()
	named := false
	for e := range c.Children() {
		switch e.Local() {
		case "creatorName":
			s.text(Creator, e, "")
			named = true
		case "nameIdentifier":
			scheme := e.Attr("nameIdentifierScheme")
			if scheme == "" {
				scheme = e.Attr("schemeURI")
			}
			s.text(Creator, e, scheme)
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
