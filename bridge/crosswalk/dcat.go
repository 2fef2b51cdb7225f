package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDCAT reads DCAT in RDF/XML as InvenioRDM writes it: a description of the
// object, with a Distribution for every file.
func readDCAT(s *Statements, root element.Element) {
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

func readDCATProperty(s *Statements, e element.Element) {
	switch e.Local() {
	case "distribution":
		readDistribution(s, e.Child("Distribution"))
	case "landingPage":
		s.attribute(Page, e, "resource", "")
	case "identifier":
		s.text(Identifier, e, "")
	case "license":
		s.attribute(Licence, e, "resource", "")
		s.text(Rights, e, "")
	case "rights":
		s.attribute(Rights, e, "resource", "")
		s.text(Rights, e, "")
	case "type":
		s.attribute(Type, e, "resource", "")
	case "issued":
		s.text(Date, e, "")
	case "creator":
		s.nextPerson()
		s.attribute(Creator, e, "resource", "")
		for c := range e.Children() {
			s.attribute(Creator, c, "about", "")
		}
	}
}

// readDistribution reads one file. A media type may be the URI that IANA gives it.
func readDistribution(s *Statements, d element.Element) {
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
			s.say(Statement{Kind: File, At: e, Attr: "resource", Value: e.Attr("resource"), Media: media})
		}
	}
}
