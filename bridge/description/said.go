package description

import (
	"slices"

	"fingerpost/bridge/crosswalk"
)

// said is everything that the records of an object state, record by record.
type said []crosswalk.Statement

// richest returns the statements of some kinds in the record that makes most of
// them; of two that make as many, in that of the better format.
func (s said) richest(kinds ...crosswalk.Kind) []*crosswalk.Statement {
	return s.most(func(st *crosswalk.Statement) bool { return slices.Contains(kinds, st.Kind) })
}

// most returns the statements that fit, in the record that has most of them.
func (s said) most(fits func(*crosswalk.Statement) bool) (best []*crosswalk.Statement) {
	var found []*crosswalk.Statement
	for i := range s {
		st := &s[i]
		if !fits(st) {
			continue
		}
		if len(found) > 0 && found[0].Doc != st.Doc {
			best, found = longer(best, found), nil
		}
		found = append(found, st)
	}
	return longer(best, found)
}

func longer(a, b []*crosswalk.Statement) []*crosswalk.Statement {
	if len(b) > len(a) {
		return b
	}
	return a
}

// values returns the texts of some kinds, each once.
func (s said) values(most int, kinds ...crosswalk.Kind) []Value {
	return distinct(s.richest(kinds...), func(st *crosswalk.Statement) []Value { return []Value{stated(st, most)} })
}

// groups returns the statements of one record that fit, of each person, funding,
// place or file by itself.
func (s said) groups(fits func(crosswalk.Kind) bool) (out [][]*crosswalk.Statement) {
	last := -1
	for i := range s {
		st := &s[i]
		if !fits(st.Kind) {
			continue
		}
		if int(st.Group) != last {
			out, last = append(out, nil), int(st.Group)
		}
		out[len(out)-1] = append(out[len(out)-1], st)
	}
	return out
}

// record is the part of the list that one record states.
func (s said) record(doc uint8) said {
	first := slices.IndexFunc(s, func(st crosswalk.Statement) bool { return st.Doc == doc })
	if first < 0 {
		return nil
	}
	next := first
	for next < len(s) && s[next].Doc == doc {
		next++
	}
	return s[first:next]
}
