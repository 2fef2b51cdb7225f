package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDCAT reads DCAT in RDF/XML as InvenioRDM writes it: a description of the
// object, with a Distribution for every file.
func readDCAT(s *statements, root element.Element) {
	for object := range root.Children() {
		switch object.Local() {
		case "Distribution":
			readDistribution(s, object)
		case "Description", "Dataset", "Catalog", "CatalogRecord":
			for e := range object.Children() {
				readDCATProperty(s, e)
			}
		}
	}
}

func readDCATProperty(s *statements, e element.Element) {
	switch e.Local() {
	case "distribution":
		readDistribution(s, e.Child("Distribution"))
	case "landingPage":
		s.attribute(page, e, "resource", "")
	case "identifier":
		s.text(identifier, e, "")
	case "license":
		s.attribute(licence, e, "resource", "")
		s.text(rights, e, "")
	case "rights":
		s.attribute(rights, e, "resource", "")
		s.text(rights, e, "")
	case "type":
		s.attribute(typ, e, "resource", "")
	case "issued":
		s.text(date, e, "")
	case "creator":
		s.nextPerson()
		s.attribute(creator, e, "resource", "")
		for c := range e.Children() {
			s.attribute(creator, c, "about", "")
		}
	}
}

// readDistribution reads one file. A media type may be the URI that IANA gives it.
func readDistribution(s *statements, d element.Element) {
	media := ""
	if m := d.Child("mediaType"); m.Valid() {
		if media = m.Attr("resource"); media == "" {
			media = m.Text()
		}
		if _, after, ok := strings.Cut(media, "/media-types/"); ok {
			media = after
		}
	}
	for e := range d.Children() {
		if e.Local() == "downloadURL" {
			s.say(statement{kind: file, at: e, attr: "resource", value: e.Attr("resource"), media: media})
		}
	}
}
