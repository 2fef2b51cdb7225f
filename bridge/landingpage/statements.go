package landingpage

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fingerpost/bridge/linkset"
)

// How much is kept of a page.
const (
	mostStatements = 10_000
	mostOfName     = 1_000 // so that many authors leave room for what comes after them
	mostLicences   = 20    // addresses that the body calls a licence
	mostWorks      = 50    // objects of JSON-LD
	longestValue   = 4 << 10
	longestName    = 100
)

// statement is an element of the record.
type statement struct {
	name, value    string
	typ, scheme    string // attributes
	title, profile string
	parts          []statement // of an object of JSON-LD
}

// statements is what a page states.
type statements struct {
	page  Page
	base  string // that the page sets
	title string

	headers, links, metas []statement
	licences              []statement // of the body
	works                 []statement
	form                  bool // for a password
	count                 int
	named                 map[string]int // how many of each name
	template              int            // elements that are open
}

// room reports whether one more statement of a name is kept.
func (s *statements) room(name string) bool {
	if s.named == nil {
		s.named = map[string]int{}
	}
	if s.count == mostStatements || s.named[name] == mostOfName {
		return false
	}
	s.count++
	s.named[name]++
	return true
}

// header reads the Link header.
func (s *statements) header() {
	set, _ := linkset.ParseHeader(s.page.Header.Values("Link"), s.page.URL) // a link that is no link costs that link
	for _, l := range set {
		if l.Anchor == s.page.URL || l.Anchor == s.page.Asked {
			s.headers = s.link(s.headers, l.Rel, l.Href, l.Type, l.Profile, "")
		}
	}
}

// relations are the types of links that count, by their names in the record.
var relations = map[string]string{
	"license": "license", "canonical": "canonical", "alternate": "alternate", "cite-as": "cite-as", "item": "item",
	"describedby": "describedby", "author": "author", "type": "type", "linkset": "linkset",
	"http://www.w3.org/ns/ldp#inbox": "inbox", "https://www.w3.org/ns/ldp#inbox": "inbox",
}

// link appends a link, if its relation type counts.
func (s *statements) link(to []statement, rel, href, mediaType, profile, title string) []statement {
	name := relations[rel]
	if name == "" || href == "" || len(href) > longestValue || !s.room(name) {
		return to
	}
	return append(to, statement{name: name, value: href, typ: mediaType, profile: profile, title: title})
}

// body reads the elements of a page. Where they stand does not count: what is in
// the head for one parser is in the body for another.
func (s *statements) body(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			s.startTag(z)
		case html.EndTagToken:
			if name, _ := z.TagName(); s.template > 0 && atom.Lookup(name) == atom.Template {
				s.template--
			}
		}
	}
}

// startTag reads the elements that can state something.
func (s *statements) startTag(z *html.Tokenizer) {
	raw := z.Raw()
	name, more := z.TagName()
	tag := atom.Lookup(name)
	switch tag {
	case atom.Template: // nothing in it is part of the page
		s.template++
		return
	case atom.Title:
		if s.title == "" && z.Next() == html.TextToken {
			s.title = strings.TrimSpace(string(z.Text()))
		}
		return
	case atom.A, atom.Area: // a page has thousands
		more = more && (bytes.Contains(raw, []byte("icense")) || bytes.Contains(raw, []byte("ICENSE")))
	case atom.Base, atom.Meta, atom.Link, atom.Script, atom.Input:
	default:
		return
	}
	if !more || s.template > 0 {
		return
	}
	a := attributesOf(z)
	switch tag {
	case atom.Base:
		if s.base == "" {
			s.base = strings.TrimSpace(a.href)
		}
	case atom.Meta:
		s.meta(a)
	case atom.Link:
		s.linkElement(a)
	case atom.Script:
		if strings.EqualFold(strings.TrimSpace(a.typ), "application/ld+json") && z.Next() == html.TextToken {
			s.jsonLD(z.Raw())
		}
	case atom.A, atom.Area:
		if hasWord(a.rel, "license") {
			s.licence(a.href)
		}
	case atom.Input:
		s.form = s.form || strings.EqualFold(a.typ, "password")
	}
}

// attributes are those that count, of any of the elements.
type attributes struct {
	name, property, content, scheme      string // meta
	rel, href, typ, profile, title, lang string // link, a, script
	media                                string
}

func attributesOf(z *html.Tokenizer) (a attributes) {
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		to := a.field(string(key))
		if to != nil && *to == "" { // of one that is repeated, the first counts
			*to = string(value)
		}
	}
	return a
}

func (a *attributes) field(name string) *string {
	switch name {
	case "name":
		return &a.name
	case "property":
		return &a.property
	case "content", "contents":
		return &a.content
	case "scheme":
		return &a.scheme
	case "rel":
		return &a.rel
	case "href":
		return &a.href
	case "type":
		return &a.typ
	case "profile":
		return &a.profile
	case "title":
		return &a.title
	case "hreflang":
		return &a.lang
	case "media":
		return &a.media
	}
	return nil
}

// vocabularies begin the names of meta elements that count, in lower case.
var vocabularies = [...]string{"citation_", "bepress_citation_", "eprints.", "dc.", "dc:", "dcterms.", "dcterms:", "prism.", "prism:"}

// passedOver are parts of names whose values are about other works, or are long
// and lead to no link.
var passedOver = [...]string{"reference", "cited_by", "abstract", "description", "keyword", "subject", "bibliographiccitation"}

var elementName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// meta keeps a meta element of one of the vocabularies.
func (s *statements) meta(a attributes) {
	name := a.name
	if name == "" {
		name = a.property
	}
	value := strings.TrimSpace(a.content)
	if !counts(strings.ToLower(name)) || value == "" || len(value) > longestValue || len(name) > longestName {
		return
	}
	name = strings.ReplaceAll(name, ":", ".")
	if elementName.MatchString(name) && s.room(name) {
		s.metas = append(s.metas, statement{name: name, value: value, scheme: a.scheme})
	}
}

// counts reports whether a meta element of that name can lead to a link.
func counts(name string) bool {
	for _, v := range vocabularies {
		if strings.HasPrefix(name, v) {
			for _, part := range passedOver {
				if strings.Contains(name, part) {
					// The address of the page with the abstract is that of the landing page.
					return strings.HasSuffix(name, "abstract_html_url")
				}
			}
			return true
		}
	}
	return name == "doi"
}

// linkElement keeps a link element. One that is for a device, or for readers of
// another language, is no link of the object.
func (s *statements) linkElement(a attributes) {
	if a.media != "" || a.lang != "" || hasWord(a.rel, "stylesheet") || hasWord(a.rel, "icon") {
		return
	}
	for rel := range strings.FieldsSeq(a.rel) {
		if !strings.Contains(rel, ":") {
			rel = strings.ToLower(rel)
		}
		s.links = s.link(s.links, rel, strings.TrimSpace(a.href), strings.TrimSpace(a.typ), strings.TrimSpace(a.profile), strings.TrimSpace(a.title))
	}
}

// licence keeps an address that the body calls a licence.
func (s *statements) licence(href string) {
	href = strings.TrimSpace(href)
	for _, l := range s.licences {
		if l.value == href {
			return
		}
	}
	if href != "" && len(href) <= longestValue && len(s.licences) < mostLicences {
		s.licences = append(s.licences, statement{name: "license", value: href})
	}
}

// hasWord reports whether a list of words has one, in whatever case.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
