package bridge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
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
func (v *view) applyRules() {
	if len(v.mapping.rules) == 0 {
		return
	}
	r := ruling{v, map[place]bool{}}
	for i, doc := range v.statements.Docs {
		r.element(doc.Root, uint8(i))
		for e := range doc.Root.Descendants() {
			r.element(e, uint8(i))
		}
	}
	v.statements.List = slices.DeleteFunc(v.statements.List, func(st crosswalk.Statement) bool { return r.dropped[place{st.At, st.Attr}] })
}

// ruling applies the administrator's rules.
type ruling struct {
	*view
	dropped map[place]bool
}

// element applies all rules to an element of a document.
func (r ruling) element(e element.Element, doc uint8) {
	for i := range r.mapping.rules {
		rule := &r.mapping.rules[i]
		if e.Local() != rule.local || rule.prefix != "" && rule.prefix != r.statements.Docs[doc].Prefix {
			continue
		}
		value := e.Text()
		if rule.attr != "" {
			value = e.Attr(rule.attr)
		}
		value = text.Clean(value)
		found := rule.match.FindStringSubmatchIndex(value)
		if found == nil {
			continue
		}
		st := &crosswalk.Statement{Doc: doc, At: e, Attr: rule.attr, Value: value}
		if rule.As == "drop" {
			r.notes.reject("", ruleName(i), "dropped by the administrator's rule", st)
			r.dropped[place{e, rule.attr}] = true
			return
		}
		template, ok := fillTemplate(rule.Value, func(name string) string {
			return strings.ReplaceAll(r.variable(name, nil), "$", "$$")
		})
		if ok {
			r.take(rule, string(rule.match.ExpandString(nil, template, value, found)), st, i)
		}
	}
}

// take keeps what a rule gave, unless an earlier one gave it already.
func (r ruling) take(rule *compiledRule, value string, st *crosswalk.Statement, n int) {
	name, rel := ruleName(n), rule.rel()
	uri, ok := rule.target(value)
	if !ok {
		r.notes.reject(rel, name, fmt.Sprintf("the rule makes %q of it, which cannot be linked", value), st)
		return
	}
	taken := false
	keep := func(field *string) {
		if taken = *field != ""; !taken {
			*field = uri
		}
	}
	switch rule.As {
	case "landing_page":
		keep(&r.ruled.landingPage)
	case "cite_as":
		keep(&r.ruled.citeAs)
	case "license":
		keep(&r.ruled.license)
	case "type":
		keep(&r.ruled.typ)
	case "item":
		media, by := r.typeFile("", uri, st, nil)
		r.ruled.items = append(r.ruled.items, ContentResource{URL: uri, MediaType: media})
		r.noteType(uri, media, true, by)
	}
	if taken {
		r.notes.reject(rel, name, "an earlier value fits a rule for the same", st)
		return
	}
	r.notes.accept(rel, uri, name, st)
}

// target makes what is linked of a rule's value.
func (r *compiledRule) target(value string) (string, bool) {
	switch r.As {
	case "cite_as":
		if id, ok := identifier.Parse(value); ok && id.URI != "" {
			return id.URI, true
		}
	case "license":
		if licence, err := vocabulary.LicenceOf(value); err == nil {
			return licence, true
		}
	case "type":
		if class, ok := vocabulary.TypeOf(value); ok {
			return class.URI, true
		}
	}
	a, ok := uri.Parse(value)
	return a.URL, ok && !isPlaceholder(a.Host)
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
