package text

import (
	"slices"
	"strings"
)

// HasPrefixFold is strings.HasPrefix without regard to case, for a prefix in ASCII.
func HasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// HasSuffixFold is strings.HasSuffix without regard to case, for a suffix in ASCII.
func HasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// CutPrefixFold is strings.CutPrefix without regard to case, for a prefix in ASCII.
func CutPrefixFold(s, prefix string) (string, bool) {
	if HasPrefixFold(s, prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// IndexFold is strings.Index without regard to case, for a sub in ASCII.
func IndexFold(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i]|0x20 == sub[0]|0x20 && HasPrefixFold(s[i:], sub) {
			return i
		}
	}
	return -1
}

// ContainsAny reports whether s contains one of the parts.
func ContainsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// HasSpace reports whether s has white space, a no-break space included.
func HasSpace(s string) bool {
	return strings.ContainsAny(s, " \t\r\n") || strings.Contains(s, "\u00a0")
}

// HasControl reports whether s has a control character of ASCII.
func HasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7F {
			return true
		}
	}
	return false
}

// IsDigit reports whether c is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter reports whether c is a letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigits reports whether s consists of digits, at least one.
func IsDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !IsDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// IsLetters reports whether s has nothing but letters.
func IsLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if !IsLetter(s[i]) {
			return false
		}
	}
	return true
}

// IsAlphanumeric reports whether s has nothing but letters and digits.
func IsAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if !IsLetter(s[i]) && !IsDigit(s[i]) {
			return false
		}
	}
	return true
}
