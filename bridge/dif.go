package bridge

import (
	"strings"

	"fingerpost/bridge/element"
)

// difAddresses are those of a DIF that may be the data set's, until all of
// them are known.
type difAddresses struct {
	name                 string // what the centre calls the data set
	landing, cited, pids []element.Element
	others               map[string]bool // of the centre, and of projects: by NormalURL
}

// readDIF reads NASA's Directory Interchange Format, versions 6 to 10. What
// stands in Reference is about literature, in Multimedia_Sample an illustration.
func readDIF(s *statements, root element.Element) {
	a := difAddresses{others: map[string]bool{}}
	for e := range root.Children() {
		switch e.Local() {
		case "Entry_ID":
			if short := e.Child("Short_Name"); short.Valid() { // DIF 10
				e = short
			}
			a.name = e.Text()
			s.text(identifier, e, "")
		case "Data_Set_Citation", "Dataset_Citation":
			readDIFCitation(s, &a, e)
		case "Use_Constraints":
			s.text(licence, e.First("License_URL").Child("URL"), "")
			s.text(rights, e, "")
		case "Data_Center", "Organization":
			for u := range e.Descendants() {
				if strings.HasSuffix(u.Local(), "_URL") {
					a.others[NormalURL(u.Text())] = true
				}
			}
		case "Related_URL":
			readDIFRelated(s, &a, e)
		}
	}
	a.state(s)
}

func readDIFCitation(s *statements, a *difAddresses, citation element.Element) {
	for e := range citation.Children() {
		switch e.Local() {
		case "Dataset_Creator":
			s.nextPerson()
			s.text(creator, e, "")
		case "Dataset_Release_Date":
			s.text(date, e, "")
		case "Dataset_DOI":
			a.pids = append(a.pids, e)
		case "Persistent_Identifier": // DIF 10
			a.pids = append(a.pids, e.Child("Identifier"))
		case "Online_Resource":
			if isFileURL(e.Text()) {
				s.text(file, e, "")
			} else {
				a.cited = append(a.cited, e)
			}
		}
	}
}

// readDIFRelated reads addresses by their type, which has a controlled
// vocabulary. Those to get data from are of everything between a file and the
// centre's home page; their description may say which.
func readDIFRelated(s *statements, a *difAddresses, r element.Element) {
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
			a.others[NormalURL(value)] = true
			s.text(related, u, strings.ToLower(use))
		case isToGetData(use) && isFileURL(value) && !other:
			s.text(file, u, "")
		case isToGetData(use) && namesDataset(value, a.name):
			s.text(identifier, u, "")
		default:
			s.text(related, u, strings.ToLower(use))
		}
	}
}

// isToGetData accepts an address without a type, too.
func isToGetData(use string) bool {
	return use == "" || strings.HasPrefix(use, "GET DATA")
}

// state says what the addresses are: what is called a landing page goes before
// what is cited, which is often the centre's.
func (a *difAddresses) state(s *statements) {
	landing, cited := a.pages(s, a.landing), a.pages(s, a.cited)
	s.sole(pid, a.pids)
	if len(landing) > 0 {
		s.sole(page, landing)
		s.each(identifier, cited)
		return
	}
	s.sole(page, cited)
}

// pages returns those of the addresses that can be a page of the data set.
func (a *difAddresses) pages(s *statements, list []element.Element) (pages []element.Element) {
	for _, e := range list {
		value := e.Text()
		switch {
		case isPersistent(value):
			a.pids = append(a.pids, e)
		case a.others[NormalURL(value)]:
			s.text(related, e, "the page of the centre or of a project")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	return pages
}
