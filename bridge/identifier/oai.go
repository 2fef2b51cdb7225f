package identifier

import (
	"strings"

	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
)

// OAI is an OAI identifier taken apart. The mapping relies on the local part: a
// URL of the record that contains it is the repository's own page or file, one
// that does not is somebody else's.
type OAI struct {
	Whole string // as received
	Host  string // of oai:HOST:LOCAL, as uri.HostKey gives it; "" if it has another form
	Local string // as received
	Key   string // Local in lower case, without a version such as the v2 of hal-00830421v2
	last  string // of Key: after the last ":", "/" or "_"
	bare  string // of Key: a number without its leading zeros, as WEKO has it in URLs; "" if it has none
	first string // of Key: before the last "-", as Digital Commons has context-article
	rest  string // of Key: after it
	// colons is Key with ":" for "_", as Islandora has it in URLs; "" if it
	// would be the same.
	colons string
	// page is key as OJS, OMP and OPS have it in URLs, where article/12 is at
	// article/view/12; "" if it is not of this form.
	page string
}

// SplitOAI takes an OAI identifier apart: oai:HOST:LOCAL, a URI of another
// scheme, or what a server uses instead. prefix is what the platform writes
// before a bare number in its URLs, such as PMC.
func SplitOAI(identifier, prefix string) OAI {
	o := OAI{Whole: identifier, Local: strings.TrimSpace(identifier)}
	for i := strings.Index(o.Local, ":oai:"); i >= 0; i = strings.Index(o.Local, ":oai:") {
		o.Local = o.Local[i+1:] // an aggregator's, around that of the source
	}
	if rest, ok := strings.CutPrefix(o.Local, "oai:"); ok {
		if host, local, ok := strings.Cut(rest, ":"); ok {
			host, _, _ = strings.Cut(host, "/") // oai:repo.example.edu/ark:12
			o.Host, o.Local = uri.HostKey(host), local
		}
	} else if _, rest, ok := strings.Cut(o.Local, "://"); ok {
		if _, local, ok := strings.Cut(rest, "/"); ok {
			o.Local = strings.TrimSuffix(local, "/")
		}
		if a, ok := uri.Parse(identifier); ok && !IsPersistent(identifier) {
			o.Host = uri.HostKey(a.Host)
		}
	}
	o.Key = withoutVersion(strings.ToLower(o.Local))
	if prefix != "" && text.IsDigits(o.Key) {
		o.Key = prefix + o.Key
	}
	if text.IsDigits(o.Key) && o.Key[0] == '0' {
		o.bare = strings.TrimLeft(o.Key, "0")
	}
	o.last = o.Key[strings.LastIndexAny(o.Key, ":/_")+1:]
	if strings.IndexByte(o.Key, '_') >= 0 {
		o.colons = strings.ReplaceAll(o.Key, "_", ":")
	}
	if i := strings.LastIndexByte(o.Key, '-'); i > 0 {
		o.first, o.rest = o.Key[:i], o.Key[i+1:]
	}
	if kind, number, ok := strings.Cut(o.Key, "/"); ok && text.IsLetters(kind) && text.IsDigits(number) {
		o.page = kind + "/view/" + number
	}
	return o
}

// withoutVersion cuts a version from a key: hal-00830421v2 is hal-00830421.
func withoutVersion(key string) string {
	i := len(key)
	for i > 0 && text.IsDigit(key[i-1]) {
		i--
	}
	if i < len(key) && i > 1 && key[i-1] == 'v' && text.IsDigit(key[i-2]) {
		return key[:i-1]
	}
	return key
}

// Match is how much of the local part a URL contains.
type Match uint8

// From nothing to all of it.
const (
	NoMatch    Match = iota
	PartMatch        // its last segment, or the part before its number
	CloseMatch       // its last segment, which is long enough to be nothing else's
	FullMatch
	EndMatch // all of it, at the end: a page rather than something below it
)

// A segment of at least this many characters is unlikely to match by chance.
const longSegment = 5

// In says how much of the local part the path and query of a URL contain.
func (o *OAI) In(a uri.Address) Match {
	rest := uri.Decode(strings.ToLower(a.Rest))
	switch {
	case o.Key == "":
		return NoMatch
	case containsWhole(rest, o.Key), containsWhole(rest, o.colons):
		return wholeMatch(rest, o.Key)
	case containsValue(rest, o.bare):
		return wholeMatch(rest, o.bare)
	case containsWhole(rest, o.page):
		return wholeMatch(rest, o.page)
	case o.first != "" && containsValue(rest, o.rest) && containsValue(rest, o.first), o.inCollection(rest):
		return EndMatch
	case o.last != o.Key && o.last != "" && containsWhole(rest, o.last):
		if len(o.last) >= longSegment {
			return CloseMatch
		}
		return PartMatch
	case len(o.last) >= longSegment && text.IsDigits(o.last) && containsBounded(rest, o.last, notAlphanumeric):
		return CloseMatch // "nusl-237409"
	case len(o.first) > 2 && containsValue(rest, o.first):
		return PartMatch
	}
	return NoMatch
}

// inCollection reports whether a page of CONTENTdm is the record's: what is
// herb/227 to OAI-PMH is /collection/herb/id/227 on the web, on any host.
func (o *OAI) inCollection(rest string) bool {
	_, after, ok := strings.Cut(rest, "/collection/")
	collection, number, found := strings.Cut(after, "/id/")
	number, _, _ = strings.Cut(number, "/")
	if !ok || !found || collection == "" || !text.IsDigits(number) {
		return false
	}
	before, ok := strings.CutSuffix(o.Key, number)
	if !ok || before == "" || !notAlphanumeric(before[len(before)-1]) {
		return false
	}
	before, ok = strings.CutSuffix(before[:len(before)-1], collection)
	return ok && (before == "" || notAlphanumeric(before[len(before)-1]))
}

// wholeMatch tells a page, whose address ends with key, from something below it,
// and from one whose last part has more before it.
func wholeMatch(rest, key string) Match {
	before, ok := strings.CutSuffix(strings.TrimSuffix(rest, "/"), key)
	if ok && (before == "" || separatesValues(before[len(before)-1])) {
		return EndMatch
	}
	return FullMatch
}

// Distinctive reports whether the local part is unlikely to be in another's URL
// by chance: it is more than a number.
func (o *OAI) Distinctive() bool {
	return len(o.Key) >= longSegment && !text.IsDigits(o.Key)
}

// LongNumber reports whether the local part is a number of so many digits that
// another's URL is unlikely to end with it by chance.
func (o *OAI) LongNumber() bool {
	const digits = 6
	return len(o.Key) >= digits && text.IsDigits(o.Key)
}

// Prefix returns the Handle or DOI prefix with which the local part begins.
func (o *OAI) Prefix() string {
	prefix, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(o.Key, "doi:"), "hdl:"), "/")
	if !ok || !isHandlePrefix(prefix) {
		return ""
	}
	return prefix
}

// InValue reports whether a persistent identifier's value contains the
// local part: equal to it, or ending in it after a separator, or before one.
func (o *OAI) InValue(value string) bool {
	value = strings.ToLower(value)
	if text.IsDigits(o.Key) && len(o.Key) < 3 {
		return false // 10.5555/journal.12 is not record 12
	}
	if containsBounded(value, o.Key, notAlphanumeric) {
		return true
	}
	return len(o.last) >= longSegment && (containsBounded(value, o.last, notAlphanumeric) || endsWithNumber(value, o.last))
}

// endsWithNumber reports whether a value ends with a long number, with or
// without leading zeros: mods_00075323 is 10.5555/75323.
func endsWithNumber(value, number string) bool {
	number = strings.TrimLeft(number, "0")
	if len(number) < longSegment || !text.IsDigits(number) {
		return false
	}
	rest, ok := strings.CutSuffix(value, number)
	rest = strings.TrimRight(rest, "0")
	return ok && rest != "" && notAlphanumeric(rest[len(rest)-1])
}

// containsWhole reports whether rest contains key as a word; a key of digits
// alone must fill a segment of the path or a value of the query.
func containsWhole(rest, key string) bool {
	if text.IsDigits(key) {
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
	for i < len(s) && text.IsDigit(s[i]) {
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
	return !(text.IsDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80)
}
