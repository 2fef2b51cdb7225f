package element

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// Form is what decides how a document can stand inside another.
type Form struct {
	Bare    bool     // it has elements without a prefix that are in no namespace
	Unbound []string // prefixes that are not declared
}

// Form returns the form of a document. The error says why that is not well-formed,
// as XML 1.0 has it: Parse reads more.
func (p *Parser) Form(document []byte) (f Form, err error) {
	if t, ok := p.scan(document); ok {
		f = Form{t.bare(), p.b.unbound}
	} else if f, err = strictForm(document); err != nil {
		return f, err
	}
	if len(f.Unbound) > maxUnbound {
		return f, errTooLarge
	}
	return f, nil
}

func (t *tree) bare() bool {
	return slices.ContainsFunc(t.nodes, func(n node) bool { return n.space == "" && n.local == 0 })
}

// errDocumentType is returned by Form: without its document type a document may
// not be what it is.
var errDocumentType = errors.New("metadata has a document type")

// strictForm reads a document that is not plain.
func strictForm(document []byte) (f Form, err error) {
	if len(document) > maxBytes {
		return f, errTooLarge
	}
	d := xml.NewDecoder(bytes.NewReader(document))
	roots, depth := 0, 0
	for {
		from := d.InputOffset()
		token, err := d.Token()
		if err == io.EOF && roots == 1 {
			return f, nil
		}
		if err != nil {
			return f, fmt.Errorf("%w: %w", errNotXML, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				roots++
			}
			err = f.see(t, document[from:d.InputOffset()])
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				err = errNotXML
			}
		case xml.Directive:
			err = errDocumentType
		}
		if err != nil || roots > 1 {
			return f, cmp.Or(err, errNotXML)
		}
	}
}

// see notes what an element shows, of which tag is the start tag. encoding/xml lets
// an attribute be there twice, and stand next to another without a space.
func (f *Form) see(e xml.StartElement, tag []byte) error {
	f.Bare = f.Bare || e.Name.Space == ""
	f.use(e.Name.Space)
	for i, a := range e.Attr {
		if slices.ContainsFunc(e.Attr[:i], func(b xml.Attr) bool { return b.Name == a.Name }) {
			return errNotXML
		}
		if a.Name.Space != "xmlns" {
			f.use(a.Name.Space)
		}
	}
	for quote := byte(0); len(tag) > 1; tag = tag[1:] {
		switch c := tag[0]; {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			if quote = 0; !isSpace(tag[1]) && tag[1] != '>' && tag[1] != '/' {
				return errNotXML
			}
		}
	}
	return nil
}

// prefixForm is that of a prefix in ASCII. A namespace is a URI, with a colon.
var prefixForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// use notes a prefix that is not declared: encoding/xml leaves it in the place of
// the namespace.
func (f *Form) use(space string) {
	if prefixForm.MatchString(space) && space != "xml" && len(f.Unbound) <= maxUnbound && !slices.Contains(f.Unbound, space) {
		f.Unbound = append(f.Unbound, space)
	}
}
