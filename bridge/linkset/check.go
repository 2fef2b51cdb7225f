package linkset

import (
	"fmt"
	"strings"
)

// Check reports why a link cannot be published; nil if it can. It belongs
// where a link is made: what it accepts is written and read by every form
// without loss. The error wraps a *ValueError and names the field.
//
// Writers do not check. They percent-encode what would end a value, so that
// not even a link that was never checked splits a header or breaks out of an
// attribute; it is merely not a good link.
func Check(l Link) error {
	if err := isFixed(l.Anchor, Anchor); err != nil {
		return fmt.Errorf("anchor: %w", err)
	}
	if !isRel(l.Rel) {
		return fmt.Errorf("rel: %w", &ValueError{l.Rel, errRel})
	}
	if err := isFixed(l.Href, Target); err != nil {
		return fmt.Errorf("href: %w", err)
	}
	if bare, _ := MediaType(l.Type); bare != l.Type {
		return fmt.Errorf("type: %w", &ValueError{l.Type, errMediaType})
	}
	if l.Profile == "" {
		return nil
	}
	if err := isFixed(l.Profile, URI); err != nil && !IsWordProfile(l.Profile) {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}

// IsWordProfile reports whether a profile is the one that is prescribed as a
// word, where FAIR Signposting has a URI. CDIF, Metadata Publication.
func IsWordProfile(profile string) bool { return profile == "CDIF1.0" }

// isFixed reports whether normal leaves value as it is.
func isFixed(value string, normal func(string) (string, error)) error {
	got, err := normal(value)
	if err == nil && got != value {
		err = &ValueError{value, errEncoding}
	}
	return err
}

// isRel reports whether s is a relation type. RFC 8288, 3.3. "anchor" is none:
// it is the name of another member in RFC 9264, 4.2.2.
func isRel(s string) bool {
	if strings.Contains(s, ":") {
		return isFixed(s, URI) == nil
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
		case i > 0 && (isDigit(c) || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != "" && s != "anchor"
}

// MediaType returns the bare type/subtype of raw in lower case, without
// parameters; false if raw has none. RFC 6838, 4.2.
func MediaType(raw string) (string, bool) {
	bare, _, _ := strings.Cut(raw, ";")
	bare = strings.ToLower(strings.Trim(bare, " \t\r\n"))
	kind, subtype, ok := strings.Cut(bare, "/")
	if !ok || !isRestrictedName(kind) || !isRestrictedName(subtype) {
		return "", false
	}
	return bare, true
}

// isRestrictedName is the restricted-name of RFC 6838, 4.2.
func isRestrictedName(s string) bool {
	if s == "" || len(s) > 127 || strings.IndexByte("!#$&-^_.+", s[0]) >= 0 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlpha(c) && !isDigit(c) && strings.IndexByte("!#$&-^_.+", c) < 0 {
			return false
		}
	}
	return true
}
