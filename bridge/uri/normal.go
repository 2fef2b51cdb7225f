package uri

import "strings"

// unreserved are the characters that an encoder may always keep: those of RFC
// 3986, 2.3, and two that mean nothing else in a path.
const unreserved = "-._~:@"

var (
	plain      = Bytes(unreserved)
	normal     = Encoder{Keep: plain}
	normalPart = Bytes(unreserved + "/?&=+") // delimiters: encoded they may mean something else
)

// Normal returns the form in which URLs that differ only in spelling are
// equal: http and https are the same; the host is in lower case, without a
// default port; trailing slashes and the fragment are dropped; percent-encoding
// is uniform. It is a key, not an address. It is false for anything but an http
// or https URL.
func Normal(u string) (key string, ok bool) {
	host, rest, ok := Split(u)
	if !ok {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	path = strings.TrimRight(path, "/")
	if query == "" && normalPart.prefix(path) == len(path) { // most need no copy
		after, ok := strings.CutPrefix(u, "https://")
		if ok && strings.HasPrefix(after, host) && strings.HasPrefix(after[len(host):], path) {
			return u[:len("https://")+len(host)+len(path)], true
		}
	}
	b := make([]byte, 0, len("https://")+len(host)+len(rest)+8)
	b = append(append(b, "https://"...), host...)
	b = appendNormal(b, path)
	if query != "" {
		b = appendNormal(append(b, '?'), query)
	}
	return string(b), true
}

// appendNormal appends a path or a query with each character in one form:
// encoded, unless it is unreserved, or a delimiter that is not encoded.
func appendNormal(b []byte, s string) []byte {
	for i := normalPart.prefix(s); ; {
		b = append(b, s[:i]...)
		if s = s[i:]; s == "" {
			return b
		}
		c, n := s[0], 1
		if isEscape(s) {
			c, n = escaped(s), len("%XX")
		}
		if plain[c] {
			b = append(b, c)
		} else {
			b = normal.appendByte(b, c)
		}
		s = s[n:]
		i = normalPart.prefix(s)
	}
}
