package verify

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

const acceptPage = "text/html, application/xhtml+xml;q=0.9, */*;q=0.8"

// Landing is a landing page as it is seen from outside.
type Landing struct {
	URL      string // as it was asked for
	FinalURL string // after redirects
	Status   int
	Head     linkset.LinkSet // of the header, by HEAD; none if HEAD is refused
	Header   linkset.LinkSet // of the header, by GET
	HTML     linkset.LinkSet // of the link elements in the head of the HTML

	got, headed *answer // headed is nil if there was no answer
}

// LandingPage asks for a page by GET and by HEAD, and reads its links. An
// *UnreachableError says that there was no answer to GET; an answer with an
// error status is none, and its links are read too.
func LandingPage(ctx context.Context, c *Client, url string) (Landing, error) {
	v, ctx, end, err := c.begin(ctx, url)
	if err != nil {
		return Landing{}, err
	}
	defer end()
	return v.landing(ctx, url)
}

// Resource asks for a file or for metadata by HEAD, and reads the links in the
// header. An *UnreachableError says that there was no answer; one with an error
// status is an error.
func Resource(ctx context.Context, c *Client, url string) (linkset.LinkSet, error) {
	v, ctx, end, err := c.begin(ctx, url)
	if err != nil {
		return nil, err
	}
	defer end()
	a, err := v.head(ctx, url, "*/*")
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("%s is answered with status %d", outbound.Printable(url, 200), a.status)
	}
	if err != nil {
		return nil, err
	}
	return a.links(), nil
}

func (v *visit) landing(ctx context.Context, url string) (Landing, error) {
	get, err := v.get(ctx, url, acceptPage, maxPage)
	if err != nil {
		return Landing{}, err
	}
	p := Landing{URL: url, FinalURL: get.url, Status: get.status, Header: get.links(), got: get}
	if p.isHTML() {
		p.HTML, _ = linkset.ParseHTML(bytes.NewReader(get.html()), get.url)
	}
	if p.headed, err = v.head(ctx, url, acceptPage); err == nil && p.headed.status == get.status {
		p.Head = p.headed.links()
	}
	return p, nil
}

func (p *Landing) isHTML() bool {
	switch p.got.mediaType() {
	case "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// encoding is that of the page, and its name. HTML, 13.2.3.2; but what is
// UTF-8 throughout is taken for it where nothing says what it is.
func (a *answer) encoding() (e encoding.Encoding, name string) {
	e, name, certain := charset.DetermineEncoding(a.body, a.header.Get("Content-Type"))
	if !certain && utf8.Valid(a.body) {
		return encoding.Nop, "utf-8"
	}
	return e, name
}

// html is the page in UTF-8, with U+FFFD for what its encoding has not.
func (a *answer) html() []byte {
	e, _ := a.encoding()
	page, _ := e.NewDecoder().Bytes(a.body)
	return page
}

// page checks what can be said of the page without its links.
func (c *check) page() {
	get := c.got
	switch {
	case get.status == http.StatusGone:
		c.add("FP-PAGE-GONE", "The page at %s says that its object was removed (status 410).", get.url)
		if len(c.own.Rel("cite-as")) == 0 {
			c.add("FP-PAGE-GONE-CITE-AS", "The page at %s stands for a removed object and does not say which identifier that had.", get.url)
		}
	case get.status >= 300:
		c.add("FP-PAGE-STATUS", "The page at %s answers with status %d.", get.url, get.status)
	case get.status == http.StatusNonAuthoritativeInfo:
		c.add("FP-PAGE-203", "The page at %s answers with status 203, so something between the repository and its readers has changed it.", get.url)
	}
	if get.compression() != "" {
		c.add("FP-PAGE-ENCODING", "The page at %s is compressed (%s), which was not asked for.", get.url, get.compression())
	}
	if get.cut {
		c.add("FP-PAGE-CUT", "The page at %s is larger than %d bytes; what follows them was not read.", get.url, maxPage)
	}
}

// headEqualsGet holds the answer to HEAD against that to GET. RFC 9110, 9.3.2.
func (c *check) headEqualsGet() {
	get, head := c.got, c.headed
	switch {
	case head == nil && get.status >= 400: // it was perhaps not asked again, as it says when it may be
	case head == nil:
		c.add("FP-HEAD-FAILED", "HEAD gives no answer, while GET does.")
	case head.status != get.status:
		c.add("FP-HEAD-FAILED", "HEAD is answered with status %d, GET with %d.", head.status, get.status)
	case head.url != get.url:
		c.add("FP-HEAD-FAILED", "HEAD leads to %s, GET to %s.", head.url, get.url)
	default:
		inHead, inGet := keysOf(c.Head), keysOf(c.Header)
		if lost, extra := inGet.without(inHead), inHead.without(inGet); len(lost)+len(extra) > 0 {
			c.add("FP-HEAD-LINKS", "The answers to HEAD and GET differ in their Link headers.%s%s",
				example(" Only GET has %s.", lost), example(" Only HEAD has %s.", extra))
		}
	}
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
	_, err := linkset.ParseHTML(bytes.NewReader(body), c.FinalURL)
	faults := formErrors(err)
	for _, fault := range faults {
		c.add("FP-HTML-FORM", "In the HTML, %v.", fault)
	}
	read := len(faults) // of the Signposting links that stand in the page
	for _, l := range c.HTML {
		if !isSignposting(l.Rel) {
			continue
		}
		read++
		if err := checkLink(l); err != nil {
			c.add("FP-HTML-LINK", "In the HTML, the link to %s has a value that it should not have: %v.", l.Href, err)
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
		c.add("FP-HTML-IN-BODY", "%d of the %d Signposting link elements of the page stand outside its head, or after something that ends it.", stand-read, stand)
	}
}

// An element is a link element as it stands anywhere in a page.
type element struct{ rel, href string }

// elementsOf returns the link elements of a page, and where it leads browsers
// on to within seconds; "" if it does not.
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

// formErrors returns the faults that a reader joined, as many as are reported.
func formErrors(err error) []error {
	var out []error
	switch e := err.(type) {
	case nil:
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			out = append(out, formErrors(one)...)
		}
	default:
		out = append(out, err)
	}
	return out
}

// checkLink is linkset.Check, but lets pass what a URI may have and only
// simple readers of headers stumble over, and several profiles.
func checkLink(l linkset.Link) error {
	if target, err := linkset.Target(l.Href); err == nil && isURI(l.Href) {
		l.Href = target
	}
	profiles := strings.Fields(l.Profile)
	l.Profile = ""
	err := linkset.Check(l)
	for i := 0; i < len(profiles) && err == nil; i++ {
		l.Profile = profiles[i]
		err = linkset.Check(l)
	}
	return err
}

// isURI tells whether s has only characters that a URI may have.
func isURI(s string) bool {
	u, err := linkset.URI(s)
	return err == nil && u == s
}
