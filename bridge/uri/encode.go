// Package uri encodes, decodes and compares URIs. Its users differ in which
// bytes they keep; the loops stand here once.
package uri

import "strings"

// A Set is a set of bytes.
type Set [256]bool

// Bytes returns the set of all letters, digits and the bytes in more.
func Bytes(more string) Set {
	var set Set
	for c := range set {
		set[c] = isLetter(byte(c)) || isDigit(byte(c)) || strings.IndexByte(more, byte(c)) >= 0
	}
	return set
}

// Printable returns the set of all ASCII characters but controls, the space and
// those in except.
func Printable(except string) Set {
	var set Set
	for c := byte('!'); c <= '~'; c++ {
		set[c] = strings.IndexByte(except, c) < 0
	}
	return set
}

// prefix is the length of the beginning of s that is in the set.
func (set *Set) prefix(s string) int {
	n := 0
	// Most texts are wholly in it.
	for n+4 <= len(s) && set[s[n]] && set[s[n+1]] && set[s[n+2]] && set[s[n+3]] {
		n += 4
	}
	for n < len(s) && set[s[n]] {
		n++
	}
	return n
}

// An Encoder percent-encodes. RFC 3986, 2.1.
type Encoder struct {
	Keep    Set  // bytes that are written as they are
	Escapes bool // escapes that are there already are kept
	Lower   bool // writes "%2f", not "%2F"
}

// Append appends s to b.
func (e *Encoder) Append(b []byte, s string) []byte {
	for {
		n := e.Keep.prefix(s)
		b = append(b, s[:n]...)
		switch {
		case n == len(s):
			return b
		case e.Escapes && isEscape(s[n:]):
			b = append(b, s[n:n+len("%XX")]...)
			s = s[n+len("%XX"):]
		default:
			b = e.appendByte(b, s[n])
			s = s[n+1:]
		}
	}
}

func (e *Encoder) appendByte(b []byte, c byte) []byte {
	hex := "0123456789ABCDEF"
	if e.Lower {
		hex = "0123456789abcdef"
	}
	return append(b, '%', hex[c>>4], hex[c&15])
}

// Encode returns s encoded, which is s itself if it needs no encoding.
func (e *Encoder) Encode(s string) string {
	if e.Keeps(s) {
		return s
	}
	return string(e.Append(make([]byte, 0, len(s)+16), s))
}

// Keeps reports whether s needs no encoding.
func (e *Encoder) Keeps(s string) bool {
	for {
		n := e.Keep.prefix(s)
		if n == len(s) {
			return true
		}
		if !e.Escapes || !isEscape(s[n:]) {
			return false
		}
		s = s[n+len("%XX"):]
	}
}

// Len is how many bytes Append appends.
func (e *Encoder) Len(s string) int {
	n := len(s)
	for i := range len(s) {
		if !e.Keep[s[i]] && !(e.Escapes && isEscape(s[i:])) {
			n += len("%XX") - 1
		}
	}
	return n
}

// Decode undoes percent-encoding. A percent sign that begins no escape stays.
// The result may be invalid UTF-8.
func Decode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if !isEscape(s[i:]) {
			b = append(b, s[i])
			continue
		}
		b = append(b, escaped(s[i:]))
		i += len("%XX") - 1
	}
	return string(b)
}

// isEscape reports whether s begins with %XX.
func isEscape(s string) bool {
	return len(s) > 2 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// escaped is the byte that the escape at the beginning of s stands for.
func escaped(s string) byte {
	return fromHex(s[1])<<4 | fromHex(s[2])
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func fromHex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
