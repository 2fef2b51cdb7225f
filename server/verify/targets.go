package verify

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"fingerpost/bridge/linkset"
)

// targetCheck examines the targets of the page's links: the identifier, then
// metadata, then files, as many as the options allow.
type targetCheck struct{ *check }

func (c targetCheck) examine() {
	for _, id := range targets(c.links, "cite-as") {
		c.identifier(id)
	}
	links := slices.Concat(c.links.Rel("describedby"), c.links.Rel("item"))
	if most := cmp.Or(c.options.MaxTargets, 50); len(links) > most {
		c.add("FP-TARGETS-BOUND", "The page leads to %d files and metadata documents; %d of them were examined.", len(links), most)
		links = links[:most]
	}
	for _, l := range links {
		switch {
		case c.ctx.Err() != nil:
			return
		case c.isPage(l.Href): // an article in HTML is its own landing page
		case l.Rel == "item":
			c.item(l)
		default:
			c.metadata(l)
		}
	}
}

// identifier resolves a persistent identifier: it should lead here.
func (c targetCheck) identifier(id string) {
	if sameTarget(id, c.URL) || c.isPage(id) {
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
		c.add("FP-CITE-AS-ELSEWHERE", "The persistent identifier %s leads to %s, but this page is %s.", id, a.url, c.FinalURL)
	}
}

// headOrProbe requests by HEAD, and the first byte by GET if that fails: some
// servers do not support HEAD, and signed URLs of some storage allow GET only.
func (c targetCheck) headOrProbe(url, accept string) (*answer, error) {
	head, err := c.head(c.ctx, url, accept)
	if err != nil || head.status < 400 || head.status == http.StatusGone || isRefusal(head.status) && head.status != http.StatusForbidden {
		return head, err
	}
	get, err := c.probe(c.ctx, url, accept)
	if err == nil && (get.status < 400 || get.status == http.StatusRequestedRangeNotSatisfiable) {
		c.add("FP-TARGET-HEAD", "HEAD is answered with status %d at %s, but GET is not.", head.status, url)
	}
	return get, err
}

// isRefusal reports whether a status means: not you, or not now.
func isRefusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// target requests the target of a link, and compares its media type with that of
// the link; nil if there is nothing more to examine. Findings begin with prefix.
func (c targetCheck) target(l linkset.Link, prefix, what string) *answer {
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
		if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
			return nil
		}
		return a // its links may be public although it is not
	case a.status >= 300 && a.status != http.StatusRequestedRangeNotSatisfiable:
		c.add(prefix+"DEAD", "%s at %s is answered with status %d.", what, l.Href, a.status)
		return nil
	}
	switch own := a.mediaType(); {
	case a.header.Get("Content-Type") == "":
		c.add(prefix+"NO-MEDIA-TYPE", "%s at %s is served without Content-Type.", what, l.Href)
	case declared != "" && own != declared:
		c.add(prefix+"MEDIA-TYPE", "%s at %s is served as %q, but its link says %q.", what, l.Href, a.header.Get("Content-Type"), l.Type)
	}
	return a
}

// metadata examines a metadata document. COAR Notify, "Metadata resources".
func (c targetCheck) metadata(l linkset.Link) {
	if a := c.target(l, "FP-DESCRIBEDBY-", "The metadata"); a != nil {
		c.leadsBack(a.own(), "describes", "FP-COAR-DESCRIBES-", "The metadata at "+l.Href)
	}
}

// leadsBack: files and metadata lead to their landing page, and to no other.
func (c targetCheck) leadsBack(own linkset.LinkSet, rel, prefix, what string) {
	switch back := targets(own, rel); {
	case len(back) == 0:
		c.add(prefix+"MISSING", "%s has no Link header with the relation %s.", what, rel)
	case len(back) > 1 || !c.isPage(back[0]):
		c.add(prefix+"WRONG", "%s leads to %s, but this page is %s.", what, back[0], c.FinalURL)
	}
}

// item examines a file. FAIR Signposting, 2.1.2 and 2.2; COAR Notify,
// "Content resources".
func (c targetCheck) item(l linkset.Link) {
	a := c.target(l, "FP-ITEM-", "The file")
	if a == nil {
		return
	}
	own := a.own()
	c.leadsBack(own, "collection", "FP-ITEM-COLLECTION-", "The file at "+l.Href)
	classes := targets(own, "type")
	if len(classes) > 1 {
		c.add("FP-ITEM-TYPE-MANY", "The file at %s has %d links with the relation type.", l.Href, len(classes))
	}
	for _, class := range classes {
		if slices.Contains(targets(c.links, "type"), class) {
			c.add("FP-ITEM-TYPE-SAME", "The file at %s repeats the type of the page, %s.", l.Href, class)
		}
	}
	c.itemLinkSets(l.Href, own.Rel("linkset"))
	if inbox := targets(c.links, inboxRel); len(inbox) > 0 && !slices.Equal(targets(own, inboxRel), inbox) {
		c.add("FP-COAR-ITEM-INBOX", "The page names the inbox %s, but the file at %s does not.", inbox[0], l.Href)
	}
}

// itemLinkSets checks a file's own links to link sets. FAIR Signposting, 2.2.
func (c targetCheck) itemLinkSets(file string, all linkset.LinkSet) {
	if len(all) == 0 && len(c.links.Rel("linkset")) > 0 {
		c.add("FP-ITEM-LINKSET-MISSING", "The file at %s has no Link header with the relation linkset.", file)
	}
	for _, l := range all {
		if !isSetType(l.Type) {
			c.add("FP-ITEM-LINKSET-TYPE", "The file at %s links to the link set at %s and says %q where it should say %s or %s.", file, l.Href, l.Type, jsonType, textType)
		}
	}
}
