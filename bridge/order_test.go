package bridge

import (
	"errors"
	"testing"
)

// Where two rules, or two values, could give the landing page, the manual says
// which does. The examples are written as those of the manual.
func TestOrderOfLandingPages(t *testing.T) {
	for _, tt := range []struct{ name, example, want string }{
		{"an address that ends with the local part, then one that goes on after it",
			"`dc:identifier https://repo.example.edu/12/versions` `dc:identifier https://repo.example.edu/view/12`", "https://repo.example.edu/view/12"},
		{"an address with all of the local part, then one with its last segment",
			"`oai:repo.example.edu:maps:123456` `dc:identifier https://repo.example.edu/123456` `dc:identifier https://repo.example.edu/maps:123456/view`", "https://repo.example.edu/maps:123456/view"},
		{"dc:identifier, then dc:relation",
			"`dc:relation https://repo.example.edu/statistics/12` `dc:identifier https://repo.example.edu/view/12`", "https://repo.example.edu/view/12"},
		{"dc:relation, then dc:source",
			"`dc:identifier Box 12` `dc:source https://repo.example.edu/statistics/12` `dc:relation https://repo.example.edu/view/12`", "https://repo.example.edu/view/12"},
		{"dc:source only on the repository's own host",
			"`oai:repo.example.edu:maps:123456` `dc:identifier Box 12` `dc:source https://other.example.edu/123456`", ""},
		{"L3, then L4",
			"`oai:repo.example.edu:20.500.99999/12` `dc:identifier https://repo.example.edu/bitstream/20.500.99999/12/1/a.pdf` `dc:identifier https://hdl.handle.net/20.500.99999/12`", "https://hdl.handle.net/20.500.99999/12"},
		{"L4, then L2b",
			"`dc:identifier https://repo.example.edu/articles/tides` `dc:identifier https://repo.example.edu/12/1/thesis.pdf`", "https://repo.example.edu/12/"},
		{"a persistent identifier in the place of the page is written as cite-as is",
			"`<mods xmlns=\"http://www.loc.gov/mods/v3\"><location><url usage=\"primary display\">http://dx.doi.org/10.99999/tides</url></location></mods>`", "https://doi.org/10.99999/tides"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mapExample(t, tt.example).LandingPage.URL; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatIsCited(t *testing.T) {
	for _, tt := range []struct{ name, example, want string }{
		{"no ISBN, even where a format says that it is the identifier (C1)",
			"`<resource><identifier identifierType=\"ISBN\">978-3-16-148410-0</identifier></resource>` `dc:identifier https://repo.example.edu/12`", ""},
		{"the prefix in the OAI identifier is an own one (C2)",
			"`oai:repo.example.edu:20.500.99999/12` `dc:identifier https://repo.example.edu/handle/20.500.99999/12` `dc:identifier hdl:20.500.99999/77`", "https://hdl.handle.net/20.500.99999/77"},
		{"an ARK, which only an object's keeper names (C2)",
			"`dc:identifier https://repo.example.edu/12` `dc:identifier ark:/99999/tides`", "https://n2t.net/ark:/99999/tides"},
		{"no alternative identifier with another's prefix (C2)",
			"`dc:identifier https://repo.example.edu/12` `dc:relation info:eu-repo/semantics/altIdentifier/doi/10.99998/tides`", ""},
		{"none of two DOIs at a data repository (C3)",
			"`platform: figshare` `dc:identifier https://repo.example.edu/12` `dc:identifier doi:10.99999/tides` `dc:identifier doi:10.99999/waves`", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mapExample(t, tt.example).CiteAs; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// mapExample maps an example. One without a landing page gives an empty object.
func mapExample(t *testing.T, example string) Object {
	t.Helper()
	x, err := readExample(example)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewMapping("https://repo.example.edu/oai", x.learned, x.settings)
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Map(x.identifier, x.records, nil)
	var none *NoLandingPageError
	if err != nil && !errors.As(err, &none) {
		t.Fatal(err)
	}
	return o
}
