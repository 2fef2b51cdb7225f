package bridge

import "fingerpost/bridge/element"

// readOpenAIRE reads oai_openaire, the OpenAIRE Guidelines for Literature
// Repository Managers 4.0: DataCite's elements, and OpenAIRE's own for files,
// licence and type.
func readOpenAIRE(s *statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "file":
			s.say(statement{kind: file, at: e, value: e.Text(), media: e.Attr("mimeType")})
		case "licenseCondition":
			s.attribute(licence, e, "uri", "")
			s.text(rights, e, "")
		case "resourceType":
			s.attribute(typ, e, "uri", "")
			s.text(typ, e, "")
		case "format":
			s.text(format, e, "")
		case "dates":
			for d := range e.Children() {
				if d.Attr("dateType") == "Issued" {
					s.text(date, d, "")
				}
			}
		default:
			readDataCiteElement(s, e)
		}
	}
}
