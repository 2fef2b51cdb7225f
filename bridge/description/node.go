package description

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// node is a part of a document before it is written: a text, or a list of
// nodes. Every text has the statements that it was made of.
type node struct {
	name  string // of a member of an object, of a field; "" in an array
	form  form
	Value // without a statement it is the format's own, or follows from the links
	nodes []node
}

type form uint8

const (
	aText form = iota
	aNumber
	anObject
	anArray
)

// fixed is what the format itself demands, or what the links say too.
func fixed(name, text string) node { return node{name: name, Value: Value{Text: text}} }

func value(name string, v Value) node { return node{name: name, Value: v} }

// object leaves out what is empty.
func object(name string, members ...node) node {
	return node{name: name, form: anObject, nodes: nonEmpty(members)}
}

func array(name string, members ...node) node {
	return node{name: name, form: anArray, nodes: nonEmpty(members)}
}

func nonEmpty(list []node) []node {
	out := list[:0]
	for _, n := range list {
		if !n.empty() {
			out = append(out, n)
		}
	}
	return out
}

func (n *node) empty() bool {
	if n.form == aText || n.form == aNumber {
		return n.Text == ""
	}
	return len(n.nodes) == 0
}

// texts is an array of values.
func texts(name string, list []Value) node {
	nodes := make([]node, 0, len(list))
	for _, v := range list {
		nodes = append(nodes, value("", v))
	}
	return array(name, nodes...)
}

// each is an array of what of makes of the members of a list.
func each[T any](name string, list []T, of func(T) node) node {
	nodes := make([]node, 0, len(list))
	for _, v := range list {
		nodes = append(nodes, of(v))
	}
	return array(name, nodes...)
}

// json writes a node in ASCII alone, so that the charset of a page around it
// does not matter, and no text can end an element of HTML.
func (n *node) json(b []byte, indent int) []byte {
	switch n.form {
	case aText:
		return appendQuoted(b, n.Text)
	case aNumber:
		return append(b, n.Text...)
	}
	begin, end := byte('{'), byte('}')
	if n.form == anArray {
		begin, end = '[', ']'
	}
	b = append(b, begin)
	for i := range n.nodes {
		if i > 0 {
			b = append(b, ',')
		}
		b = newLine(b, indent+1)
		if n.form == anObject {
			b = append(appendQuoted(b, n.nodes[i].name), ':', ' ')
		}
		b = n.nodes[i].json(b, indent+1)
	}
	return append(newLine(b, indent), end)
}

func newLine(b []byte, indent int) []byte {
	b = append(b, '\n')
	for range indent {
		b = append(b, ' ', ' ')
	}
	return b
}

// appendQuoted appends a JSON string. RFC 8259, 7.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == 0x7f || r >= utf8.RuneSelf && r <= 0xffff:
			b = appendUnit(b, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendUnit(appendUnit(b, high), low)
		default:
			b = append(b, byte(r))
		}
	}
	return append(b, '"')
}

func appendUnit(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// Line is a value in a document, and where it comes from.
type Line struct {
	Path string // such as "creators[0].name", or the name of a field
	Value
}

// lines appends every text below a node.
func (n *node) lines(out []Line, path string) []Line {
	if n.form == aText || n.form == aNumber {
		return append(out, Line{path, n.Value})
	}
	for i := range n.nodes {
		below := path
		switch {
		case n.form == anArray:
			below += "[" + strconv.Itoa(i) + "]"
		case path == "":
			below = n.nodes[i].name
		default:
			below += "." + n.nodes[i].name
		}
		out = n.nodes[i].lines(out, below)
	}
	return out
}
