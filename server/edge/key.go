package edge

import (
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// key is path and query of a page in the exported files. A request may spell them
// otherwise. Each server brings it into one form: slashes at the end of the path
// do not count, as in bridge.NormalURL, and percent-encoding is undone. nginx
// cannot decode a query: its file lists the forms that clients use.
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

// afterHost returns path and query of an absolute URL.
func afterHost(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	_, rest, _ := strings.Cut(uri, "://")
	return rest[strings.IndexAny(rest+"/", "/?"):]
}

// fits reports whether a key can stand in each file. A path with an encoded slash
// at its end cannot: decoded, the slash would not count.
func (k key) fits() bool {
	control := func(r rune) bool { return r < ' ' || r == 0x7F }
	slash := strings.HasSuffix(k.path, "/") && k.path != "/"
	return strings.HasPrefix(k.raw, "/") && !slash && len(k.raw) <= linkset.MaxURI && !strings.ContainsFunc(k.path+k.query, control)
}

// String is the key in MapFile: decoded, but for three characters. White space
// ends a key there, a question mark of the path does not begin a query, and a
// percent sign would make other addresses of these two.
func (k key) String() string {
	return keyPath.Replace(k.path) + keyQuery.Replace(k.query)
}

var (
	keyPath  = strings.NewReplacer("%", "%25", " ", "%20", "?", "%3F")
	keyQuery = strings.NewReplacer("%", "%25", " ", "%20")
)

// nginx returns the forms under which nginx finds a key. It decodes a path but
// not a query, so the query is listed as published, as browsers send it, as the
// link set has it, and with everything encoded that can be. A path with a question
// mark has no forms: nginx would take it for the beginning of the query.
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

// decoded undoes percent-encoding. An invalid escape stays as it is.
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
