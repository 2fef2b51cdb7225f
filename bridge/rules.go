package bridge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fingerpost/bridge/element"
)

// Rule is an administrator's own: where the metadata says what no built-in
// rule knows. Of several rules for the same thing the first that fits wins.
type Rule struct {
	// Field names the element: "dc:identifier", or "identifier"; with a
	// metadata prefix, "oai_datacite/alternateIdentifier"; with an attribute,
	// "alternateIdentifier@alternateIdentifierType". A namespace prefix
	// before a colon is for the reader only.
	Field string
	// Match is a regular expression (RE2) that the value must contain; "" is
	// the whole of any value.
	Match string
	// As is what the value becomes: landing_page, item, cite_as, license,
	// type, or drop, which hides it from everything else.
	As string
	// Value is what is linked: the whole match if empty; $1 or ${name} stand
	// for its groups, {local} and {identifier} for the OAI identifier's.
	Value string
}

type compiledRule struct {
	Rule
	prefix, local, attr string
	match               *regexp.Regexp
}

// ruled is what an object's rules gave.
type ruled struct {
	landingPage, citeAs, license, typ string
	items                             []ContentResource
}

func compileRules(rules []Rule) ([]compiledRule, error) {
	out := make([]compiledRule, 0, len(rules))
	for i, r := range rules {
		c, err := compileRule(r)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func compileRule(r Rule) (compiledRule, error) {
	c := compiledRule{Rule: r, local: r.Field}
	if before, after, ok := strings.Cut(c.local, "/"); ok {
		c.prefix, c.local = before, after
	}
	c.local, c.attr, _ = strings.Cut(c.local, "@")
	c.local = c.local[strings.LastIndexByte(c.local, ':')+1:]
	if c.local == "" {
		return c, fmt.Errorf("field %q names no element; write for example dc:identifier", r.Field)
	}
	switch r.As {
	case "landing_page", "item", "cite_as", "license", "type", "drop":
	default:
		return c, fmt.Errorf("as %q is not known; use landing_page, item, cite_as, license, type or drop", r.As)
	}
	match, err := regexp.Compile(cmp.Or(r.Match, "(?s)^.*$"))
	if err != nil {
		return c, fmt.Errorf("match %q is not a regular expression: %w", r.Match, err)
	}
	c.match = match
	if c.Value == "" {
		c.Value = "$0"
	}
	return c, nil
}

// applyRules runs the administrator's rules over all elements.
func (d *decision) applyRules() {
	if len(d.mapping.rules) == 0 {
		return
	}
	dropped := map[place]bool{}
	for i, doc := range d.statements.docs {
		d.applyRulesTo(doc.root, uint8(i), dropped)
		for e := range doc.root.Descendants() {
			d.applyRulesTo(e, uint8(i), dropped)
		}
	}
	d.statements.list = slices.DeleteFunc(d.statements.list, func(st statement) bool { return dropped[place{st.at, st.attr}] })
}

func (d *decision) applyRulesTo(e element.Element, doc uint8, dropped map[place]bool) {
	for i := range d.mapping.rules {
		r := &d.mapping.rules[i]
		if e.Local() != r.local || r.prefix != "" && r.prefix != d.statements.docs[doc].prefix {
			continue
		}
		value := e.Text()
		if r.attr != "" {
			value = e.Attr(r.attr)
		}
		value = cleanValue(value)
		found := r.match.FindStringSubmatchIndex(value)
		if found == nil {
			continue
		}
		st := &statement{doc: doc, at: e, attr: r.attr, value: value}
		if r.As == "drop" {
			d.reject("", ruleName(i), "dropped by the administrator's rule", st)
			dropped[place{e, r.attr}] = true
			return
		}
		template, ok := fillTemplate(r.Value, func(name string) string {
			return strings.ReplaceAll(d.variable(name, nil), "$", "$$")
		})
		if ok {
			d.rule(r, string(r.match.ExpandString(nil, template, value, found)), st, i)
		}
	}
}

// rule keeps what a rule gave, unless an earlier one gave it already.
func (d *decision) rule(r *compiledRule, value string, st *statement, n int) {
	name, rel := ruleName(n), r.rel()
	uri, ok := r.target(value)
	if !ok {
		d.reject(rel, name, fmt.Sprintf("the rule makes %q of it, which cannot be linked", value), st)
		return
	}
	taken := false
	keep := func(field *string) {
		if taken = *field != ""; !taken {
			*field = uri
		}
	}
	switch r.As {
	case "landing_page":
		keep(&d.ruled.landingPage)
	case "cite_as":
		keep(&d.ruled.citeAs)
	case "license":
		keep(&d.ruled.license)
	case "type":
		keep(&d.ruled.typ)
	case "item":
		media, by := d.typeFile("", uri, st, nil)
		d.ruled.items = append(d.ruled.items, ContentResource{URL: uri, MediaType: media})
		d.noteType(uri, media, true, by)
	}
	if taken {
		d.reject(rel, name, "an earlier value fits a rule for the same", st)
		return
	}
	d.accept(rel, uri, name, st)
}

// target makes what is linked of a rule's value.
func (r *compiledRule) target(value string) (string, bool) {
	switch r.As {
	case "cite_as":
		if id, ok := ParseIdentifier(value); ok && id.URI != "" {
			return id.URI, true
		}
	case "license":
		if uri, err := licenceOf(value); err == nil {
			return uri, true
		}
	case "type":
		if t, ok := typeOf(value); ok {
			return t.uri, true
		}
	}
	a, ok := parseAddress(value)
	return a.raw, ok && !isPlaceholder(a.host)
}

// rel says for explain what a rule is about.
func (r *compiledRule) rel() string {
	switch r.As {
	case "landing_page":
		return LandingPageEvidence
	case "cite_as":
		return relCiteAs
	case "license":
		return relLicense
	case "type":
		return relType
	}
	return relItem
}

func ruleName(i int) string {
	return fmt.Sprintf("rule %d", i+1)
}
