package bridge

import "fingerpost/bridge/element"

// readQualifiedDC reads qualified Dublin Core in its several envelopes, and
// uketd_dc, which is one more: there isReferencedBy is the landing page.
func readQualifiedDC(s *statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "isReferencedBy":
			if root.Local() == "uketddc" {
				s.text(page, e, "")
			} else {
				s.text(related, e, "isReferencedBy")
			}
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
}
