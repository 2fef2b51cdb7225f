package outbound

import (
	"strings"
	"unicode"
)

// Printable makes text of other people's servers fit for a terminal and a
// report: nothing that is no text, turns the direction of writing or cannot be
// seen, and most characters of it.
func Printable(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
