package bridge

import "fingerpost/bridge/element"

// readEML reads the Ecological Metadata Language, versions 2.0 to 2.2. It has
// one resource beside annotations; people and projects have addresses too.
func readEML(s *statements, root element.Element) {
	for e := range root.Children() {
		switch e.Local() {
		case "dataset", "software":
			s.say(statement{kind: typ, at: e, value: e.Local()})
			readEMLResource(s, root, e)
		case "citation", "protocol":
			readEMLResource(s, root, e)
		}
	}
}

func readEMLResource(s *statements, root, resource element.Element) {
	var alternates, information []element.Element
	for e := range resource.Children() {
		switch e.Local() {
		case "alternateIdentifier":
			alternates = append(alternates, e)
		case "creator":
			s.nextPerson()
			for c := range e.Children() {
				if c.Local() == "userId" {
					s.text(creator, c, c.Attr("directory"))
				}
			}
		case "pubDate":
			s.text(date, e, "")
		case "licensed": // EML 2.2
			s.text(licence, e.Child("url"), "")
			s.text(licence, e.Child("identifier"), "")
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

func readEMLRights(s *statements, e element.Element) {
	for c := range e.Descendants() {
		if c.Local() == "ulink" {
			s.attribute(rights, c, "url", "")
		}
	}
	s.text(rights, e, "")
}

// readEMLOnline reads the address of the whole resource, and returns it if it
// is to inform about that. A function that is left out would be "download", but
// home pages stand there, too. EML 2.2, online resource
func readEMLOnline(s *statements, online element.Element) (information []element.Element) {
	url := online.Child("url")
	switch function := url.Attr("function"); {
	case saysOther(online.Child("onlineDescription").Text()):
		s.text(related, url, "the page of a project, or one to search with")
	case s.entrance(url):
	case function == "information" && isFileURL(url.Text()):
		s.text(related, url, "information about the object")
	case function == "information":
		return []element.Element{url}
	case isFileURL(url.Text()) || function == "download" && !isPersistent(url.Text()):
		s.text(file, url, "")
	default:
		s.text(identifier, url, "")
	}
	return nil
}

// readEMLEntity reads a table, a grid or another part: its data are a file.
func readEMLEntity(s *statements, entity element.Element) {
	for physical := range entity.Children() {
		if physical.Local() != "physical" {
			continue
		}
		media := physical.Child("dataFormat").Child("externallyDefinedFormat").Child("formatName").Text()
		for url := range physical.Descendants() {
			switch {
			case url.Local() != "url":
			case url.Attr("function") == "information":
				s.text(related, url, "about a part of the object")
			case !s.entrance(url):
				s.say(statement{kind: file, at: url, value: url.Text(), media: media})
			}
		}
	}
}

// readEMLIdentifiers finds the page: where an address identifies the resource
// it is that, else where nothing does the one for information. Beside a
// persistent identifier that is often a project's.
func readEMLIdentifiers(s *statements, root element.Element, alternates, information []element.Element) {
	var pids, pages []element.Element
	for _, e := range alternates {
		_, isURL := parseAddress(e.Text())
		switch {
		case isPersistent(e.Text()):
			pids = append(pids, e)
		case !isURL || isFileURL(e.Text()):
			s.text(identifier, e, "")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	identified := isPersistent(root.Attr("packageId"))
	if identified {
		s.attribute(pid, root, "packageId", "")
		s.each(identifier, pids)
	} else {
		s.sole(pid, pids)
	}
	s.sole(page, pages)
	if identified || len(pages)+len(pids) > 0 {
		s.each(identifier, information)
	} else {
		s.sole(page, information)
	}
}
