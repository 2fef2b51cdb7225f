package bridge

import (
	"slices"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/vocabulary"
)

// objectType returns the class of the object: of all types stated, the most
// specific; of equally specific ones, the first.
func objectType(v *view, records []Record) string {
	if v.ruled.typ != "" {
		return v.ruled.typ
	}
	var best vocabulary.Class
	var from *crosswalk.Statement
	v.each(crosswalk.Type, func(st *crosswalk.Statement) {
		if class, ok := v.memos.class(st); ok && (from == nil || class.Rank > best.Rank) {
			best, from = class, st
		}
	})
	if class, set, ok := typeBySet(v.mapping.platform.SetTypes, records); ok && (from == nil || class.Rank > best.Rank) {
		v.notes.acceptFrom("set "+set, relType, class.URI, "platform")
		return class.URI
	}
	if from != nil {
		v.notes.accept(relType, best.URI, best.Vocabulary, from)
	}
	return best.URI
}

// typeBySet returns the type that the platform expresses by a set alone.
func typeBySet(types []vocabulary.SetType, records []Record) (class vocabulary.Class, set string, ok bool) {
	for _, t := range types {
		for _, r := range records {
			if slices.Contains(r.Sets, t.Set) {
				class, ok := vocabulary.TypeOf(t.Type)
				return class, t.Set, ok
			}
		}
	}
	return vocabulary.Class{}, "", false
}
