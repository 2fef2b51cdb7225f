package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDDI reads DDI Codebook as Dataverse writes it.
func readDDI(s *statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "stdyDscr":
			readDDIStudy(s, e)
		case "fileDscr":
			media := ddiMediaType(e)
			if media == "" {
				media = e.First("fileType").Text()
			}
			s.say(statement{kind: file, at: e, attr: "URI", value: e.Attr("URI"), media: media})
		case "otherMat":
			s.say(statement{kind: file, at: e, attr: "URI", value: e.Attr("URI"), media: ddiMediaType(e)})
		}
	}
}

func readDDIStudy(s *statements, study element.Element) {
	for e := range study.Child("citation").Descendants() {
		switch e.Local() {
		case "IDNo":
			s.text(pid, e, e.Attr("agency"))
		case "holdings":
			s.attribute(identifier, e, "URI", "")
		case "AuthEnty":
			s.nextPerson()
			s.text(creator, e, "")
		case "distDate":
			s.text(date, e, "")
		}
	}
	for e := range study.Child("dataAccs").Descendants() {
		if e.Local() == "notes" && strings.Contains(e.Attr("type"), "TOU") || e.Local() == "conditions" {
			s.text(rights, e, "")
		}
	}
}

// ddiMediaType returns the media type that Dataverse writes into a note.
func ddiMediaType(e element.Element) string {
	for n := range e.Descendants() {
		if n.Local() == "notes" && hasPrefixFold(n.Attr("subject"), "Content/MIME") { // or "Content/MIME Type"
			return n.Text()
		}
	}
	return ""
}
