package bridge

import "fingerpost/bridge/element"

// readQualifiedDC reads qualified Dublin Core in its several envelopes: uketd_dc
// is one more, where isReferencedBy is the landing page, and ETD-MS another. In
// those of hubs isShownAt is the page, as in the Europeana Data Model.
func readQualifiedDC(s *statements, root element.Element) {
	for e := range root.Children() {
		readQualifiedDCElement(s, e, root)
	}
}

// readQualifiedDCElement reads one element of an envelope, which is root.
func readQualifiedDCElement(s *statements, e, root element.Element) {
	switch e.Local() {
	case "isReferencedBy":
		if root.Local() == "uketddc" {
			s.text(page, e, "")
		} else {
			s.text(related, e, "isReferencedBy")
		}
	case "isShownAt":
		s.text(page, e, "")
	case "hasPart":
		s.text(relation, e, "")
	case "isPartOf", "isVersionOf", "hasVersion", "references", "replaces", "isReplacedBy", "requires", "isRequiredBy":
		s.text(related, e, e.Local())
	case "license":
		s.text(licence, e, "")
	case "accessRights":
		s.text(rights, e, "")
	case "issued", "created":
		s.text(date, e, "")
	case "medium":
		s.text(format, e, "")
	default:
		readDublinCoreElement(s, e)
	}
}
