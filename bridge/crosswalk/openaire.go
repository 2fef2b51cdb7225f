package crosswalk

import "fingerpost/bridge/element"

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
				if kind := d.Attr("dateType"); kind == "Issued" {
					s.qualified(Date, d, kind)
				} else {
					s.qualified(OtherDate, d, kind)
				}
			}
		case "version":
			s.text(Version, e, "")
			s.attribute(Version, e, "uri", "")
		default:
			if s.scope != All || !s.add(openAIRETerms, e.Local(), e, "") {
				readDataCiteElement(s, e)
			}
		}
	}
}

// openAIRETerms are OpenAIRE's own elements, and those of Dublin Core.
var openAIRETerms = map[string]term{
	"description": {Description, ""}, "coverage": {Coverage, ""}, "source": {Source, ""}, "audience": {Audience, ""},
	"citationTitle": {Journal, ""}, "citationVolume": {Volume, ""}, "citationIssue": {Issue, ""}, "citationEdition": {Edition, ""},
	"citationStartPage": {FirstPage, ""}, "citationEndPage": {LastPage, ""},
	"citationConferencePlace": {Event, "place"}, "citationConferenceDate": {Event, "date"},
}
