package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
)

// readDOAJ reads the articles of the Directory of Open Access Journals, which
// OJS offers too. The address of the full text may be that of the page.
func readDOAJ(s *Statements, root element.Element) {
	if root.Local() != "doajArticle" {
		root = root.First("doajArticle")
	}
	for e := range root.Children() {
		switch e.Local() {
		case "doi":
			s.text(PID, e, "DOI")
		case "fullTextUrl":
			if strings.EqualFold(e.Attr("format"), "pdf") {
				s.say(Statement{Kind: File, At: e, Value: e.Text(), Media: "application/pdf"})
			} else {
				s.text(Identifier, e, "")
			}
		case "documentType":
			s.text(Type, e, "")
		case "publicationDate":
			s.text(Date, e, "")
		case "authors":
			readDOAJAuthors(s, e, doajAffiliations(root))
		case "keywords":
			for k := range e.Children() {
				s.text(Subject, k, "")
			}
		case "affiliationsList":
		default:
			s.add(doajTerms, e.Local(), e, "")
		}
	}
}

// doajTerms are what is no part of links.
var doajTerms = map[string]term{
	"title": {Title, ""}, "abstract": {Description, "abstract"}, "language": {Language, ""}, "publisher": {Publisher, ""},
	"journalTitle": {Journal, ""}, "issn": {ISSN, ""}, "eissn": {ISSN, "electronic"}, "volume": {Volume, ""}, "issue": {Issue, ""},
	"startPage": {FirstPage, ""}, "endPage": {LastPage, ""}, "publisherRecordId": {Note, "publisherRecordId"},
}

func readDOAJAuthors(s *Statements, authors element.Element, affiliations map[string]element.Element) {
	for author := range authors.Children() {
		s.nextGroup()
		for e := range author.Children() {
			switch e.Local() {
			case "orcid_id":
				s.text(CreatorID, e, "ORCID")
			case "name":
				s.text(Creator, e, "")
			case "affiliationId":
				s.text(Affiliation, affiliations[e.Text()], "")
			}
		}
	}
}

// doajAffiliations are the affiliations that authors refer to, by their ids.
func doajAffiliations(article element.Element) map[string]element.Element {
	out := map[string]element.Element{}
	for a := range article.Child("affiliationsList").Children() {
		out[a.Attr("affiliationId")] = a
	}
	return out
}
