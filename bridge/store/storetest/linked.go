package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

var linkedTests = []test{
	{"the objects with a link, and those that lack it, come in pages", func(t *testing.T, s *store.DB) {
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
			var with, without []string
			for _, o := range list[1:] {
				if o.Covers(column) {
					with = append(with, o.Identifier)
				}
				if o.Lacks(column) {
					without = append(without, o.Identifier)
				}
			}
			equal(t, "with "+column, linked(t, s, column, true), with)
			equal(t, "without "+column, linked(t, s, column, false), without)
		}
	}},
}

// linked reads the whole list, three objects at a time.
func linked(t *testing.T, s *store.DB, column string, has bool) (out []string) {
	t.Helper()
	for after := (store.Place{}); ; {
		page, next, err := s.Linked(t.Context(), repo, column, has, after, 3)
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
