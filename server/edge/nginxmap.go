package edge

import (
	"maps"
	"slices"
	"strings"
)

const (
	// maxNginxWord is the longest word for nginx, in bytes. With a longer one
	// than 4096 nginx does not start.
	maxNginxWord = 4000

	// maxSame is how many pages may share one address. More of them would
	// leave no room for links.
	maxSame = 8
)

// nginxPage is a page in the map of nginx.
type nginxPage struct {
	published string
	links     []string // its values, the longest first
}

// nginxLines returns the lines for pages whose addresses are the same to nginx,
// which ignores case in maps. A value therefore repeats the addresses of its links,
// and the configuration compares them with case. A value is a list of addresses,
// then their links, then the same for the next page, separated by tabs: no address
// and no link has one.
func nginxLines(same []nginxPage) string {
	values := map[string][]string{} // by address in lower case
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

// nginxValue returns the part of a value that belongs to one page, with as many
// links as fit into so many bytes; "" if not even the shortest value fits.
func nginxValue(forms, links []string, most int) string {
	addresses := strings.Join(forms, "\t") + "\t"
	for _, l := range links {
		if v := nginxText.Replace(addresses + l); len(v) <= most {
			return v
		}
	}
	return ""
}

// nginxKey escapes a key, which stands in double quotes, nginxText a value, which
// stands in single ones. A value cannot contain a dollar sign, which begins the
// name of a variable: a variable of the snippet has it as its value.
var (
	nginxKey  = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	nginxText = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`, `$`, `${fingerpost_dollar}`)
)

// lower writes the letters of ASCII in lower case, as nginx and SQLite do. Other
// bytes stay.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
