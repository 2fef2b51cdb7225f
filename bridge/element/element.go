// Package element reads one record's metadata into a light tree. A plain
// record is read by a hand-written scanner; anything it doubts goes to
// beevik/etree. Crosswalks see the tree only, so that there is one crosswalk
// per format, whichever reader was used.
package element

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one record's metadata. A record beyond them is refused with
// errTooLarge before memory is spent on it.
const (
	maxBytes      = 16 << 20
	maxDepth      = 256
	maxElements   = 200_000
	maxAttributes = 256 // of an element; and namespaces declared around one
)

// errTooLarge is returned for metadata beyond maxBytes, maxDepth, maxElements
// or maxAttributes.
var errTooLarge = errors.New("metadata is larger or deeper than a record may be")

// errNotXML is returned for bytes in which no element can be read.
var errNotXML = errors.New("metadata is not XML")

// tree is a record's metadata. It does not change once it is read, until its
// Parser reads another, and may be used by several goroutines.
type tree struct {
	nodes   []node   // in document order; the root is first
	attrs   []attr   // in document order
	texts   []string // runs of character data, in document order
	encoded bool     // there are references in texts: most are never asked for
}

// node is an element. Its descendants are nodes[own index+1:end], its
// character data and theirs texts[text:textEnd].
type node struct {
	space         string // namespace URI
	name          string // as written, with the prefix
	local         int32  // where the local part begins in name
	parent        int32  // -1: the root
	end           int32
	attrs         int32 // where its attributes begin; they end where the next node's begin
	text, textEnd int32
}

// attr is an attribute. Formats name theirs so that the local part says enough.
type attr struct {
	prefix, local, value string
}

// Parse reads metadata, which is a document that stands alone, and returns its
// root. The tree keeps nothing of it.
func Parse(metadata []byte) (Element, error) {
	return new(Parser).Parse(bytes.Clone(metadata))
}

// Parser reads one document after the other in the same memory: a tree is
// gone when the next is read. It is read in place: its texts are parts of the
// metadata, and gone when that changes.
type Parser struct {
	b builder
}

// Parse is the function Parse.
func (p *Parser) Parse(metadata []byte) (Element, error) {
	if t, ok := p.scan(metadata); ok {
		return Element{t, 0}, nil
	}
	t, err := readTree(metadata)
	if err != nil {
		return Element{}, err
	}
	return Element{t, 0}, nil
}

// Element is an element of a record's metadata. The zero Element is not valid: it has no
// name, no text and no children, so that paths may be followed without tests.
type Element struct {
	tree  *tree
	index int32
}

// Valid reports whether there is such an element.
func (e Element) Valid() bool {
	return e.tree != nil
}

// Space returns the namespace URI, "" if the prefix is not bound.
func (e Element) Space() string {
	if e.tree == nil {
		return ""
	}
	return e.node().space
}

// Local returns the name without the prefix.
func (e Element) Local() string {
	if e.tree == nil {
		return ""
	}
	n := e.node()
	return n.name[n.local:]
}

// is reports whether the element has that namespace URI and local name.
func (e Element) is(space, local string) bool {
	return e.tree != nil && e.Local() == local && e.Space() == space
}

// Attr returns the value of the first attribute with that local name in any
// namespace, white space collapsed as in Text; "" if there is none.
func (e Element) Attr(local string) string {
	for _, a := range e.attrs() {
		if a.local == local {
			return collapse(a.value)
		}
	}
	return ""
}

// Lang returns the language of the element's text: its own attribute, or that of
// the nearest element around it. XML, 2.12.
func (e Element) Lang() string {
	for ; e.Valid(); e = e.parent() {
		if lang := e.Attr("lang"); lang != "" {
			return lang
		}
	}
	return ""
}

// Text returns the character data of the element and its descendants, without
// white space at its ends and with one space for every run of it inside.
func (e Element) Text() string {
	if e.tree == nil {
		return ""
	}
	n := e.node()
	text := strings.Join(e.tree.texts[n.text:n.textEnd], "")
	if e.tree.encoded {
		text = decode(text)
	}
	return collapse(text)
}

// Children returns the child elements in document order: those with one of the
// local names in any namespace, or all without names.
func (e Element) Children(locals ...string) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		if e.tree == nil {
			return
		}
		for i := e.index + 1; i < e.node().end; i = e.tree.nodes[i].end {
			if c := (Element{e.tree, i}); c.isOneOf(locals) && !yield(c) {
				return
			}
		}
	}
}

// Descendants is Children for all elements inside e, without e.
func (e Element) Descendants(locals ...string) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		if e.tree == nil {
			return
		}
		for i := e.index + 1; i < e.node().end; i++ {
			if d := (Element{e.tree, i}); d.isOneOf(locals) && !yield(d) {
				return
			}
		}
	}
}

func (e Element) isOneOf(locals []string) bool {
	return len(locals) == 0 || slices.Contains(locals, e.Local())
}

// Child returns the first child with that local name in any namespace.
func (e Element) Child(local string) Element {
	for c := range e.Children(local) {
		return c
	}
	return Element{}
}

// First returns the first descendant with that local name in any namespace.
func (e Element) First(local string) Element {
	for d := range e.Descendants(local) {
		return d
	}
	return Element{}
}

// Path says where the element stands, for people: names as written, from
// below the root, each with its number if siblings have the same name, such
// as "dc:identifier[2]" or "creators/creator[3]/nameIdentifier".
func (e Element) Path() string {
	if e.tree == nil {
		return ""
	}
	steps := []string{e.step()}
	for p := e.parent(); p.Valid() && p.index != 0; p = p.parent() {
		steps = append(steps, p.step())
	}
	slices.Reverse(steps)
	return strings.Join(steps, "/")
}

// step is the last part of Path.
func (e Element) step() string {
	n := e.node()
	number, count := 0, 0
	for s := range e.parent().Children() {
		if s.is(n.space, e.Local()) {
			count++
		}
		if s == e {
			number = count
		}
	}
	if count < 2 {
		return n.name
	}
	return n.name + "[" + strconv.Itoa(number) + "]"
}

func (e Element) node() *node {
	return &e.tree.nodes[e.index]
}

func (e Element) parent() Element {
	if p := e.node().parent; p >= 0 {
		return Element{e.tree, p}
	}
	return Element{}
}

func (e Element) attrs() []attr {
	if e.tree == nil {
		return nil
	}
	from, to := e.node().attrs, int32(len(e.tree.attrs))
	if next := int(e.index) + 1; next < len(e.tree.nodes) {
		to = e.tree.nodes[next].attrs
	}
	return e.tree.attrs[from:to]
}

// collapse trims white space and replaces every run of it by one space. It
// returns s itself where there is nothing to do, as is usual.
func collapse(s string) string {
	if s == "" {
		return s
	}
	if first, last := s[0], s[len(s)-1]; first <= ' ' || first >= utf8.RuneSelf || last <= ' ' || last >= utf8.RuneSelf {
		s = strings.TrimFunc(s, unicode.IsSpace)
	}
	if collapsed(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// collapsed reports whether s, already trimmed, has only single plain spaces.
func collapsed(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c > ' ' && c < utf8.RuneSelf:
		case c == ' ':
			if s[i+1] == ' ' { // a trimmed string does not end in a space
				return false
			}
		case c < ' ':
			return false
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.IsSpace(r) {
				return false
			}
			i += size - 1
		}
	}
	return true
}
