// Package linkset has typed links and their forms on the wire: the Link
// header of RFC 8288, the two link set documents of RFC 9264, and HTML link
// elements. Every form is written from, and read into, the same LinkSet.
//
// Target, Anchor, URI and MediaType turn what metadata states into the fields
// of a Link, or say why it is none; Check says whether a Link may be
// published. Writers let no value out of its place, checked or not. Readers
// keep what they find, legal or not, and name each fault of its form.
package linkset

// A Link is a typed link: Anchor is its context, Href its target.
// Both are absolute URIs.
type Link struct {
	Anchor  string
	Rel     string // one relation type: a registered name or a URI
	Href    string
	Type    string // media type of the target without parameters; "" if not known
	Profile string // URI of the target's profile; "" if none
}

// A LinkSet is a list of links in the order in which they are published.
type LinkSet []Link

// From returns the links whose context is anchor.
func (s LinkSet) From(anchor string) LinkSet {
	return s.those(func(l *Link) bool { return l.Anchor == anchor })
}

// Rel returns the links with relation type rel.
func (s LinkSet) Rel(rel string) LinkSet {
	return s.those(func(l *Link) bool { return l.Rel == rel })
}

// Except returns the links whose relation type is not rel.
func (s LinkSet) Except(rel string) LinkSet {
	return s.those(func(l *Link) bool { return l.Rel != rel })
}

// those returns the links that are wanted; nil if none is.
func (s LinkSet) those(wanted func(*Link) bool) LinkSet {
	n := 0
	for i := range s {
		if wanted(&s[i]) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make(LinkSet, 0, n)
	for i := range s {
		if wanted(&s[i]) {
			out = append(out, s[i])
		}
	}
	return out
}
