package bridge

import (
	"testing"

	"fingerpost/testdata"
)

func TestOAISitemap(t *testing.T) {
	tests := []struct {
		baseURL, identifier string
		want                bool
	}{
		// As Google's text has them.
		{"https://www.example.com/oaiserver", "https://www.example.com/", true},
		{"https://www.example.com/oaiserver", "https://www.example.com/samples.html", true},
		{"https://www.example.com/oaiserver", "https://www.example.com/images/", true},
		{"https://www.example.com/dataprovider/oaiserver", "https://www.example.com/", false},
		{"https://www.example.com/dataprovider/oaiserver", "https://www.example.com/samples.html", false},
		{"https://www.example.com/dataprovider/oaiserver", "https://www.example.com/images/", false},

		{"https://www.example.com/a/oai", "https://www.example.com/a/b/c?d=e", true},
		{"https://www.example.com/a/oai", "https://www.example.com/a/", true},
		{"https://www.example.com/a/oai", "https://www.example.com/a", false},
		{"https://www.example.com/a/oai", "https://www.example.com/ab/c", false},
		{"https://www.example.com/a/oai", "https://www.example.com/a/../c", false},
		{"https://www.example.com/a/oai", "https://www.example.com/a/%2e%2e/c", false},
		{"https://www.example.com/a/oai/", "https://www.example.com/a/1", false},
		{"https://www.example.com", "https://www.example.com/1", true},
		{"https://www.example.com/index.php?page=oai", "https://WWW.example.com:443/1", true},
		{"https://www.example.com/oai", "http://www.example.com/1", false},
		{"https://www.example.com/oai", "https://example.com/1", false},
		{"https://www.example.com/oai", "https://www.example.com:8443/1", false},
		{"https://www.example.com/oai", "https://doi.org/10.5072/1", false},
		{"https://www.example.com/oai", "oai:www.example.com:1", false},
		{"https://www.example.com/oai", "https://www.example.com:x/", false},
	}
	for _, tt := range tests {
		s := NewOAISitemap(tt.baseURL)
		s.Add("oai:x:1", []byte(`<dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>10.5072/1</identifier><identifier>`+tt.identifier+`</identifier></dc>`))
		if s.Records != 1 || s.Found == 1 != tt.want || len(s.Lost) == 0 != tt.want {
			t.Errorf("%s in the sitemap %s: got %+v, want %v", tt.identifier, tt.baseURL, s, tt.want)
		}
	}
}

func TestOAISitemapNamesSome(t *testing.T) {
	s := NewOAISitemap("https://www.example.com/oai")
	s.Add("bad", []byte("<dc>"))
	for range 5 {
		s.Add("oai:x:1", []byte(`<dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>Shelf 9</identifier></dc>`))
	}
	if s.Records != 5 || s.Found != 0 || len(s.Lost) != 3 || s.Lost[0] != "oai:x:1 (no URL)" {
		t.Errorf("got %+v", s)
	}
}

// Where the interface has a folder of its own, or dc:identifier only DOIs, Google
// finds no page.
func TestOAISitemapOfLookAlikes(t *testing.T) {
	all, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"ojs3": "all", "invenio1": "all", "opus4": "all", "unwrapped": "all",
		"digitalcommons": "none", "dspace5": "none", "dspace7": "none", "eprints": "none", "ojs3-site": "none", "zenodo": "none",
	}
	for _, l := range all {
		s := NewOAISitemap(l.About["base_url"])
		for _, r := range l.Records {
			if metadata := r.Formats["oai_dc"]; metadata != "" {
				s.Add(r.Identifier, []byte(metadata))
			}
		}
		switch expected := want[l.ID]; {
		case expected == "all" && s.Found < s.Records, expected == "none" && s.Found > 0:
			t.Errorf("%s: got %d of %d below %s, want %s; not %q", l.ID, s.Found, s.Records, &s.Folder, expected, s.Lost)
		case s.Found < s.Records && len(s.Lost) == 0:
			t.Errorf("%s: none is named of %d that are not found", l.ID, s.Records-s.Found)
		}
	}
}
