package bridge

import (
	"fmt"
	"slices"
	"testing"

	"fingerpost/bridge/crosswalk"
)

// examplePage is an example of the manual whose landing page states something.
func examplePage(stated string) string {
	return "`dc:identifier https://repo.example.edu/12` `<page xmlns=\"fingerpost:landing-page:1\" url=\"https://repo.example.edu/12\">" + stated + "</page>`"
}

func TestRestrictedFiles(t *testing.T) {
	const (
		a        = "<eprints.document_url>https://repo.example.edu/12/a</eprints.document_url>"
		b        = "<eprints.document_url>https://repo.example.edu/12/b</eprints.document_url>"
		status   = "<eprints.full_text_status>restricted</eprints.full_text_status>"
		jsonLD   = "<json-ld><type>Dataset</type>%s<distribution><contentUrl>https://repo.example.edu/12/a</contentUrl>%s</distribution></json-ld>"
		notFree  = "<isAccessibleForFree>false</isAccessibleForFree>"
		isFree   = "<isAccessibleForFree>true</isAccessibleForFree>"
		embargo  = "<DC.rights>info:eu-repo/semantics/embargoedAccess</DC.rights>"
		coar     = "<DCTERMS.accessRights>http://purl.org/coar/access_right/c_16ec</DCTERMS.accessRights>"
		openness = "<DC.rights>info:eu-repo/semantics/openAccess</DC.rights>"
	)
	for _, tt := range []struct {
		name, page string
		want       []bool
	}{
		{"the only document of an EPrints", "<meta>" + status + a + "</meta>", []bool{true}},
		{"one of two, which one is not said", "<meta>" + status + a + b + "</meta>", []bool{false, false}},
		{"all, by an embargo", "<meta>" + embargo + a + b + "</meta>", []bool{true, true}},
		{"all, by COAR's access rights", "<meta>" + coar + a + "</meta>", []bool{true}},
		{"none", "<meta>" + openness + a + "</meta>", []bool{false}},
		{"by schema.org, of the object", fmt.Sprintf(jsonLD, notFree, ""), []bool{true}},
		{"by schema.org, of the file", fmt.Sprintf(jsonLD, isFree, notFree), []bool{true}},
		{"not by schema.org", fmt.Sprintf(jsonLD, isFree, ""), []bool{false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []bool
			for _, item := range mapExample(t, examplePage(tt.page)).Items {
				got = append(got, item.Restricted)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// The name of an element says nothing about the type of a file.
func TestMediaTypesOfOfferedFiles(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"not by citation_pdf_url", "<meta><citation_pdf_url>https://repo.example.edu/12/a</citation_pdf_url></meta>", ""},
		{"by the ending", "<meta><citation_pdf_url>https://repo.example.edu/12/a.tif</citation_pdf_url></meta>", "image/tiff"},
		{"by the type of the link", `<link><item type="text/csv">https://repo.example.edu/12/a</item></link>`, "text/csv"},
		{"by encodingFormat", "<json-ld><type>Dataset</type><distribution><contentUrl>https://repo.example.edu/12/a</contentUrl><encodingFormat>text/csv</encodingFormat></distribution></json-ld>", "text/csv"},
		{"by the DC.format before the document", "<meta><eprints.document_url>https://repo.example.edu/12/a</eprints.document_url><DC.format>text/csv</DC.format><DC.identifier>https://repo.example.edu/12/a</DC.identifier></meta>", "text/csv"},
		{"not by the DC.format of other software", "<meta><citation_pdf_url>https://repo.example.edu/12/a</citation_pdf_url><DC.format>text/html</DC.format><DC.identifier>https://repo.example.edu/12/a</DC.identifier></meta>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items := mapExample(t, examplePage(tt.page)).Items
			if len(items) != 1 || items[0].MediaType != tt.want {
				t.Errorf("got %+v, want one of type %q", items, tt.want)
			}
		})
	}
}

// Files are believed once some were tried, and landing pages are read at all only
// where the administrator wants it.
func TestPagesAreAskedForOnly(t *testing.T) {
	page := []byte(`<page xmlns="fingerpost:landing-page:1" url="https://repo.example.edu/12"><meta><citation_pdf_url>https://repo.example.edu/12/a</citation_pdf_url><DC.rights>CC BY 4.0</DC.rights></meta></page>`)
	dc := []byte(`<oai_dc:dc xmlns:oai_dc="` + crosswalk.OAIDC + `" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier>https://repo.example.edu/12</dc:identifier></oai_dc:dc>`)
	for _, tt := range []struct {
		name            string
		pages           bool
		files           PageFiles
		licence, listed bool
	}{
		{"not wanted", false, FilesBelieved, false, false},
		{"not tried yet", true, FilesUntried, true, false},
		{"tried in vain", true, FilesDistrusted, true, false},
		{"tried", true, FilesBelieved, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := NewMapping("https://repo.example.edu/oai", Learned{PageFiles: tt.files}, Settings{Pages: tt.pages})
			if err != nil {
				t.Fatal(err)
			}
			o, err := m.Map("oai:repo.example.edu:12", []Record{{Prefix: "landing-page", Metadata: page}, {Prefix: "oai_dc", Metadata: dc}}, nil)
			if err != nil || (o.License != "") != tt.licence || (len(o.Items) > 0) != tt.listed {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
}
