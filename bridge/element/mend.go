package element

import (
	"bytes"
	"unicode/utf8"

	"fingerpost/bridge/text"
)

const (
	maxAllAttributes = 1 << 20 // what may look like an attribute in one record
	maxReference     = 64      // how far the ";" of a reference is looked for, in bytes
)

// mend returns metadata, which is UTF-8, such that etree can read what real
// repositories send: characters that XML forbids are dropped, also as
// references; a "<" that begins no tag and a "]]>" outside CDATA become text.
// It refuses what would make too large a tree.
func mend(metadata []byte) ([]byte, error) {
	if bytes.Count(metadata, []byte("<")) > 2*maxElements {
		return nil, errTooLarge
	}
	m := mender{in: metadata, out: make([]byte, 0, len(metadata)+64)}
	for len(m.in) > 0 {
		m.next()
		if m.elements > maxElements || m.attributes > maxAllAttributes {
			return nil, errTooLarge
		}
	}
	return m.out, nil
}

type mender struct {
	in, out    []byte
	tag        bool // inside <…>
	quote      byte // inside a quoted value of a tag; 0: not
	elements   int
	attributes int // an upper bound of those seen
}

func (m *mender) next() {
	switch c := m.in[0]; {
	case m.quote == 0 && c == '<':
		m.less()
	case m.tag:
		m.inTag(c)
	case c == '&':
		m.ampersand()
	case bytes.HasPrefix(m.in, []byte("]]>")):
		m.replace(3, "]]&gt;")
	default:
		m.char()
	}
}

// less handles a "<" that is in no quoted value.
func (m *mender) less() {
	for _, s := range [...]struct{ open, close string }{
		{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"},
	} {
		if bytes.HasPrefix(m.in, []byte(s.open)) {
			m.section(len(s.open), s.close)
			return
		}
	}
	if len(m.in) > 1 && beginsTag(m.in[1]) {
		m.tag = true
		if m.in[1] != '/' {
			m.elements++
		}
		m.keep(1)
		return
	}
	m.replace(1, "&lt;")
}

func beginsTag(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == ':' || c == '/' || c == '!' || c >= utf8.RuneSelf
}

// section copies a comment, a CDATA section or a processing instruction.
func (m *mender) section(open int, end string) {
	n := bytes.Index(m.in[open:], []byte(end))
	if n < 0 {
		n = len(m.in) - open - len(end)
	}
	rest := m.in[max(open, open+n+len(end)):]
	m.keep(open)
	for len(m.in) > len(rest) {
		m.char()
	}
}

func (m *mender) inTag(c byte) {
	switch {
	case m.quote != 0 && c == '<': // XML 1.0, 3.1
		m.replace(1, "&lt;")
		return
	case m.quote != 0 && c == '&':
		m.ampersand()
		return
	case c == m.quote:
		m.quote = 0
		m.attributes++
	case m.quote != 0:
	case c == '"' || c == '\'':
		m.quote = c
	case isSpace(c):
		m.attributes++
	case c == '>':
		m.tag = false
	}
	m.char()
}

// ampersand drops a reference to a character that XML forbids.
func (m *mender) ampersand() {
	ref := m.in[1:min(len(m.in), maxReference)]
	if end := bytes.IndexByte(ref, ';'); end >= 0 {
		if r, ok := charReference(string(ref[:end])); ok && !text.IsChar(r) {
			m.in = m.in[end+2:]
			return
		}
	}
	m.keep(1)
}

// char copies a character, or drops it if XML forbids it.
func (m *mender) char() {
	r, size := utf8.DecodeRune(m.in)
	if text.IsChar(r) {
		m.keep(size)
	} else {
		m.in = m.in[size:]
	}
}

func (m *mender) keep(n int) {
	m.out = append(m.out, m.in[:n]...)
	m.in = m.in[n:]
}

func (m *mender) replace(n int, by string) {
	m.out = append(m.out, by...)
	m.in = m.in[n:]
}
