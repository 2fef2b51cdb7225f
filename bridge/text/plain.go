package text

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut is the mark at the end of a text that was cut.
const Cut = "…"

// Plain returns value as people read it, in at most so many bytes: references
// are decoded once, the tags of HTML and JATS that only shape a text are left
// out, white space and controls are folded. What LaTeX says stays.
func Plain(value string, most int) string {
	if isPlain(value) && len(value) <= most {
		return value
	}
	value, cut := head(value, 4*most) // bounds the work
	value = strings.ToValidUTF8(value, "")
	if strings.IndexByte(value, '&') >= 0 {
		value = html.UnescapeString(value)
	}
	if strings.IndexByte(value, '<') >= 0 {
		value = withoutTags(value)
	}
	value = strings.Join(strings.Fields(strings.Map(printable, value)), " ")
	if len(value) > most {
		value, cut = head(value, most-len(Cut))
	}
	if cut {
		value = strings.TrimRight(value, " ") + Cut
	}
	return value
}

// isPlain reports quickly that a value is printable ASCII without references,
// tags, and white space in a row.
func isPlain(v string) bool {
	last := byte(' ')
	for i := range len(v) {
		c := v[i]
		if c < ' ' || c > '~' || c == '&' || c == '<' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' ' || v == ""
}

// head returns the first bytes of s, whole characters, and whether that cuts it.
func head(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], true
}

// printable folds white space, and drops what shows nothing or turns around how
// text is shown. The marks that Arabic and Hebrew need are kept.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\ufeff', r == '\ufffe', r == '\uffff':
		return -1
	}
	return r
}

// shaping are the tags that are left out. Those that are true part words.
var shaping = map[string]bool{
	"p": true, "br": true, "div": true, "li": true, "ul": true, "ol": true, "h1": true, "h2": true, "h3": true, "h4": true,
	"tr": true, "td": true, "table": true, "blockquote": true, "sec": true, "title": true,
	"a": false, "b": false, "i": false, "u": false, "em": false, "strong": false, "sub": false, "sup": false, "span": false,
	"font": false, "small": false, "tt": false, "code": false, "italic": false, "bold": false, "sc": false,
}

// withoutTags leaves out the tags of shaping, and nothing else that begins
// like one.
func withoutTags(value string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(value, "<")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inside, after, closed := strings.Cut(rest, ">")
		if !closed {
			b.WriteByte('<')
			b.WriteString(rest)
			return b.String()
		}
		name := strings.TrimLeft(inside, "/")
		if end := strings.IndexAny(name, " \t\r\n/"); end >= 0 {
			name = name[:end]
		}
		parts, listed := shaping[strings.TrimPrefix(strings.ToLower(name), "jats:")]
		switch {
		case !listed:
			b.WriteByte('<')
			value = rest
		case parts:
			b.WriteByte(' ')
			value = after
		default:
			value = after
		}
	}
}
