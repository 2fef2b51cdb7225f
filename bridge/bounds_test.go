package bridge

import (
	"fmt"
	"strings"
	"testing"

	"fingerpost/bridge/crosswalk"
)

// TestHostileRecordsAreBounded: what a record costs is by its length, however
// long a value is and however often one of its kind stands there. The sizes are
// such that anything quadratic would take minutes.
func TestHostileRecordsAreBounded(t *testing.T) {
	const page = "https://repo.example.edu/1"
	dc := func(inside string) string {
		return `<dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>` + page + `</identifier>` + inside + `</dc>`
	}
	const dif = `<DIF xmlns="http://gcmd.gsfc.nasa.gov/Aboutus/xml/dif/">`
	const landing = "<Related_URL><URL_Content_Type><Type>VIEW DATA SET LANDING PAGE</Type></URL_Content_Type><URL>https://repo.example.edu/%d</URL></Related_URL>"
	long := strings.Repeat("a1b", 1<<20)
	for _, c := range []struct {
		name, metadata string
		authors        int
		aliases        int
	}{
		{name: "closing brackets", metadata: dc("<identifier>" + strings.Repeat(")", 8<<20) + "</identifier>")},
		{name: "opening brackets", metadata: dc("<identifier>" + strings.Repeat("(", 8<<20) + "</identifier>")},
		{name: "addresses among rights", metadata: dc(strings.Repeat("<rights>"+strings.Repeat("http ", 3200)+"</rights>", 800))},
		{name: "authors", metadata: dc(copies(150_000, "<creator>https://viaf.org/viaf/%d</creator>")), authors: crosswalk.MostOfKind},
		{name: "identifiers", metadata: dc(copies(150_000, "<identifier>doi:10.5555/%d</identifier>")), aliases: maxAliases},
		{name: "pages of a centre", metadata: dif + copies(40_000, "<Data_Center><Data_Center_URL>https://centre.example.edu/%d</Data_Center_URL></Data_Center>") + copies(40_000, landing) + "</DIF>"},
		{name: "a long name", metadata: dif + "<Entry_ID>" + long + "</Entry_ID>" + copies(60_000, "<Related_URL><URL>https://repo.example.edu/%d</URL></Related_URL>") + "</DIF>"},
		{name: "a long description", metadata: dif + "<Related_URL><Description>" + long + "</Description>" + copies(100_000, "<URL>https://repo.example.edu/%d.pdf</URL>") + "</Related_URL></DIF>"},
		{name: "distributions", metadata: `<r xmlns="http://www.isotc211.org/2005/gmd">` + strings.Repeat("<distributionInfo/>", 199_000) + "</r>"},
		{name: "names of distributors", metadata: "<metadata><idinfo><citation><citeinfo>" + copies(60_000, "<onlink>https://repo.example.edu/%d</onlink>") + "</citeinfo></citation></idinfo>" + copies(60_000, "<distinfo><resdesc>a%db</resdesc></distinfo>") + "</metadata>"},
	} {
		m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{Rules: []Rule{{Field: "onlink", Match: "/5", As: "drop"}}})
		if err != nil {
			t.Fatal(err)
		}
		o, _ := m.Map("oai:repo.example.edu:1", []Record{{Metadata: []byte(c.metadata)}}, nil)
		if len(o.Authors) != c.authors || len(o.Aliases) != c.aliases {
			t.Errorf("%s: %d authors and %d aliases, want %d and %d", c.name, len(o.Authors), len(o.Aliases), c.authors, c.aliases)
		}
	}
}

// copies is n copies of a text with a number in it.
func copies(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
