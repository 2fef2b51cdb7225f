package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readMETS reads the files of METS, and the description it holds in another
// format that can be read.
func readMETS(s *statements, root element.Element) {
	s.attribute(identifier, root, "OBJID", "")
	for e := range root.Children() {
		switch e.Local() {
		case "dmdSec":
			readEmbedded(s, e.First("xmlData"))
		case "fileSec":
			for f := range e.Descendants() {
				if f.Local() == "fileGrp" && isContentGroup(f.Attr("USE")) {
					readMETSGroup(s, f)
				}
			}
		}
	}
}

// isContentGroup tells the files of the object from previews, extracted text,
// licences, and from the page images that a viewer wants.
func isContentGroup(use string) bool {
	switch strings.ToUpper(use) {
	case "ORIGINAL", "CONTENT", "DOWNLOAD":
		return true
	}
	return false
}

func readMETSGroup(s *statements, group element.Element) {
	for f := range group.Children() {
		if f.Local() != "file" {
			continue
		}
		for l := range f.Children() {
			if l.Local() == "FLocat" {
				s.say(statement{kind: file, at: l, attr: "href", value: l.Attr("href"), media: f.Attr("MIMETYPE")})
				break
			}
		}
	}
}

// readEmbedded reads the metadata that a container wraps, if there is a
// crosswalk for it; containers inside it are not followed.
func readEmbedded(s *statements, wrapper element.Element) {
	for e := range wrapper.Children() {
		switch e.Local() {
		case "mods":
			readMODS(s, e)
		case "dc", "qualifieddc":
			readDublinCore(s, e)
		case "resource":
			readDataCite(s, e)
		}
	}
}
