package linkset

import (
	"fmt"
	"slices"
	"strings"
)

// ParseHeader reads the values of the Link header fields of the page at base:
// RFC 8288, 3. A link without an anchor parameter has base as its context.
// Without a base, anchors are required and everything must be absolute.
// Each type of a rel with several makes a link of its own; of a parameter that
// is repeated the first counts, which is a fault where one alone is allowed;
// title and all else is passed over.
//
// The links that could be read are returned with an error too. It joins a
// *FormError for each fault.
func ParseHeader(values []string, base string) (LinkSet, error) {
	r, err := newReader(base)
	if err != nil {
		return nil, err
	}
	p := valueParser{reader: r, context: base}
	size := 0
	for _, value := range values {
		if size += len(value); size > MaxHeader {
			r.fault("the header", "", errTooLarge)
			break
		}
		p.parse(value)
	}
	return r.result()
}

// ParseText reads an application/linkset document: RFC 9264, 4.1. Targets and
// anchors must be absolute, and each link must have an anchor: the document
// says the same wherever it is read. FAIR Signposting, 1.4.
func ParseText(doc []byte) (LinkSet, error) {
	r := &reader{}
	text := string(doc)
	switch {
	case len(doc) > MaxDocument:
		r.fault("the document", "", errTooLarge)
		return r.result()
	case !isASCII(text):
		r.fault("the document", "", errNotASCII)
	}
	p := valueParser{reader: r}
	p.parse(text)
	return r.result()
}

// valueParser reads lists of link values.
type valueParser struct {
	*reader
	context string // of a link without an anchor; "" if each must have one
	n       int    // link values so far
	s       string // what is left of the list
	params  []param
}

type param struct{ name, value string }

// parse reads one list. RFC 8288, B.2; but a link value that has not its form
// costs that link, not the rest of the list.
func (p *valueParser) parse(list string) {
	const most = 32 // for which memory is allocated at once
	p.links = slices.Grow(p.links, min(strings.Count(list, "<"), most))
	for p.s = list; ; {
		p.skip(space + ",") // empty elements are legal. RFC 9110, 5.6.1.2
		if p.s == "" || p.full() {
			return
		}
		p.n++
		whole := p.s
		target, err := p.linkValue()
		switch {
		case err == errComma:
			p.fault(p.where(), whole[:len(whole)-len(p.s)], err)
			p.add(target)
		case err != nil:
			p.recover()
			p.fault(p.where(), whole[:len(whole)-len(p.s)], err)
		default:
			p.add(target)
		}
	}
}

func (p *valueParser) where() string { return fmt.Sprintf("link %d", p.n) }

// linkValue reads the target, and the parameters into p.params.
func (p *valueParser) linkValue() (target string, err error) {
	rest, ok := strings.CutPrefix(p.s, "<")
	if !ok {
		return "", errSyntax
	}
	end := strings.IndexAny(rest, "<>")
	if end < 0 || rest[end] == '<' {
		p.s = rest
		return "", errUnclosed
	}
	target, p.s = rest[:end], rest[end+1:]
	if err := p.parameters(); err != nil {
		return "", err
	}
	switch {
	case p.s == "" || p.s[0] == ',':
		return target, nil
	case p.s[0] == '<':
		return target, errComma
	}
	return "", errSyntax
}

// parameters reads what follows a target. RFC 8288, B.3.
func (p *valueParser) parameters() error {
	p.params = p.params[:0]
	for {
		p.skip(space)
		if !strings.HasPrefix(p.s, ";") {
			return nil
		}
		p.skip(space + ";")
		name := strings.ToLower(p.until(space + "=;,"))
		p.skip(space)
		value := ""
		if strings.HasPrefix(p.s, "=") {
			p.s = p.s[1:]
			p.skip(space)
			var closed bool
			if value, closed = p.value(); !closed {
				return errUnclosed
			}
		}
		p.params = append(p.params, param{name, value})
	}
}

// value reads a token or a quoted string, whose end may be missing.
func (p *valueParser) value() (value string, closed bool) {
	if !strings.HasPrefix(p.s, `"`) {
		return p.until(space + ";,"), true
	}
	end := quotedEnd(p.s)
	if end < 0 {
		p.s = ""
		return "", false
	}
	value, p.s = p.s[1:end], p.s[end+1:]
	if !strings.Contains(value, `\`) {
		return value, true
	}
	b := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' { // quotedEnd saw the byte after it
			i++
		}
		b = append(b, value[i])
	}
	return string(b), true
}

// quotedEnd is the index of the quote that ends the string which s begins
// with; -1 if there is none. RFC 9110, 5.6.4.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// recover goes to the next comma outside of quotes, or to the next target.
func (p *valueParser) recover() {
	for p.s != "" && p.s[0] != ',' && p.s[0] != '<' {
		if p.s[0] != '"' {
			p.s = p.s[1:]
		} else if _, closed := p.value(); !closed {
			return
		}
	}
}

func (p *valueParser) skip(chars string) {
	for p.s != "" && strings.IndexByte(chars, p.s[0]) >= 0 {
		p.s = p.s[1:]
	}
}

// until takes what stands before the first of chars.
func (p *valueParser) until(chars string) string {
	end := strings.IndexAny(p.s, chars)
	if end < 0 {
		end = len(p.s)
	}
	taken := p.s[:end]
	p.s = p.s[end:]
	return taken
}

// add adds the links that a link value stands for.
func (p *valueParser) add(target string) {
	if name := p.repeated(); name != "" {
		p.fault(p.where(), name, errRepeated)
	}
	href, err := p.resolve(target)
	if err != nil {
		p.fault(p.where(), target, err)
		return
	}
	anchor := p.context
	if stated, ok := p.first("anchor"); ok {
		if anchor, err = p.resolve(stated); err != nil {
			p.fault(p.where()+", its anchor", stated, err)
			return
		}
	}
	if anchor == "" {
		p.fault(p.where(), target, errNoAnchor)
		return
	}
	p.addAll(Link{Anchor: anchor, Href: href})
}

// addAll adds link once for each of its relation types.
func (p *valueParser) addAll(link Link) {
	mediaType, _ := p.first("type")
	profile, _ := p.first("profile")
	link.Type, link.Profile = strings.Trim(mediaType, space), strings.Trim(profile, space)
	value, _ := p.first("rel")
	for name := range rels(value) {
		if p.full() {
			return
		}
		link.Rel = name
		p.links = append(p.links, link)
	}
	if link.Rel == "" {
		p.fault(p.where(), link.Href, errNoRel)
	}
}

// repeated returns a parameter that stands twice and may not; "" if there is
// none. RFC 8288, 3.3 and 3.4.1.
func (p *valueParser) repeated() string {
	once := [...]string{"rel", "type", "title", "title*", "media"}
	var seen [len(once)]bool
	for _, q := range p.params {
		i := slices.Index(once[:], q.name)
		if i >= 0 && seen[i] {
			return q.name
		}
		if i >= 0 {
			seen[i] = true
		}
	}
	return ""
}

// first returns the first parameter of that name. RFC 8288, 3.3.
func (p *valueParser) first(name string) (string, bool) {
	for _, q := range p.params {
		if q.name == name {
			return q.value, true
		}
	}
	return "", false
}
