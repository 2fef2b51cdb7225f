package bridge

import (
	"strings"
)

// decision is the mapping of one object: what is said, and what follows.
// Rules carry the names under which the documentation explains them.
type decision struct {
	mapping    *Mapping
	identifier oaiIdentifier
	statements statements
	ruled      ruled
	candidates []candidate
	own        []ownIdentifier
	page       LandingPage               // once it is found
	paired     map[*statement]*statement // files and the formats they were paired with, for the trace
	known      known
	trace      *Trace
}

// known is what is remembered from object to object.
type known struct {
	licences   memo[string]
	types      memo[typeMatch]
	mediaTypes memo[string]
}

// begin forgets the object before, but for the memory that it took: the lists
// of a decision are its own, and no Object is made of them.
func (d *decision) begin(identifier string, trace *Trace) {
	*d = decision{
		mapping:    d.mapping,
		identifier: splitIdentifier(identifier, d.mapping.platform.localPrefix),
		statements: statements{list: again(d.statements.list), docs: again(d.statements.docs), parsers: d.statements.parsers},
		candidates: again(d.candidates),
		own:        again(d.own),
		known:      d.known,
		trace:      trace,
	}
}

// again is an empty list in the memory of another, unless that is uncommonly
// large.
func again[T any](list []T) []T {
	const common = 1024
	if cap(list) > common {
		return nil
	}
	return list[:0]
}

// candidate is a value of dc:identifier, dc:relation or dc:source, looked at
// once for all decisions.
type candidate struct {
	*statement
	address // of an http URL; raw is "" if it is none
	id      Identifier
	isID    bool // id is set
	file    bool // the URL of a file, by its form
	own     bool // on the repository's host
	match   match
	refused string // why it can be nothing at all
}

// consider looks at every loose value.
func (d *decision) consider() {
	for i := range d.statements.list {
		st := &d.statements.list[i]
		switch st.kind {
		case identifier, relation, source:
			d.candidates = append(d.candidates, candidate{statement: st})
			d.look(&d.candidates[len(d.candidates)-1])
		}
	}
}

// look finds out what there is to know about a value.
func (d *decision) look(c *candidate) {
	if equalFold(c.scheme, "thumbnail") {
		c.refused = "a preview image, not a file of the object"
		return
	}
	c.id, c.isID = ParseIdentifier(c.value)
	value := d.absolute(c.value)
	var ok bool
	if c.address, ok = parseAddress(value); !ok {
		if strings.Contains(c.value, "://") && !c.isID {
			c.refused = "not an absolute http URL that may be linked"
		}
		return
	}
	if isPlaceholder(c.host) {
		c.refused = "the host is a placeholder"
		return
	}
	if c.isID && c.id.Scheme == Handle && !c.id.Persistent() {
		c.refused = "the Handle prefix " + c.id.Prefix + " is registered to nobody"
		return
	}
	if p := d.mapping.platform.localPrefix; p != "" && hasSuffixFold(strings.TrimRight(c.rest, "/"), "/"+p) {
		c.refused = "an address that is cut off before its number"
		return
	}
	if strings.Contains(c.rest, "verb=GetRecord") {
		c.refused = "a request to an OAI-PMH interface"
		return
	}
	c.own = d.ownHost(c.host)
	c.match = d.identifier.in(c.address)
	c.file = isFileAt(c.host, c.rest) || containsAny(c.rest, d.mapping.platform.files) ||
		d.mapping.platform.filesBelow && isBelow(c.rest, d.identifier.key)
	if value != c.value && c.match == noMatch {
		c.refused = "a relative URL without the local part of the OAI identifier"
	}
}

// isBelow reports whether a path goes on after the local part with a number
// and a name, as EPrints' files do.
func isBelow(path, local string) bool {
	_, after, ok := strings.Cut(path, "/"+local+"/")
	number, name, more := strings.Cut(after, "/")
	return ok && more && isDigits(number) && name != ""
}

// absolute resolves a path against the repository's own host, as a few
// repositories print their own pages.
func (d *decision) absolute(value string) string {
	if !strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//") || strings.ContainsAny(value, " \\") {
		return value
	}
	return site(d.mapping.baseURL) + value
}

// isURL reports whether the candidate may be linked.
func (c *candidate) isURL() bool {
	return c.raw != "" && c.refused == ""
}

// persistent reports whether the candidate is a persistent identifier.
func (c *candidate) persistent() bool {
	return c.isID && c.refused == "" && c.id.Persistent()
}

func isPersistent(value string) bool {
	id, ok := ParseIdentifier(value)
	return ok && id.Persistent()
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// each calls f for every statement of a kind.
func (d *decision) each(k kind, f func(*statement)) {
	for i := range d.statements.list {
		if st := &d.statements.list[i]; st.kind == k {
			f(st)
		}
	}
}
