package crosswalk

import (
	"fingerpost/bridge/element"
)

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
			s.text(Related, e, "isReferencedBy")
		}
	case "isShownAt":
		s.text(Page, e, "")
	case "hasPart":
		s.text(Relation, e, "")
	case "isPartOf", "isVersionOf", "hasVersion", "references", "replaces", "isReplacedBy", "requires", "isRequiredBy":
		s.text(Related, e, e.Local())
	case "license":
		s.text(Licence, e, "")
	case "accessRights":
		s.text(Rights, e, "")
	case "issued", "created":
		s.text(Date, e, "")
	case "medium":
		s.text(Format, e, "")
	default:
		readDublinCoreElement(s, e)
	}
}
