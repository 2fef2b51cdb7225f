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
	b := make([]byte, 0, s.room())
	b = append(b, `{"linkset":[`...)
	var few [32]place // enough for most: nothing is allocated
	for i, p := range s.places(few[:0]) {
		l := s[p.link]
		switch {
		case p.link == p.context:
			if i > 0 {
				b = append(b, "]},"...)
			}
			b = append(b, `{"anchor":"`...)
			b = safe.Append(b, l.Anchor)
			b = appendRel(append(b, `",`...), l.Rel)
		case p.link == p.rel:
			b = appendRel(append(b, `],`...), l.Rel)
		default:
			b = append(b, ',')
		}
		b = appendTarget(b, l)
	}
	if len(s) > 0 {
		b = append(b, "]}"...)
	}
	return append(b, "]}"...)
}

// room is what JSON takes of links without escapes, and little more.
func (s LinkSet) room() int {
	const frame = len(`"":[{"href":"","type":"","profile":""},],`)
	n := len(`{"linkset":[]}`) + 1 // whoever serves it ends the line
	for i := range s {
		l := &s[i]
		n += frame + len(l.Rel) + len(l.Href) + len(l.Type) + len(l.Profile)
		if i == 0 || l.Anchor != s[i-1].Anchor {
			n += len(`{"anchor":"",},`) + len(l.Anchor)
		}
	}
	return n
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

// A place is where a link stands in JSON: under the first link that has its
// anchor, and under the first that has its relation type too.
type place struct{ context, rel, link int }

func (p place) compare(q place) int {
	return cmp.Or(p.context-q.context, p.rel-q.rel, p.link-q.link)
}

// places appends the places of the links in the order of JSON.
func (s LinkSet) places(places []place) []place {
	type relOf struct {
		context int
		rel     string
	}
	var contexts firsts[string]
	var rels firsts[relOf]
	places = slices.Grow(places, len(s))
	ordered := true
	for i := range s {
		l, p := &s[i], place{link: i}
		// In a long row of items nothing is looked up.
		if i > 0 && l.Anchor == s[i-1].Anchor {
			p.context = places[i-1].context
		} else {
			p.context = contexts.of(l.Anchor, i)
		}
		if i > 0 && p.context == places[i-1].context && l.Rel == s[i-1].Rel {
			p.rel = places[i-1].rel
		} else {
			p.rel = rels.of(relOf{p.context, l.Rel}, i)
		}
		ordered = ordered && (i == 0 || places[i-1].compare(p) < 0)
		places = append(places, p)
	}
	if !ordered {
		slices.SortFunc(places, place.compare)
	}
	return places
}

// firsts says where keys were seen first. Most link sets have few, which are
// found faster than a map is made.
type firsts[K comparable] struct {
	few  [16]K
	at   [16]int // of few
	n    int     // of few
	many map[K]int
}

// of returns where key was seen first, which is i if it is new.
func (f *firsts[K]) of(key K, i int) int {
	if i := slices.Index(f.few[:f.n], key); i >= 0 {
		return f.at[i]
	}
	if f.n < len(f.few) {
		f.few[f.n], f.at[f.n] = key, i
		f.n++
		return i
	}
	if at, ok := f.many[key]; ok {
		return at
	}
	if f.many == nil {
		f.many = make(map[K]int)
	}
	f.many[key] = i
	return i
}
