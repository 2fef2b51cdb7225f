package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDIDL reads MPEG-21 DIDL: DSpace names files alone; the Dutch profile
// says of every Item whether it is the start page, a file or a description.
func readDIDL(s *Statements, root element.Element) {
	for item := range root.Children("Item") {
		readDIDLItem(s, item, true)
	}
}

func readDIDLItem(s *Statements, item element.Element, top bool) {
	role := didlRole(item)
	if top && role == "" && hasDIDLRoles(item) {
		role = didlWhole
	}
	for e := range item.Children() {
		switch e.Local() {
		case "Item":
			readDIDLItem(s, e, false)
		case "Component":
			for r := range e.Children("Resource") {
				readDIDLResource(s, r, role)
			}
		case "Descriptor":
			if top {
				if id := e.First("Identifier"); id.Valid() {
					s.text(PID, id, "")
				}
			}
		}
	}
}

func readDIDLResource(s *Statements, r element.Element, role string) {
	switch role {
	case "humanStartPage":
		s.attribute(Page, r, "ref", "")
	case "descriptiveMetadata":
		readEmbedded(s, r)
	case didlWhole:
		if strings.HasSuffix(r.Attr("mimeType"), "xml") { // EPrints: this very document
			s.say(Statement{Kind: Related, At: r, Attr: "ref", Value: r.Attr("ref"), Qualifier: "descriptiveMetadata"})
			return
		}
		s.attribute(Identifier, r, "ref", "")
	case "objectFile", "":
		if r.Attr("ref") == "" { // a description stands in it
			readEmbedded(s, r)
			return
		}
		s.say(Statement{Kind: File, At: r, Attr: "ref", Value: r.Attr("ref"), Media: r.Attr("mimeType")})
	default:
		s.say(Statement{Kind: Related, At: r, Attr: "ref", Value: r.Attr("ref"), Qualifier: role})
	}
}

// didlWhole is the role of the first Item in the Dutch profile: its resource is
// what the identifier leads to.
const didlWhole = "whole"

// hasDIDLRoles reports whether the Items in an Item say what they are.
func hasDIDLRoles(item element.Element) bool {
	for e := range item.Children("Item") {
		if didlRole(e) != "" {
			return true
		}
	}
	return false
}

// rdfSyntax tells the role of an Item from the dc:type of the object.
const rdfSyntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

// didlRole returns what an Item says it is, such as "objectFile".
func didlRole(item element.Element) string {
	for e := range item.Children("Descriptor") {
		for t := range e.Descendants() {
			if t.Local() == "type" && t.Space() == rdfSyntax || t.Local() == "ObjectType" { // of version 3.0, and of 2.3
				role := t.Attr("resource")
				if role == "" {
					role = t.Text()
				}
				return role[strings.LastIndexByte(role, '/')+1:]
			}
		}
	}
	return ""
}
