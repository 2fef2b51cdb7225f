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

// A licence may be stated in words. They are no address, wherever they stand.
func TestLicencesOfLandingPages(t *testing.T) {
	const by = "https://creativecommons.org/licenses/by/4.0/"
	const body = "<a><license>" + by + "</license></a>"
	for _, tt := range []struct{ name, page, want string }{
		{"a link", "<link><license>" + by + "</license></link>", by},
		{"a link to the house's own", "<link><license>/licence</license></link>", "https://repo.example.edu/licence"},
		{"words in a meta element", "<meta><DCTERMS.license>CC BY 4.0</DCTERMS.license></meta>", by},
		{"words that name none", "<meta><DCTERMS.license>Open</DCTERMS.license></meta>", ""},
		{"words in JSON-LD", "<json-ld><type>Dataset</type><license>CC BY 4.0</license></json-ld>", by},
		{"words that name none in JSON-LD", "<json-ld><type>Dataset</type><license>see the file</license></json-ld>", ""},
		{"an object of JSON-LD", "<json-ld><type>Dataset</type><license><name>CC</name><url>" + by + "</url></license></json-ld>", by},
		{"the body's", body, by},
		{"the body's beside words that name none", "<meta><DC.rights>Open</DC.rights></meta>" + body, by},
		{"the head's, not the body's", "<meta><DC.rights>CC BY-SA 4.0</DC.rights></meta>" + body, "https://creativecommons.org/licenses/by-sa/4.0/"},
		{"the house's own, not the body's", "<link><license>/licence</license></link>" + body, "https://repo.example.edu/licence"},
		{"none of two in the body", "<a><license>" + by + "</license><license>https://creativecommons.org/licenses/by-nc/4.0/</license></a>", ""},
		{"none in the body that is not known", "<a><license>/licence</license></a>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mapExample(t, examplePage(tt.page)).License; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Of several works in JSON-LD, the one with the page's address is the object.
func TestWorksOfJSONLD(t *testing.T) {
	work := func(name, id string) string {
		return "<json-ld><id>" + id + "</id><type>Dataset</type><distribution><contentUrl>https://repo.example.edu/12/" + name + "</contentUrl></distribution></json-ld>"
	}
	for _, tt := range []struct {
		name, page string
		want       []string
	}{
		{"one", work("a", "x:1"), []string{"https://repo.example.edu/12/a"}},
		{"two that are strangers", work("a", "x:1") + work("b", "x:2"), nil},
		{"the page's, of two", work("a", "x:1") + work("b", "https://repo.example.edu/12#it"), []string{"https://repo.example.edu/12/b"}},
		{"two of the page", work("a", "#a") + work("b", "#b"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, item := range mapExample(t, examplePage(tt.page)).Items {
				got = append(got, item.URL)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Files are the object's on hosts that are known to be the repository's.
func TestHostsOfOfferedFiles(t *testing.T) {
	offers := func(file string) string {
		return examplePage("<meta><citation_pdf_url>" + file + "</citation_pdf_url></meta>")
	}
	for _, tt := range []struct {
		name, example string
		want          int
	}{
		{"its own", offers("https://repo.example.edu/x/a.pdf"), 1},
		{"its own with www.", offers("http://WWW.repo.example.edu/x/a.pdf"), 1},
		{"that of the landing page", offers("https://pages.example.org/x/a.pdf") + " `landing_page: https://pages.example.org/{local}`", 1},
		{"one where the metadata has an address of the object", offers("https://files.example.org/x/a.pdf") + " `dc:relation https://files.example.org/12`", 1},
		{"not one where the metadata has another address", offers("https://files.example.org/x/a.pdf") + " `dc:relation https://files.example.org/about`", 0},
		{"not another of the organisation", offers("https://files.example.edu/x/a.pdf"), 0},
		{"not a publisher's", offers("https://publisher.example.org/12/a.pdf"), 0},
		{"not a resolver's", offers("https://doi.org/10.99999/12"), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mapExample(t, tt.example).Items; len(got) != tt.want {
				t.Errorf("got %+v, want %d", got, tt.want)
			}
		})
	}
}
