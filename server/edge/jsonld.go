package edge

import (
	"bytes"
	"context"
	"encoding/json"
	stdhtml "html"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"fingerpost/bridge/vocabulary"
)

// Describe returns the JSON-LD about the object of a landing page, and false if
// there is none. It is called like a Lookup, for a page that has links.
type Describe func(ctx context.Context, page string) (Description, bool)

// Description is JSON-LD about an object.
type Description struct {
	JSON    []byte // in ASCII without <, so that it can stand in any page
	Profile string // that it conforms to; "" for none
	// Names reports whether an address or an identifier is the object's.
	Names func(id string) bool
}

// script is the element that the description stands in, with the attributes that
// CDIF asks for: metadata publication, option 1.
func (d *Description) script() []byte {
	for _, c := range d.JSON {
		if c == '<' || c > '~' {
			return nil // it could end the element, or be read in the page's character set
		}
	}
	b := []byte(`<script type="application/ld+json"`)
	if d.Profile != "" {
		b = append(b, ` profile="`+stdhtml.EscapeString(d.Profile)+`"`...)
	}
	b = append(append(b, ">\n"...), d.JSON...)
	return append(b, "</script>\n"...)
}

// describesItself reports whether a page has JSON-LD about its object, wherever
// it stands. A second one would contradict it, or be counted as another object.
func (d *Description) describesItself(page []byte) bool {
	if !mayHaveJSONLD(page) {
		return false
	}
	z, inScript := html.NewTokenizer(bytes.NewReader(page)), false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken, html.SelfClosingTagToken:
			inScript = startsJSONLD(z)
		case html.TextToken:
			if inScript && d.isIn(z.Raw()) {
				return true
			}
		default:
			inScript = false
		}
	}
}

// mayHaveJSONLD reports whether the media type stands somewhere in a page: most
// pages need not be looked at further. Its plus sign may be a reference.
func mayHaveJSONLD(page []byte) bool {
	for _, plus := range [...]string{"+", "&#43;", "&#x2b;", "&plus;"} {
		for at := 0; ; at++ {
			i := bytes.IndexByte(page[at:], plus[0])
			if i < 0 {
				break
			}
			at += i
			if isAt(page, at, plus+"json") && isAt(page, at-len("ld"), "ld") {
				return true
			}
		}
	}
	return false
}

// isAt reports whether a text stands at a place, in whatever case.
func isAt(page []byte, at int, text string) bool {
	return at >= 0 && at+len(text) <= len(page) && strings.EqualFold(string(page[at:at+len(text)]), text)
}

// startsJSONLD reads the attributes of a start tag.
func startsJSONLD(z *html.Tokenizer) bool {
	name, more := z.TagName()
	if string(name) != "script" {
		return false
	}
	for more {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == "type" {
			mediaType, _, _ := strings.Cut(string(value), ";")
			return strings.EqualFold(strings.TrimSpace(mediaType), "application/ld+json")
		}
	}
	return false
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// isIn reports whether a script is about the object. Of one that is not JSON every
// text counts: programs differ in what they read of it.
func (d *Description) isIn(script []byte) bool {
	begin, end := bytes.IndexAny(script, "{["), bytes.LastIndexAny(script, "]}") // without comments around it
	if begin < 0 || end < begin {
		return false
	}
	var v any
	if json.Unmarshal(script[begin:end+1], &v) == nil {
		return d.isNode(v, maxNesting)
	}
	return slices.ContainsFunc(quoted.FindAllString(string(script), -1), func(s string) bool {
		s = strings.ReplaceAll(strings.Trim(s, `"`), `\/`, "/")
		return isWork(s) || d.Names(s)
	})
}

// maxNesting is how deep nodes are looked for.
const maxNesting = 8

// isNode reports whether a value of JSON-LD is a node about the object, or one is
// in it: what is cited there, or is a part, is not the object.
func (d *Description) isNode(v any, depth int) bool {
	if depth == 0 {
		return false
	}
	if list, ok := v.([]any); ok {
		return slices.ContainsFunc(list, func(v any) bool { return d.isNode(v, depth-1) })
	}
	node, ok := v.(map[string]any)
	if !ok {
		return false
	}
	site, named := false, false
	for key, value := range node {
		switch localName(key) {
		case "@type", "type":
			types := texts(value)
			site = site || slices.ContainsFunc(types, isSite)
			named = named || slices.ContainsFunc(types, isWork)
		case "@id", "id", "url", "identifier":
			named = named || slices.ContainsFunc(texts(value), d.Names)
		case "@graph", "mainEntity":
			if d.isNode(value, depth-1) {
				return true
			}
		}
	}
	return named && !site
}

// texts are the texts of a value: itself, those of a list, or the one in a node.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			out = append(out, texts(one)...)
		}
	case map[string]any:
		for key, value := range v {
			switch s, ok := value.(string); localName(key) {
			case "@id", "@value", "value", "url":
				if ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// localName is a term without its namespace, such as schema:, and in whatever
// form that is written.
func localName(term string) string { return term[strings.LastIndexAny(term, "/#:")+1:] }

// isSite reports whether a type is that of the site around the page.
func isSite(class string) bool {
	switch localName(class) {
	case "WebSite", "Organization", "BreadcrumbList":
		return true
	}
	return false
}

// isWork reports whether a type is that of a work in a repository, as schema.org
// or another vocabulary calls it.
func isWork(class string) bool {
	name := localName(class)
	work, ok := vocabulary.Work(name)
	return ok && work == name
}
