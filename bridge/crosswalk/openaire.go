package crosswalk

import (
	"fingerpost/bridge/element"
)

// readOpenAIRE reads oai_openaire, the OpenAIRE Guidelines for Literature
// Repository Managers 4.0: DataCite's elements, and OpenAIRE's own for files,
// licence and type.
func readOpenAIRE(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "file":
			s.say(Statement{Kind: File, At: e, Value: e.Text(), Media: e.Attr("mimeType")})
		case "licenseCondition":
			s.attribute(Licence, e, "uri", "")
			s.text(Rights, e, "")
		case "resourceType":
			s.attribute(Type, e, "uri", "")
			s.text(Type, e, "")
		case "format":
			s.text(Format, e, "")
		case "dates":
			for d := range e.Children() {
				if d.Attr("dateType") == "Issued" {
					s.text(Date, d, "")
				}
			}
		default:
			readDataCiteElement(s, e)
		}
	}
}
