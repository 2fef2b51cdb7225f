package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
)

// difAddresses are those of a DIF that may be the data set's, until all of
// them are known.
type difAddresses struct {
	name                 string // what the centre calls the data set
	landing, cited, pids []element.Element
	others               map[string]bool // of the centre, and of projects: by identifier.NormalURL
}

// readDIF reads NASA's Directory Interchange Format, versions 6 to 10. What
// stands in Reference is about literature, in Multimedia_Sample an illustration.
func readDIF(s *Statements, root element.Element) {
	a := difAddresses{others: map[string]bool{}}
	for e := range root.Children() {
		switch e.Local() {
		case "Entry_ID":
			if short := e.Child("Short_Name"); short.Valid() { // DIF 10
				e = short
			}
			a.name = e.Text()
			s.text(Identifier, e, "")
		case "Data_Set_Citation", "Dataset_Citation":
			readDIFCitation(s, &a, e)
		case "Use_Constraints":
			s.text(Licence, e.First("License_URL").Child("URL"), "")
			s.text(Rights, e, "")
		case "Data_Center", "Organization":
			for u := range e.Descendants() {
				if strings.HasSuffix(u.Local(), "_URL") {
					a.others[identifier.NormalURL(u.Text())] = true
				}
			}
		case "Related_URL":
			readDIFRelated(s, &a, e)
		}
	}
	a.state(s)
}

func readDIFCitation(s *Statements, a *difAddresses, citation element.Element) {
	for e := range citation.Children() {
		switch e.Local() {
		case "Dataset_Creator":
			s.nextPerson()
			s.text(Creator, e, "")
		case "Dataset_Release_Date":
			s.text(Date, e, "")
		case "Dataset_DOI":
			a.pids = append(a.pids, e)
		case "Persistent_Identifier": // DIF 10
			a.pids = append(a.pids, e.Child("Identifier"))
		case "Online_Resource":
			if vocabulary.IsFileURL(e.Text()) {
				s.text(File, e, "")
			} else {
				a.cited = append(a.cited, e)
			}
		}
	}
}

// readDIFRelated reads addresses by their type, which has a controlled
// vocabulary. Those to get data from are of everything between a file and the
// centre's home page; their description may say which.
func readDIFRelated(s *Statements, a *difAddresses, r element.Element) {
	content := r.Child("URL_Content_Type")
	use := content.Child("Type").Text()
	if use == "" {
		use = content.Text() // DIF 8
	}
	description := r.Child("Description").Text()
	other := saysOther(description)
	isPage := strings.HasSuffix(use, "LANDING PAGE") || isToGetData(use) && saysPage(description) && !other
	for u := range r.Children() {
		value := u.Text()
		switch {
		case u.Local() != "URL":
		case isPage:
			a.landing = append(a.landing, u)
		case strings.HasSuffix(use, "HOME PAGE"):
			a.others[identifier.NormalURL(value)] = true
			s.text(Related, u, strings.ToLower(use))
		case isToGetData(use) && vocabulary.IsFileURL(value) && !other:
			s.text(File, u, "")
		case isToGetData(use) && namesDataset(value, a.name):
			s.text(Identifier, u, "")
		default:
			s.text(Related, u, strings.ToLower(use))
		}
	}
}

// isToGetData accepts an address without a type, too.
func isToGetData(use string) bool {
	return use == "" || strings.HasPrefix(use, "GET DATA")
}

// state says what the addresses are: what is called a landing page goes before
// what is cited, which is often the centre's.
func (a *difAddresses) state(s *Statements) {
	landing, cited := a.pages(s, a.landing), a.pages(s, a.cited)
	s.sole(PID, a.pids)
	if len(landing) > 0 {
		s.sole(Page, landing)
		s.each(Identifier, cited)
		return
	}
	s.sole(Page, cited)
}

// pages returns those of the addresses that can be a page of the data set.
func (a *difAddresses) pages(s *Statements, list []element.Element) (pages []element.Element) {
	for _, e := range list {
		value := e.Text()
		switch {
		case identifier.IsPersistent(value):
			a.pids = append(a.pids, e)
		case a.others[identifier.NormalURL(value)]:
			s.text(Related, e, "the page of the centre or of a project")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	return pages
}
