package vocabulary

import "strings"

// rows returns the fields of a table's lines. Empty lines and lines that begin
// with "#" are for readers.
func rows(table string) [][]string {
	var out [][]string
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}
