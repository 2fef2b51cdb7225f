package verify

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

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
	BotCheck string          // the bot check that answered instead of the page; "" if none is seen

	got, headed *answer // headed is nil if there was no answer
	faults      []error // of the form of the HTML
}

// LandingPage requests a page by GET and by HEAD, and reads its links. An
// *UnreachableError says that there was no answer to GET; an error status is an
// answer, and its links are read too.
func LandingPage(ctx context.Context, c *Client, url string) (Landing, error) {
	v, ctx, end, err := c.begin(ctx, url)
	if err != nil {
		return Landing{}, err
	}
	defer end()
	return v.landing(ctx, url)
}

// Resource requests a file or metadata by HEAD, and reads the links in the header. An *UnreachableError says that there was no answer; one with an error
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
		p.HTML, err = linkset.ParseHTML(bytes.NewReader(get.html()), get.url)
		p.faults = formErrors(err)
	}
	if get.status >= 300 || len(signposts(p.Header))+len(signposts(p.HTML)) == 0 {
		p.BotCheck = outbound.BotCheck(get.status, get.header, get.body)
	}
	if p.headed, err = v.head(ctx, url, acceptPage); err == nil && p.headed.status == get.status {
		p.Head = p.headed.links()
	}
	return p, nil
}

// page checks what can be said of the page without its links.
func (c *check) page() {
	get := c.got
	switch {
	case get.status == http.StatusGone:
		c.add("FP-PAGE-GONE", "The page at %s says that its object was removed (status 410).", get.url)
		if len(c.own.Rel("cite-as")) == 0 {
			c.add("FP-PAGE-GONE-CITE-AS", "The page at %s stands for a removed object, but does not name its identifier.", get.url)
		}
	case c.BotCheck != "":
		c.add("FP-PAGE-BOT-CHECK", "The bot check of %s answers in place of the page at %s, with status %d.", c.BotCheck, get.url, get.status)
	case get.status >= 300:
		c.add("FP-PAGE-STATUS", "The page at %s answers with status %d.", get.url, get.status)
	case get.status == http.StatusNonAuthoritativeInfo:
		c.add("FP-PAGE-203", "The page at %s answers with status 203, so something between the repository and its readers has changed it.", get.url)
	}
	if get.compression() != "" {
		c.add("FP-PAGE-ENCODING", "The page at %s is compressed (%s), which the request did not accept.", get.url, get.compression())
	}
	if get.cut {
		c.add("FP-PAGE-CUT", "The page at %s is larger than %d bytes; what follows them was not read.", get.url, maxPage)
	}
}

// headEqualsGet compares the answers to HEAD and GET. RFC 9110, 9.3.2.
func (c *check) headEqualsGet() {
	get, head := c.got, c.headed
	switch {
	case head == nil && get.status >= 400: // a busy server may have asked for a pause
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
