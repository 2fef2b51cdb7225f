package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// isRIOXX recognises RIOXX 3 without its namespace, as its published examples
// have it.
func isRIOXX(root element.Element) bool {
	return root.Local() == "rioxx" && root.Space() == ""
}

// readRIOXX reads RIOXX 2 and 3. Version 3 was written with Signposting in
// mind: dc:identifier is the landing page, dc:relation says what it relates
// to. In version 2 dc:identifier is the page or the file, as the repository
// likes.
func readRIOXX(s *Statements, root element.Element) {
	identifiers := Page
	if strings.Contains(root.Space(), "/v2.0/") {
		identifiers = Identifier
	}
	for e := range root.Children() {
		switch e.Local() {
		case "identifier":
			s.text(identifiers, e, "")
		case "relation":
			readRIOXXRelation(s, e)
		case "resource": // drafts of version 3
			s.say(Statement{Kind: File, At: e, Value: e.Text(), Media: e.Attr("format"), Licence: e.Attr("license_ref")})
		case "ext_relation", "version_of_record":
			s.related(e, e.Local())
		case "project", "grant":
			readRIOXXProject(s, e)
		case "contributor":
			s.nextGroup()
			readRIOXXContributor(s, e)
		case "free_to_read": // NISO's Access and License Indicators
			s.text(Access, e, "")
			s.attribute(Access, e, "start_date", "")
		case "license_ref":
			s.text(Licence, e, "")
		case "type":
			s.attribute(Type, e, "uri", "")
			s.text(Type, e, "")
		case "format":
			s.text(Format, e, "")
		case "publication_date", "issued":
			s.text(Date, e, "")
		case "author", "creator":
			readRIOXXCreator(s, e)
		default:
			s.add(rioxxTerms, e.Local(), e, e.Attr("scheme"))
		}
	}
}

// rioxxTerms are what is no part of links.
var rioxxTerms = map[string]term{
	"title": {Title, ""}, "description": {Description, ""}, "language": {Language, ""}, "publisher": {Publisher, ""},
	"subject": {Subject, ""}, "source": {Source, ""}, "coverage": {Coverage, ""}, "dateAccepted": {OtherDate, "accepted"},
	"record_public_release_date": {OtherDate, "record public release"}, "version": {Version, ""}, "apc": {Note, "apc"},
}

func readRIOXXRelation(s *Statements, e element.Element) {
	switch rel := e.Attr("rel"); rel {
	case "item":
		s.say(Statement{Kind: File, At: e, Value: e.Text(), Scheme: e.Attr("coar_type"), Media: e.Attr("type"), Licence: e.Attr("license_ref")})
	case "cite-as":
		s.text(PID, e, "")
	case "":
		s.text(Relation, e, "")
	default:
		s.related(e, rel)
	}
}

func readRIOXXCreator(s *Statements, e element.Element) {
	s.nextGroup()
	s.attribute(CreatorID, e, "id", "")
	s.attribute(CreatorID, e, "uri", "") // drafts of version 3
	found := false
	for c := range e.Children() {
		switch c.Local() {
		case "id":
			s.text(CreatorID, c, "")
			found = true
		case "name":
			s.text(Creator, c, "")
			found = true
		}
	}
	if !found {
		s.text(Creator, e, "")
	}
}

func readRIOXXContributor(s *Statements, e element.Element) {
	role := e.Attr("type")
	s.say(Statement{Kind: ContributorID, At: e, Attr: "id", Value: e.Attr("id"), Qualifier: role})
	s.say(Statement{Kind: ContributorID, At: e, Attr: "uri", Value: e.Attr("uri"), Qualifier: role})
	found := false
	for c := range e.Children() {
		switch c.Local() {
		case "id":
			s.qualified(ContributorID, c, role)
			found = true
		case "name":
			s.qualified(Contributor, c, role)
			found = true
		}
	}
	if !found {
		s.qualified(Contributor, e, role)
	}
}

// readRIOXXProject reads a grant: its number, with the funder in attributes.
func readRIOXXProject(s *Statements, e element.Element) {
	s.nextGroup()
	s.text(Award, e, "")
	s.attribute(Funder, e, "funder_name", "")
	s.attribute(FunderID, e, "funder_id", "")
}
