package bridge

import (
	"strings"
	"testing"
)

func TestUnlicensed(t *testing.T) {
	m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	dc := func(elements string) []Record {
		return []Record{{Prefix: "oai_dc", Metadata: []byte(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			`<dc:identifier>https://repo.example.edu/12</dc:identifier>` + elements + `</oai_dc:dc>`)}}
	}
	for elements, want := range map[string]string{
		`<dc:title>No rights</dc:title>`:                                                                   "",
		`<dc:rights>The Tidewater licence</dc:rights>`:                                                     "The Tidewater licence",
		`<dc:rights>All rights reserved</dc:rights>`:                                                       "",
		`<dc:rights>The Tidewater licence</dc:rights><dc:rights>CC BY 4.0</dc:rights>`:                     "",
		`<dc:type>The Tidewater licence</dc:type><dc:rights>info:eu-repo/semantics/openAccess</dc:rights>`: "",
	} {
		got, err := m.Mapper().Unlicensed("oai:repo.example.edu:12", dc(elements))
		value := ""
		if len(got) > 0 {
			value = got[0].Value
		}
		if err != nil || value != want || value != "" && (!strings.HasSuffix(got[0].Field, "dc:rights") || got[0].Reason == "") {
			t.Errorf("%s: %+v, %v, want %q", elements, got, err, want)
		}
	}
}
