package oaipmh

import (
	"bytes"
	"fmt"
	"time"
)

const (
	maxJunk   = 64 << 10 // what may stand before the document
	maxHeader = 64 << 10
	maxToken  = 8 << 10
	maxErrors = 16
)

// An answer is an OAI-PMH answer of which the envelope has been read, up to
// the element of the verb. OAI-PMH 3.2.
type answer struct {
	url          string
	body         *buffer // nil unless a Client read it
	lexer        lexer   // b is the root element, pos after the verb's start tag
	responseDate time.Time
	verb         tag // kind closeTag: there is none
	errors       []Error
	scope        scope // declarations of the root and the verb
	repairs      int
	origin       origin // of the body, if it was mended
	bytes        int
}

// readAnswer reads the envelope of an answer. It returns *NotOAIError if there
// is no OAI-PMH root, *TruncatedError if that has no end, and *TooLargeError if
// it takes more than limit bytes in UTF-8.
func readAnswer(body []byte, contentType string, limit int) (*answer, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, &NotOAIError{Got: "an empty body"}
	}
	size := len(body)
	received := decode(body, contentType, limit)
	body, repairs := mend(received, limit)
	if len(body) > limit {
		return nil, &TooLargeError{What: "bytes", Limit: int64(limit)}
	}
	root, junk, ok := findRoot(body)
	if !ok {
		return nil, &NotOAIError{Got: describe(body)}
	}
	end, trailing, ok := rootEnd(body, root)
	if !ok {
		return nil, &TruncatedError{Bytes: size}
	}
	for _, odd := range []bool{junk, trailing} {
		if odd {
			repairs++
		}
	}
	a := &answer{
		lexer:   lexer{b: body[root.start:end]},
		verb:    tag{kind: closeTag},
		repairs: repairs,
		bytes:   size,
	}
	if repairs > 0 {
		a.origin = origin{mended: body, received: received}
	}
	return a, a.readEnvelope()
}

// findRoot finds the start tag of the OAI-PMH element. What stands before it
// and is not of XML (blank lines, a PHP notice) is junk.
func findRoot(b []byte) (root tag, junk, ok bool) {
	l := lexer{b: b[:min(len(b), maxJunk+maxTag)]}
	if root, err := l.next(); err == nil && l.isRoot(root) {
		return root, isJunk(b[:root.start]), true
	}
	const name = "OAI-PMH"
	for at := 0; ; at += len(name) {
		i := bytes.Index(l.b[at:min(len(b), maxJunk)], []byte(name))
		if i < 0 {
			return tag{}, false, false
		}
		at += i
		if l.pos = bytes.LastIndexByte(l.b[:at], '<'); l.pos < 0 {
			continue
		}
		if root, err := l.tag(); err == nil && l.isRoot(root) {
			return root, true, true
		}
	}
}

func (l *lexer) isRoot(t tag) bool { return t.kind == openTag && local(t.name(l.b)) == "OAI-PMH" }

// isJunk reports whether b has anything that must not stand beside a root
// element. XML 1.0, 2.8.
func isJunk(b []byte) bool {
	leading := len(b) > 0 && isSpace(b[0]) && bytes.Contains(b, []byte("<?xml"))
	for {
		b = bytes.TrimSpace(b)
		if len(b) == 0 {
			return leading
		}
		if len(b) < 2 || b[0] != '<' || b[1] != '!' && b[1] != '?' {
			return true
		}
		n := (&lexer{b: b}).passage(0)
		if n < 0 {
			return true
		}
		b = b[n:]
	}
}

// rootEnd returns the end of the root element: after the last end tag of its
// name. What follows is not part of the answer.
func rootEnd(b []byte, root tag) (end int, trailing, ok bool) {
	closing := append([]byte("</"), root.name(b)...)
	i := bytes.LastIndex(b, closing)
	if i < root.end {
		return 0, false, false
	}
	rest := bytes.TrimLeft(b[i+len(closing):], " \t\r\n")
	if len(rest) == 0 || rest[0] != '>' {
		return 0, false, false
	}
	rest = rest[1:]
	return len(b) - len(rest), isJunk(rest), true
}

// readEnvelope reads the children of the root up to the verb's element.
func (a *answer) readEnvelope() error {
	l := &a.lexer
	root, err := l.next()
	if err != nil {
		return &TruncatedError{Bytes: a.bytes}
	}
	a.scope = scope{}.with(l.b[:root.end], new(scope))
	for {
		t, ok, err := l.child(root)
		if err != nil {
			return &NotOAIError{Got: "an OAI-PMH answer whose XML is broken (" + err.Error() + ")"}
		}
		if !ok {
			return nil
		}
		switch name := local(t.name(l.b)); name {
		case "responseDate":
			text, _ := l.text(t)
			a.responseDate, _ = ParseDatestamp(text)
		case "error":
			if len(a.errors) < maxErrors {
				code := attribute(l.b[t.start:t.end], "code")
				text, _ := l.text(t)
				a.errors = append(a.errors, Error{Code: Code(code), Message: text})
			}
		case "request":
			err = l.skip(t)
		default:
			a.verb = t
			a.scope = a.scope.with(l.b[t.start:t.end], new(scope))
			return nil
		}
		if err != nil {
			return &NotOAIError{Got: "an OAI-PMH answer whose XML is broken (" + err.Error() + ")"}
		}
	}
}

// each calls fn with the start tag of every child of the element t, whose
// start tag was read last. fn reads the child to its end.
func (l *lexer) each(t tag, fn func(name string, child tag) error) error {
	for {
		c, ok, err := l.child(t)
		if err != nil || !ok {
			return err
		}
		if err := fn(local(c.name(l.b)), c); err != nil {
			return err
		}
	}
}

// document reads the element t to its end and returns its first child as a
// document that stands alone.
func (l *lexer) document(t tag, s scope) (string, error) {
	s = s.with(l.b[t.start:t.end], new(scope))
	root, ok, err := l.child(t)
	if err != nil || !ok {
		return "", err
	}
	l.bare = false
	e, err := l.element(root)
	if err != nil {
		return "", err
	}
	alone, err := s.standAlone(e, l.bare, maxRecord)
	if err != nil {
		return "", err
	}
	doc := string(alone)
	for { // the other children
		t, ok, err := l.child(t)
		if err != nil || !ok {
			return doc, err
		}
		if err := l.skip(t); err != nil {
			return doc, err
		}
	}
}

// expect returns an error unless the answer is one to the verb.
func (a *answer) expect(verb string) error {
	if a.verb.kind == closeTag {
		return &NotOAIError{URL: a.url, Got: fmt.Sprintf("an OAI-PMH answer with neither a %s element nor an error", verb)}
	}
	if got := local(a.verb.name(a.lexer.b)); got != verb {
		return &NotOAIError{URL: a.url, Got: fmt.Sprintf("an OAI-PMH answer to another request, %s", clip(got))}
	}
	return nil
}
