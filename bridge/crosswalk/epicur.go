package crosswalk

import "fingerpost/bridge/element"

// readEpicur reads epicur, in which German repositories register URN:NBNs: what
// each leads to, as a page and as files.
func readEpicur(s *Statements, root element.Element) {
	for record := range root.Children("record") {
		for e := range record.Children() {
			switch e.Local() {
			case "identifier":
				s.text(PID, e, e.Attr("scheme"))
			case "resource":
				readEpicurResource(s, e)
			}
		}
	}
}

func readEpicurResource(s *Statements, resource element.Element) {
	address := resource.Child("identifier")
	switch {
	case address.Attr("scheme") != "url":
	case address.Attr("type") == "frontpage":
		s.text(Page, address, "")
	case address.Attr("type") == "transfer": // an archive for the national library
		s.related(address, "transfer")
	default:
		s.say(Statement{Kind: File, At: address, Value: address.Text(), Media: resource.Child("format").Text()})
	}
}
