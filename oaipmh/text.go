package oaipmh

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fingerpost/bridge/text"
)

// plainText is the text of b, the inside of an element or an attribute's
// value: markup taken out, CDATA kept, references resolved, trimmed.
func plainText(b []byte) string {
	b = bytes.TrimSpace(b)
	if bytes.IndexByte(b, '&') < 0 && bytes.IndexByte(b, '<') < 0 {
		return string(b)
	}
	var out []byte
	for len(b) > 0 {
		switch b[0] {
		case '<':
			var text []byte
			text, b = markup(b)
			out = append(out, text...)
		case '&':
			text, n := reference(b)
			if n == 0 {
				text, n = "&", 1
			}
			out = append(out, text...)
			b = b[n:]
		default:
			n := bytes.IndexAny(b, "<&")
			if n < 0 {
				n = len(b)
			}
			out = append(out, b[:n]...)
			b = b[n:]
		}
	}
	return string(bytes.TrimSpace(out))
}

// markup returns the text of what b begins with, which is none unless it is a
// CDATA section, and the rest of b.
func markup(b []byte) (text, rest []byte) {
	const begin, end = "<![CDATA[", "]]>"
	if bytes.HasPrefix(b, []byte(begin)) {
		if n := (&lexer{b: b}).passage(0); n > 0 {
			return b[len(begin) : n-len(end)], b[n:]
		}
	}
	if len(b) > 1 && (b[1] == '!' || b[1] == '?') {
		if n := (&lexer{b: b}).passage(0); n > 0 {
			return nil, b[n:]
		}
	}
	if i := bytes.IndexByte(b, '>'); i >= 0 {
		return nil, b[i+1:]
	}
	return b[:1], b[1:]
}

// maxReference bounds the length of a reference: the longest name of an HTML
// character is 31 letters.
const maxReference = 40

// reference resolves the character or entity reference that b begins with and
// returns its length. It reads the names of HTML beside the five of XML. The
// length is 0 if it is no reference; there are no characters if it is to
// something that cannot be in XML. A surrogate pair written as two references
// is taken as the character it stands for.
func reference(b []byte) (characters string, n int) {
	end := bytes.IndexByte(b[:min(len(b), maxReference)], ';')
	if end < 2 {
		return "", 0
	}
	name := string(b[1:end])
	if name[0] != '#' {
		characters = html.UnescapeString("&" + name + ";")
		if !isName(name) || strings.HasSuffix(characters, ";") {
			return "", 0
		}
		return characters, end + 1
	}
	r, ok := charNumber(name[1:])
	if !ok {
		return "", 0
	}
	if 0xD800 <= r && r < 0xDC00 {
		return surrogatePair(b, r, end+1)
	}
	if !text.IsChar(r) {
		return "", end + 1
	}
	return string(r), end + 1
}

func surrogatePair(b []byte, high rune, n int) (string, int) {
	rest := b[n:]
	end := bytes.IndexByte(rest[:min(len(rest), maxReference)], ';')
	if end < 3 || rest[0] != '&' || rest[1] != '#' {
		return "", n
	}
	low, ok := charNumber(string(rest[2:end]))
	if !ok || low < 0xDC00 || low > 0xDFFF {
		return "", n
	}
	return string((high-0xD800)<<10 + (low - 0xDC00) + 0x10000), n + end + 1
}

func isName(s string) bool {
	for i := range len(s) {
		if nameByte[s[i]] == 0 || s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// charNumber reads what stands between "&#" and ";".
func charNumber(s string) (rune, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(s, "x"); ok {
		s, base = hex, 16
	}
	n, err := strconv.ParseUint(s, base, 32)
	if err != nil || n > unicode.MaxRune {
		return 0xFFFF, err == nil || len(s) > 0 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
	}
	return rune(n), true
}

// clip makes hostile text fit to stand in a message: one line, no control
// characters, bounded.
func clip(s string) string {
	const limit = 200
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	cut := limit
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
