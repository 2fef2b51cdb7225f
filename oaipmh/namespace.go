package oaipmh

import (
	"bytes"
	"errors"
	"slices"
)

// A declaration of a namespace, as it stands in a start tag.
type declaration struct {
	prefix []byte // empty: the default namespace
	value  []byte
	whole  []byte // the attribute, with its quotes
}

// A scope has the declarations in force around an element, sorted by prefix.
type scope []declaration

// maxDeclarations bounds a scope: each record is searched for all of them.
const maxDeclarations = 128

// errNoRoom is why a record of a page that grows beyond its bound is refused.
var errNoRoom = errors.New("its page grows too large: the namespaces declared around its records, which each of them needs, and repairs take more than half its size")

var xmlns = []byte("xmlns")

// find returns where the declaration of a prefix stands, or would stand.
func (s scope) find(prefix []byte) (int, bool) {
	return slices.BinarySearchFunc(s, prefix, func(d declaration, p []byte) int { return bytes.Compare(d.prefix, p) })
}

// with returns the scope inside of an element, of which tag is the start tag.
// One that differs from s is written over memory.
func (s scope) with(tag []byte, memory *scope) scope {
	if !bytes.Contains(tag, xmlns) {
		return s
	}
	inner := append((*memory)[:0], s...)
	attributes(tag, func(name, value, whole []byte) bool {
		prefix, ok := declares(name)
		if !ok || bytes.HasPrefix(value, []byte(Undeclared)) {
			return true
		}
		switch i, found := inner.find(prefix); {
		case found:
			inner[i] = declaration{prefix, value, whole}
		case len(inner) < maxDeclarations:
			inner = slices.Insert(inner, i, declaration{prefix, value, whole})
		}
		return true
	})
	*memory = inner
	return inner
}

// Undeclared is what the namespaces begin with that a mirror of ours declares around
// metadata which does not declare them: they are none of its own.
const Undeclared = "urn:undeclared:"

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
// that is the rule, the element is returned as it is. One that would grow by
// more than room bytes is an error.
func (s scope) standAlone(element []byte, bare bool, room int) ([]byte, error) {
	if len(s) == 0 {
		return element, nil
	}
	t, err := (&lexer{b: element}).next()
	if err != nil {
		return element, nil
	}
	missing, size := s.missing(element, t, bare)
	switch {
	case size == 0:
		return element, nil
	case size > room:
		return nil, errNoRoom
	}
	out := make([]byte, 0, len(element)+size)
	out = append(out, element[:t.nameEnd]...)
	for i, d := range s {
		if missing[i] {
			out = append(append(out, ' '), d.whole...)
		}
	}
	return append(out, element[t.nameEnd:]...), nil
}

// missing marks the declarations that the element with the start tag t needs,
// and returns how many bytes they take.
func (s scope) missing(element []byte, t tag, bare bool) (missing [maxDeclarations]bool, size int) {
	var made, used [maxDeclarations]bool
	attributes(element[:t.end], func(name, _, _ []byte) bool {
		if prefix, ok := declares(name); ok {
			if i, found := s.find(prefix); found {
				made[i] = true
			}
		}
		return true
	})
	searched := false
	for i, d := range s {
		switch {
		case made[i]:
			continue
		case len(d.prefix) == 0:
			used[i] = bare && len(d.value) > 0
		case !searched:
			s.markUsed(&used, element)
			searched = true
		}
		if used[i] {
			missing[i] = true
			size += len(" ") + len(d.whole)
		}
	}
	return missing, size
}

// markUsed marks the prefixes that stand before a colon in the element. They
// also stand in values (xsi:type="dcterms:URI"), so that a look at the bytes
// is not only cheap: it is right.
func (s scope) markUsed(used *[maxDeclarations]bool, element []byte) {
	for rest := element; ; {
		colon := bytes.IndexByte(rest, ':')
		if colon < 0 {
			return
		}
		start := colon
		for start > 0 && nameByte[rest[start-1]] != 0 {
			start--
		}
		if i, found := s.find(rest[start:colon]); found && start < colon {
			used[i] = true
		}
		rest = rest[colon+1:]
	}
}
