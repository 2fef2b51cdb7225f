package linkset

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"fingerpost/bridge/uri"
)

// MaxURI is the longest URI in a link, in bytes after encoding: what a
// sitemap's loc may have, and what proxies' tables are sized for.
const MaxURI = 2048

// Why a value cannot be part of a link. ValueError carries one of them.
var (
	ErrEmpty     = errors.New("is empty")
	ErrRelative  = errors.New("is not an absolute URI")
	errScheme    = errors.New("is neither an http nor an https URI")
	errHost      = errors.New("has no host, or one that is no host name")
	errUserinfo  = errors.New("has a user name or a password")
	errControl   = errors.New("has a control character")
	errLong      = fmt.Errorf("is longer than %d bytes", MaxURI)
	errEncoding  = errors.New("has a character that must be percent-encoded")
	errRel       = errors.New("is neither a registered relation type nor an absolute URI")
	errMediaType = errors.New("is not a bare media type in lower case")
)

// ValueError says why a value cannot be part of a link.
type ValueError struct {
	Value  string
	Reason error // ErrEmpty, ErrRelative or another
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%q %v", clip(e.Value), e.Reason)
}

// Unwrap returns the reason.
func (e *ValueError) Unwrap() error { return e.Reason }

// clip keeps a hostile value from filling a log.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Target returns raw as the target of a link: an absolute http or https URI
// in ASCII. What no URI may contain is percent-encoded, and of what it may,
// the characters at which clients of the field split a header: "," and ";".
// A DOI resolves the same with %2C and %3B. An escape that is there is kept,
// a host name in other scripts is written in its ASCII form. The error is a
// *ValueError.
func Target(raw string) (string, error) {
	return normalize(raw, true, &inTarget)
}

// Anchor returns raw as the context of a link. It is Target, but keeps each
// byte that a URI may contain, "," and ";" too: clients compare the anchor
// with the URL that they asked for, byte for byte.
func Anchor(raw string) (string, error) {
	return normalize(raw, true, &inURI)
}

// URI returns raw as an absolute URI of any scheme, such as urn:, byte for
// byte like Anchor: profiles and relation types are compared as strings.
func URI(raw string) (string, error) {
	return normalize(raw, false, &inURI)
}

// normalize encodes what e does not keep of raw.
func normalize(raw string, httpOnly bool, e *uri.Encoder) (string, error) {
	if isPlain(raw, e) {
		return raw, nil
	}
	s := strings.TrimFunc(raw, isMargin)
	encoded, err := encode(s, httpOnly, e)
	if err != nil {
		return "", &ValueError{Value: raw, Reason: err}
	}
	return encoded, nil
}

// isPlain reports the common case: an http or https URI whose host is a name
// without a port, and of which nothing has to be encoded. encode would return it
// as it is.
func isPlain(s string, e *uri.Encoder) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "http://")
	}
	if !ok || len(s) > MaxURI {
		return false
	}
	host, path, _ := strings.Cut(rest, "/")
	if host == "" || !isHostName(host) {
		return false
	}
	return e.Keeps(path)
}

// isMargin reports what stands around URIs in metadata and belongs to none:
// white space, no-break and zero-width ones too.
func isMargin(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF'
}

func encode(s string, httpOnly bool, e *uri.Encoder) (string, error) {
	switch {
	case s == "":
		return "", ErrEmpty
	case len(s) > MaxURI:
		return "", errLong
	case strings.ContainsFunc(s, isControl):
		return "", errControl
	}
	scheme := schemeLen(s)
	if scheme == 0 || scheme == len(s) {
		return "", ErrRelative
	}
	rest := s[scheme:]
	isHTTP := strings.EqualFold(s[:scheme], "http:") || strings.EqualFold(s[:scheme], "https:")
	if httpOnly && !isHTTP {
		return "", errScheme
	}
	if isHTTP && !strings.HasPrefix(rest, "//") {
		return "", errHost
	}
	b := append(make([]byte, 0, 256), s[:scheme]...)
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := len(after)
		if i := strings.IndexAny(after, "/?#"); i >= 0 {
			end = i
		}
		authority, err := authorityASCII(after[:end], isHTTP)
		if err != nil {
			return "", err
		}
		b = append(append(b, "//"...), authority...)
		rest = after[end:]
	}
	b = appendRest(b, rest, e)
	if len(b) > MaxURI {
		return "", errLong
	}
	return string(b), nil
}

// isControl reports C0 and C1 controls and DEL. They are never part of a URI
// that somebody meant, and C1 in UTF-8 is a sign of a broken encoding.
func isControl(r rune) bool { return r < 0x20 || 0x7F <= r && r < 0xA0 }

// schemeLen is the length of the scheme of s and its colon; 0 if it has none.
// RFC 3986, 3.1.
func schemeLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlpha(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// authorityASCII returns host and port as they may be published. A host that
// is in ASCII is kept as it is.
func authorityASCII(authority string, mustHaveHost bool) (string, error) {
	if strings.Contains(authority, "@") {
		return "", errUserinfo
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i:]
		if n, err := strconv.ParseUint(port[1:], 10, 16); err != nil || n == 0 {
			return "", errHost
		}
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		if ip := net.ParseIP(literal); !closed || ip == nil || !strings.Contains(literal, ":") {
			return "", errHost
		}
		return authority, nil
	}
	if !isASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errHost
		}
		host = ascii
	}
	if host == "" && mustHaveHost || !isHostName(host) {
		return "", errHost
	}
	return host + port, nil
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isHostName is wider than RFC 1123: hosts with "_" and "~" are in use.
func isHostName(s string) bool {
	return inHost.Keeps(s) && !strings.HasPrefix(s, ".") && !strings.Contains(s, "..")
}

// appendRest appends path, query and fragment. RFC 3986, 2.1.
func appendRest(b []byte, s string, e *uri.Encoder) []byte {
	before, fragment, found := strings.Cut(s, "#")
	b = e.Append(b, before)
	if !found {
		return b
	}
	return e.Append(append(b, '#'), fragment) // a second "#" is not part of a fragment. RFC 3986, 3.5
}

var (
	// inURI keeps what may stand in a path, a query or a fragment as it is. RFC
	// 3986, 3.3 to 3.5. Square brackets belong to the host alone.
	inURI = uri.Encoder{Keep: uri.Bytes(unreserved + "!$&'()*+,;=:@/?"), Escapes: true}
	// inTarget is inURI without the characters at which clients split.
	inTarget = uri.Encoder{Keep: uri.Bytes(unreserved + "!$&'()*+=:@/?"), Escapes: true}
	// inHost are the characters of a host's name.
	inHost = uri.Encoder{Keep: uri.Bytes(unreserved)}
)

// unreserved are, with letters and digits, those of RFC 3986, 2.3.
const unreserved = "-._~"

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
