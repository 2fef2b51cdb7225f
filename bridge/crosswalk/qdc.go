package crosswalk

import "fingerpost/bridge/element"

// readQualifiedDC reads qualified Dublin Core in its several envelopes: uketd_dc
// is one more, where isReferencedBy is the landing page, and ETD-MS another. In
// those of hubs isShownAt is the page, as in the Europeana Data Model.
func readQualifiedDC(s *Statements, root element.Element) {
	for e := range root.Children() {
		readQualifiedDCElement(s, e, root)
	}
}

// readQualifiedDCElement reads one element of an envelope, which is root.
func readQualifiedDCElement(s *Statements, e, root element.Element) {
	switch e.Local() {
	case "isReferencedBy":
		if root.Local() == "uketddc" {
			s.text(Page, e, "")
		} else {
			s.related(e, "isReferencedBy")
		}
	case "isShownAt":
		s.text(Page, e, "")
	case "hasPart":
		s.text(Relation, e, "")
	case "isPartOf", "isVersionOf", "hasVersion", "references", "replaces", "isReplacedBy", "requires", "isRequiredBy":
		s.related(e, e.Local())
	case "license":
		s.text(Licence, e, "")
	case "accessRights":
		s.qualified(Rights, e, "accessRights")
	case "issued", "created":
		s.qualified(Date, e, e.Local())
	case "medium":
		s.text(Format, e, "")
	case "degree": // ETD-MS
		for d := range e.Children() {
			s.qualified(Degree, d, d.Local())
		}
	default:
		readDublinCoreElement(s, e)
	}
}
