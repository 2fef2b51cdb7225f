package crosswalk

import (
	"cmp"
	"strings"

	"fingerpost/bridge/element"
)

// isDublinCore accepts what servers send as oai_dc though its namespace is
// another or none: a root called dc, or a lone Dublin Core element.
func isDublinCore(root element.Element) bool {
	switch root.Local() {
	case "dc":
		return true
	case "identifier", "title":
		return root.Space() == "" || root.Space() == "http://purl.org/dc/elements/1.1/"
	}
	return false
}

// readDublinCore reads oai_dc. Elements are known by their local names: some
// servers put them in no namespace, or in that of oai_dc.
func readDublinCore(s *Statements, root element.Element) {
	if root.Local() != "dc" {
		readDublinCoreElement(s, root)
		return
	}
	for e := range root.Children() {
		readDublinCoreElement(s, e)
	}
}

func readDublinCoreElement(s *Statements, e element.Element) {
	switch e.Local() {
	case "identifier":
		s.text(Identifier, e, e.Attr("linktype"))
	case "relation":
		s.text(Relation, e, "")
	case "source":
		s.text(Source, e, "")
	case "rights", "license":
		s.text(Rights, e, "")
		// A few give the address beside the words.
		s.attribute(Rights, e, "uri", "")
		s.attribute(Rights, e, "resource", "")
	case "licenseCondition": // OpenAIRE's, which DOAB and OAPEN put among those of Dublin Core
		s.attribute(Licence, e, "uri", "")
		s.text(Rights, e, "")
	case "type":
		s.text(Type, e, "")
	case "format":
		s.text(Format, e, "")
	case "date":
		s.text(Date, e, "")
	case "issued":
		s.qualified(Date, e, "issued")
	case "title":
		s.text(Title, e, "")
	case "publisher":
		s.text(Publisher, e, "")
	case "creator":
		s.nextGroup()
		s.text(Creator, e, "")
		// A few servers give the creator's own URI beside the name.
		s.attribute(CreatorID, e, "id", "")
		s.attribute(CreatorID, e, "resource", "")
		s.attribute(CreatorID, e, "authorityURI", "")
	default:
		if s.scope == All {
			readDublinCoreTerm(s, e)
		}
	}
}

// readDublinCoreTerm reads what is no part of links: an element of Dublin Core,
// one of its terms, or another that servers put among them. A name such as
// "relation.ispartof" has its qualifier in it.
func readDublinCoreTerm(s *Statements, e element.Element) {
	name, qualifier, _ := strings.Cut(e.Local(), ".")
	t, ok := dublinCoreTerms[name]
	switch {
	case !ok:
		t = term{Note, name}
	case qualifier != "":
		t.qualifier = qualifier
	}
	switch t.kind {
	case Contributor:
		s.nextGroup()
		t.qualifier = cmp.Or(t.qualifier, e.Attr("role"))
	case Funder:
		s.nextGroup()
	}
	s.say(Statement{Kind: t.kind, At: e, Value: e.Text(), Scheme: e.Attr("type"), Qualifier: t.qualifier})
}

// dublinCoreTerms are the elements and terms of Dublin Core, of ETD-MS and
// uketd_dc, and those that repositories add to oai_dc.
var dublinCoreTerms = map[string]term{
	"title": {Title, ""}, "alternative": {Title, "alternative"}, "alternativeTitle": {Title, "alternative"},
	"contributor": {Contributor, ""}, "publisher": {Publisher, ""}, "subject": {Subject, ""},
	"description": {Description, ""}, "abstract": {Description, "abstract"}, "tableOfContents": {Description, "tableOfContents"},
	"language": {Language, ""}, "coverage": {Coverage, ""}, "spatial": {Coverage, "spatial"}, "temporal": {Coverage, "temporal"},
	"available": {OtherDate, "available"}, "modified": {OtherDate, "modified"}, "valid": {OtherDate, "valid"},
	"dateAccepted": {OtherDate, "accepted"}, "dateSubmitted": {OtherDate, "submitted"}, "dateCopyrighted": {OtherDate, "copyrighted"},
	"issued": {Date, "issued"}, "created": {OtherDate, "created"}, "accessRights": {Access, ""},
	"extent": {Extent, ""}, "medium": {Format, ""}, "bibliographicCitation": {Citation, ""}, "rightsHolder": {RightsHolder, ""},
	"audience": {Audience, ""}, "educationLevel": {Audience, "educationLevel"}, "mediator": {Audience, "mediator"},
	"conformsTo": {Related, "conformsTo"}, "hasFormat": {Related, "hasFormat"}, "isFormatOf": {Related, "isFormatOf"},
	"hasPart": {Related, "hasPart"}, "isPartOf": {Related, "isPartOf"}, "hasVersion": {Related, "hasVersion"}, "isVersionOf": {Related, "isVersionOf"},
	"references": {Related, "references"}, "isReferencedBy": {Related, "isReferencedBy"}, "requires": {Related, "requires"}, "isRequiredBy": {Related, "isRequiredBy"},
	"replaces": {Related, "replaces"}, "isReplacedBy": {Related, "isReplacedBy"},
	"preview": {Related, "preview"}, "iiifManifest": {Related, "iiifManifest"},

	// Those of links, where a qualifier is part of the name.
	"identifier": {Identifier, ""}, "relation": {Related, ""}, "date": {OtherDate, ""}, "type": {Type, ""}, "format": {Format, ""},
	"source": {Source, ""}, "rights": {Rights, ""}, "creator": {Creator, ""},

	"issn": {ISSN, ""}, "eissn": {ISSN, ""}, "isbn": {ISBN, ""}, "volume": {Volume, ""}, "issue": {Issue, ""}, "pages": {Pages, ""},
	"edition": {Edition, ""}, "version": {Version, ""},
	"advisor": {Contributor, "advisor"}, "sponsor": {Funder, ""}, "grantnumber": {Award, ""},
	"institution": {Degree, "grantor"}, "department": {Degree, "department"}, "commonname": {Degree, "grantor"},
	"qualificationname": {Degree, "name"}, "qualificationlevel": {Degree, "level"},
}
