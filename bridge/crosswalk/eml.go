package crosswalk

import (
	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// readEML reads the Ecological Metadata Language, versions 2.0 to 2.2. It has
// one resource beside annotations; people and projects have addresses too.
func readEML(s *Statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "dataset", "software":
			s.say(Statement{Kind: Type, At: e, Value: e.Local()})
			readEMLResource(s, root, e)
		case "citation", "protocol":
			readEMLResource(s, root, e)
		}
	}
}

func readEMLResource(s *Statements, root, resource element.Element) {
	var alternates, information []element.Element
	for e := range resource.Children() {
		switch e.Local() {
		case "alternateIdentifier":
			alternates = append(alternates, e)
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "userId" {
					s.text(Creator, c, c.Attr("directory"))
				}
			}
		case "pubDate":
			s.text(Date, e, "")
		case "licensed": // EML 2.2
			s.text(Licence, e.Child("url"), "")
			s.text(Licence, e.Child("identifier"), "")
		case "intellectualRights":
			readEMLRights(s, e)
		case "distribution":
			information = append(information, readEMLOnline(s, e.Child("online"))...)
		case "dataTable", "spatialRaster", "spatialVector", "storedProcedure", "view", "otherEntity":
			readEMLEntity(s, e)
		}
	}
	readEMLIdentifiers(s, root, alternates, information)
}

func readEMLRights(s *Statements, e element.Element) {
	for c := range e.Descendants() {
		if c.Local() == "ulink" {
			s.attribute(Rights, c, "url", "")
		}
	}
	s.text(Rights, e, "")
}

// readEMLOnline reads the address of the whole resource, and returns it if it
// is to inform about that. A function that is left out would be "download", but
// home pages stand there, too. EML 2.2, online resource
func readEMLOnline(s *Statements, online element.Element) (information []element.Element) {
	url := online.Child("url")
	switch function := url.Attr("function"); {
	case saysOther(online.Child("onlineDescription").Text()):
		s.text(Related, url, "the page of a project, or one to search with")
	case s.entrance(url):
	case function == "information" && vocabulary.IsFileURL(url.Text()):
		s.text(Related, url, "information about the object")
	case function == "information":
		return []element.Element{url}
	case vocabulary.IsFileURL(url.Text()) || function == "download" && !identifier.IsPersistent(url.Text()):
		s.text(File, url, "")
	default:
		s.text(Identifier, url, "")
	}
	return nil
}

// readEMLEntity reads a table, a grid or another part: its data are a file.
func readEMLEntity(s *Statements, entity element.Element) {
	for physical := range entity.Children() {
		if physical.Local() != "physical" {
			continue
		}
		media := physical.Child("dataFormat").Child("externallyDefinedFormat").Child("formatName").Text()
		for url := range physical.Descendants() {
			switch {
			case url.Local() != "url":
			case url.Attr("function") == "information":
				s.text(Related, url, "about a part of the object")
			case !s.entrance(url):
				s.say(Statement{Kind: File, At: url, Value: url.Text(), Media: media})
			}
		}
	}
}

// readEMLIdentifiers finds the page: where an address identifies the resource
// it is that, else where nothing does the one for information. Beside a
// persistent identifier that is often a project's.
func readEMLIdentifiers(s *Statements, root element.Element, alternates, information []element.Element) {
	var pids, pages []element.Element
	for _, e := range alternates {
		_, isURL := uri.Parse(e.Text())
		switch {
		case identifier.IsPersistent(e.Text()):
			pids = append(pids, e)
		case !isURL || vocabulary.IsFileURL(e.Text()):
			s.text(Identifier, e, "")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	identified := identifier.IsPersistent(root.Attr("packageId"))
	if identified {
		s.attribute(PID, root, "packageId", "")
		s.each(Identifier, pids)
	} else {
		s.sole(PID, pids)
	}
	s.sole(Page, pages)
	if identified || len(pages)+len(pids) > 0 {
		s.each(Identifier, information)
	} else {
		s.sole(Page, information)
	}
}
