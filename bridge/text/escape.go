package text

import "unicode/utf8"

// AppendXML adds s as the text of an element or the value of an attribute. What XML
// cannot have becomes U+FFFD. XML 1.0, 2.2 and 2.4.
func AppendXML(b []byte, s string) []byte {
	plain := 0 // where what can be copied begins
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if escape := escapeOf(r, size); escape != "" {
			b = append(append(b, s[plain:i]...), escape...)
			plain = i + size
		}
		i += size
	}
	return append(b, s[plain:]...)
}

// AppendElement adds an element that has text, on a line of its own.
func AppendElement(b []byte, name, value string) []byte {
	b = append(append(append(b, '<'), name...), '>')
	b = AppendXML(b, value)
	return append(append(append(b, "</"...), name...), ">\n"...)
}

// escapeOf is what stands for a character; "" if it stands for itself.
func escapeOf(r rune, size int) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&quot;"
	case '\t':
		return "&#9;"
	case '\n':
		return "&#10;"
	case '\r':
		return "&#13;"
	case 0xFFFE, 0xFFFF:
		return "\uFFFD"
	}
	if r < ' ' || r == utf8.RuneError && size == 1 {
		return "\uFFFD"
	}
	return ""
}
