package element

import (
	"slices"
	"strings"
)

const xmlNamespace = "http://www.w3.org/XML/1998/namespace"

// builder makes a tree from what a reader sees, in document order: open, then
// the element's attributes, then begun; text; close. Both readers use it, so
// that names and namespaces mean the same in both.
type builder struct {
	tree    *tree
	scope   []binding // namespace declarations in scope, the innermost last
	unbound []string  // prefixes that are not declared, up to maxUnbound
	top     int32     // the open element; -1: none
	depth   int
}

// maxUnbound is how many prefixes without a declaration are remembered.
const maxUnbound = 16

// binding is a namespace declaration.
type binding struct {
	prefix, space string
	owner         int32 // index of the element that declares it
}

// begin makes ready for a document, in the memory of the one before. What an
// uncommonly large one took is given back.
func (b *builder) begin(elements, texts int) {
	const common = 1024
	t := b.tree
	if t == nil || cap(t.nodes) > common {
		t = &tree{}
	}
	t.encoded = false
	t.nodes = slices.Grow(t.nodes[:0], elements)
	t.attrs = slices.Grow(t.attrs[:0], 4) // as many as a plain record of Dublin Core has
	t.texts = slices.Grow(t.texts[:0], texts)
	b.tree, b.scope, b.unbound, b.top, b.depth = t, slices.Grow(b.scope[:0], 4), nil, -1, 0
}

func (b *builder) open(name string) {
	b.tree.nodes = append(b.tree.nodes, node{
		name:   name,
		local:  int32(strings.IndexByte(name, ':') + 1),
		parent: b.top,
		attrs:  int32(len(b.tree.attrs)),
		text:   int32(len(b.tree.texts)),
	})
	b.top = int32(len(b.tree.nodes) - 1)
	b.depth++
}

// attr adds an attribute to the open element, or declares a namespace. It
// reports whether that is within maxAttributes: every name is searched for
// among them.
func (b *builder) attr(prefix, local, value string) bool {
	switch {
	case prefix == "xmlns":
		b.scope = append(b.scope, binding{local, strings.TrimSpace(value), b.top})
	case prefix == "" && local == "xmlns":
		b.scope = append(b.scope, binding{"", strings.TrimSpace(value), b.top})
	default:
		b.tree.attrs = append(b.tree.attrs, attr{prefix, local, value})
	}
	own := len(b.tree.attrs) - int(b.tree.nodes[b.top].attrs)
	return own <= maxAttributes && len(b.scope) <= maxAttributes
}

// begun resolves the name of the open element, once its attributes are known:
// they may declare its namespace.
func (b *builder) begun() {
	n := &b.tree.nodes[b.top]
	n.space = b.resolve(n.name[:max(n.local-1, 0)])
	for _, a := range b.tree.attrs[n.attrs:] {
		if a.prefix != "" {
			b.resolve(a.prefix)
		}
	}
}

// resolve returns the namespace URI that prefix is bound to. An unbound prefix
// is in no namespace and no error: real records have it.
func (b *builder) resolve(prefix string) string {
	if prefix == "xml" {
		return xmlNamespace
	}
	for i := len(b.scope) - 1; i >= 0; i-- {
		if b.scope[i].prefix == prefix {
			return b.scope[i].space
		}
	}
	if prefix != "" && len(b.unbound) <= maxUnbound && !slices.Contains(b.unbound, prefix) {
		b.unbound = append(b.unbound, prefix)
	}
	return ""
}

func (b *builder) text(s string) {
	if b.top >= 0 && s != "" {
		b.tree.texts = append(b.tree.texts, s)
	}
}

func (b *builder) close() {
	n := &b.tree.nodes[b.top]
	n.end = int32(len(b.tree.nodes))
	n.textEnd = int32(len(b.tree.texts))
	for len(b.scope) > 0 && b.scope[len(b.scope)-1].owner == b.top {
		b.scope = b.scope[:len(b.scope)-1]
	}
	b.top = n.parent
	b.depth--
}
