package verify

import (
	"errors"
	"net/http"
	"slices"

	"fingerpost/bridge/linkset"
)

// followLinks looks at what the page's links lead to: the identifier, then
// metadata, then files, as many as the options allow.
func (c *check) followLinks() {
	known := c.known
	for _, id := range targets(known, "cite-as") {
		c.identifier(id)
	}
	links := slices.Concat(known.Rel("describedby"), known.Rel("item"))
	most := c.options.MaxTargets
	if most == 0 {
		most = 50
	}
	if len(links) > most {
		c.add("FP-TARGETS-BOUND", "The page leads to %d files and metadata documents; %d of them were looked at.", len(links), most)
		links = links[:most]
	}
	for _, l := range links {
		switch {
		case c.ctx.Err() != nil:
			return
		case sameTarget(l.Href, c.FinalURL): // an article in HTML is its own landing page
		case l.Rel == "item":
			c.item(l)
		default:
			c.metadata(l)
		}
	}
}

// identifier resolves a persistent identifier: it should lead here.
func (c *check) identifier(id string) {
	if sameTarget(id, c.URL) || sameTarget(id, c.FinalURL) {
		return
	}
	a, err := c.headOrProbe(id, acceptPage)
	switch {
	case err != nil:
		c.add("FP-CITE-AS-DEAD", "The persistent identifier: %v.", err)
	case isRefusal(a.status):
		c.add("FP-TARGET-REFUSED", "The persistent identifier %s is answered with status %d.", id, a.status)
	case a.status >= 400 && a.status != http.StatusGone:
		c.add("FP-CITE-AS-DEAD", "The persistent identifier %s is answered with status %d.", id, a.status)
	case a.url != c.FinalURL:
		c.add("FP-CITE-AS-ELSEWHERE", "The persistent identifier %s leads to %s, and this page is %s.", id, a.url, c.FinalURL)
	}
}

// headOrProbe asks by HEAD, and for the first byte where that is not allowed.
func (c *check) headOrProbe(url, accept string) (*answer, error) {
	a, err := c.head(c.ctx, url, accept)
	if err != nil || a.status != http.StatusMethodNotAllowed && a.status != http.StatusNotImplemented {
		return a, err
	}
	c.add("FP-TARGET-HEAD", "HEAD is not allowed at %s (status %d).", url, a.status)
	return c.probe(c.ctx, url, accept)
}

// isRefusal tells the statuses that say: not you, or not now.
func isRefusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// target asks for what a link leads to, and holds its media type against that
// of the link; nil if there is nothing more to see. Findings begin with prefix.
func (c *check) target(l linkset.Link, prefix, what string) *answer {
	declared, _ := linkset.MediaType(l.Type)
	accept := "*/*"
	if declared != "" {
		accept = declared + ", */*;q=0.1"
	}
	a, err := c.headOrProbe(l.Href, accept)
	switch {
	case errors.Is(err, errParked):
		c.add("FP-TARGET-REFUSED", "%s: %v.", what, err)
		return nil
	case err != nil:
		if c.ctx.Err() == nil {
			c.add(prefix+"DEAD", "%s: %v.", what, err)
		}
		return nil
	case isRefusal(a.status):
		c.add("FP-TARGET-REFUSED", "%s at %s is answered with status %d.", what, l.Href, a.status)
		return a
	case a.status >= 300 && a.status != http.StatusRequestedRangeNotSatisfiable:
		c.add(prefix+"DEAD", "%s at %s is answered with status %d.", what, l.Href, a.status)
		return nil
	}
	switch own := a.mediaType(); {
	case a.header.Get("Content-Type") == "":
		c.add(prefix+"NO-MEDIA-TYPE", "%s at %s is answered without Content-Type.", what, l.Href)
	case declared != "" && own != declared:
		c.add(prefix+"MEDIA-TYPE", "%s at %s is answered as %q, and its link says %q.", what, l.Href, a.header.Get("Content-Type"), l.Type)
	}
	return a
}

// metadata looks at a metadata document. COAR Notify, "Metadata resources".
func (c *check) metadata(l linkset.Link) {
	a := c.target(l, "FP-DESCRIBEDBY-", "The metadata")
	if a == nil {
		return
	}
	switch back := c.backLinks(a, "describes"); {
	case len(back) == 0:
		c.add("FP-COAR-DESCRIBES-MISSING", "The metadata at %s has no Link header with the relation describes.", l.Href)
	case len(back) > 1 || !sameTarget(back[0], c.FinalURL):
		c.add("FP-COAR-DESCRIBES-WRONG", "The metadata at %s describes %s, and this page is %s.", l.Href, back[0], c.FinalURL)
	}
}

// item looks at a file. FAIR Signposting, 2.1.2 and 2.2; COAR Notify,
// "Content resources".
func (c *check) item(l linkset.Link) {
	a := c.target(l, "FP-ITEM-", "The file")
	if a == nil {
		return
	}
	switch back := c.backLinks(a, "collection"); {
	case len(back) == 0:
		c.add("FP-ITEM-COLLECTION-MISSING", "The file at %s has no Link header with the relation collection.", l.Href)
	case len(back) > 1 || !sameTarget(back[0], c.FinalURL):
		c.add("FP-ITEM-COLLECTION-WRONG", "The file at %s leads to %s, and this page is %s.", l.Href, back[0], c.FinalURL)
	}
	if all := c.backLinks(a, "type"); len(all) > 1 {
		c.add("FP-ITEM-TYPE-MANY", "The file at %s has %d links with the relation type.", l.Href, len(all))
	}
	if len(c.known.Rel("linkset")) > 0 && len(c.backLinks(a, "linkset")) == 0 {
		c.add("FP-ITEM-LINKSET-MISSING", "The file at %s has no Link header with the relation linkset.", l.Href)
	}
	if inbox := targets(c.known, inboxRel); len(inbox) > 0 && !slices.Equal(c.backLinks(a, inboxRel), inbox) {
		c.add("FP-COAR-ITEM-INBOX", "The page names the inbox %s, and the file at %s does not.", inbox[0], l.Href)
	}
}

// backLinks are the targets of an answer's own links, wherever redirects led.
func (c *check) backLinks(a *answer, rel string) []string {
	return targets(a.links().From(a.url), rel)
}
