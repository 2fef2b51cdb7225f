package oaipmh

import "bytes"

// A declaration of a namespace, as it stands in a start tag.
type declaration struct {
	prefix []byte // empty: the default namespace
	value  []byte
	whole  []byte // the attribute, with its quotes
}

// A scope is the declarations made around an element, outermost first.
type scope []declaration

// maxDeclarations bounds a scope: every record is searched for each of them.
const maxDeclarations = 128

var xmlns = []byte("xmlns")

// with returns s and the declarations that a start tag makes.
func (s scope) with(tag []byte) scope {
	if !bytes.Contains(tag, xmlns) {
		return s
	}
	attributes(tag, func(name, value, whole []byte) bool {
		if prefix, ok := declares(name); ok && len(s) < maxDeclarations {
			s = append(s, declaration{prefix, value, whole})
		}
		return true
	})
	return s
}

func declares(name []byte) (prefix []byte, ok bool) {
	rest, ok := bytes.CutPrefix(name, xmlns)
	if !ok || len(rest) > 0 && rest[0] != ':' {
		return nil, false
	}
	return bytes.TrimPrefix(rest, []byte(":")), true
}

// standAlone returns the element as a document of its own: the declarations
// of s that it uses and does not make itself are put into its start tag. bare
// says that it has elements without a prefix. Where nothing is missing, and
// that is the rule, the element is returned as it is.
func (s scope) standAlone(element []byte, bare bool) []byte {
	if len(s) == 0 {
		return element
	}
	t, err := (&lexer{b: element}).next()
	if err != nil {
		return element
	}
	var missing [][]byte
	for i := len(s) - 1; i >= 0; i-- {
		d := s[i]
		if !s[i+1:].has(d.prefix) && !made(element[:t.end], d.prefix) && d.used(element, bare) {
			missing = append(missing, d.whole)
		}
	}
	if missing == nil {
		return element
	}
	at := t.nameEnd
	out := make([]byte, 0, len(element)+256)
	out = append(out, element[:at]...)
	for i := len(missing) - 1; i >= 0; i-- {
		out = append(append(out, ' '), missing[i]...)
	}
	return append(out, element[at:]...)
}

func (s scope) has(prefix []byte) bool {
	for _, d := range s {
		if bytes.Equal(d.prefix, prefix) {
			return true
		}
	}
	return false
}

// made says whether a start tag declares the prefix.
func made(tag, prefix []byte) (ok bool) {
	attributes(tag, func(name, _, _ []byte) bool {
		p, declared := declares(name)
		ok = declared && bytes.Equal(p, prefix)
		return !ok
	})
	return ok
}

// used is true where the element may depend on the declaration. A prefix can
// also stand in a value (xsi:type="dcterms:URI"), so that a look at the bytes
// is more than cheap: it is right.
func (d declaration) used(element []byte, bare bool) bool {
	if len(d.prefix) == 0 {
		return bare && len(d.value) > 0
	}
	for rest := element; ; {
		i := bytes.Index(rest, d.prefix)
		if i < 0 {
			return false
		}
		rest = rest[i+len(d.prefix):]
		if len(rest) > 0 && rest[0] == ':' {
			return true
		}
	}
}
