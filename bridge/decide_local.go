package bridge

import (
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// oaiIdentifier is an OAI identifier taken apart. The local part is what the
// mapping leans on: a URL of the record that contains it is the repository's
// own page or file, one that does not is somebody else's.
type oaiIdentifier struct {
	whole string // as received
	host  string // of oai:HOST:LOCAL, as hostKey gives it; "" if it has another form
	local string // as received
	key   string // local in lower case, without a version such as the v2 of hal-00830421v2
	last  string // of key: after the last ":", "/" or "_"
	bare  string // of key: a number without its leading noughts, as WEKO has it in URLs; "" if it has none
	first string // of key: before the last "-", as Digital Commons has context-article
	rest  string // of key: after it
	// colons is key with ":" for "_", as Islandora has it in URLs; "" if it
	// would be the same.
	colons string
}

// splitIdentifier takes an OAI identifier apart: oai:HOST:LOCAL, a URI of
// another scheme, or whatever a server uses instead. prefix is what the
// platform writes before a bare number in its URLs, such as PMC.
func splitIdentifier(identifier, prefix string) oaiIdentifier {
	o := oaiIdentifier{whole: identifier, local: strings.TrimSpace(identifier)}
	for i := strings.Index(o.local, ":oai:"); i >= 0; i = strings.Index(o.local, ":oai:") {
		o.local = o.local[i+1:] // an aggregator's, around that of the source
	}
	if rest, ok := strings.CutPrefix(o.local, "oai:"); ok {
		if host, local, ok := strings.Cut(rest, ":"); ok {
			host, _, _ = strings.Cut(host, "/") // oai:repo.example.edu/ark:12
			o.host, o.local = hostKey(host), local
		}
	} else if _, rest, ok := strings.Cut(o.local, "://"); ok {
		if _, local, ok := strings.Cut(rest, "/"); ok {
			o.local = strings.TrimSuffix(local, "/")
		}
		if a, ok := parseAddress(identifier); ok && !isPersistent(identifier) {
			o.host = hostKey(a.host)
		}
	}
	o.key = withoutVersion(strings.ToLower(o.local))
	if prefix != "" && isDigits(o.key) {
		o.key = prefix + o.key
	}
	if isDigits(o.key) && o.key[0] == '0' {
		o.bare = strings.TrimLeft(o.key, "0")
	}
	o.last = o.key[strings.LastIndexAny(o.key, ":/_")+1:]
	if strings.IndexByte(o.key, '_') >= 0 {
		o.colons = strings.ReplaceAll(o.key, "_", ":")
	}
	if i := strings.LastIndexByte(o.key, '-'); i > 0 {
		o.first, o.rest = o.key[:i], o.key[i+1:]
	}
	return o
}

// withoutVersion cuts a version from a key: hal-00830421v2 is hal-00830421.
func withoutVersion(key string) string {
	i := len(key)
	for i > 0 && isDigit(key[i-1]) {
		i--
	}
	if i < len(key) && i > 1 && key[i-1] == 'v' && isDigit(key[i-2]) {
		return key[:i-1]
	}
	return key
}

// match is how much of the local part a URL or an identifier contains.
type match uint8

const (
	noMatch    match = iota
	partMatch        // its last segment, or the part before its number
	closeMatch       // its last segment, which is long enough to be nothing else's
	fullMatch
	endMatch // all of it, at the end: a page rather than something below it
)

// longSegment is from how many characters on a segment is hardly a chance hit.
const longSegment = 5

// in says how much of the local part the path and query of a URL contain.
func (o *oaiIdentifier) in(a address) match {
	rest := strings.ToLower(a.rest)
	if strings.IndexByte(rest, '%') >= 0 {
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain
		}
	}
	switch {
	case o.key == "":
		return noMatch
	case containsWhole(rest, o.key), o.colons != "" && containsWhole(rest, o.colons):
		return wholeMatch(rest, o.key)
	case o.bare != "" && containsValue(rest, o.bare):
		return wholeMatch(rest, o.bare)
	case o.first != "" && containsValue(rest, o.rest) && containsValue(rest, o.first), o.inCollection(rest):
		return endMatch
	case o.last != o.key && o.last != "" && containsWhole(rest, o.last):
		if len(o.last) >= longSegment {
			return closeMatch
		}
		return partMatch
	case len(o.last) >= longSegment && isDigits(o.last) && containsBounded(rest, o.last, notAlphanumeric):
		return closeMatch // "nusl-237409"
	case len(o.first) > 2 && containsValue(rest, o.first):
		return partMatch
	}
	return noMatch
}

// inCollection reports whether a page of CONTENTdm is the record's: what is
// herb/227 to OAI-PMH is /collection/herb/id/227 on the web, on whatever host.
func (o *oaiIdentifier) inCollection(rest string) bool {
	_, after, ok := strings.Cut(rest, "/collection/")
	collection, number, found := strings.Cut(after, "/id/")
	number, _, _ = strings.Cut(number, "/")
	if !ok || !found || collection == "" || !isDigits(number) {
		return false
	}
	before, ok := strings.CutSuffix(o.key, number)
	if !ok || before == "" || !notAlphanumeric(before[len(before)-1]) {
		return false
	}
	before, ok = strings.CutSuffix(before[:len(before)-1], collection)
	return ok && (before == "" || notAlphanumeric(before[len(before)-1]))
}

// wholeMatch tells a page, which ends with key, from something below it.
func wholeMatch(rest, key string) match {
	if strings.HasSuffix(strings.TrimSuffix(rest, "/"), key) {
		return endMatch
	}
	return fullMatch
}

// distinctive reports whether the local part is hardly found by chance in
// another's URL: more than a number.
func (o *oaiIdentifier) distinctive() bool {
	return len(o.key) >= longSegment && !isDigits(o.key)
}

// longNumber reports whether the local part is a number of so many digits that
// another's URL hardly ends with it by chance.
func (o *oaiIdentifier) longNumber() bool {
	const digits = 6
	return len(o.key) >= digits && isDigits(o.key)
}

// prefix returns the Handle or DOI prefix with which the local part begins.
func (o *oaiIdentifier) prefix() string {
	prefix, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(o.key, "doi:"), "hdl:"), "/")
	if !ok || !isHandlePrefix(prefix) {
		return ""
	}
	return prefix
}

// inIdentifier reports whether a persistent identifier's value contains the
// local part: equal to it, or ending in it after a separator, or before one.
func (o *oaiIdentifier) inIdentifier(value string) bool {
	value = strings.ToLower(value)
	if isDigits(o.key) && len(o.key) < 3 {
		return false // 10.5555/journal.12 is not record 12
	}
	if containsBounded(value, o.key, notAlphanumeric) {
		return true
	}
	return len(o.last) >= longSegment && (containsBounded(value, o.last, notAlphanumeric) || endsWithNumber(value, o.last))
}

// endsWithNumber reports whether a value ends with a long number, however many
// noughts stand in front: mods_00075323 is 10.5555/75323.
func endsWithNumber(value, number string) bool {
	number = strings.TrimLeft(number, "0")
	if len(number) < longSegment || !isDigits(number) {
		return false
	}
	rest, ok := strings.CutSuffix(value, number)
	rest = strings.TrimRight(rest, "0")
	return ok && rest != "" && notAlphanumeric(rest[len(rest)-1])
}

// containsWhole reports whether rest contains key as a word; a key of digits
// alone must fill a segment of the path or a value of the query.
func containsWhole(rest, key string) bool {
	if isDigits(key) {
		return containsValue(rest, key)
	}
	return containsBounded(rest, key, notAlphanumeric)
}

// containsValue reports whether key is a whole path segment or query value.
func containsValue(rest, key string) bool {
	return containsBounded(rest, key, separatesValues)
}

func containsBounded(s, key string, bound func(byte) bool) bool {
	if key == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(s[from:], key)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(key)
		if begin == 0 || bound(s[begin-1]) {
			after := s[end:]
			if after == "" || bound(after[0]) || versionFollows(after, bound) {
				return true
			}
		}
		from = begin + 1
	}
}

// versionFollows reports whether s begins with a version, such as the v2 of
// hal-00830421v2, and nothing else of a word.
func versionFollows(s string, bound func(byte) bool) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	i := 1
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i > 1 && (i == len(s) || bound(s[i]))
}

func separatesValues(c byte) bool {
	switch c {
	case '/', ':', '=', '&', ';', '?', '#':
		return true
	}
	return false
}

func notAlphanumeric(c byte) bool {
	return !(isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80)
}

// address is an absolute http or https URL taken apart without allocating.
type address struct {
	raw  string
	host string // as written, without user and port
	rest string // path, query and fragment
}

// parseAddress accepts what may be linked at all: an absolute http URL of one
// word, with a host and without a user.
func parseAddress(value string) (address, bool) {
	const longest = 8 << 10
	i := strings.Index(value, "://")
	if i < 0 || len(value) > longest || !isWord(value) {
		return address{}, false
	}
	if scheme := value[:i]; !equalFold(scheme, "http") && !equalFold(scheme, "https") {
		return address{}, false
	}
	authority, rest := cutAuthority(value[i+len("://"):])
	host := authority
	if j := strings.LastIndexByte(authority, ':'); j >= 0 && !strings.HasSuffix(authority, "]") {
		host = authority[:j]
	}
	if host == "" || strings.IndexByte(authority, '@') >= 0 || strings.IndexByte(authority, '\\') >= 0 {
		return address{}, false
	}
	return address{raw: value, host: host, rest: rest}, true
}

// isWord reports whether a value has neither white space nor markup.
func isWord(value string) bool {
	return !hasPlainSpace(value) && strings.IndexByte(value, '<') < 0 && strings.IndexByte(value, '>') < 0 && strings.IndexByte(value, '"') < 0
}

// hostKey is a host's name in the form in which two are compared.
func hostKey(host string) string {
	if !isPlainHost(host) {
		host = strings.ToLower(strings.TrimSpace(host))
		if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
			host = host[:i]
		}
		host = strings.TrimSuffix(host, ".")
	}
	return strings.TrimPrefix(host, "www.")
}

// ownHost reports whether a host is the repository's: that of its OAI-PMH
// interface, that of the OAI identifier, or one the administrator named.
func (d *decision) ownHost(host string) bool {
	if !strings.Contains(host, ".") {
		return false
	}
	host = hostKey(host)
	if host == d.identifier.host {
		return true
	}
	for _, h := range d.mapping.hosts {
		if h == host {
			return true
		}
	}
	return false
}

// below reports whether a host is one of those below the OAI identifier's.
func (d *decision) below(host string) bool {
	return strings.Contains(d.identifier.host, ".") && strings.HasSuffix(hostKey(host), "."+d.identifier.host)
}

// ownSite reports whether a host belongs to the same organisation as one of
// the repository's hosts.
func (d *decision) ownSite(host string) bool {
	site, err := publicsuffix.EffectiveTLDPlusOne(hostKey(host))
	if err != nil {
		return false
	}
	same := func(h string) bool {
		return h == site || strings.HasSuffix(h, "."+site)
	}
	if same(d.identifier.host) {
		return true
	}
	for _, h := range d.mapping.hosts {
		if same(h) {
			return true
		}
	}
	return false
}
