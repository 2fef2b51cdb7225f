// Package text cleans and compares values as they stand in metadata.
package text

import "strings"

// longest is of how many bytes a value may be for its brackets to be counted.
const longest = 2048

// Clean mends what repositories do to a value that is an identifier or a
// URL: references that were escaped twice, white space, and quotation marks,
// brackets without a partner and punctuation at the end.
func Clean(value string) string {
	if IsClean(value) && !HasControl(value) && !strings.Contains(value, "  ") {
		return value
	}
	v := strings.Trim(value, " \t\r\n\u00a0\u200b\ufeff")
	if strings.ContainsAny(v, "\n\t\r") || strings.Contains(v, "  ") {
		v = strings.Join(strings.Fields(v), " ")
	}
	if strings.IndexByte(v, '&') >= 0 {
		v = unescapeReferences(v)
	}
	for v != "" {
		last := v[len(v)-1]
		if strings.IndexByte(".,; ", last) < 0 && !(len(v) <= longest && unpaired(v, last)) {
			break
		}
		v = v[:len(v)-1]
	}
	return v
}

// IsClean reports quickly that Clean changes nothing, as in most values. It is
// for the text of an element or attribute, whose white space is in order.
func IsClean(v string) bool {
	if v == "" {
		return true
	}
	first, last := v[0], v[len(v)-1]
	switch last {
	case '.', ',', ';', ')', ']', '>', '}', '"':
		return false
	}
	return ' ' < first && first < 0x80 && ' ' < last && last < 0x80 && strings.IndexByte(v, '&') < 0
}

// unpaired reports whether last, at the end of v, is a closing bracket or a
// quotation mark that was not opened in v.
func unpaired(v string, last byte) bool {
	switch last {
	case ')':
		return strings.Count(v, "(") < strings.Count(v, ")")
	case ']':
		return strings.Count(v, "[") < strings.Count(v, "]")
	case '>':
		return strings.Count(v, "<") < strings.Count(v, ">")
	case '}':
		return strings.Count(v, "{") < strings.Count(v, "}")
	case '"':
		return strings.Count(v, `"`)%2 == 1
	}
	return false
}

// references are those that XML itself defines, as they look after one parse
// of a value that was escaped more than once.
var references = strings.NewReplacer(
	"&amp;", "&", "&#38;", "&", "&#038;", "&", "&#x26;", "&",
	"&lt;", "<", "&#60;", "<", "&gt;", ">", "&#62;", ">", "&quot;", `"`, "&#34;", `"`)

func unescapeReferences(v string) string {
	for range 4 { // more often than any repository does it
		once := references.Replace(v)
		if once == v {
			break
		}
		v = once
	}
	return v
}

// Bare returns value without white space, references, brackets and punctuation
// around it.
func Bare(value string) string {
	v := Clean(value)
	for v != "" && len(v) <= longest {
		closing, ok := partner(v[0])
		if !ok || v[len(v)-1] != closing && strings.IndexByte(v[1:], closing) >= 0 {
			break // "(DE-588)118540238"
		}
		v = Clean(v[1:]) // the closing one has lost its partner
	}
	return v
}

// partner returns the bracket or quotation mark that closes what c opens.
func partner(c byte) (byte, bool) {
	switch c {
	case '(':
		return ')', true
	case '[':
		return ']', true
	case '<':
		return '>', true
	case '"':
		return '"', true
	}
	return 0, false
}
