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
		switch e.Local() {
		case "link":
		case "author", "contributor":
			s.nextGroup()
			s.text(CreatorName, e.Child("name"), "")
			continue
		default:
			s.add(oreTerms, e.Local(), e, "")
			continue
		}
		switch e.Attr("rel") {
		case "alternate":
			s.attribute(Page, e, "href", "")
		case relAggregates:
			bundle := bundles[e.Attr("href")]
			if bundle == "" || bundle == "ORIGINAL" {
				s.nextGroup()
				s.attribute(FileName, e, "title", "")
				s.attribute(FileSize, e, "length", "")
				s.say(Statement{Kind: File, At: e, Attr: "href", Value: e.Attr("href"), Media: e.Attr("type")})
			} else {
				s.say(Statement{Kind: Related, At: e, Attr: "href", Value: e.Attr("href"), Qualifier: "bundle " + bundle})
			}
		}
	}
}

// oreTerms are the parts of an Atom entry.
var oreTerms = map[string]term{
	"title": {Title, ""}, "summary": {Description, ""}, "published": {OtherDate, "published"}, "updated": {OtherDate, "updated"},
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
