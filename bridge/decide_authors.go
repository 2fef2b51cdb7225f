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

// author reads a creator: an identifier, or a name with one ORCID iD after it,
// as in "Doe, Jane ; ORCID 0000-0002-1825-0097" and "Doe, Jane [0000-…]".
func author(st *statement) (Identifier, error) {
	id, err := parseAuthor(st.value, st.scheme)
	if err == nil || st.scheme != "" {
		return id, err
	}
	if orcid, ok := orcidIn(st.value); ok {
		return parseAuthor(orcid, "ORCID")
	}
	return Identifier{}, err
}

// orcidIn finds the ORCID iD in a text by its form, which nothing else has;
// false if there is none, or there are several.
func orcidIn(text string) (orcid string, ok bool) {
	const form = len("0000-0002-1825-0097")
	for i := 0; i+form <= len(text); i++ {
		word := text[i : i+form]
		if !isORCIDForm(word) || !standsAlone(text, i, i+form) {
			continue
		}
		if ok && word != orcid {
			return "", false
		}
		orcid, ok = word, true
	}
	return orcid, ok
}

func isORCIDForm(word string) bool {
	for i := 0; i < len(word); i++ {
		switch {
		case i%5 == 4:
			if word[i] != '-' {
				return false
			}
		case !isDigit(word[i]) && (i != len(word)-1 || word[i]|0x20 != 'x'):
			return false
		}
	}
	return true
}

// standsAlone reports whether text[from:to] is no part of a longer word, nor of
// an address other than ORCID's.
func standsAlone(text string, from, to int) bool {
	if to < len(text) && (text[to] == '-' || !notAlphanumeric(text[to])) {
		return false
	}
	if from == 0 {
		return true
	}
	before := text[from-1]
	return before != '-' && notAlphanumeric(before) && (before != '/' || hasSuffixFold(text[:from], "orcid.org/"))
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
