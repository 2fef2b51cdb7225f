package element

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"fingerpost/bridge/text"
)

// scan reads metadata that is plain: UTF-8, elements, attributes and text with
// the five entities and character references of XML. It returns false when it
// is in doubt about anything else, well-formed or not (a declaration, CDATA, a
// comment, an unknown entity); readTree then decides.
func scan(metadata []byte) (*tree, bool) {
	return new(Parser).scan(metadata)
}

func (p *Parser) scan(metadata []byte) (*tree, bool) {
	if len(metadata) > maxBytes {
		return nil, false
	}
	marks, ok := plain(metadata)
	if !ok || marks > 2*maxElements {
		return nil, false
	}
	// The tree's strings are parts of metadata itself, as Parser says: a copy
	// would be a third of all memory that a harvest takes.
	s := unsafe.String(unsafe.SliceData(metadata), len(metadata))
	encoded := strings.IndexByte(s, '&') >= 0
	if encoded && !allKnown(s) {
		return nil, false
	}
	p.b.begin(marks/2+1, marks)
	p.b.tree.encoded = encoded
	sc := scanner{s: s, b: &p.b}
	if !sc.document() {
		return nil, false
	}
	return p.b.tree, true
}

// plain reports whether all characters of b are legal, and how many are "<".
func plain(b []byte) (marks int, ok bool) {
	control, ascii := text.XML(b)
	if control || !ascii && (!utf8.Valid(b) || bytes.Contains(b, []byte("\uFFFE")) || bytes.Contains(b, []byte("\uFFFF"))) {
		return 0, false
	}
	return bytes.Count(b, []byte("<")), !bytes.Contains(b, []byte("]]>")) // XML 1.0, 2.4
}

// scanner reads a document. Its methods return false when in doubt.
type scanner struct {
	s string // the document
	i int    // where the scanner is in it
	b *builder
}

func (sc *scanner) document() bool {
	sc.spaces()
	if !sc.skip('<') || !sc.startTag() {
		return false
	}
	for sc.b.top >= 0 {
		if !sc.run() || !sc.tag() {
			return false
		}
	}
	sc.spaces()
	return sc.i == len(sc.s)
}

// run reads character data up to the next tag, and its "<".
func (sc *scanner) run() bool {
	n := strings.IndexByte(sc.s[sc.i:], '<')
	if n < 0 {
		return false
	}
	sc.b.text(sc.s[sc.i : sc.i+n])
	sc.i += n + 1
	return true
}

// tag reads what follows "<".
func (sc *scanner) tag() bool {
	if sc.skip('/') {
		return sc.endTag()
	}
	return sc.startTag()
}

func (sc *scanner) startTag() bool {
	name, ok := sc.name()
	if !ok || sc.b.depth == maxDepth || len(sc.b.tree.nodes) == maxElements {
		return false
	}
	sc.b.open(name)
	for {
		spaced := sc.spaces()
		switch {
		case sc.skip('>'):
			sc.b.begun()
			return true
		case sc.skip('/'):
			sc.b.begun()
			sc.b.close()
			return sc.skip('>')
		case !spaced || !sc.attribute():
			return false
		}
	}
}

func (sc *scanner) endTag() bool {
	name := sc.b.tree.nodes[sc.b.top].name
	if !strings.HasPrefix(sc.s[sc.i:], name) {
		return false
	}
	sc.i += len(name)
	sc.spaces()
	sc.b.close()
	return sc.skip('>')
}

func (sc *scanner) attribute() bool {
	name, ok := sc.name()
	if !ok {
		return false
	}
	sc.spaces()
	if !sc.skip('=') {
		return false
	}
	sc.spaces()
	value, ok := sc.quoted()
	if !ok {
		return false
	}
	prefix, local, found := strings.Cut(name, ":")
	if !found {
		prefix, local = "", name
	}
	if sc.has(prefix, local) {
		return false
	}
	return sc.b.attr(prefix, local, value)
}

// has reports whether the open element already has that attribute, so that
// which value counts is readTree's to say.
func (sc *scanner) has(prefix, local string) bool {
	b := sc.b
	for _, a := range b.tree.attrs[b.tree.nodes[b.top].attrs:] {
		if a.local == local && a.prefix == prefix {
			return true
		}
	}
	if prefix == "" && local == "xmlns" {
		local = ""
	} else if prefix != "xmlns" {
		return false
	}
	for i := len(b.scope) - 1; i >= 0 && b.scope[i].owner == b.top; i-- {
		if b.scope[i].prefix == local {
			return true
		}
	}
	return false
}

func (sc *scanner) quoted() (string, bool) {
	if sc.i == len(sc.s) {
		return "", false
	}
	quote := sc.s[sc.i]
	if quote != '"' && quote != '\'' {
		return "", false
	}
	n := strings.IndexByte(sc.s[sc.i+1:], quote)
	if n < 0 {
		return "", false
	}
	value := sc.s[sc.i+1 : sc.i+1+n]
	sc.i += n + 2
	if strings.IndexByte(value, '<') >= 0 { // XML 1.0, 3.1
		return "", false
	}
	return decode(value), true
}

// name reads a name of ASCII letters with at most one prefix. Other names are
// legal, and rare enough to be in doubt.
func (sc *scanner) name() (string, bool) {
	s, part := sc.s[sc.i:], 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_':
		case ('0' <= c && c <= '9' || c == '-' || c == '.') && i > part:
		case c == ':' && part == 0 && i > 0:
			part = i + 1
		default:
			sc.i += i
			return s[:i], i > part
		}
	}
	return "", false
}

// spaces skips white space and reports whether there was any.
func (sc *scanner) spaces() bool {
	start := sc.i
	for sc.i < len(sc.s) && isSpace(sc.s[sc.i]) {
		sc.i++
	}
	return sc.i > start
}

func (sc *scanner) skip(c byte) bool {
	if sc.i < len(sc.s) && sc.s[sc.i] == c {
		sc.i++
		return true
	}
	return false
}

// isSpace is the production S of XML 1.0, 2.3.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// allKnown reports whether every "&" in s begins a reference that is known.
func allKnown(s string) bool {
	for i := strings.IndexByte(s, '&'); i >= 0; i = strings.IndexByte(s, '&') {
		name, rest, found := strings.Cut(s[i+1:], ";")
		if _, ok := reference(name); !ok || !found {
			return false
		}
		s = rest
	}
	return true
}

// decode replaces the references in s, all of which are known; it returns s
// itself if there are none.
func decode(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		name, rest, _ := strings.Cut(s[i+1:], ";")
		r, _ := reference(name)
		b.WriteString(s[:i])
		b.WriteRune(r)
		s = rest
	}
	b.WriteString(s)
	return b.String()
}

// reference returns the character that "&name;" stands for.
func reference(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	r, ok := charReference(name)
	return r, ok && text.IsChar(r)
}

// charReference returns the code point in a name such as "#160" or "#xA0",
// legal or not. XML 1.0, 4.1.
func charReference(name string) (rune, bool) {
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, false
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), err == nil
}
