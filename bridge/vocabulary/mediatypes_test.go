package vocabulary

import (
	"mime"
	"testing"

	"fingerpost/bridge/uri"
)

func TestMediaTypeOf(t *testing.T) {
	for value, want := range map[string]string{
		"application/pdf":              "application/pdf",
		" Application/PDF ":            "application/pdf",
		"text/plain; charset=UTF-8":    "text/plain",
		"image/jpg":                    "image/jpeg",
		"PDF":                          "application/pdf",
		"Adobe PDF":                    "application/pdf",
		"text":                         "text/plain",
		"Microsoft Word XML":           "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/x-zip-compressed": "application/zip",
		"text/xml":                     "text/xml",
		"video/mp4":                    "video/mp4",
		// What is none.
		"":                              "",
		"59933060 bytes":                "",
		"12 pages":                      "",
		"XIII, 124 f., 30 cm":           "",
		"124928":                        "",
		"56 - 66":                       "",
		"electronic":                    "",
		"R":                             "", // one letter may be anything
		"dat":                           "",
		"photograph":                    "",
		"Color digital photograph/jpeg": "",
		"1/2":                           "",
		"application/":                  "",
		"*/*":                           "",
		"url":                           "",
		"https://repo.example.edu/":     "",
	} {
		got, ok := MediaTypeOf(value)
		if got != want || ok != (want != "") {
			t.Errorf("MediaTypeOf(%q) = %q, %v, want %q", value, got, ok, want)
		}
	}
}

func TestMediaTypeByExtension(t *testing.T) {
	for uri, want := range map[string]string{
		"https://eprints.example.edu/4711/1/ripples.pdf":                  "application/pdf",
		"https://eprints.example.edu/4711/1/RIPPLES.PDF#page=2":           "application/pdf",
		"https://repo.example.edu/bitstream/1/2/3/data.tar.gz?sequence=1": "application/gzip",
		"https://repo.example.edu/download.php?file=ripples.csv":          "text/csv",
		"https://repo.example.edu/get?id=1&filename=a%20b.docx":           "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"https://repo.example.edu/viewcontent.cgi?article=1003&context=x": "",
		"https://repo.example.edu/index.php":                              "",
		"https://repo.example.edu/article/view/12/34":                     "",
		"https://repo.example.pdf":                                        "", // a host
		"https://repo.example.edu/v1.2":                                   "",
		"https://repo.example.edu/.pdf":                                   "",
		"":                                                                "",
	} {
		got, ok := MediaTypeByExtension(uri)
		if got != want || ok != (want != "") {
			t.Errorf("mediaTypeByExtension(%q) = %q, %v, want %q", uri, got, ok, want)
		}
	}
}

func TestIsFileURL(t *testing.T) {
	for uri, want := range map[string]bool{
		"https://eprints.example.edu/4711/1/ripples.pdf":                         true,
		"https://dspace.example.edu/bitstream/1912/2641/1/thesis":                true,
		"https://dspace.example.edu/bitstreams/0e1c/download":                    true,
		"https://dc.example.edu/cgi/viewcontent.cgi?article=1003&context=shores": true,
		"https://ojs.example.org/index.php/shores/article/download/12/34":        true,
		"https://pure.example.edu/ws/files/123/ripples":                          true,
		"https://ndownloader.example.org/files/123":                              true,
		"https://biblio.example.edu/publication/12/file/34":                      true,
		"https://fedora.example.edu/islandora/object/a:1/datastream/OBJ/view":    true,
		"https://dataverse.example.edu/api/access/datafile/12":                   true,
		"https://repo.example.edu/article.php?id=12&pdf=render":                  true,
		"https://repo.example.edu/download.php?file=ripples.csv":                 true,
		"https://eprints.example.edu/4711/":                                      false,
		"https://dspace.example.edu/handle/1912/2641":                            false,
		"https://ojs.example.org/index.php/shores/article/view/12":               false,
		"https://dataverse.example.edu/dataset.xhtml?persistentId=doi:10.5555/1": false,
		"https://repo.example.edu/record/12.html":                                false,
		"https://repo.example.edu/show.do?id=12":                                 false,
		"https://repo.example.edu/profile/12":                                    false,
		"https://doi.org/10.5555/abc.1":                                          false,
		"https://repo.example.zip":                                               false,
		"":                                                                       false,
	} {
		if got := IsFileURL(uri); got != want {
			t.Errorf("isFileURL(%q) = %v, want %v", uri, got, want)
		}
	}
}

// TestMediaTypeTable: every type in the table is bare and well-formed.
func TestMediaTypeTable(t *testing.T) {
	for _, row := range rows("mediatypes") {
		if len(row) != 3 || row[0] != "extension" && row[0] != "label" {
			t.Fatalf("%q is no row", row)
		}
		bare, parameters, err := mime.ParseMediaType(row[2])
		if err != nil || bare != row[2] || len(parameters) > 0 || !IsMediaType(row[2]) {
			t.Errorf("%q is not a bare media type (%v)", row[2], err)
		}
		if got, ok := MediaTypeOf(row[1]); row[0] == "label" && (!ok || got != row[2]) {
			t.Errorf("MediaTypeOf(%q) = %q, %v, want %q", row[1], got, ok, row[2])
		}
		if got, ok := MediaTypeOf(row[2]); row[0] == "label" && (!ok || got != row[2]) {
			t.Errorf("MediaTypeOf(%q) = %q, %v: the table is not at an end", row[2], got, ok)
		}
	}
}

func FuzzMediaTypes(f *testing.F) {
	f.Add("application/pdf; charset=x")
	f.Add("https://repo.example.edu/a.b?file=c.%64")
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := MediaTypeOf(s); ok && !IsMediaType(got) {
			t.Errorf("MediaTypeOf(%q) = %q", s, got)
		}
		if got, ok := MediaTypeByExtension(s); ok && !IsMediaType(got) {
			t.Errorf("mediaTypeByExtension(%q) = %q", s, got)
		}
		IsFileURL(s)
		NotContent(uri.Address{URL: s, Rest: s})
	})
}
