package crosswalk

import (
	"cmp"

	"fingerpost/bridge/element"
)

// readUNTL reads UNTL, the format of the University of North Texas, in which a
// qualifier says what an element means.
func readUNTL(s *Statements, root element.Element) {
	for e := range root.Children() {
		qualifier := e.Attr("qualifier")
		switch e.Local() {
		case "identifier":
			readUNTLIdentifier(s, e, qualifier)
		case "relation":
			s.related(e, qualifier)
		case "rights":
			if qualifier == "license" {
				s.text(Licence, e, "")
			} else {
				s.text(Rights, e, "")
			}
		case "resourceType":
			s.text(Type, e, "")
		case "date":
			if qualifier == "creation" {
				s.qualified(Date, e, qualifier)
			} else {
				s.qualified(OtherDate, e, qualifier)
			}
		case "creator":
			s.nextGroup()
			for c := range e.Children() {
				switch c.Local() {
				case "info": // where an ORCID iD stands with the years of a life
					s.text(Creator, c, "")
				case "name":
					s.text(CreatorName, c, "")
				case "type":
					s.text(NameType, c, "")
				}
			}
		default:
			s.rest(func(s *Statements, e element.Element) { readUNTLDescription(s, e, qualifier) }, e)
		}
	}
}

// readUNTLDescription reads what is no part of links.
func readUNTLDescription(s *Statements, e element.Element, qualifier string) {
	switch e.Local() {
	case "contributor":
		s.nextGroup()
		s.qualified(Contributor, e.Child("name"), qualifier)
		s.qualified(Note, e.Child("info"), "contributor")
		s.text(NameType, e.Child("type"), "")
	case "publisher":
		s.text(Publisher, e.Child("name"), "")
		s.text(Place, e.Child("location"), "")
	case "citation":
		if t, ok := untlCitation[qualifier]; ok {
			s.text(t, e, "")
		} else {
			s.qualified(Note, e, qualifier)
		}
	case "meta": // about the record
	default:
		switch t, ok := untlTerms[e.Local()]; {
		case !ok:
		case t == Subject: // its qualifier names a vocabulary
			s.text(t, e, qualifier)
		case t == Note:
			s.qualified(t, e, cmp.Or(qualifier, e.Local()))
		default:
			s.qualified(t, e, qualifier)
		}
	}
}

// untlTerms are the elements of which a qualifier says more.
var untlTerms = map[string]Kind{
	"title": Title, "description": Description, "subject": Subject, "coverage": Coverage, "language": Language, "source": Source,
	"format": Format, "degree": Degree, "note": Note, "collection": Note, "institution": Note, "primarySource": Note,
}

// untlCitation are the parts of a citation.
var untlCitation = map[string]Kind{
	"publicationTitle": Journal, "volume": Volume, "issue": Issue, "pages": Pages, "bibliographicCitation": Citation, "peerReviewed": Note,
}

func readUNTLIdentifier(s *Statements, e element.Element, qualifier string) {
	switch qualifier {
	case "itemURL":
		s.text(Page, e, "")
	case "thumbnailURL":
		s.related(e, "thumbnail")
	default:
		s.text(Identifier, e, qualifier)
	}
}
