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
	var best typeMatch
	var from *statement
	d.each(typ, func(st *statement) {
		if t, ok := d.typeOf(st); ok && (from == nil || t.rank > best.rank) {
			best, from = t, st
		}
	})
	if t, set, ok := d.typeBySet(records); ok && (from == nil || t.rank > best.rank) {
		d.acceptFrom("set "+set, relType, t.uri, "platform")
		return t.uri
	}
	if from != nil {
		d.accept(relType, best.uri, best.vocabulary, from)
	}
	return best.uri
}

// typeOf reads a type, in the vocabulary that it is said to be of if it can.
func (d *decision) typeOf(st *statement) (typeMatch, bool) {
	if st.scheme != "" {
		if t, ok := typeOfVocabulary(st.scheme, st.value); ok {
			return t, true
		}
	}
	return d.known.types.of(st.value, typeIn)
}

// typeIn reads a type; some servers put several words into one element.
func typeIn(value string) (typeMatch, bool) {
	if t, ok := typeOf(value); ok {
		return t, true
	}
	if len(value) > maxStatement || !strings.ContainsAny(value, ";|") {
		return typeMatch{}, false
	}
	var best typeMatch
	found := false
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == '|' }) {
		if t, ok := typeOf(withoutLanguage(cleanValue(part))); ok && (!found || t.rank > best.rank) {
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
func (d *decision) typeBySet(records []Record) (t typeMatch, set string, ok bool) {
	for _, s := range d.mapping.platform.setTypes {
		for _, r := range records {
			if slices.Contains(r.Sets, s.set) {
				t, ok := typeOf(s.typ)
				return t, s.set, ok
			}
		}
	}
	return typeMatch{}, "", false
}
