package bridge

import "strings"

// escapeValue writes the value of an identifier as the path of a URL. A "%" in
// it is its own.
func escapeValue(v string) string {
	return escapeWhere(v, func(c byte) bool {
		return c == '%' || c == '#' || c == '?' || notURI(c)
	})
}

// escape percent-encodes what may not stand in a URI. RFC 3986, 2.
func escape(s string) string {
	return escapeWhere(s, notURI)
}

func notURI(c byte) bool {
	switch c {
	case '<', '>', '"', '{', '}', '|', '\\', '^', '`', '[', ']':
		return true
	}
	return c <= ' ' || c >= 0x7F
}

// escapeWhere encodes the characters that must be. Those that are unreserved
// never must.
func escapeWhere(s string, must func(byte) bool) string {
	i := 0
	for i < len(s) && (isUnreserved(s[i]) || !must(s[i])) {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		if must(s[i]) {
			writeEscaped(&b, s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// unescape undoes percent-encoding. What comes out may be no text.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = fromHex(s[i+1])<<4 | fromHex(s[i+2])
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}

// hasPrefixFold is strings.HasPrefix, whatever the case. prefix is ASCII, as is
// what the others of its kind look for.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if c, p := s[i], prefix[i]; c != p && (c|0x20 != p|0x20 || !isLetter(c)) {
			return false
		}
	}
	return true
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && hasPrefixFold(s[len(s)-len(suffix):], suffix)
}

func equalFold(s, t string) bool {
	return len(s) == len(t) && hasPrefixFold(s, t)
}

// cutPrefixFold is strings.CutPrefix, whatever the case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if hasPrefixFold(s, prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// indexFold is strings.Index, whatever the case.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i]|0x20 == sub[0]|0x20 && hasPrefixFold(s[i:], sub) {
			return i
		}
	}
	return -1
}

func hasSpace(s string) bool {
	return hasPlainSpace(s) || strings.Contains(s, "\u00a0")
}

func hasPlainSpace(s string) bool {
	return anyBelow(s, ' '+1) && strings.ContainsAny(s, " \t\r\n")
}

func hasControl(s string) bool {
	return anyBelow(s, ' ') || strings.IndexByte(s, 0x7F) >= 0
}

// anyBelow reports whether a byte of s is less than limit, which is at most
// 0x80. It looks at eight at a time, since every value is looked at.
func anyBelow(s string, limit byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	limits := ones * uint64(limit)
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if (w-limits)&^w&highs != 0 {
			return true
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] < limit {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigits holds for digits alone, not for none.
func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) {
			return false
		}
	}
	return true
}

func isAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return true
}
