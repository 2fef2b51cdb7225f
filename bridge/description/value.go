package description

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// Value is a text, and the statements that it was made of.
type Value struct {
	Text string
	From *crosswalk.Statement   // nil: it follows from the links of the object
	With []*crosswalk.Statement // the others, if several were joined
}

// stated is the text of a statement, in at most so many bytes.
func stated(st *crosswalk.Statement, most int) Value { return of(st, text.Plain(st.Value, most)) }

// of is a text that was made of a statement.
func of(st *crosswalk.Statement, text string) Value { return Value{Text: text, From: st} }

// as is another text that was made of the same.
func (v Value) as(text string) Value {
	v.Text = text
	return v
}

// joined has the texts of all values that are not empty, and their places.
func joined(between string, list ...Value) Value {
	list = slices.DeleteFunc(slices.Clone(list), func(v Value) bool { return v.Text == "" })
	if len(list) < 2 {
		return first(list)
	}
	out := Value{From: list[0].From}
	texts := make([]string, 0, len(list))
	for _, v := range list {
		texts = append(texts, v.Text)
		for _, st := range append([]*crosswalk.Statement{v.From}, v.With...) {
			if st != out.From && (len(out.With) == 0 || st != out.With[len(out.With)-1]) {
				out.With = append(out.With, st)
			}
		}
	}
	out.Text = strings.Join(texts, between)
	return out
}

// first is the first of a list.
func first(list []Value) Value {
	if len(list) == 0 {
		return Value{}
	}
	return list[0]
}

func firstOf(a, b Value) Value {
	if a.Text != "" {
		return a
	}
	return b
}

// others are all but the first.
func others(list []Value) []Value {
	if len(list) == 0 {
		return nil
	}
	return list[1:]
}

// only is the only one; none if there are several.
func only(list []Value) Value {
	if len(list) != 1 {
		return Value{}
	}
	return list[0]
}

// distinct returns what make makes of statements, each text once.
func distinct(list []*crosswalk.Statement, make func(*crosswalk.Statement) []Value) (out []Value) {
	met := map[string]bool{}
	for _, st := range list {
		for _, v := range make(st) {
			if v.Text != "" && !met[v.Text] && len(out) < mostValues {
				met[v.Text] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// once returns the members of a list without those that say what another says.
func once[T any](list []T, says func(T) string) (out []T) {
	met := make(map[string]bool, len(list))
	for _, v := range list {
		if s := says(v); !met[s] && len(out) < mostValues {
			met[s] = true
			out = append(out, v)
		}
	}
	return out
}
