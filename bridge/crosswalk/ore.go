package crosswalk

import (
	"fingerpost/bridge/element"
)

// relAggregates marks the files in an ORE resource map in Atom.
const relAggregates = "http://www.openarchives.org/ore/terms/aggregates"

// readORE reads the resource map of DSpace, an Atom entry.
func readORE(s *Statements, root element.Element) {
	bundles := oreBundles(root)
	for e := range root.Children() {
		if e.Local() != "link" {
			continue
		}
		switch e.Attr("rel") {
		case "alternate":
			s.attribute(Page, e, "href", "")
		case relAggregates:
			bundle := bundles[e.Attr("href")]
			if bundle == "" || bundle == "ORIGINAL" {
				s.say(Statement{Kind: File, At: e, Attr: "href", Value: e.Attr("href"), Media: e.Attr("type")})
			} else {
				s.attribute(Related, e, "href", "bundle "+bundle)
			}
		}
	}
}

// oreBundles returns the bundle of every file: older versions of DSpace list
// the licence text too, and only the triples tell it from the rest.
func oreBundles(root element.Element) map[string]string {
	out := map[string]string{}
	for d := range root.Child("triples").Children() {
		if b := d.Child("description").Text(); b != "" {
			out[d.Attr("about")] = b
		}
	}
	return out
}
