package bridge

import (
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// namedAuthor is a creator with an identifier.
type namedAuthor struct {
	identifier.ID
	from *crosswalk.Statement
}

// authors returns the persistent identifiers of the creators, in their order:
// one for each. Contributors and affiliations are not authors.
func authors(v *view) []string {
	var found []namedAuthor
	v.eachOf(crosswalk.Creator, crosswalk.CreatorID, func(st *crosswalk.Statement) {
		id, err := identifier.Author(st.Value, st.Scheme)
		if err != nil {
			if v.notes.wanted() {
				v.notes.reject(relAuthor, "", err.Error(), st)
			}
			return
		}
		a := namedAuthor{id, st}
		if n := len(found); n > 0 && found[n-1].from.Doc == st.Doc && found[n-1].from.Group == st.Group {
			found[n-1] = v.notes.preferred(found[n-1], a)
			return
		}
		found = append(found, a)
	})
	out := slices.Compact(v.ruled.authors)
	for _, a := range found {
		if slices.Contains(out, a.URI) {
			v.notes.reject(relAuthor, "", "the same author once more", a.from)
			continue
		}
		v.notes.accept(relAuthor, a.URI, "creator", a.from)
		out = append(out, a.URI)
	}
	return out
}

// preferred returns the better of two identifiers of one person.
func (n *notes) preferred(a, b namedAuthor) namedAuthor {
	if b.AuthorRank() < a.AuthorRank() {
		a, b = b, a
	}
	n.reject(relAuthor, "", "another identifier of the same person is preferred", b.from)
	return a
}

// year returns the year of publication: the earliest that the best format
// states. Repositories put the dates of deposit and release beside it.
func year(v *view) int {
	best, doc := 0, uint8(0)
	v.each(crosswalk.Date, func(st *crosswalk.Statement) {
		y := yearIn(st.Value)
		switch {
		case y == 0 || best != 0 && st.Doc != doc:
		case best == 0 || y < best:
			best, doc = y, st.Doc
		}
	})
	return best
}

// yearIn returns the first number of four digits that can be a year.
func yearIn(value string) int {
	if strings.HasPrefix(value, "info:") { // an embargo's end, not a publication
		return 0
	}
	digits, n := 0, 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && text.IsDigit(value[i]) {
			if digits++; digits <= 4 {
				n = n*10 + int(value[i]-'0')
			}
			continue
		}
		if digits == 4 && 1000 <= n && n < 2200 {
			return n
		}
		digits, n = 0, 0
	}
	return 0
}
