package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// The relations and classes that rules speak of.
const (
	inboxRel  = "http://www.w3.org/ns/ldp#inbox"
	aboutPage = "schema.org/AboutPage" // behind https://, or http:// by mistake
)

// isSignposting reports whether a relation is one of FAIR Signposting, 1.3, or
// leads to a link set or back from metadata.
func isSignposting(rel string) bool {
	switch rel {
	case "author", "cite-as", "collection", "describedby", "describes", "item", "license", "linkset", "type":
		return true
	}
	return false
}

// signpostingRels are the Signposting relations in a rel attribute.
func signpostingRels(value string) []string {
	var out []string
	for _, name := range strings.Fields(strings.ToLower(value)) {
		if isSignposting(name) {
			out = append(out, name)
		}
	}
	return out
}

// A key identifies a link, in whatever form it came.
type key struct{ anchor, rel, href, mediaType, profile string }

func keyOf(l linkset.Link) key {
	return key{l.Anchor, l.Rel, normal(l.Href), mediaTypeOf(l), l.Profile}
}

// normal is a target for comparison: "," and %2C resolve to the same, and headers
// need the latter.
func normal(href string) string {
	if target, err := linkset.Target(href); err == nil {
		return target
	}
	return href
}

func (k key) String() string {
	s := fmt.Sprintf("%s %s", k.rel, k.href)
	if k.mediaType != "" {
		s += " (" + k.mediaType + ")"
	}
	if k.profile != "" {
		s += ", profile " + k.profile
	}
	return s
}

// keys are links in the order in which they came, each once.
type keys []key

func keysOf(s linkset.LinkSet) keys {
	seen := make(map[key]bool, len(s))
	var out keys
	for _, l := range s {
		if k := keyOf(l); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

func (s keys) index() map[key]bool {
	has := make(map[key]bool, len(s))
	for _, k := range s {
		has[k] = true
	}
	return has
}

func (s keys) without(other keys) keys {
	has := other.index()
	return s.where(func(k key) bool { return !has[k] })
}

// orLess are the keys, and the same without type or profile, which a Signmap may
// leave out.
func (s keys) orLess() keys {
	out := make(keys, 0, 4*len(s))
	for _, k := range s {
		for _, mediaType := range []string{k.mediaType, ""} {
			out = append(out, key{k.anchor, k.rel, k.href, mediaType, k.profile}, key{k.anchor, k.rel, k.href, mediaType, ""})
		}
	}
	return out
}

// beyond returns the keys of links that are not among the others. One of two
// places may leave out type and profile, but where both have them they must be
// the same.
func (s keys) beyond(others keys) keys {
	has := others.index()
	return s.without(others.orLess()).where(func(k key) bool {
		return !slices.ContainsFunc(keys{k}.orLess(), func(less key) bool { return has[less] })
	})
}

func (s keys) where(keep func(key) bool) keys {
	var out keys
	for _, k := range s {
		if keep(k) {
			out = append(out, k)
		}
	}
	return out
}

func (s keys) rel(rel string) keys {
	return s.where(func(k key) bool { return k.rel == rel })
}

// example names the first of some links; "" if there are none.
func example(format string, s keys) string {
	if len(s) == 0 {
		return ""
	}
	text := outbound.Printable(s[0].String(), 200)
	if len(s) > 1 {
		text = fmt.Sprintf("%s and %d more", text, len(s)-1)
	}
	return fmt.Sprintf(format, text)
}

// signposts are the Signposting links of s, and the inbox.
func signposts(s linkset.LinkSet) linkset.LinkSet {
	return slices.DeleteFunc(slices.Clone(s), func(l linkset.Link) bool { return !isSignposting(l.Rel) && l.Rel != inboxRel })
}

// targets returns the different targets of the links with relation rel.
func targets(s linkset.LinkSet, rel string) []string {
	seen := map[string]bool{}
	var out []string
	for _, l := range s.Rel(rel) {
		if !seen[normal(l.Href)] {
			seen[normal(l.Href)] = true
			out = append(out, l.Href)
		}
	}
	return out
}

// merged returns the links of all sets, each once. Of two that differ only in
// having type or profile, it keeps the one that has more.
func merged(sets ...linkset.LinkSet) linkset.LinkSet {
	const most = 8 // formats of one target that are told apart; a hostile page has any number
	at := map[key][]int{}
	var out linkset.LinkSet
	for _, l := range slices.Concat(sets...) {
		k := key{anchor: l.Anchor, rel: l.Rel, href: normal(l.Href)}
		same := slices.IndexFunc(at[k], func(i int) bool {
			return agree(mediaTypeOf(out[i]), mediaTypeOf(l)) && agree(out[i].Profile, l.Profile)
		})
		switch {
		case same >= 0:
			o := &out[at[k][same]]
			o.Type, o.Profile = cmp.Or(o.Type, l.Type), cmp.Or(o.Profile, l.Profile)
		case len(at[k]) < most:
			at[k] = append(at[k], len(out))
			out = append(out, l)
		}
	}
	return out
}

// agree reports whether two values are equal, or one is missing.
func agree(a, b string) bool { return a == b || a == "" || b == "" }

// mediaTypeOf is the type of a link for comparison.
func mediaTypeOf(l linkset.Link) string {
	if bare, ok := linkset.MediaType(l.Type); ok {
		return bare
	}
	return l.Type
}

// formErrors returns the faults that a parser joined, as many as are reported.
func formErrors(err error) []error {
	var out []error
	switch e := err.(type) {
	case nil:
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			out = append(out, formErrors(one)...)
		}
	default:
		out = append(out, err)
	}
	return out
}

// checkLink is linkset.Check, except that it allows several profiles, and
// characters of URIs that only confuse simple parsers of headers.
func checkLink(l linkset.Link) error {
	if target, err := linkset.Target(l.Href); err == nil && isURI(l.Href) {
		l.Href = target
	}
	profiles := strings.Fields(l.Profile)
	l.Profile = ""
	err := linkset.Check(l)
	for i := 0; i < len(profiles) && err == nil; i++ {
		l.Profile = profiles[i]
		err = linkset.Check(l)
	}
	return err
}

// isURI reports whether s has only characters that are allowed in a URI.
func isURI(s string) bool {
	u, err := linkset.URI(s)
	return err == nil && u == s
}
