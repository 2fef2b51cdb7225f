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

// isSignposting tells the relations of FAIR Signposting, 1.3, and those that
// lead to link sets and back from metadata.
func isSignposting(rel string) bool {
	switch rel {
	case "author", "cite-as", "collection", "describedby", "describes", "item", "license", "linkset", "type":
		return true
	}
	return false
}

// signpostingRels are those that a rel attribute names.
func signpostingRels(value string) []string {
	var out []string
	for _, name := range strings.Fields(strings.ToLower(value)) {
		if isSignposting(name) {
			out = append(out, name)
		}
	}
	return out
}

// A key is what makes two links the same, in whichever form they came.
type key struct{ anchor, rel, href, mediaType, profile string }

func keyOf(l linkset.Link) key {
	return key{l.Anchor, l.Rel, normal(l.Href), mediaTypeOf(l), l.Profile}
}

// normal is a target as it is compared: "," and %2C resolve the same, and
// headers need the latter.
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

// orLess are the keys, and what a Signmap may say of the same links: there, type
// and profile can be left out.
func (s keys) orLess() keys {
	out := make(keys, 0, 4*len(s))
	for _, k := range s {
		for _, mediaType := range []string{k.mediaType, ""} {
			out = append(out, key{k.anchor, k.rel, k.href, mediaType, k.profile}, key{k.anchor, k.rel, k.href, mediaType, ""})
		}
	}
	return out
}

// beyond returns the keys for whose links there is none among the others. Type
// and profile are hints that one of two places may leave out, but where both
// give them they are to be the same.
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

// example words the first of some links, or nothing if there are none.
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

// merged returns the links of all sets, each once. Of two that differ in
// saying a type or a profile or none, the one that says more is kept.
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

// agree tells whether two statements are the same, or one is none.
func agree(a, b string) bool { return a == b || a == "" || b == "" }

// mediaTypeOf is the type of a link as it is compared.
func mediaTypeOf(l linkset.Link) string {
	if bare, ok := linkset.MediaType(l.Type); ok {
		return bare
	}
	return l.Type
}

// formErrors returns the faults that a reader joined, as many as are reported.
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

// checkLink is linkset.Check, but lets pass what a URI may have and only
// simple readers of headers stumble over, and several profiles.
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

// isURI tells whether s has only characters that a URI may have.
func isURI(s string) bool {
	u, err := linkset.URI(s)
	return err == nil && u == s
}
