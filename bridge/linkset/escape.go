package linkset

import "strings"

// appendSafe appends s with each byte percent-encoded that could end a value
// in any of the forms: controls, space, quotes, angle brackets, backslash and
// all beyond ASCII. What is left needs no further escape in a header or in
// JSON, and "&" alone in HTML. A link that Check accepts has none of them.
func appendSafe(b []byte, s string) []byte {
	for {
		n := 0
		// Most texts have none of them.
		for n+4 <= len(s) && safe[s[n]] && safe[s[n+1]] && safe[s[n+2]] && safe[s[n+3]] {
			n += 4
		}
		for n < len(s) && safe[s[n]] {
			n++
		}
		b = append(b, s[:n]...)
		if n == len(s) {
			return b
		}
		b = appendEscape(b, s[n])
		s = s[n+1:]
	}
}

// safeBytes is how many bytes appendSafe appends.
func safeBytes(s string) int {
	n := len(s)
	for i := range len(s) {
		if !safe[s[i]] {
			n += len("%XX") - 1
		}
	}
	return n
}

// safe has the bytes that appendSafe keeps.
var safe = func() (t [256]bool) {
	for c := byte('!'); c <= '~'; c++ {
		t[c] = strings.IndexByte(`"<>\`, c) < 0
	}
	return t
}()
