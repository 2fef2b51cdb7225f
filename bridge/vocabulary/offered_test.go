package vocabulary

import (
	"testing"

	"fingerpost/bridge/uri"
)

// What a page offers is refused by what its address says, and by nothing else.
func TestNotOffered(t *testing.T) {
	for _, tt := range []struct{ rest, want string }{
		{"/12/1/thesis.pdf", ""},
		{"/bitstreams/0a1b/download", ""},
		{"/cgi/viewcontent.cgi?article=1042&context=geo", ""},
		{"/article/file?id=10.99999/a.1&type=printable", ""},
		{"/content/98/3/377.full-text.pdf-url", ""},
		{"/files/{draft}.pdf", ""},
		{"/logins/of/1640.pdf", ""},
		{"/toc/1.pdf", ""},
		{"/recover.jpg.zip", ""},
		{"/?download=12", ""},

		{"/12/{{file}}", "what is left of a template, not an address"},
		{"/12/%7B%7Bfile%7D%7D", "what is left of a template, not an address"},
		{"/files/undefined", "what is left of a template, not an address"},
		{"/", "the front page of a site"},
		{"", "the front page of a site"},
		{"/password-login?back=12", "a page to log in, or to ask for a copy"},
		{"/user/Login", "a page to log in, or to ask for a copy"},
		{"/12?cookieAbsent", "a page to log in, or to ask for a copy"},
		{"/cgi/request_doc?docid=12", "a page to log in, or to ask for a copy"},
		{"/12/suppl_file/a.pdf", "supplementary material, or a part of something larger"},
		{"/12/Thesis_TOC.pdf", "supplementary material, or a part of something larger"},
		{"/12/Author_Agreement.pdf", "a form or the rules of the repository, not a file of the object"},
		{"/a.pdf?X-Amz-Signature=0", "an address that is signed, and valid for a while only"},
		{"/377.full.pdf+html", "a page around a file, not the file"},
		{"/dataset/filename", "a file name that stands for any"},
		{"/12/cover.jpg", APreview},
		{"/favicon.ico", APreview},
		{"/12/thesis.pdf.jpg", ADerivedFile},
		{"/cgi/export/12.xml", ADescription},
	} {
		a, ok := uri.Parse("https://repo.example.edu" + tt.rest)
		if got := NotOffered(a); got != tt.want || !ok {
			t.Errorf("%s: %q, want %q", tt.rest, got, tt.want)
		}
	}
}

func TestSaysRestricted(t *testing.T) {
	for value, want := range map[string]bool{
		"info:eu-repo/semantics/closedAccess": true, "http://purl.org/coar/access_right/c_f1cf": true, "Limited Access": true, "embargoed": true,
		"info:eu-repo/semantics/openAccess": false, "http://purl.org/coar/access_right/c_abf2": false, "unrestricted": false, "": false,
		"https://creativecommons.org/licenses/by/4.0/": false,
	} {
		if got := SaysRestricted(value); got != want {
			t.Errorf("%q: %t, want %t", value, got, want)
		}
	}
}
