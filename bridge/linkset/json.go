package linkset

import (
	"cmp"
	"slices"
)

// JSON returns the links as application/linkset+json. RFC 9264, 4.2. A link
// context object stands where its anchor appears first, and in it a relation
// type where that appears first.
//
// A profile is a string, against RFC 9264, 4.2.4.3: an array makes the
// reference client of Signposting fail. ParseJSON reads both.
func (s LinkSet) JSON() []byte {
	b := append(make([]byte, 0, 192*len(s)+32), `{"linkset":[`...)
	grouped := s.grouped()
	for i, l := range grouped {
		switch {
		case i == 0 || l.anchor != grouped[i-1].anchor:
			if i > 0 {
				b = append(b, "]},"...)
			}
			b = append(safe.Append(append(b, `{"anchor":"`...), l.Anchor), `",`...)
			b = appendRel(b, l.Rel)
		case l.relation != grouped[i-1].relation:
			b = appendRel(append(b, "],"...), l.Rel)
		default:
			b = append(b, ',')
		}
		b = appendTarget(b, l.Link)
	}
	if len(s) > 0 {
		b = append(b, "]}"...)
	}
	return append(b, "]}"...)
}

// grouped returns the links with those of an anchor side by side, and of these
// those of a relation type, each in the order in which they appear first.
func (s LinkSet) grouped() []placed {
	type relation struct{ anchor, rel string }
	anchors, relations := make(map[string]int), make(map[relation]int, len(s))
	out := make([]placed, 0, len(s))
	for i, l := range s {
		out = append(out, placed{l, first(anchors, l.Anchor, i), first(relations, relation{l.Anchor, l.Rel}, i)})
	}
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Or(a.anchor-b.anchor, a.relation-b.relation) })
	return out
}

// placed is a link, and which link was the first with its anchor and with its
// relation type.
type placed struct {
	Link
	anchor, relation int
}

// first returns where a key was seen first, which is i if it is new.
func first[K comparable](seen map[K]int, key K, i int) int {
	if at, ok := seen[key]; ok {
		return at
	}
	seen[key] = i
	return i
}

func appendRel(b []byte, rel string) []byte {
	b = append(b, '"')
	b = safe.Append(b, rel)
	return append(b, `":[`...)
}

func appendTarget(b []byte, l Link) []byte {
	b = append(b, `{"href":"`...)
	b = safe.Append(b, l.Href)
	if l.Type != "" {
		b = append(b, `","type":"`...)
		b = safe.Append(b, l.Type)
	}
	if l.Profile != "" {
		b = append(b, `","profile":"`...)
		b = safe.Append(b, l.Profile)
	}
	return append(b, `"}`...)
}
