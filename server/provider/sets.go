package provider

import (
	"fmt"
	"iter"
	"strings"

	"fingerpost/bridge/store"
	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// listSets answers ListSets. OAI-PMH 4.6. The setName is the setSpec: the names of
// sets are not kept.
func (q *query) listSets(b []byte) ([]byte, *refusal, error) {
	at := place{verb: "ListSets"}
	if token := q.args["resumptionToken"]; token != "" {
		var refused *refusal
		if at, refused = q.place(token); refused != nil {
			return b, refused, nil
		}
	}
	next := at
	for i := range q.mirror.Sources {
		s := &q.mirror.Sources[i]
		if s.ID < at.source {
			continue
		}
		if s.ID > at.source {
			next.source, next.after = s.ID, 0
			if q.mirror.Union {
				b = appendSet(b, s.ID, s.Name)
				next.cursor++
			}
		}
		full, err := q.setsOf(s, &b, &next, at.cursor+pageSets)
		if err != nil {
			return b, nil, err
		}
		if full {
			return q.appendToken(b, &next, at.cursor, -1), nil, nil
		}
	}
	if next.cursor == 0 {
		return b, noSets, nil
	}
	return q.appendToken(b, nil, at.cursor, -1), nil, nil
}

var noSets = &refusal{oaipmh.NoSetHierarchy, "There are no sets."}

// setsOf adds the sets of a source behind next, until there are most.
func (q *query) setsOf(s *Source, b *[]byte, next *place, most int64) (full bool, err error) {
	for w, err := range q.sets(s, next.after) {
		if err != nil || next.cursor >= most {
			return err == nil, err
		}
		next.after = w.ID
		next.cursor++
		*b = appendSet(*b, q.mirror.setSpec(s, w.Text), w.Text)
	}
	return false, nil
}

// sets yields the sets of a source behind an ID, by ID.
func (q *query) sets(s *Source, after int64) iter.Seq2[store.Word, error] {
	return func(yield func(store.Word, error) bool) {
		for more := true; more; {
			words, err := q.Store.Words(q.ctx, s.ID, after, pageSets)
			if err != nil {
				yield(store.Word{}, err)
				return
			}
			for _, w := range words {
				after = w.ID
				if isSet := s.format(w.Text).Prefix == ""; isSet && !yield(w, nil) {
					return
				}
			}
			more = len(words) == pageSets
		}
	}
}

func appendSet(b []byte, spec, name string) []byte {
	b = append(b, "<set>\n"...)
	b = text.AppendElement(b, "setSpec", spec)
	b = text.AppendElement(b, "setName", name)
	return append(b, "</set>\n"...)
}

// missing reports why a set is empty, if that is known without a look at all records.
func (q *query) missing(set string) (*refusal, error) {
	refused := noSets
	if q.mirror.Union {
		refused = noRecords
	}
	for i := range q.mirror.Sources {
		s := &q.mirror.Sources[i]
		has, ok := q.mirror.selected(s, set)
		if !ok {
			continue
		}
		if has == nil {
			return nil, nil // the whole source
		}
		for w, err := range q.sets(s, 0) {
			if err != nil || has([]string{w.Text}) {
				return nil, err
			}
			refused = noRecords
		}
	}
	return refused, nil
}

// selected returns what selects the records of a source that are in a set or below
// it: nil if all are. It is false if none is.
func (m *Mirror) selected(s *Source, set string) (has func(sets []string) bool, ok bool) {
	if set == "" {
		return nil, true
	}
	if m.Union {
		source, below, deeper := strings.Cut(set, ":")
		if source != s.ID || !deeper {
			return nil, source == s.ID
		}
		set = below
	}
	return func(sets []string) bool {
		for _, one := range sets {
			if one = setSpec(one); one == set || strings.HasPrefix(one, set) && one[len(set)] == ':' {
				return true
			}
		}
		return false
	}, true
}

// setSpec is the setSpec of a set of a source.
func (m *Mirror) setSpec(s *Source, set string) string {
	if m.Union {
		return s.ID + ":" + setSpec(set)
	}
	return setSpec(set)
}

// setSpec is a setSpec as the schema allows it. Some repositories have others: of
// these, every byte that is not allowed is written as "~" and two digits.
func setSpec(set string) string {
	if isSetSpec(set) {
		return set
	}
	var b strings.Builder
	for i := range len(set) {
		if one := set[i : i+1]; isPrefix(one) && one != "~" {
			b.WriteString(one)
		} else {
			fmt.Fprintf(&b, "~%02X", one[0])
		}
	}
	return b.String()
}
