package edge

import (
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// key is path and query of a page as the exported files have them. A request
// may spell them otherwise, and each server can bring it into one form: a path
// with slashes at its end is the one without, as bridge.NormalURL has it, and
// percent-encoding says the same as the character. Where a server cannot
// decode, the file lists the forms that clients use.
type key struct {
	raw         string // as it was published
	path, query string // decoded; a query with its question mark
}

// keyOf takes path and query as they were published.
func keyOf(published string) key {
	path, query, _ := strings.Cut(published, "?")
	if path = strings.TrimRight(path, "/"); path == "" {
		path = "/"
	}
	if query != "" {
		query = "?" + query
	}
	return key{path + query, decoded(path), decoded(query)}
}

// afterHost is path and query of an absolute URL.
func afterHost(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	_, rest, _ := strings.Cut(uri, "://")
	return rest[strings.IndexAny(rest+"/", "/?"):]
}

// fits tells whether a key can stand in each file. An encoded slash at the end
// of a path cannot: it would be one that does not count.
func (k key) fits() bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7F }
	slash := strings.HasSuffix(k.path, "/") && k.path != "/"
	return strings.HasPrefix(k.raw, "/") && !slash && len(k.raw) <= linkset.MaxURI && !strings.ContainsFunc(k.path+k.query, control)
}

// haproxy is the key as the converter url_dec leaves it, but for three
// characters: maps end keys at white space, a question mark of the path is not
// that of a query, and a percent sign would make other addresses of these.
func (k key) haproxy() string {
	return haproxyPath.Replace(k.path) + haproxyQuery.Replace(k.query)
}

var (
	haproxyPath  = strings.NewReplacer("%", "%25", " ", "%20", "?", "%3F")
	haproxyQuery = strings.NewReplacer("%", "%25", " ", "%20")
)

// apache is the key as the maps int:unescape and int:escape leave it.
func (k key) apache() string {
	path, query := encoded(k.path, "$-_.+!*'(),:;@&=/~", lowerHex), strings.TrimPrefix(k.query, "?")
	if k.query == "" {
		return path
	}
	return path + "?" + encoded(query, "$-_.+!*'(),:;@&=/~", lowerHex)
}

// nginx are the forms of a key that differ to nginx, which can decode a path but
// no query: with that as it was published, as browsers send it, as the link set
// has it, and with all encoded that can be. There are none if the path has a
// question mark, which nginx could not tell from that of a query.
func (k key) nginx() []string {
	switch {
	case strings.Contains(k.path, "?"):
		return nil
	case k.query == "":
		return []string{k.path}
	}
	_, published, _ := strings.Cut(k.raw, "?")
	var forms []string
	for _, hex := range []string{upperHex, lowerHex} {
		for _, query := range []string{
			encoded(published, "!$&'()*+,;=:@/?%[]-._~", hex),
			encoded(k.query[1:], "!$&'()*+,;=:@/?[]-._~", hex),
			encoded(k.query[1:], "!$&'()*+=:@/?-._~", hex),
			encoded(k.query[1:], "&=-._~", hex),
		} {
			if form := k.path + "?" + query; !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	return forms
}

// decoded undoes percent-encoding, where it is such.
func decoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b = append(b, fromHex(s[i+1])<<4|fromHex(s[i+2]))
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

const (
	lowerHex = "0123456789abcdef"
	upperHex = "0123456789ABCDEF"
)

// encoded encodes all but letters, digits and the bytes in keep.
func encoded(s, keep, hex string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(rune(c)), '0' <= c && c <= '9', strings.IndexByte(keep, c) >= 0:
			b = append(b, c)
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
