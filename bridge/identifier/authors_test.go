package identifier

import (
	"errors"
	"testing"
)

func TestParseAuthor(t *testing.T) {
	for _, test := range []struct {
		value, scheme string
		uri           string
		err           error
	}{
		{"0000-0002-1825-0097", "ORCID", "https://orcid.org/0000-0002-1825-0097", nil},
		{"0000-0002-1825-0097", "", "https://orcid.org/0000-0002-1825-0097", nil},
		{"0000000218250097", "ORCID", "https://orcid.org/0000-0002-1825-0097", nil},
		{"http://orcid.org/0000-0002-1825-0097", "", "https://orcid.org/0000-0002-1825-0097", nil},
		{"https://orcid.org/0000-0002-1825-0097/", "orcid", "https://orcid.org/0000-0002-1825-0097", nil},
		{"orcid.org/0000-0002-1694-233x", "", "https://orcid.org/0000-0002-1694-233X", nil},
		{"ORCID: 0000-0002-1694-233X", "", "https://orcid.org/0000-0002-1694-233X", nil},
		{"0000-0002-1694-233X", "https://orcid.org/", "https://orcid.org/0000-0002-1694-233X", nil},
		{"0000-0002-1825-0098", "ORCID", "", errChecksum},
		{"0000-0000-0000-0000", "ORCID", "", errUnassigned},
		{"0000-0000-0000-0001", "ORCID", "", errUnassigned}, // its check digit is right
		{"https://orcid.org/0000-0000-0000-0000", "", "", errUnassigned},
		{"0000-0002-1825-009", "ORCID", "", errMalformed},
		{"https://orcid.org/", "ORCID", "", errMalformed},

		{"0000000121032683", "ISNI", "https://isni.org/isni/0000000121032683", nil},
		{"0000 0001 2103 2683", "http://www.isni.org", "https://isni.org/isni/0000000121032683", nil},
		{"https://www.isni.org/isni/0000000121032683", "", "https://isni.org/isni/0000000121032683", nil},
		{"0000000121032684", "ISNI", "", errChecksum},
		{"0000000012345672", "ISNI", "https://isni.org/isni/0000000012345672", nil},
		{"0009001000000011", "ISNI", "https://isni.org/isni/0009001000000011", nil}, // beyond the block of ORCID
		{"0000000121032683", "", "", errUnknownAuthor},                              // sixteen digits may be anything
		{"0000000218250097", "ISNI", "https://orcid.org/0000-0002-1825-0097", nil},

		{"https://ror.org/02mhbdp94", "", "https://ror.org/02mhbdp94", nil},
		{"02mhbdp94", "ROR", "https://ror.org/02mhbdp94", nil},
		{"ror.org/04wxnsj81", "", "https://ror.org/04wxnsj81", nil},
		{"https://ror.org/02mhbdp95", "", "", errChecksum},
		{"https://ror.org/about", "", "", errMalformed},

		{"118540238", "GND", "https://d-nb.info/gnd/118540238", nil},
		{"(DE-588)118540238", "", "https://d-nb.info/gnd/118540238", nil},
		{"http://d-nb.info/gnd/4007931-X", "", "https://d-nb.info/gnd/4007931-X", nil},
		{"102333412", "VIAF", "https://viaf.org/viaf/102333412", nil},
		{"http://www.wikidata.org/entity/Q42", "", "https://www.wikidata.org/entity/Q42", nil},
		{"https://www.wikidata.org/wiki/Special:Search", "", "", errMalformed},
		{"https://www.idref.fr/026927608", "", "https://www.idref.fr/026927608", nil},
		{"http://lattes.cnpq.br/1234567890123456", "", "https://lattes.cnpq.br/1234567890123456", nil},

		{"A-1234-2008", "ResearcherID", "", errUnknownAuthor},
		{"7004212771", "Scopus Author ID", "", errUnknownAuthor},
		{"ada@shores.example.edu", "e-mail", "", errUnknownAuthor},
		{"https://people.example.edu/harrow", "", "", errUnknownAuthor},
		{"info:eu-repo/dai/nl/123456789", "DAI", "", errUnknownAuthor},
		{"Harrow, Ada", "", "", errUnknownAuthor},
		{"", "", "", errUnknownAuthor},
		{"", "ORCID", "", errMalformed},
	} {
		id, err := parseAuthor(test.value, test.scheme)
		if id.URI != test.uri || !errors.Is(err, test.err) {
			t.Errorf("parseAuthor(%q, %q) = %q, %v, want %q, %v", test.value, test.scheme, id.URI, err, test.uri, test.err)
		}
	}
}

func FuzzParseAuthor(f *testing.F) {
	f.Add("https://orcid.org/0000-0002-1825-0097", "")
	f.Add("0000 0001 2103 2683", "ISNI")
	f.Add("https://ror.org/02mhbdp94", "ROR")
	f.Add("(DE-588)118540238", "GND")
	f.Fuzz(func(t *testing.T, value, scheme string) {
		id, err := parseAuthor(value, scheme)
		if (err == nil) != (id.URI != "") {
			t.Fatalf("parseAuthor(%q, %q) = %q, %v", value, scheme, id.URI, err)
		}
		if err != nil {
			return
		}
		if again, err := parseAuthor(id.URI, ""); again.URI != id.URI {
			t.Errorf("parseAuthor(%q, %q) = %q, of which it makes %q, %v", value, scheme, id.URI, again.URI, err)
		}
	})
}
