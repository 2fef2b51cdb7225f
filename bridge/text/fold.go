package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the words of a label in lower case, divided by single spaces:
// letters, digits, and full stops between digits. Labels that differ only in
// case and punctuation are equal.
func Fold(label string) string {
	var b strings.Builder
	b.Grow(len(label))
	last, pending := rune(0), false
	for _, r := range norm.NFC.String(label) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if pending && b.Len() > 0 {
				if last == '.' && unicode.IsDigit(r) {
					b.WriteByte('.')
				} else {
					b.WriteByte(' ')
				}
			}
			b.WriteRune(unicode.ToLower(r))
			last, pending = r, false
		case r == '+' && !pending: // "GPL-2.0+"
			b.WriteByte('+')
		case unicode.Is(unicode.Mn, r): // what lower-casing "İ" leaves
		case r == '.' && unicode.IsDigit(last):
			last, pending = '.', true
		default:
			last, pending = ' ', true
		}
	}
	return b.String()
}
