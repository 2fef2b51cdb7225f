package bridge

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Role is what a URL is to an object.
type Role int

// The roles of an object's URLs.
const (
	LandingPageRole Role = iota + 1
	CiteAsRole
	AliasRole
	ItemRole
)

// URLs returns the URLs by which the object can be found, each with its role.
func (o Object) URLs() iter.Seq2[Role, string] {
	return func(yield func(Role, string) bool) {
		if o.LandingPage.URL != "" && !yield(LandingPageRole, o.LandingPage.URL) {
			return
		}
		if o.CiteAs != "" && !yield(CiteAsRole, o.CiteAs) {
			return
		}
		for _, u := range o.Aliases {
			if !yield(AliasRole, u) {
				return
			}
		}
		for _, item := range o.Items {
			if !yield(ItemRole, item.URL) {
				return
			}
			if item.CiteAs != "" && !yield(AliasRole, item.CiteAs) {
				return
			}
		}
	}
}

// SameURL reports whether a and b name the same page.
func SameURL(a, b string) bool {
	return a == b || NormalURL(a) == NormalURL(b)
}

// NormalURL returns the form under which URLs that name the same page are
// equal: http and https are alike; the host is in lower case, without a
// default port; trailing slashes and the fragment are dropped; percent-encoding
// is made uniform. DOIs, Handles and URN:NBN are equal in every spelling. It is
// a key, not an address: nobody should be sent there.
func NormalURL(u string) string {
	host, rest, ok := splitURL(u)
	if !ok || isPIDHost(host) {
		if id, ok := ParseIdentifier(u); ok && id.URI != "" {
			return normalIdentifier(id)
		}
	}
	if !ok {
		return strings.TrimSpace(u)
	}
	return normalURL(u, host, rest)
}

// resourceKey is equal for addresses at which one server sends one file: to the
// spellings that NormalURL knows come those of the platforms.
func resourceKey(uri string) string {
	key := NormalURL(uri)
	i := strings.Index(key, "/bitstream")
	if i < 0 {
		return strings.TrimSuffix(key, "?download=1") // Invenio: to be saved, not shown
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(key, "https://"), "/")
	if path, ok := strings.CutPrefix(key[i:], "/bitstream/"); ok {
		return bitstreamKey(key, host, path)
	}
	if uuid, ok := strings.CutPrefix(key[i:], "/bitstreams/"); ok { // DSpace 7: for people, and for programs
		return host + "/bitstreams/" + strings.TrimSuffix(strings.TrimSuffix(uuid, "/content"), "/download")
	}
	return key
}

// bitstreamKey is the key of a file of DSpace: its Handle, number and name, which
// stand in another order in each of the user interfaces: /bitstream/P/S/1/a.pdf
// is /xmlui/bitstream/handle/P/S/a.pdf?sequence=1.
func bitstreamKey(key, host, path string) string {
	path, query, _ := strings.Cut(path, "?")
	number := ""
	for parameter := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(parameter, "="); name {
		case "sequence":
			number = value
		case "isAllowed", "": // what the link was made for
		default:
			return key
		}
	}
	prefix, rest, _ := strings.Cut(strings.TrimPrefix(path, "handle/"), "/")
	suffix, file, _ := strings.Cut(rest, "/")
	if own, name, ok := strings.Cut(file, "/"); ok && (own == number || number == "") {
		number, file = own, name
	}
	return host + "/bitstream/" + prefix + "/" + suffix + "/" + number + "/" + file
}

// isPIDHost reports whether a host is one of those under which one identifier
// has several addresses.
func isPIDHost(host string) bool {
	switch host {
	case "doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net", "handle.net", "www.handle.net":
		return true
	}
	return nbnResolver(host)
}

func normalIdentifier(id Identifier) string {
	uri := id.URI
	switch id.Scheme {
	case DOI, Handle, URNNBN: // case does not count
		uri = strings.ToLower(uri)
	}
	host, rest, ok := splitURL(uri)
	if !ok {
		return uri
	}
	return normalURL(uri, host, rest)
}

// normalURL is the normal form of u, which splitURL took apart. It is the
// beginning of u where that is written so already, as most are.
func normalURL(u, host, rest string) string {
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	path = strings.TrimRight(path, "/")
	if query == "" && normalLen(path) == len(path) {
		after, ok := strings.CutPrefix(u, "https://")
		if ok && strings.HasPrefix(after, host) && strings.HasPrefix(after[len(host):], path) {
			return u[:len("https://")+len(host)+len(path)]
		}
	}
	var b strings.Builder
	b.Grow(len("https://") + len(host) + len(rest) + 8)
	b.WriteString("https://")
	b.WriteString(host)
	writeNormal(&b, path)
	if query != "" {
		b.WriteByte('?')
		writeNormal(&b, query)
	}
	return b.String()
}

// writeNormal writes a path or a query with every character in one form:
// encoded, unless it is unreserved (RFC 3986, 2.3) or may mean two things, in
// which case it stays as it is.
func writeNormal(b *strings.Builder, s string) {
	same := normalLen(s)
	b.WriteString(s[:same])
	for i := same; i < len(s); i++ {
		c, encoded := s[i], false
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c, encoded = fromHex(s[i+1])<<4|fromHex(s[i+2]), true
			i += 2
		}
		if isUnreserved(c) || !encoded && isDelimiter(c) {
			b.WriteByte(c)
		} else {
			writeEscaped(b, c)
		}
	}
}

// normalLen is how much of a path or a query is written as it is.
func normalLen(s string) int {
	i := 0
	for i < len(s) && (isUnreserved(s[i]) || isDelimiter(s[i])) {
		i++
	}
	return i
}

func isDelimiter(c byte) bool {
	switch c {
	case '/', '?', '&', '=', '+':
		return true
	}
	return false
}

func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == ':' || c == '@'
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

// splitURL takes an http or https URL apart: its host in lower case, with the
// port if that is not a default, and what follows it. User names go.
func splitURL(u string) (host, rest string, ok bool) {
	u = strings.TrimSpace(u)
	after, ok := cutPrefixFold(u, "http://")
	if !ok {
		if after, ok = cutPrefixFold(u, "https://"); !ok {
			return "", "", false
		}
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
		if c := name[i]; c == '%' || c == ':' || c < 0x80 && notURI(c) {
			return false
		}
	}
	return name != "" && utf8.ValidString(name) && !strings.Contains(name, "\uFFFD")
}
