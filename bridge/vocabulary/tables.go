package vocabulary

import (
	"embed"
	"strings"
)

// Code is the code of this package and its tables, of which bridge.Mapping
// makes its version.
//
//go:embed *.go tables/*.tsv
var Code embed.FS

// rows returns the fields of the lines of a table. Empty lines and lines that
// begin with "#" are for readers.
func rows(table string) [][]string {
	text, err := Code.ReadFile("tables/" + table + ".tsv")
	if err != nil {
		return nil
	}
	var out [][]string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}
