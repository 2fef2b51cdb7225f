package outbound

import (
	"strings"
	"unicode"
)

// Printable makes text of other people's servers safe to print: characters that
// are invisible or change the direction of writing become spaces, and all after
// most characters is cut off.
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
