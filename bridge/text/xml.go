package text

import "encoding/binary"

// XML looks for what cannot be in an XML document: control reports whether b has
// a control character other than white space, ascii whether all of it is ASCII.
// XML 1.0, 2.2. It looks at eight bytes at a time, since every record is looked
// at.
func XML(b []byte) (control, ascii bool) {
	var all uint64 // the bits of all words
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		all |= w
		if hasControl(w) && hasXMLControl(b[:8]) {
			return true, false
		}
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return hasXMLControl(b), all&highBits == 0
}

func hasXMLControl(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return true
		}
	}
	return false
}

// IsChar reports whether an XML document can have a character. XML 1.0, 2.2.
func IsChar(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || ' ' <= r && r <= 0xD7FF || 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= 0x10FFFF
}

const highBits = 0x8080808080808080

// hasControl reports whether one of eight bytes is less than a space.
func hasControl(w uint64) bool {
	const spaces = 0x2020202020202020
	return (w-spaces)&^w&highBits != 0
}
