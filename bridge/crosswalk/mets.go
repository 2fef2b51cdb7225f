package crosswalk

import (
	"cmp"
	"strings"

	"fingerpost/bridge/element"
)

// readMETS reads the files of METS, and the description in it in another
// format that can be read.
func readMETS(s *Statements, root element.Element) {
	s.attribute(Identifier, root, "OBJID", "")
	for e := range root.Children() {
		switch e.Local() {
		case "dmdSec":
			readEmbedded(s, e.First("xmlData"))
		case "fileSec":
			readMETSFiles(s, e, "")
		case "amdSec":
			readPresentation(s, e)
			if s.scope == All {
				readMETSRights(s, e)
			}
		}
	}
}

// readMETSRights reads what is said of rights in words, as the DFG Viewer has it.
func readMETSRights(s *Statements, section element.Element) {
	for e := range section.Descendants() {
		if e.Local() == "rights" {
			s.text(RightsHolder, e.Child("owner"), "")
			s.qualified(Note, e.Child("license"), "license")
		}
	}
}

// isContent tells the files of the object from previews, extracted text,
// licences, and from the page images that a viewer wants. Those whose use is
// not stated are for any. METS 1.12, fileGrp.
func isContent(use string) bool {
	switch strings.ToUpper(use) {
	case "", "ORIGINAL", "CONTENT", "DOWNLOAD":
		return true
	}
	return false
}

// readMETSFiles reads what lies in a group of files whose use is stated, or is
// that of the group around it.
func readMETSFiles(s *Statements, group element.Element, use string) {
	for e := range group.Children() {
		own := cmp.Or(e.Attr("USE"), use)
		switch e.Local() {
		case "fileGrp":
			readMETSFiles(s, e, own)
		case "file":
			if l := e.Child("FLocat"); isContent(own) && l.Valid() {
				s.nextGroup()
				s.say(Statement{Kind: File, At: l, Attr: "href", Value: l.Attr("href"), Media: e.Attr("MIMETYPE")})
				s.attribute(FileName, l, "title", "")
				s.attribute(FileSize, e, "SIZE", "")
			}
		}
	}
}

// readEmbedded reads the metadata that a container wraps, if there is a
// crosswalk for it; containers inside it are not followed.
func readEmbedded(s *Statements, wrapper element.Element) {
	for e := range wrapper.Children() {
		switch e.Local() {
		case "mods":
			readMODS(s, e)
		case "dc", "qualifieddc":
			readDublinCore(s, e)
		case "resource":
			readDataCite(s, e)
		default: // Figshare leaves the envelope of Dublin Core out
			if strings.HasPrefix(e.Space(), "http://purl.org/dc/") {
				readQualifiedDCElement(s, e, wrapper)
			}
		}
	}
}

// readPresentation reads the page of a work that METS for the DFG Viewer names:
// of a part there may be that of the whole, too.
func readPresentation(s *Statements, section element.Element) {
	for e := range section.Descendants() {
		if e.Local() == "presentation" && strings.HasPrefix(e.Space(), "http://dfg-viewer.de") {
			s.text(Identifier, e, "")
		}
	}
}
