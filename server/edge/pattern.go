package edge

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// Everything is the Pattern of a repository whose pages may be anywhere.
const Everything = "^/"

// Bounds of a pattern, so that one can read it.
const (
	maxPrefixes = 16 // in a pattern
	maxBranches = 8  // of one folder
	maxDepth    = 4  // folders of a prefix
	maxStrays   = 8  // rare places beside the common ones
	minShared   = 3  // addresses in a folder that belongs to more than one object
)

// Base returns the scheme and host of most of the addresses; "" if there are none.
// An internationalized name is in its ASCII form, as in requests.
func Base(urls []string) string {
	count := map[string]int{}
	for _, raw := range urls {
		anchor, err := linkset.Anchor(raw)
		if err != nil {
			continue
		}
		if u, err := url.Parse(anchor); err == nil && checkBase(u) == nil {
			count[u.Scheme+"://"+strings.ToLower(u.Host)]++
		}
	}
	most := ""
	for base, n := range count {
		if n > count[most] || n == count[most] && base < most {
			most = base
		}
	}
	return most
}

// Pattern returns a regular expression for path and query of the addresses and of
// others of their kind: it names their folders and scripts. It is Everything if
// there are too many of these, or too few addresses.
//
// It consists of letters, digits and ^ / ( ) | [ ] . ? + _ ~ -. To every web server
// it means the same, and it ends no quotes in a configuration.
func Pattern(urls []string) string {
	root := &folder{}
	for _, raw := range urls {
		if u, err := url.Parse(raw); err == nil && checkBase(u) == nil {
			root.add(u)
		}
	}
	if root.urls < minShared {
		return Everything
	}
	for depth := maxDepth; depth > 0; depth-- {
		prefixes, ok := root.prefixes("", depth)
		if ok && len(prefixes) <= maxPrefixes {
			slices.Sort(prefixes)
			return Everything + "(" + strings.Join(prefixes, "|") + ")"
		}
	}
	return Everything
}

// folder is a part of the addresses' paths.
type folder struct {
	urls int
	in   map[string]*folder // by name: "a/" is a folder, "a?" a script, "a" neither
}

func (f *folder) add(u *url.URL) {
	parts := strings.SplitAfter(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	if u.RawQuery != "" {
		parts[len(parts)-1] += "?"
	}
	f.urls++
	for _, name := range parts[:min(len(parts), maxDepth+1)] {
		if f.in == nil {
			f.in = map[string]*folder{}
		}
		next := f.in[name]
		if next == nil {
			next = &folder{}
			f.in[name] = next
		}
		next.urls++
		f = next
	}
}

// prefixes returns what the addresses in f begin with, after path. It is false if
// they have nothing but the root in common.
func (f *folder) prefixes(path string, depth int) ([]string, bool) {
	var out []string
	objects, onlyNumbers, strays := false, true, 0
	for _, name := range slices.Sorted(maps.Keys(f.in)) {
		in := f.in[name]
		switch {
		case path == "" && in.stray(name, f.urls):
			out = append(out, literal(name))
			strays++
		case depth == 0 || !in.lasting(name, f.urls):
			objects = true
			onlyNumbers = onlyNumbers && isNumber(strings.TrimRight(name, "/?"))
		case strings.HasSuffix(name, "?"):
			out = append(out, path+literal(name))
		default:
			deeper, _ := in.prefixes(path+literal(name), depth-1)
			out = append(out, deeper...)
		}
	}
	switch {
	case strays > maxStrays: // they are the pages themselves
		return nil, false
	case path == "" && objects && onlyNumbers: // as EPrints has it: /1234/
		return append(out, "[0-9]+"), true
	case path == "" && (objects || len(out) == 0):
		return nil, false
	case path != "" && (objects || len(out) == 0 || len(out) > maxBranches):
		return []string{path}, true
	}
	return out, true
}

// lasting reports whether this is a folder or a script of the repository, and not
// of one object.
func (f *folder) lasting(name string, siblings int) bool {
	bare := strings.TrimRight(name, "/?")
	return bare != name && named(bare) && f.urls >= max(minShared, siblings/100)
}

// stray reports whether this is a rare place beside hundreds of addresses of other
// kinds, such as a page made by hand. It must not turn the pattern into Everything.
func (f *folder) stray(name string, siblings int) bool {
	return f.urls <= siblings/100 && named(strings.TrimRight(name, "/?"))
}

// named reports whether a person gave this name, and it can stand in a pattern.
func named(bare string) bool {
	return len(bare) <= 64 && strings.ContainsFunc(bare, isLetter) && !strings.ContainsFunc(bare, func(r rune) bool { return !plain(r) })
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// plain reports whether a character stands for itself in a regular expression, or
// is the full stop.
func plain(r rune) bool {
	return isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("-_~.", r)
}

var literals = strings.NewReplacer(".", "[.]", "?", "[?]")

func literal(name string) string { return literals.Replace(name) }
