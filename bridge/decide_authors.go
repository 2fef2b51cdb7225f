package bridge

import (
	"slices"
	"strings"
)

// namedAuthor is a creator with an identifier.
type namedAuthor struct {
	Identifier
	*statement
}

// authors returns the persistent identifiers of the creators, in their order:
// one for each. Contributors and affiliations are not authors.
func (d *decision) authors() []string {
	var found []namedAuthor
	d.each(creator, func(st *statement) {
		id, err := author(st)
		if err != nil {
			if d.trace != nil {
				d.reject(relAuthor, "", err.Error(), st)
			}
			return
		}
		if n := len(found); n > 0 && found[n-1].doc == st.doc && found[n-1].person == st.person {
			found[n-1] = d.preferred(found[n-1], namedAuthor{id, st})
			return
		}
		found = append(found, namedAuthor{id, st})
	})
	var out []string
	for _, a := range found {
		if slices.Contains(out, a.URI) {
			d.reject(relAuthor, "", "the same author once more", a.statement)
			continue
		}
		d.accept(relAuthor, a.URI, "creator", a.statement)
		out = append(out, a.URI)
	}
	return out
}

// preferred returns the better of two identifiers of one person.
func (d *decision) preferred(a, b namedAuthor) namedAuthor {
	if slices.Index(authorSchemes[:], b.Scheme) < slices.Index(authorSchemes[:], a.Scheme) {
		a, b = b, a
	}
	d.reject(relAuthor, "", "another identifier of the same person is preferred", b.statement)
	return a
}

// authorSchemes are the schemes of authors, best first: those that people
// maintain themselves, then those of all countries.
var authorSchemes = [...]Scheme{ORCID, ISNI, ROR, GND, VIAF, Wikidata, IdRef, Lattes}

// author reads a creator: an identifier, or a name with an ORCID iD after it,
// as in "Doe, Jane ; ORCID 0000-0002-1825-0097" and "Doe, Jane (ORCID: …)".
func author(st *statement) (Identifier, error) {
	id, err := parseAuthor(st.value, st.scheme)
	if err == nil || st.scheme != "" || !strings.Contains(st.value, " ") || indexFold(st.value, "orcid") < 0 {
		return id, err
	}
	if word := lastWord(st.value); strings.ContainsAny(word, "0123456789") {
		return parseAuthor(word, "ORCID")
	}
	return Identifier{}, err
}

// lastWord returns what follows the last space or opening bracket.
func lastWord(s string) string {
	s = strings.TrimRight(s, " )].;,")
	return s[strings.LastIndexAny(s, " ([")+1:]
}

// year returns the year of publication: the earliest that the best format
// states. Repositories put the dates of deposit and release beside it.
func (d *decision) year() int {
	best, doc := 0, uint8(0)
	d.each(date, func(st *statement) {
		y := yearIn(st.value)
		switch {
		case y == 0 || best != 0 && st.doc != doc:
		case best == 0 || y < best:
			best, doc = y, st.doc
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
		if i < len(value) && isDigit(value[i]) {
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
