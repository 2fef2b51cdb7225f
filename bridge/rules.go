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
	// Field names the element, as Evidence.From does or shorter: see field.
	Field string
	// Match is a regular expression (RE2) that the value must contain; "" is
	// the whole of any value.
	Match string
	// As is what the value becomes: landing_page, page_is_content, item, cite_as,
	// license, type, author, describedby, or drop, which hides it from
	// everything else.
	As string
	// Value is what is linked: the whole match if empty; $1 or ${name} stand
	// for its groups, {local} and {identifier} for the OAI identifier's.
	Value string
	// Item is the file that an author or a describedby is of, a template like
	// Value; "": the object's.
	Item string
	// MediaType and Profile are those of what is linked, of an item or a
	// describedby.
	MediaType string
	Profile   string
	// Place is where the rule stands in the configuration, for messages.
	Place string `json:"-"`
}

type compiledRule struct {
	Rule
	field field
	match *regexp.Regexp
}

// ruled is what an object's rules gave.
type ruled struct {
	landingPage, citeAs, license, typ string
	pageIsContent                     bool
	items                             []ContentResource
	authors                           []string
	describedBy                       []MetadataResource
	parts                             []part
}

// part is what a rule says of one file. FAIR Signposting, 2.2.2.
type part struct {
	item        string // its URL
	rel         string
	author      string
	describedBy MetadataResource
	rule        string
	from        *crosswalk.Statement
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
	c := compiledRule{Rule: r}
	var err error
	if c.field, err = parseField(r.Field); err != nil {
		return c, err
	}
	switch r.As {
	case "landing_page", "page_is_content", "item", "cite_as", "license", "type", "author", "describedby", "drop":
	default:
		return c, fmt.Errorf("as %q is not known; use landing_page, page_is_content, item, cite_as, license, type, author, describedby or drop", r.As)
	}
	if c.match, err = regexp.Compile(cmp.Or(r.Match, "(?s)^.*$")); err != nil {
		return c, fmt.Errorf("match %q is not a regular expression: %w", r.Match, err)
	}
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
	if v.matched == nil {
		v.matched = make([]bool, len(v.mapping.rules))
	}
	r := ruling{v, map[place]bool{}}
	for n := range v.mapping.rules {
		for i, doc := range v.statements.Docs {
			r.element(n, doc.Root, uint8(i))
			for e := range doc.Root.Descendants() {
				r.element(n, e, uint8(i))
			}
		}
	}
	v.statements.List = slices.DeleteFunc(v.statements.List, func(st crosswalk.Statement) bool { return r.dropped[place{st.At, st.Attr}] })
}

// ruling applies the administrator's rules.
type ruling struct {
	*view
	dropped map[place]bool
}

// element applies a rule to an element of a document.
func (r ruling) element(n int, e element.Element, doc uint8) {
	rule := &r.mapping.rules[n]
	at := place{e, rule.field.attr}
	if r.dropped[at] || !rule.field.names(e, r.statements.Docs[doc].Prefix) {
		return
	}
	value := e.Text()
	if rule.field.attr != "" {
		value = e.Attr(rule.field.attr)
	}
	value = text.Clean(value)
	found := rule.match.FindStringSubmatchIndex(value)
	if found == nil {
		return
	}
	r.matched[n] = true
	st := &crosswalk.Statement{Doc: doc, At: e, Attr: rule.field.attr, Value: value}
	if rule.As == "drop" {
		r.notes.reject("", ruleName(n), "dropped by the administrator's rule", st)
		r.dropped[at] = true
		return
	}
	fill := func(template string) (string, bool) {
		template, ok := fillTemplate(template, func(name string) string {
			return strings.ReplaceAll(r.variable(name, nil), "$", "$$")
		})
		return string(rule.match.ExpandString(nil, template, value, found)), ok
	}
	linked, ok := fill(rule.Value)
	item, both := fill(rule.Item)
	if ok && both {
		r.take(rule, linked, item, st, n)
	}
}

// take keeps what a rule gave, of the object or of one of its files, unless an
// earlier one gave it already.
func (r ruling) take(rule *compiledRule, value, item string, st *crosswalk.Statement, n int) {
	name, rel := ruleName(n), rule.rel()
	if rule.As == "page_is_content" {
		r.ruled.pageIsContent = true
		return
	}
	uri, ok := rule.target(value)
	if !ok {
		r.notes.reject(rel, name, fmt.Sprintf("the rule makes %q of it, which cannot be linked", value), st)
		return
	}
	document := MetadataResource{uri, cmp.Or(rule.MediaType, mediaTypeOfName(uri)), rule.Profile}
	taken := false
	keep := func(field *string) {
		if taken = *field != ""; !taken {
			*field = uri
		}
	}
	switch {
	case item != "" && (rule.As == "author" || rule.As == "describedby"):
		r.ruled.parts = append(r.ruled.parts, part{item, rel, uri, document, name, st})
		r.notes.acceptOf(item, rel, uri, name, st)
		return
	case rule.As == "landing_page":
		keep(&r.ruled.landingPage)
	case rule.As == "cite_as":
		keep(&r.ruled.citeAs)
	case rule.As == "license":
		keep(&r.ruled.license)
	case rule.As == "type":
		keep(&r.ruled.typ)
	case rule.As == "author":
		r.ruled.authors = append(r.ruled.authors, uri)
	case rule.As == "describedby":
		r.ruled.describedBy = append(r.ruled.describedBy, document)
	case rule.As == "item":
		media, by := r.typeFile(rule.MediaType, uri, st, nil)
		r.ruled.items = append(r.ruled.items, ContentResource{URL: uri, MediaType: media, Profile: rule.Profile})
		r.noteType(uri, media, true, by)
	}
	if taken {
		r.notes.reject(rel, name, "an earlier rule or value gives the same", st)
		return
	}
	r.notes.accept(rel, uri, name, st)
}

func mediaTypeOfName(uri string) string {
	t, _ := vocabulary.MediaTypeByExtension(uri)
	return t
}

// target makes what is linked of a rule's value.
func (r *compiledRule) target(value string) (string, bool) {
	switch r.As {
	case "cite_as":
		if id, ok := identifier.Parse(value); ok && id.URI != "" {
			return id.URI, true
		}
	case "author":
		if id, err := identifier.Author(value, ""); err == nil {
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
	case "landing_page", "page_is_content":
		return LandingPageEvidence
	case "cite_as":
		return relCiteAs
	case "license":
		return relLicense
	case "type":
		return relType
	case "author":
		return relAuthor
	case "describedby":
		return relDescribedBy
	}
	return relItem
}

func ruleName(i int) string {
	return fmt.Sprintf("rule %d", i+1)
}
