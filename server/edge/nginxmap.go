package edge

import (
	"maps"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

const (
	// maxNginxWord is the longest word that is written for nginx, in bytes:
	// it refuses its whole configuration for one of more than 4096.
	maxNginxWord = 4000

	// maxSame is how many pages may stand under one address. More of them
	// would have no room for links.
	maxSame = 8
)

// nginxPage is a page as the map of nginx has it.
type nginxPage struct{ published, links string }

// nginxLines are the lines of pages that are the same to nginx, which takes the
// capital letters of an address for small ones. So a value says for which
// addresses its links are, and the configuration compares them letter by
// letter. Between tabs, which no address and no link has, stand addresses,
// the links of all of them, and the same of the next page.
func nginxLines(same []nginxPage) string {
	values := map[string][]string{} // by address in small letters
	for _, p := range same {
		forms := map[string][]string{}
		for _, form := range keyOf(p.published).nginx() {
			forms[lower(form)] = append(forms[lower(form)], form)
		}
		for address, forms := range forms {
			if v := nginxValue(forms, p.links, maxNginxWord/len(same)); v != "" {
				values[address] = append(values[address], v)
			}
		}
	}
	var lines strings.Builder
	for _, address := range slices.Sorted(maps.Keys(values)) {
		lines.WriteString(`"` + nginxKey.Replace(address) + `" '` + strings.Join(values[address], `\t`) + "';\n")
	}
	return lines.String()
}

// nginxValue is what a value has of one page; "" if no links fit into so many
// bytes.
func nginxValue(forms []string, links string, most int) string {
	addresses := nginxText.Replace(strings.Join(forms, "\t") + "\t")
	escaped := len(nginxText.Replace(links)) - len(links)
	if links = shortened(links, most-len(addresses)-escaped); links == "" {
		return ""
	}
	return addresses + nginxText.Replace(links)
}

// shortened makes a value that valueOf returned fit into so many bytes.
func shortened(value string, most int) string {
	if len(value) <= most {
		return value
	}
	links, err := linkset.ParseHeader([]string{value}, "https://repository.invalid/")
	if err != nil {
		return ""
	}
	return valueOf(links, most)
}

// nginxKey keeps the key of a map within double quotes, nginxText a value
// within single ones. A value may name variables: one of them has a dollar
// sign, which cannot be written otherwise.
var (
	nginxKey  = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	nginxText = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`, `$`, `${fingerpost_dollar}`)
)

// lower writes the letters of ASCII small, as nginx and SQLite do, and leaves
// all other bytes.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
