package bridge

import (
	"slices"
	"strings"
)

// objectType returns the class of the object: of all types stated, the most
// specific; of equally specific ones, the first.
func (d *decision) objectType(records []Record) string {
	if d.ruled.typ != "" {
		return d.ruled.typ
	}
	var best TypeMatch
	var from *statement
	d.each(typ, func(st *statement) {
		if t, ok := d.typeOf(st); ok && (from == nil || t.Rank > best.Rank) {
			best, from = t, st
		}
	})
	if t, set, ok := d.typeBySet(records); ok && (from == nil || t.Rank > best.Rank) {
		d.acceptFrom("set "+set, relType, t.URI, "platform")
		return t.URI
	}
	if from != nil {
		d.accept(relType, best.URI, best.Vocabulary, from)
	}
	return best.URI
}

// typeOf reads a type, in the vocabulary that it is said to be of if it can.
func (d *decision) typeOf(st *statement) (TypeMatch, bool) {
	if st.scheme != "" {
		if t, ok := TypeIn(st.scheme, st.value); ok {
			return t, true
		}
	}
	return d.known.types.of(st.value, typeIn)
}

// typeIn reads a type; some servers put several words into one element.
func typeIn(value string) (TypeMatch, bool) {
	if t, ok := TypeOf(value); ok {
		return t, true
	}
	if !strings.ContainsAny(value, ";|") {
		return TypeMatch{}, false
	}
	var best TypeMatch
	found := false
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == '|' }) {
		if t, ok := TypeOf(withoutLanguage(CleanValue(part))); ok && (!found || t.Rank > best.Rank) {
			best, found = t, true
		}
	}
	return best, found
}

// withoutLanguage drops the language before a part of "sv=artikel|en=article".
func withoutLanguage(part string) string {
	if len(part) > 3 && part[2] == '=' {
		return part[3:]
	}
	return part
}

// typeBySet returns the type that the platform expresses by a set alone.
func (d *decision) typeBySet(records []Record) (t TypeMatch, set string, ok bool) {
	for _, s := range d.mapping.platform.setTypes {
		for _, r := range records {
			if slices.Contains(r.Sets, s.set) {
				t, ok := TypeOf(s.typ)
				return t, s.set, ok
			}
		}
	}
	return TypeMatch{}, "", false
}
