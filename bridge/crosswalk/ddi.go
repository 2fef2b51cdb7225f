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
			s.nextGroup()
			s.text(FileName, e.First("fileName"), "")
			media := ddiMediaType(e)
			if media == "" {
				media = e.First("fileType").Text()
			}
			s.say(Statement{Kind: File, At: e, Attr: "URI", Value: e.Attr("URI"), Media: media})
		case "otherMat":
			s.nextGroup()
			s.text(FileName, e.Child("labl"), "")
			s.say(Statement{Kind: File, At: e, Attr: "URI", Value: e.Attr("URI"), Media: ddiMediaType(e)})
		}
	}
}

func readDDIStudy(s *Statements, study element.Element) {
	s.rest(readDDIDescription, study)
	for e := range study.Child("citation").Descendants() {
		switch e.Local() {
		case "IDNo":
			s.text(PID, e, e.Attr("agency"))
		case "holdings":
			s.attribute(Identifier, e, "URI", "")
		case "AuthEnty":
			s.nextGroup()
			s.text(Creator, e, "")
			s.attribute(Affiliation, e, "affiliation", "")
		case "distDate":
			s.text(Date, e, "")
		}
	}
	s.text(Type, study.Child("stdyInfo").First("dataKind"), "")
	for e := range study.Child("dataAccs").Descendants() {
		if e.Local() == "notes" && strings.Contains(e.Attr("type"), "TOU") || e.Local() == "conditions" {
			s.text(Rights, e, "")
		}
	}
}

// readDDIDescription reads what is no part of links.
func readDDIDescription(s *Statements, study element.Element) {
	for e := range study.Descendants() {
		switch e.Local() {
		case "othId":
			s.nextGroup()
			s.qualified(Contributor, e, e.Attr("role"))
			s.attribute(Affiliation, e, "affiliation", "")
		case "grantNo":
			s.nextGroup()
			s.text(Award, e, "")
			s.attribute(Funder, e, "agency", "")
		case "distrbtr", "producer":
			s.qualified(Publisher, e, e.Local())
		case "keyword", "topcClas":
			s.text(Subject, e, e.Attr("vocab"))
			s.attribute(SubjectURI, e, "vocabURI", e.Attr("vocab"))
		case "biblCit":
			s.text(Citation, e, e.Attr("format"))
		case "relPubl", "relStdy", "relMat", "othRefs":
			s.related(e, e.Local())
		default:
			s.add(ddiTerms, e.Local(), e, "")
		}
	}
}

// ddiTerms are the elements whose name alone says what they mean.
var ddiTerms = map[string]term{
	"titl": {Title, ""}, "subTitl": {Title, "subtitle"}, "altTitl": {Title, "alternative"}, "parTitl": {Title, "parallel"},
	"abstract": {Description, "abstract"}, "fundAg": {Funder, ""}, "copyright": {RightsHolder, ""},
	"version": {Version, ""}, "depDate": {OtherDate, "deposited"}, "prodDate": {OtherDate, "produced"}, "collDate": {OtherDate, "collected"}, "timePrd": {Coverage, "temporal"},
	"geogCover": {Coverage, "spatial"}, "nation": {Coverage, "nation"}, "geogUnit": {Coverage, "geographic unit"}, "universe": {Coverage, "universe"},
	"westBL": {Coordinates, "westBL"}, "eastBL": {Coordinates, "eastBL"}, "southBL": {Coordinates, "southBL"}, "northBL": {Coordinates, "northBL"},
	"anlyUnit": {Note, "anlyUnit"}, "serName": {Journal, "series"}, "serInfo": {Note, "serInfo"},
	"depositr": {Note, "depositr"}, "prodPlac": {Place, ""}, "restrctn": {Access, ""}, "avlStatus": {Access, "status"}, "accsPlac": {Access, "place"}, "collSize": {Extent, ""},
	"collMode": {Note, "collMode"}, "sampProc": {Note, "sampProc"}, "timeMeth": {Note, "timeMeth"}, "frequenc": {Note, "frequenc"},
	"dataSrc": {Source, ""}, "origArch": {Note, "origArch"}, "cleanOps": {Note, "cleanOps"}, "weight": {Note, "weight"}, "respRate": {Note, "respRate"},
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
