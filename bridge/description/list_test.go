package description

import (
	"encoding/json"
	"strings"
	"testing"
)

// A list is valid JSON in ASCII with any number of objects, whatever its name is,
// and has none that does not state what CDIF asks for.
func TestList(t *testing.T) {
	list := List{URL: "https://links.example.org/main/cdif-1.jsonld", Name: "</script>\u2028 größer \"", Page: "https://links.example.org/main/", Changed: "2030-05-06"}
	complete, little := describe(t, article()), describe(t, oaiDC(`<dc:title>Tides</dc:title>`))
	for _, objects := range [][]*Description{{}, {complete}, {little}, {little, complete, little, complete}} {
		b, n := list.Begin(nil), 0
		for _, d := range objects {
			before, ok := len(b), false
			if b, ok = list.Append(b, d, n == 0); ok {
				n++
			} else if len(b) != before {
				t.Error("what is left out has left something")
			}
		}
		b = list.End(b, n)
		var got struct {
			Name     string            `json:"schema:name"`
			Number   int               `json:"schema:numberOfItems"`
			Elements []map[string]any  `json:"schema:itemListElement"`
			Context  map[string]string `json:"@context"`
			About    map[string]any    `json:"schema:subjectOf"`
			Type     []string          `json:"@type"`
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		if got.Name != list.Name || got.Number != n || len(got.Elements) != n || len(got.Context) != 3 || got.About == nil || len(got.Type) != 2 {
			t.Errorf("%d objects: got %+v", n, got)
		}
		for _, e := range got.Elements {
			if e["@context"] != nil || e["@id"] != "https://doi.org/10.5555/a_b%" {
				t.Errorf("got %v", e)
			}
		}
		if i := strings.IndexFunc(string(b), func(r rune) bool { return r > '~' || r == '<' || r == '&' }); i >= 0 {
			t.Errorf("not escaped: %s", b[i:])
		}
	}
}
