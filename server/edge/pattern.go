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
	maxStrays   = 8  // places beside the others
	minShared   = 3  // addresses that make a folder more than the place of one object
)

// Base returns scheme and host that most of the addresses have; "" for none.
// A name in another script is in its ASCII form, in which requests have it.
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

// Pattern returns a regular expression for path and query of the addresses
// and of others of their kind: the folders and scripts in which they are. It
// is Everything where those are too many, or the addresses too few.
//
// It holds letters, digits, "." and "-" of the addresses, and otherwise only
// ^ / ( ) | [ ] . ? + _ ~ and -, so that it means the same to every web server and
// ends no quotes in any configuration.
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

// prefixes returns what the addresses in f begin with, behind path. It is
// false where that is nothing but the path of the root.
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

// lasting tells a folder or a script of the repository from one object's.
func (f *folder) lasting(name string, siblings int) bool {
	bare := strings.TrimRight(name, "/?")
	return bare != name && named(bare) && f.urls >= max(minShared, siblings/100)
}

// stray tells a place of its own, such as a page that was made by hand, beside
// hundreds of addresses of other kinds: one of them must not open all of the
// host.
func (f *folder) stray(name string, siblings int) bool {
	return f.urls <= siblings/100 && named(strings.TrimRight(name, "/?"))
}

// named reports whether a name is one that a person gave, and can stand in a
// pattern.
func named(bare string) bool {
	return len(bare) <= 64 && strings.ContainsFunc(bare, isLetter) && !strings.ContainsFunc(bare, func(r rune) bool { return !plain(r) })
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// plain are the characters that stand for themselves in a regular expression,
// and the full stop.
func plain(r rune) bool {
	return isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("-_~.", r)
}

var literals = strings.NewReplacer(".", "[.]", "?", "[?]")

func literal(name string) string { return literals.Replace(name) }
