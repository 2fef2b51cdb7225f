package provider

import (
	"bytes"

	"fingerpost/bridge/element"
	"fingerpost/oaipmh"
)

// embedder puts documents that stand alone into an answer, byte for byte.
type embedder struct{ parser element.Parser }

// embed returns a document without what only a document has, and the tags of the
// element that goes around it. It is false if the document is not well-formed.
func (e *embedder) embed(name string, document []byte) (start, end string, inside []byte, ok bool) {
	inside = rootOf(document)
	form, err := e.parser.Form(inside)
	if err != nil {
		return "", "", nil, false
	}
	attributes := ""
	if form.Bare { // the namespace of the answer is not that of its elements
		name, attributes = "oai:"+name, ` xmlns:oai="http://www.openarchives.org/OAI/2.0/" xmlns=""`
	}
	for _, p := range form.Unbound { // as undeclared as it is, its page must be read
		attributes += " xmlns:" + p + `="` + oaipmh.Undeclared + p + `"`
	}
	return "<" + name + attributes + ">\n", "\n</" + name + ">\n", inside, true
}

// rootOf returns the root element of a document, without a byte order mark, an XML
// declaration and the like before it. A document type may declare entities, without
// which its document cannot be read: it stays, and the document is refused.
func rootOf(document []byte) []byte {
	b := bytes.TrimPrefix(document, []byte("\uFEFF"))
	for {
		b = bytes.TrimSpace(b)
		end := 0
		switch {
		case bytes.HasPrefix(b, []byte("<?")):
			end = bytes.Index(b, []byte("?>")) + len("?>")
		case bytes.HasPrefix(b, []byte("<!--")):
			end = bytes.Index(b, []byte("-->")) + len("-->")
		}
		if end < len("-->") {
			return b
		}
		b = b[end:]
	}
}
