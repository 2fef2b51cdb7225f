package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/text"
)

// readDDI reads DDI Codebook as Dataverse writes it.
func readDDI(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "stdyDscr":
			readDDIStudy(s, e)
		case "fileDscr":
			media := ddiMediaType(e)
			if media == "" {
				media = e.First("fileType").Text()
			}
			s.say(Statement{Kind: File, At: e, Attr: "URI", Value: e.Attr("URI"), Media: media})
		case "otherMat":
			s.say(Statement{Kind: File, At: e, Attr: "URI", Value: e.Attr("URI"), Media: ddiMediaType(e)})
		}
	}
}

func readDDIStudy(s *Statements, study element.Element) {
	for e := range study.Child("citation").Descendants() {
		switch e.Local() {
		case "IDNo":
			s.text(PID, e, e.Attr("agency"))
		case "holdings":
			s.attribute(Identifier, e, "URI", "")
		case "AuthEnty":
			s.nextPerson()
			s.text(Creator, e, "")
		case "distDate":
			s.text(Date, e, "")
		}
	}
	for e := range study.Child("dataAccs").Descendants() {
		if e.Local() == "notes" && strings.Contains(e.Attr("type"), "TOU") || e.Local() == "conditions" {
			s.text(Rights, e, "")
		}
	}
}

// ddiMediaType returns the media type that Dataverse writes into a note.
func ddiMediaType(e element.Element) string {
	for n := range e.Descendants() {
		if n.Local() == "notes" && text.HasPrefixFold(n.Attr("subject"), "Content/MIME") { // or "Content/MIME Type"
			return n.Text()
		}
	}
	return ""
}
