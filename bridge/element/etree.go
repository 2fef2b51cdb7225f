package element

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/beevik/etree"
	"golang.org/x/net/html/charset"
)

// readTree reads metadata with etree. It is slower than scan and takes what
// scan doubts: declarations, CDATA, comments, HTML's entities, other charsets,
// and what can be mended (see mend).
func readTree(metadata []byte) (*tree, error) {
	if len(metadata) > maxBytes {
		return nil, errTooLarge
	}
	metadata, err := mend(utf8Of(metadata))
	if err != nil {
		return nil, err
	}
	doc := etree.NewDocument()
	doc.ReadSettings = etree.ReadSettings{
		Permissive: true,           // a lone "&" is itself
		Entity:     xml.HTMLEntity, // &nbsp; and its like, of which DTDs know nothing here
		MaxDepth:   maxDepth,
	}
	if err := doc.ReadFromBytes(metadata); errors.Is(err, etree.ErrMaxDepth) {
		return nil, errTooLarge
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotXML, err)
	}
	root := doc.Root()
	if root == nil {
		return nil, fmt.Errorf("%w: there is no element in it", errNotXML)
	}
	var b builder
	b.begin(0, 0)
	if !copyElement(&b, root) {
		return nil, errTooLarge
	}
	return b.tree, nil
}

// copyElement adds e and what is in it. It goes as deep as maxDepth lets it,
// and is false beyond maxAttributes.
func copyElement(b *builder, e *etree.Element) bool {
	b.open(e.FullTag())
	for _, a := range e.Attr {
		if !b.attr(a.Space, a.Key, a.Value) {
			return false
		}
	}
	b.begun()
	for _, c := range e.Child {
		switch c := c.(type) {
		case *etree.CharData:
			b.text(c.Data)
		case *etree.Element:
			if !copyElement(b, c) {
				return false
			}
		}
	}
	b.close()
	return true
}

// utf8Of returns metadata in UTF-8 without a declaration. Bytes beat the
// declaration: what is valid UTF-8 is UTF-8, even if it says otherwise; only what is
// not is read in the charset that it declares.
func utf8Of(metadata []byte) []byte {
	label, body := declaration(metadata)
	if utf8.Valid(body) {
		return body
	}
	if enc, _ := charset.Lookup(label); enc != nil {
		if out, err := enc.NewDecoder().Bytes(body); err == nil {
			return out
		}
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// declaration cuts the XML declaration off, and what stands before it, and
// returns the charset that it names.
func declaration(metadata []byte) (label string, body []byte) {
	body = bytes.TrimPrefix(metadata, []byte("\uFEFF"))
	start := bytes.TrimLeft(body, " \t\r\n")
	if !bytes.HasPrefix(start, []byte("<?xml ")) {
		return "", body
	}
	decl, rest, found := bytes.Cut(start, []byte("?>"))
	if !found {
		return "", body
	}
	_, value, _ := bytes.Cut(decl, []byte("encoding="))
	if len(value) > 1 {
		if end := bytes.IndexByte(value[1:], value[0]); end > 0 {
			label = string(value[1 : 1+end])
		}
	}
	return label, rest
}
