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
	return c <= ' ' || c >= 0x7F || strings.IndexByte("<>\"{}|\\^`[]", c) >= 0
}

func escapeWhere(s string, must func(byte) bool) string {
	i := 0
	for i < len(s) && !must(s[i]) {
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

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// cutPrefixFold is strings.CutPrefix, whatever the case.
func cutPrefixFold(s, prefix string) (string, bool) {
	if hasPrefixFold(s, prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// cutFold is strings.Cut, whatever the case of the separator.
func cutFold(s, sep string) (before, after string, found bool) {
	if i := indexFold(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// indexFold is strings.Index, whatever the case. sub is ASCII.
func indexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i]|0x20 == sub[0]|0x20 && strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

func hasSpace(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
			return true
		case 0xC2: // U+00A0 in UTF-8
			if strings.HasPrefix(s[i:], "\u00a0") {
				return true
			}
		}
	}
	return false
}

func hasControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7F {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isDigits holds for nothing but digits, also for none.
func isDigits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
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
