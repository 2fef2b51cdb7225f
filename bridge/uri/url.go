package uri

import (
	"strings"
	"unicode/utf8"
)

// Split takes an http or https URL apart: its host in lower case, with the port
// if that is not a default, and what follows it. A user name is dropped.
func Split(u string) (host, rest string, ok bool) {
	after, ok := afterScheme(strings.TrimSpace(u))
	if !ok {
		return "", "", false
	}
	host, rest = cutAuthority(after)
	if isPlainHost(host) {
		return host, rest, true
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	name, port := cutPort(host)
	name = strings.ToLower(strings.TrimRight(name, "."))
	if !isHost(name) || port != "" && !isDigits(port) {
		return "", "", false
	}
	if port == "" || port == "80" || port == "443" {
		return name, rest, true
	}
	return name + ":" + port, rest, true
}

// afterScheme returns what follows "http://" or "https://".
func afterScheme(u string) (string, bool) {
	const plain, secure = "http://", "https://"
	switch {
	case len(u) >= len(plain) && strings.EqualFold(u[:len(plain)], plain):
		return u[len(plain):], true
	case len(u) >= len(secure) && strings.EqualFold(u[:len(secure)], secure):
		return u[len(secure):], true
	}
	return "", false
}

// An Address is an absolute http or https URL taken apart without allocating.
type Address struct {
	URL  string // as it was parsed
	Host string // as written, without user and port
	Rest string // path, query and fragment
}

// Parse accepts what may be linked at all: an absolute http or https URL of one
// word, with a host and without a user.
func Parse(value string) (Address, bool) {
	const longest = 8 << 10
	scheme, after, ok := strings.Cut(value, "://")
	if !ok || len(value) > longest || strings.ContainsAny(value, " \t\r\n<>\"") {
		return Address{}, false
	}
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return Address{}, false
	}
	authority, rest := cutAuthority(after)
	host := authority
	if j := strings.LastIndexByte(authority, ':'); j >= 0 && !strings.HasSuffix(authority, "]") {
		host = authority[:j]
	}
	if host == "" || strings.IndexByte(authority, '@') >= 0 || strings.IndexByte(authority, '\\') >= 0 {
		return Address{}, false
	}
	return Address{URL: value, Host: host, Rest: rest}, true
}

// ParseFile is Parse for the address of a file, in whose name there may be
// blanks: they are encoded.
func ParseFile(value string) (Address, bool) {
	_, after, _ := strings.Cut(value, "://")
	authority, rest := cutAuthority(after)
	if !strings.Contains(rest, " ") || strings.Contains(authority, " ") || strings.Contains(rest, "://") {
		return Parse(value)
	}
	return Parse(strings.ReplaceAll(value, " ", "%20"))
}

// Site returns scheme and host of a URL; "" if it has none.
func Site(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || host == "" {
		return ""
	}
	return scheme + "://" + host
}

// HostKey returns the form of a host's name in which two are compared: in lower
// case, without a port and without "www.".
func HostKey(host string) string {
	if !isPlainHost(host) {
		host = strings.ToLower(strings.TrimSpace(host))
		if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
			host = host[:i]
		}
		host = strings.TrimSuffix(host, ".")
	}
	return strings.TrimPrefix(host, "www.")
}

// cutAuthority divides what follows "://" before the path, query or fragment.
func cutAuthority(s string) (authority, rest string) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '/' || c == '?' || c == '#' {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// cutPort takes the port off a host, which may be an IPv6 address in brackets.
func cutPort(host string) (name, port string) {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.IndexByte(host[colon:], ']') >= 0 {
		return host, ""
	}
	return host[:colon], host[colon+1:]
}

// isPlainHost reports whether an authority is a name in lower case and nothing
// else, as most are.
func isPlainHost(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || c == '.' || isDigit(c) || c == '-') {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '.'
}

// isHost reports whether a name may be a host's. Names in any script may.
func isHost(name string) bool {
	if inner, ok := strings.CutPrefix(name, "["); ok {
		return strings.HasSuffix(name, "]") && strings.Trim(inner, "0123456789abcdef:.") == "]"
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c == '%' || c == ':' || c < 0x80 && !inURI[c] {
			return false
		}
	}
	return name != "" && utf8.ValidString(name) && !strings.Contains(name, "\uFFFD")
}

// inURI are the characters that may stand in a URI. RFC 3986, 2.
var inURI = Printable(NotInURI)

// NotInURI are the printable characters that may stand nowhere in a URI but for
// the brackets around an IPv6 address. RFC 3986, 2.
const NotInURI = "<>\"{}|\\^`[]"

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
