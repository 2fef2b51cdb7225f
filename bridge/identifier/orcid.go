package identifier

import "fingerpost/bridge/text"

// orcidIn finds the ORCID iD in a text by its form, which nothing else has;
// false if there is none, or there are several.
func orcidIn(value string) (orcid string, ok bool) {
	const form = len("0000-0002-1825-0097")
	for i := 0; i+form <= len(value); i++ {
		word := value[i : i+form]
		if !isORCIDForm(word) || !standsAlone(value, i, i+form) {
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
		case !text.IsDigit(word[i]) && (i != len(word)-1 || word[i]|0x20 != 'x'):
			return false
		}
	}
	return true
}

// standsAlone reports whether value[from:to] is no part of a longer word, nor of
// an address other than ORCID's.
func standsAlone(value string, from, to int) bool {
	if to < len(value) && (value[to] == '-' || !notAlphanumeric(value[to])) {
		return false
	}
	if from == 0 {
		return true
	}
	before := value[from-1]
	return before != '-' && notAlphanumeric(before) && (before != '/' || text.HasSuffixFold(value[:from], "orcid.org/"))
}
