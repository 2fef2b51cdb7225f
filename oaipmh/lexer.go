package oaipmh

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	maxDepth = 256      // of the elements of one record
	maxTag   = 64 << 10 // bytes of one tag
)

type tagKind uint8

const (
	openTag tagKind = iota
	closeTag
	emptyTag // <a/>
)

// A tag is b[start:end] of the bytes it was found in. It is small enough to be
// passed in registers: passing tags is most of what a lexer does.
type tag struct {
	kind       tagKind
	start, end int
	nameEnd    int
}

// name is the name of the tag, which was found in b, with its prefix.
func (t tag) name(b []byte) []byte {
	if t.kind == closeTag {
		return b[t.start+len("</") : t.nameEnd]
	}
	return b[t.start+len("<") : t.nameEnd]
}

var (
	errEnd   = errors.New("the XML ends in the middle of an element")
	errStray = errors.New(`a "<" begins no tag`)
	errDepth = fmt.Errorf("elements are nested more than %d deep", maxDepth)
)

// A lexer finds the tags in b and passes over all else without looking into
// it: text, comments, CDATA sections, processing instructions (so that an XML
// declaration repeated inside a record does no harm), document types. It
// remembers only where the open elements began.
type lexer struct {
	b    []byte
	pos  int
	open []tag // the elements that skip is in
	bare bool  // there was an element without a prefix since this was cleared
	// endless marks the passages that have no end after pos, and noDocType is up
	// to where no document type has one, so that a hostile page is searched for
	// each end once.
	endless   [len(passages)]bool
	noDocType int
	vain      int // bytes read in parts that turned out to be broken
}

// passages are what a lexer passes over without looking into it.
var passages = [...]struct{ begin, end []byte }{
	{[]byte("<!--"), []byte("-->")},
	{[]byte("<![CDATA["), []byte("]]>")},
	{[]byte("<?"), []byte("?>")},
}

// nameByte marks the bytes that can stand in a name (1), and at its start (2).
var nameByte = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 0x80, c == '_', c == ':', 'a' <= c|0x20 && c|0x20 <= 'z':
			t[c] = 2
		case c == '-', c == '.', '0' <= c && c <= '9':
			t[c] = 1
		}
	}
	return t
}()

// next returns the next tag, or errEnd.
func (l *lexer) next() (tag, error) {
	for {
		i := bytes.IndexByte(l.b[l.pos:], '<')
		if i < 0 || l.pos+i+1 >= len(l.b) {
			l.pos = len(l.b)
			return tag{}, errEnd
		}
		l.pos += i
		if c := l.b[l.pos+1]; c != '!' && c != '?' {
			return l.tag()
		}
		n := l.passage(l.pos)
		if n < 0 {
			return tag{}, errEnd
		}
		l.pos += n
	}
}

// passage returns the length of the comment, CDATA section, processing
// instruction or document type at b[at:]; -1 if it has no end.
func (l *lexer) passage(at int) int {
	b := l.b[at:]
	for i := range passages {
		p := &passages[i]
		if !bytes.HasPrefix(b, p.begin) {
			continue
		}
		n := -1
		if !l.endless[i] {
			n = bytes.Index(b[len(p.begin):], p.end)
		}
		if n < 0 {
			l.endless[i] = true
			return -1
		}
		return len(p.begin) + n + len(p.end)
	}
	if at < l.noDocType {
		return -1
	}
	b = b[:min(len(b), maxTag)]
	n := docType(b)
	if n < 0 {
		l.noDocType = at + len(b)
	}
	return n
}

// docType returns the length of the document type that b begins with, its
// internal subset included.
func docType(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '>':
			if depth <= 0 {
				return i + 1
			}
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], b[i])
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

// tag reads the tag at pos.
func (l *lexer) tag() (tag, error) {
	t := tag{start: l.pos}
	b, i := l.b, l.pos+1
	if b[i] == '/' {
		t.kind = closeTag
		i++
	}
	if i >= len(b) {
		return tag{}, errEnd
	}
	if nameByte[b[i]] != 2 {
		return tag{}, errStray
	}
	for i < len(b) && nameByte[b[i]] != 0 {
		i++
	}
	t.nameEnd = i
	end := i + 1
	if i == len(b) || b[i] != '>' { // it has attributes, or white space
		var err error
		if end, err = tagEnd(b[:min(len(b), i+maxTag)], i); err != nil {
			return tag{}, err
		}
	}
	if t.kind == openTag && b[end-2] == '/' {
		t.kind = emptyTag
	}
	t.end, l.pos = end, end
	return t, nil
}

// tagEnd returns the position after the ">" that ends the tag in whose
// attributes i is.
func tagEnd(b []byte, i int) (int, error) {
	for i < len(b) {
		switch b[i] {
		case '>':
			return i + 1, nil
		case '<':
			return 0, errStray
		case '"', '\'':
			n := bytes.IndexByte(b[i+1:], b[i])
			if n < 0 {
				return 0, errEnd
			}
			if bytes.IndexByte(b[i+1:i+1+n], '<') >= 0 {
				return 0, errStray
			}
			i += n + 2
		default:
			i++
		}
	}
	return 0, errEnd
}

// skip goes to the end of the element whose start tag t was read last.
func (l *lexer) skip(t tag) error {
	l.passed(t)
	if t.kind == emptyTag {
		return nil
	}
	l.open = append(l.open[:0], t)
	for len(l.open) > 0 {
		t, err := l.next()
		if err != nil {
			return err
		}
		switch t.kind {
		case openTag:
			if len(l.open) >= maxDepth {
				return errDepth
			}
			l.passed(t)
			l.open = append(l.open, t)
		case emptyTag:
			l.passed(t)
		case closeTag:
			open, closed := l.open[len(l.open)-1].name(l.b), t.name(l.b)
			if !bytes.Equal(open, closed) {
				return mismatch(open, closed)
			}
			l.open = l.open[:len(l.open)-1]
		}
	}
	return nil
}

func (l *lexer) passed(t tag) {
	l.bare = l.bare || !hasPrefix(t.name(l.b))
}

// hasPrefix reports whether a name has a colon, which is mostly among the first
// bytes.
func hasPrefix(name []byte) bool {
	for _, c := range name {
		if c == ':' {
			return true
		}
	}
	return false
}

func mismatch(open, closed []byte) error {
	return fmt.Errorf("element %s is closed by </%s>", clip(string(open)), clip(string(closed)))
}

// child returns the start tag of the next child of the element parent, whose
// start tag or earlier children have been read; false at the end of parent.
func (l *lexer) child(parent tag) (tag, bool, error) {
	if parent.kind == emptyTag {
		return tag{}, false, nil
	}
	t, err := l.next()
	if err != nil {
		return tag{}, false, err
	}
	if t.kind != closeTag {
		return t, true, nil
	}
	if open, closed := parent.name(l.b), t.name(l.b); !bytes.Equal(open, closed) {
		return tag{}, false, mismatch(open, closed)
	}
	return t, false, nil
}

// element skips the element whose start tag is t and returns its bytes.
func (l *lexer) element(t tag) ([]byte, error) {
	if err := l.skip(t); err != nil {
		return nil, err
	}
	return l.b[t.start:l.pos], nil
}

// text skips the element whose start tag is t and returns its text.
func (l *lexer) text(t tag) (string, error) {
	e, err := l.element(t)
	if err != nil || t.kind == emptyTag {
		return "", err
	}
	return plainText(e[t.end-t.start : bytes.LastIndexByte(e, '<')]), nil
}

// local is a name without its prefix. Elements of the envelope are
// recognised by it alone, since some servers get the namespace wrong.
func local(name []byte) string {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	switch string(name) { // no allocation for the names of the protocol
	case "record":
		return "record"
	case "header":
		return "header"
	case "metadata":
		return "metadata"
	case "identifier":
		return "identifier"
	case "datestamp":
		return "datestamp"
	case "setSpec":
		return "setSpec"
	}
	return string(name)
}

// attributes yields the attributes of a start tag: name and value as they
// stand, the value without its quotes.
func attributes(tag []byte, yield func(name, value, whole []byte) bool) {
	i := 1
	for i < len(tag) && nameByte[tag[i]] != 0 {
		i++
	}
	for i < len(tag) {
		for i < len(tag) && nameByte[tag[i]] == 0 {
			i++
		}
		start := i
		for i < len(tag) && nameByte[tag[i]] != 0 {
			i++
		}
		name := tag[start:i]
		for i < len(tag) && (tag[i] == '=' || isSpace(tag[i])) {
			i++
		}
		if i >= len(tag) || tag[i] != '"' && tag[i] != '\'' {
			continue
		}
		n := bytes.IndexByte(tag[i+1:], tag[i])
		if n < 0 {
			return
		}
		if !yield(name, tag[i+1:i+1+n], tag[start:i+n+2]) {
			return
		}
		i += n + 2
	}
}

// attribute is the value of the attribute called name, "" if there is none.
func attribute(tag []byte, name string) (value string) {
	attributes(tag, func(n, v, _ []byte) bool {
		if string(n) == name {
			value = plainText(v)
			return false
		}
		return true
	})
	return value
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
