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
		if class, ok := v.class(st); ok && (from == nil || class.Rank > best.Rank) {
			best, from = class, st
		}
	})
	if class, st := typeBySeries(v); st != nil && class.Rank > best.Rank {
		v.notes.accept(relType, class.URI, "platform", st)
		return class.URI
	}
	if class, set, ok := typeBySet(v.mapping.platform.SetTypes, records); ok && class.Rank > best.Rank {
		v.notes.acceptFrom("set "+set, relType, class.URI, "platform")
		return class.URI
	}
	if from == nil {
		best, from = typeByFormat(v)
	}
	if from != nil {
		v.notes.accept(relType, best.URI, best.Vocabulary, from)
	}
	return best.URI
}

// typeByFormat returns the type that all media types of an object tell: of
// images, sounds or films alone. It is for objects of which nothing else tells it.
func typeByFormat(v *view) (class vocabulary.Class, from *crosswalk.Statement) {
	agree := true
	v.each(crosswalk.Format, func(st *crosswalk.Statement) {
		media, ok := vocabulary.MediaTypeOf(st.Value)
		if !ok { // a size
			return
		}
		c, _ := vocabulary.TypeOf(media)
		agree = agree && c.URI != "" && (from == nil || c == class)
		if from == nil {
			class, from = c, st
		}
	})
	if !agree {
		return vocabulary.Class{}, nil
	}
	return class, from
}

// class reads a type as the platform means it, in the vocabulary that it is said
// to be of if it can.
func (v *view) class(st *crosswalk.Statement) (vocabulary.Class, bool) {
	if meant := v.mapping.platform.Meant(st.Value); meant != st.Value {
		return vocabulary.TypeOf(meant)
	}
	if st.Scheme != "" {
		if class, ok := vocabulary.TypeIn(st.Scheme, st.Value); ok {
			return class, true
		}
	}
	return vocabulary.TypeOf(st.Value)
}

// typeBySeries returns the type that the name of the collection says, where the
// platform has it in dc:source.
func typeBySeries(v *view) (class vocabulary.Class, from *crosswalk.Statement) {
	if !v.mapping.platform.Series {
		return class, nil
	}
	v.each(crosswalk.Source, func(st *crosswalk.Statement) {
		if c, ok := vocabulary.SeriesType(st.Value); ok && from == nil {
			class, from = c, st
		}
	})
	return class, from
}

// dataSet is the set of research data at every repository. OpenAIRE Guidelines
// for Data Archives 2.0.
const dataSet = "openaire_data"

// typeBySet returns the type that the platform expresses by a set alone, or that
// OpenAIRE has a set for.
func typeBySet(types []vocabulary.SetType, records []Record) (class vocabulary.Class, set string, ok bool) {
	for _, t := range types {
		for _, r := range records {
			if slices.Contains(r.Sets, t.Set) {
				class, ok := vocabulary.TypeOf(t.Type)
				return class, t.Set, ok
			}
		}
	}
	for _, r := range records {
		if slices.Contains(r.Sets, dataSet) {
			class, ok := vocabulary.TypeOf("info:eu-repo/semantics/dataset")
			return class, dataSet, ok
		}
	}
	return vocabulary.Class{}, "", false
}
