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
			readDOAJAuthors(s, e)
		}
	}
}

func readDOAJAuthors(s *Statements, authors element.Element) {
	for author := range authors.Children() {
		s.nextPerson()
		for e := range author.Children() {
			switch e.Local() {
			case "orcid_id":
				s.text(Creator, e, "ORCID")
			case "name":
				s.text(Creator, e, "")
			}
		}
	}
}
