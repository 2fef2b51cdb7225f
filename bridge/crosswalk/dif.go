package crosswalk

import (
	"cmp"
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
	s.say(Statement{Kind: Type, At: root, Value: root.Local()}) // it is of data sets by its definition
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
			readDIFCentre(s, e)
		case "Related_URL":
			readDIFRelated(s, &a, e)
		default:
			s.rest(readDIFDescription, e)
		}
	}
	a.state(s)
}

// readDIFDescription reads what is no part of links.
func readDIFDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "Personnel":
		s.nextGroup()
		readDIFPerson(s, e, e.Child("Role").Text())
	case "Parameters", "Science_Keywords", "Location":
		for c := range e.Children() {
			k := Subject
			if e.Local() == "Location" {
				k = Coverage
			}
			s.say(Statement{Kind: k, At: c, Value: c.Text(), Qualifier: c.Local()})
		}
	case "Summary", "Spatial_Coverage", "Temporal_Coverage", "Metadata_Dates", "Data_Set_Progress", "Project", "Distribution":
		s.nextGroup()
		s.addDescendants(difTerms, e)
		if e.Child("Abstract").Text() == "" && e.Local() == "Summary" {
			s.qualified(Description, e, "abstract")
		}
	case "Reference":
		s.related(e, "reference")
	default:
		s.add(difTerms, e.Local(), e, "")
	}
}

// readDIFCentre reads who distributes the data.
func readDIFCentre(s *Statements, centre element.Element) {
	s.nextGroup()
	name := cmp.Or(centre.Child("Data_Center_Name"), centre.Child("Organization_Name"))
	s.qualified(Contributor, cmp.Or(name.Child("Long_Name"), name.Child("Short_Name")), "data centre")
	s.qualified(Note, name.Child("Short_Name"), "data centre")
}

func readDIFPerson(s *Statements, person element.Element, role string) {
	person = cmp.Or(person.Child("Contact_Person"), person)
	s.qualified(FamilyName, person.Child("Last_Name"), role)
	s.qualified(GivenName, person.Child("First_Name"), role)
	s.qualified(Note, person.Child("Middle_Name"), "middle name of "+role)
}

// difTerms are the elements whose name alone says what they mean.
var difTerms = map[string]term{
	"Entry_Title": {Title, ""}, "Dataset_Title": {Title, "citation"}, "Dataset_Series_Name": {Journal, "series"}, "Dataset_Publisher": {Publisher, ""},
	"Dataset_Release_Place": {Place, ""}, "Version": {Version, ""}, "Issue_Identification": {Issue, ""}, "Data_Presentation_Form": {Note, "presentation"},
	"Other_Citation_Details": {Citation, ""}, "Dataset_Editor": {Contributor, "editor"}, "Abstract": {Description, "abstract"}, "Purpose": {Description, "purpose"},
	"ISO_Topic_Category": {Subject, "ISO topic category"}, "Keyword": {Subject, ""}, "Ancillary_Keyword": {Subject, ""}, "Data_Set_Language": {Language, ""}, "Dataset_Language": {Language, ""},
	"Access_Constraints": {Access, ""}, "Quality": {Description, "quality"}, "Sensor_Name": {Note, "sensor"}, "Source_Name": {Note, "platform"},
	"Start_Date": {Coverage, "temporal begin"}, "Stop_Date": {Coverage, "temporal end"}, "Beginning_Date_Time": {Coverage, "temporal begin"}, "Ending_Date_Time": {Coverage, "temporal end"}, "Single_DateTime": {Coverage, "temporal"},
	"Southernmost_Latitude": {Coordinates, "south"}, "Northernmost_Latitude": {Coordinates, "north"}, "Westernmost_Longitude": {Coordinates, "west"}, "Easternmost_Longitude": {Coordinates, "east"},
	"Minimum_Altitude": {Coordinates, "minimum altitude"}, "Maximum_Altitude": {Coordinates, "maximum altitude"}, "Minimum_Depth": {Coordinates, "minimum depth"}, "Maximum_Depth": {Coordinates, "maximum depth"},
	"Distribution_Size": {Extent, ""}, "Distribution_Format": {Note, "format"}, "Data_Set_Progress": {Note, "progress"}, "Dataset_Progress": {Note, "progress"}, "Fees": {Note, "fees"},
	"Originating_Center": {Note, "originating centre"}, "Data_Creation": {OtherDate, "created"}, "Data_Last_Revision": {OtherDate, "revised"},
	"Short_Name": {Note, "short name"}, "Long_Name": {Note, "long name"},
}

func readDIFCitation(s *Statements, a *difAddresses, citation element.Element) {
	for e := range citation.Children() {
		switch e.Local() {
		case "Dataset_Creator":
			s.nextGroup()
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
		default:
			s.add(difTerms, e.Local(), e, "")
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
			s.related(u, strings.ToLower(use))
		case isToGetData(use) && vocabulary.IsFileURL(value) && !other:
			s.text(File, u, "")
		case isToGetData(use) && namesDataset(value, a.name):
			s.text(Identifier, u, "")
		default:
			s.related(u, strings.ToLower(use))
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
			s.related(e, "the page of the centre or of a project")
		case !s.entrance(e):
			pages = append(pages, e)
		}
	}
	return pages
}
