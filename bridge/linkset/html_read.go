package linkset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ParseHTML reads the link elements of the page at base, up to the end of its
// head. Targets are resolved against the page's base element (HTML, 4.2.3),
// the context is the page itself. Each type of a rel makes a link of its own.
//
// The links that could be read are returned with an error too. It joins a
// *FormError for each fault, and the error of page, if it has one.
func ParseHTML(page io.Reader, base string) (LinkSet, error) {
	if base == "" {
		return nil, fmt.Errorf("base %w", &ValueError{base, ErrEmpty})
	}
	r, err := newReader(base)
	if err != nil {
		return nil, err
	}
	h := headReader{reader: r, context: base}
	limited := &io.LimitedReader{R: page, N: MaxDocument + 1}
	z := html.NewTokenizer(bufio.NewReader(limited))
	for h.next(z) {
	}
	switch err := z.Err(); {
	case errors.Is(err, io.EOF) && limited.N == 0:
		h.fault("the page's head", "", errTooLarge)
	case err != nil && !errors.Is(err, io.EOF):
		h.faults = append(h.faults, fmt.Errorf("read the page: %w", err))
	}
	h.resolveAll()
	return r.result()
}

// headReader reads the head of a page. Targets stay as they are until its
// base element is known.
type headReader struct {
	*reader
	context string
	baseRef string
	inert   int  // template elements that are open
	raw     bool // the next text is that of a title, a style or a script
}

// next reads a token. It is false at the end of the head.
func (h *headReader) next(z *html.Tokenizer) bool {
	switch z.Next() {
	case html.ErrorToken:
		return false
	case html.TextToken:
		text := strings.TrimLeft(string(z.Text()), space+"\uFEFF")
		inHead := h.raw || h.inert > 0 || text == ""
		h.raw = false
		return inHead // HTML, 13.2.6.4.4: anything else opens the body
	case html.EndTagToken:
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		if tag == atom.Template && h.inert > 0 {
			h.inert--
		}
		h.raw = false
		return tag != atom.Head
	case html.StartTagToken, html.SelfClosingTagToken:
		return h.startTag(z)
	}
	return true // comments and the doctype
}

// startTag reads a start tag: it is false where that opens the body.
func (h *headReader) startTag(z *html.Tokenizer) bool {
	token := z.Token()
	h.raw = false
	switch token.DataAtom {
	case atom.Template:
		h.inert++
	case atom.Html, atom.Head, atom.Meta, atom.Basefont, atom.Bgsound:
	case atom.Title, atom.Style, atom.Script, atom.Noscript, atom.Noframes:
		h.raw = true
	case atom.Link:
		if h.inert == 0 {
			h.link(token)
		}
	case atom.Base:
		if h.inert == 0 && h.baseRef == "" {
			h.baseRef = strings.Trim(attr(token, "href"), space)
		}
	default:
		return h.inert > 0
	}
	return true
}

func (h *headReader) link(token html.Token) {
	href := strings.Trim(attr(token, "href"), space)
	if href == "" {
		return // no link. HTML, 4.2.4
	}
	for rel := range rels(attr(token, "rel")) {
		if h.full() {
			return
		}
		h.links = append(h.links, Link{
			Anchor:  h.context,
			Rel:     rel,
			Href:    href,
			Type:    strings.Trim(attr(token, "type"), space),
			Profile: strings.Trim(attr(token, "profile"), space),
		})
	}
}

// attr returns an attribute: of one that is repeated, the first counts.
func attr(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// resolveAll resolves the targets, and leaves out those that are none.
func (h *headReader) resolveAll() {
	base := h.base
	if h.baseRef != "" {
		if u, err := resolve(h.base, h.baseRef); err != nil {
			h.fault("the base element", h.baseRef, err)
		} else if base, err = url.Parse(u); err != nil {
			h.fault("the base element", h.baseRef, errReference)
			base = h.base
		}
	}
	kept := h.links[:0]
	for i, l := range h.links {
		href, err := resolve(base, l.Href)
		if err != nil {
			h.fault(fmt.Sprintf("link element %d", i+1), l.Href, err)
			continue
		}
		l.Href = href
		kept = append(kept, l)
	}
	h.links = kept
}
