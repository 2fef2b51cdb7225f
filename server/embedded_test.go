package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fingerpost/bridge"
)

// The JSON-LD for a landing page is the document that describes its object.
func TestEmbedded(t *testing.T) {
	g := newGateway(t, nil)
	o := described
	o.Aliases = []string{"https://hdl.handle.net/2027/nine"}
	const hostile = `<dc:title>&lt;/ScRiPt&gt;&lt;!-- &amp;amp; ` + "\u2028\u2029 größer 𝄞" + ` Tides</dc:title><dc:rights>CC BY 4.0</dc:rights>`
	key := saveDescribed(t, g, o, hostile, false)
	e, ok := g.Embedded(t.Context(), o.LandingPage.URL)
	if !ok {
		t.Fatal("there is none")
	}
	_, _, body := g.ask(t, "GET", "/main/"+key+"/metadata/cdif.jsonld", nil)
	if string(e.JSON) != body || e.Profile != "CDIF1.0" || !json.Valid(e.JSON) {
		t.Errorf("got %s\n%s\nwant CDIF1.0\n%s", e.Profile, e.JSON, body)
	}
	if i := strings.IndexFunc(string(e.JSON), func(r rune) bool { return r > '~' || r == '<' || r == '>' || r == '&' }); i >= 0 {
		t.Errorf("not escaped: %s", e.JSON[i:])
	}
	for id, want := range map[string]bool{
		o.LandingPage.URL: true, "http://repo.example.org/record/9/": true, "https://doi.org/10.1234/nine": true, "doi:10.1234/NINE": true,
		"10.1234/nine": true, "http://hdl.handle.net/2027/nine": true,
		"": false, "nine": false, "https://repo.example.org/": false, "10.1234/ninety": false, "https://repo.example.org/" + strings.Repeat("x", maxURI): false,
	} {
		if e.Names(id) != want {
			t.Errorf("%.60q is the object's: %v", id, !want)
		}
	}
	if again, ok := g.Embedded(t.Context(), o.LandingPage.URL); !ok || again != e {
		t.Error("it was made again")
	}
	saveDescribed(t, g, o, `<dc:title>Waves</dc:title><dc:rights>CC BY 4.0</dc:rights>`, false)
	if changed, ok := g.Embedded(t.Context(), o.LandingPage.URL); !ok || !strings.Contains(string(changed.JSON), "Waves") {
		t.Error("it did not change with its record")
	}
}

// Only what CDIF has enough of has its profile, and what has no title has no
// JSON-LD at all.
func TestEmbeddedWhereLittleIsStated(t *testing.T) {
	g := newGateway(t, nil)
	o := described
	for _, c := range []struct {
		name      string
		documents bridge.Documents
		elements  string
		deleted   bool
		page      string
		profile   string
		want      bool
	}{
		{"a title", bridge.Citation, `<dc:title>Tides</dc:title>`, false, o.LandingPage.URL, "", true},
		{"and rights", bridge.Citation | bridge.CDIF, enough, false, o.LandingPage.URL, "CDIF1.0", true},
		{"the object's DOI leads to its page", bridge.Citation, enough, false, o.CiteAs, "", true},
		{"a file is none", bridge.Citation, enough, false, "https://repo.example.org/record/9/a.pdf", "", false},
		{"a page of nobody", bridge.Citation, enough, false, "https://repo.example.org/about", "", false},
		{"nothing", 0, `<dc:rights>CC BY 4.0</dc:rights>`, false, o.LandingPage.URL, "", false},
		{"large", bridge.Citation, enough + many("dc:description", 2000), false, o.LandingPage.URL, "", false},
		{"a deleted object", bridge.Citation, "", true, o.LandingPage.URL, "", false},
	} {
		o.Documents = c.documents
		o.Items = []bridge.ContentResource{{URL: "https://repo.example.org/record/9/a.pdf", MediaType: "application/pdf"}}
		saveDescribed(t, g, o, c.elements, c.deleted)
		e, ok := g.Embedded(t.Context(), c.page)
		if ok != c.want || ok && e.Profile != c.profile {
			t.Errorf("%s: got %v, %+v", c.name, ok, e)
		}
	}
}

// many repeats an element, each time with another text.
func many(name string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<%s>one of many, and the one with number %d</%s>", name, i, name)
	}
	return b.String()
}
