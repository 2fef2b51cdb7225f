package crosswalk

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The formats stand in the manual in the order in which they are believed.
func TestManualOfFormats(t *testing.T) {
	var want, got []string
	for _, c := range crosswalks {
		want = append(want, c.namespace)
	}
	const manual = "../../docs/mapping.md"
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Formats\n")
	table, _, _ = strings.Cut(table, "\n## ")
	span := regexp.MustCompile("`([^`]+)`")
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, " | "); strings.HasPrefix(row, "| ") && len(cells) > 1 {
			for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
				got = append(got, strings.TrimSuffix(m[1], "…"))
			}
		}
	}
	if !slices.Equal(want, got) {
		t.Errorf("%s: namespaces\nwant %q\ngot  %q", manual, want, got)
	}
}
