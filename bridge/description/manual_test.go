package description

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestManualNamesEveryField: the table of fields in docs/documents.md has each name
// that stands in a document, in the document's column.
func TestManualNamesEveryField(t *testing.T) {
	named := fieldsInManual(t)
	missing := map[string]bool{}
	for _, s := range sources(t) {
		d := describe(t, s)
		for _, doc := range Documents {
			if doc.Name == "cdif.jsonld" { // as schema.jsonld
				continue
			}
			for _, l := range d.Lines(doc) {
				for part := range strings.SplitSeq(propertyOf(l), ".") {
					if part == "@context" {
						break
					}
					if !named[doc.Name][part[strings.IndexByte(part, ':')+1:]] {
						missing[doc.Name+" "+part] = true
					}
				}
			}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("the manual does not name %s", field)
	}
}

// fieldsInManual are the names in each column of the table, by the name of the
// document at its head.
func fieldsInManual(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/documents.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Fields\n")
	section, _, _ = strings.Cut(section, "\n## ")
	code := regexp.MustCompile("`([^`]+)`")
	out := map[string]map[string]bool{}
	var heads []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for i, cell := range strings.Split(line, "|") {
			names := code.FindAllStringSubmatch(cell, -1)
			if len(heads) <= i {
				heads = append(heads, "")
				if len(names) == 1 {
					heads[i], names = names[0][1], nil
					out[heads[i]] = map[string]bool{}
				}
			}
			for _, m := range names {
				out[heads[i]][m[1]] = true
			}
		}
	}
	return out
}
