package crosswalk

import (
	"cmp"
	"slices"
	"strings"

	"fingerpost/bridge/element"
)

// readMETS reads the files of METS, and the description in it in another
// format that can be read.
func readMETS(s *Statements, root element.Element) {
	s.attribute(Identifier, root, "OBJID", "")
	object := metsObject(root)
	var pages []element.Element
	for e := range root.Children() {
		switch e.Local() {
		case "dmdSec":
			if isOf(e, object.Attr("DMDID")) {
				readEmbedded(s, e.First("xmlData"))
			} else {
				s.qualified(Note, e, "another division")
			}
		case "fileSec":
			readMETSFiles(s, e, "", onlyMasters(e))
		case "amdSec":
			if isOf(e, object.Attr("ADMID")) {
				pages = presentations(pages, e)
			}
			if s.scope == All {
				readMETSRights(s, e)
			}
		}
	}
	readPresentations(s, pages)
}

// metsObject returns the division of the logical structure that is the object:
// around it are the wholes that it is a part of, each with the address of its own
// METS, and in it its parts. What is said of those is not said of the object.
func metsObject(root element.Element) element.Element {
	for m := range root.Children("structMap") {
		if strings.EqualFold(m.Attr("TYPE"), "LOGICAL") {
			div := m.Child("div")
			for div.Child("mptr").Valid() {
				div = div.Child("div")
			}
			return div
		}
	}
	return element.Element{}
}

// isOf reports whether a section is one of those that a division refers to. One
// that refers to none may be said of all.
func isOf(section element.Element, references string) bool {
	return references == "" || slices.Contains(strings.Fields(references), section.Attr("ID"))
}

// readMETSRights reads what is said of rights in words, as the DFG Viewer has it.
func readMETSRights(s *Statements, section element.Element) {
	for e := range section.Descendants("rights") {
		s.text(RightsHolder, e.Child("owner"), "")
		s.qualified(Note, e.Child("license"), "license")
	}
}

// isContent tells the files of the object from previews, extracted text,
// licences, and from the page images that a viewer wants. Those whose use is
// not stated are for any. METS 1.12, fileGrp.
func isContent(use string, masters bool) bool {
	switch strings.ToUpper(use) {
	case "", "ORIGINAL", "CONTENT", "DOWNLOAD":
		return true
	case "MASTER":
		return masters
	}
	return false
}

// onlyMasters reports whether a section has masters and no files that were made
// of them for use.
func onlyMasters(section element.Element) bool {
	for e := range section.Descendants() {
		if use := e.Attr("USE"); use != "" && !strings.EqualFold(use, "MASTER") {
			return false
		}
	}
	return true
}

// readMETSFiles reads what lies in a group of files whose use is stated, or is
// that of the group around it.
func readMETSFiles(s *Statements, group element.Element, use string, masters bool) {
	for e := range group.Children() {
		own := cmp.Or(e.Attr("USE"), use)
		switch e.Local() {
		case "fileGrp":
			readMETSFiles(s, e, own, masters)
		case "file":
			if l := e.Child("FLocat"); isContent(own, masters) && l.Valid() {
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

// presentations appends the pages that METS for the DFG Viewer names in a section.
func presentations(pages []element.Element, section element.Element) []element.Element {
	for e := range section.Descendants("presentation") {
		if strings.HasPrefix(e.Space(), "http://dfg-viewer.de") {
			pages = append(pages, e)
		}
	}
	return pages
}

// readPresentations reads the page of a work, if there is one. Of a part there
// may be that of the whole, too: it is found out which is which.
func readPresentations(s *Statements, pages []element.Element) {
	kind := Page
	if len(pages) > 1 {
		kind = Identifier
	}
	for _, e := range pages {
		s.text(kind, e, "")
	}
}
