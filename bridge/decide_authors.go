package bridge

import (
	"slices"
	"strings"
)

// authors returns the persistent identifiers of the creators, in their order.
// Contributors and affiliations are not authors.
func (d *decision) authors() []string {
	var out []string
	d.each(creator, func(st *statement) {
		uri, err := author(st)
		switch {
		case err != nil:
			if d.trace != nil {
				d.reject(relAuthor, "", err.Error(), st)
			}
		case slices.Contains(out, uri):
			d.reject(relAuthor, "", "the same author once more", st)
		default:
			d.accept(relAuthor, uri, "creator", st)
			out = append(out, uri)
		}
	})
	return out
}

// author reads a creator: an identifier, or a name with an ORCID iD after it,
// as in "Doe, Jane ; ORCID 0000-0002-1825-0097" and "Doe, Jane (ORCID: …)".
func author(st *statement) (string, error) {
	uri, err := ParseAuthor(st.value, st.scheme)
	if err == nil || st.scheme != "" || !strings.Contains(st.value, " ") || indexFold(st.value, "orcid") < 0 {
		return uri, err
	}
	if word := lastWord(st.value); strings.ContainsAny(word, "0123456789") {
		return ParseAuthor(word, "ORCID")
	}
	return "", err
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
