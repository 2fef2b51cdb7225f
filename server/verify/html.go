package verify

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"fingerpost/bridge/linkset"
)

func (p *Landing) isHTML() bool {
	switch p.got.mediaType() {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// encoding is that of the page, and its name. HTML, 13.2.3.2; but valid UTF-8 is
// taken for UTF-8 where no encoding is declared.
func (a *answer) encoding() (e encoding.Encoding, name string) {
	e, name, certain := charset.DetermineEncoding(a.body, a.header.Get("Content-Type"))
	if !certain && utf8.Valid(a.body) {
		return encoding.Nop, "utf-8"
	}
	return e, name
}

// html is the page in UTF-8, with U+FFFD for bytes that its encoding does not
// define.
func (a *answer) html() []byte {
	e, _ := a.encoding()
	page, _ := e.NewDecoder().Bytes(a.body)
	return page
}

// html checks the link elements of the page.
func (c *check) html() {
	if !c.isHTML() {
		return
	}
	body := c.got.html()
	if _, name := c.got.encoding(); strings.HasPrefix(name, "utf-16") {
		c.add("FP-HTML-UTF-16", "The page at %s is in %s.", c.FinalURL, strings.ToUpper(name))
	}
	for _, fault := range c.faults {
		c.add("FP-HTML-FORM", "In the HTML, %v.", fault)
	}
	read := len(c.faults) // of the Signposting links in the page
	for _, l := range c.HTML {
		if !isSignposting(l.Rel) {
			continue
		}
		read++
		if err := checkLink(l); err != nil {
			c.add("FP-HTML-LINK", "In the HTML, the link to %s has an invalid value: %v.", l.Href, err)
		}
	}
	elements, refresh := elementsOf(body)
	if next := c.got.resolved(refresh); refresh != "" && next != c.FinalURL {
		c.add("FP-PAGE-REFRESH", "The page at %s leads browsers on to %s.", c.FinalURL, next)
	}
	stand := 0
	for _, e := range elements {
		names := signpostingRels(e.rel)
		stand += len(names)
		if len(names) > 1 {
			c.add("FP-HTML-REL-LIST", "In the HTML, the link to %s has several relations in one: %s.", e.href, e.rel)
		}
	}
	if stand > read {
		c.add("FP-HTML-IN-BODY", "%d of the %d Signposting link elements of the page are outside its head, or after something that ends it.", stand-read, stand)
	}
}

// An element is a link element anywhere in a page.
type element struct{ rel, href string }

// elementsOf returns the link elements of a page, and the target of a refresh
// within seconds; "" if there is none.
func elementsOf(page []byte) (links []element, refresh string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links, refresh
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch href := attribute(t, "href"); {
			case t.DataAtom == atom.Link && href != "" && len(links) < linkset.MaxLinks:
				links = append(links, element{attribute(t, "rel"), href})
			case t.DataAtom == atom.Meta && refresh == "" && strings.EqualFold(attribute(t, "http-equiv"), "refresh"):
				if match := soon.FindStringSubmatch(attribute(t, "content")); match != nil {
					refresh = match[1]
				}
			}
		}
	}
}

// soon is a refresh within ten seconds. HTML, 4.2.5.3.
var soon = regexp.MustCompile(`(?i)^\s*[0-9](?:\.[0-9]*)?\s*[;,]\s*url\s*=\s*["']?([^"'\s]+)`)

// attribute is an attribute of a tag; "" if it has none of that name.
func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
