package linkset

import "strings"

// HTML returns the links as link elements, one a line, for the head of the
// page that is their context. Both HTML and XHTML read them.
func (s LinkSet) HTML() []byte {
	b := make([]byte, 0, 144*len(s))
	for _, l := range s {
		b = appendAttr(append(b, "<link"...), ` href="`, l.Href)
		b = appendAttr(b, ` rel="`, l.Rel)
		if l.Type != "" {
			b = appendAttr(b, ` type="`, l.Type)
		}
		if l.Profile != "" {
			b = appendAttr(b, ` profile="`, l.Profile)
		}
		b = append(b, "/>\n"...)
	}
	return b
}

func appendAttr(b []byte, name, value string) []byte {
	b = append(b, name...)
	for {
		part, rest, more := strings.Cut(value, "&")
		b = safe.Append(b, part)
		if !more {
			return append(b, '"')
		}
		b = append(b, "&amp;"...)
		value = rest
	}
}
