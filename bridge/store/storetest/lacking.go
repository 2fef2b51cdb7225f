package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

var lackingTests = []test{
	{"the objects without a link are those that lack it, in pages", func(t *testing.T, s *store.DB) {
		var list []store.Object
		for i := range 30 {
			list = append(list, with(object(fmt.Sprint("oai:x:", i)), func(o *store.Object) {
				if i%3 == 0 {
					o.License = ""
				}
				if i%4 == 0 {
					o.Items = nil
				} else if i%5 == 0 {
					o.Items = []bridge.ContentResource{{URL: "https://repository.example/" + o.Identifier}}
				}
			}))
		}
		saveObjects(t, s, list...)
		saveObjects(t, s, gone("oai:x:0"))
		for _, column := range bridge.CoverageColumns() {
			var want []string
			for _, o := range list[1:] {
				if o.Lacks(column) {
					want = append(want, o.Identifier)
				}
			}
			equal(t, column, lacking(t, s, column), want)
		}
	}},
}

// lacking reads the whole list, three objects at a time.
func lacking(t *testing.T, s *store.DB, column string) (out []string) {
	t.Helper()
	for after := (store.Place{}); ; {
		page, next, err := s.Lacking(t.Context(), repo, column, after, 3)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, identifiers(page)...)
		if next == (store.Place{}) {
			return out
		}
		after = next
	}
}
