package verify

import "slices"

// agreement compares header, HTML and link set.
type agreement struct {
	*check
	inHeader, inHTML, inSet keys
}

func agreementOf(c *check) agreement {
	return agreement{c, keysOf(signposts(c.Header.From(c.FinalURL))), keysOf(signposts(c.HTML)), keysOf(signposts(c.set()))}
}

func (c agreement) examine() {
	if len(c.inHeader) > 0 && len(c.inHTML) > 0 {
		if lost := c.inHeader.without(c.inHTML); len(lost) > 0 {
			c.add("FP-AGREE-HEADER-HTML", "In the header, and not in the HTML: %s.", example("%s", lost))
		}
		if lost := c.inHTML.without(c.inHeader).where(isFixed(c.inHeader)); len(lost) > 0 {
			c.add("FP-AGREE-HEADER-HTML", "In the HTML, and not in the header: %s.", example("%s", lost))
		}
	}
	if len(c.inHeader) > 0 {
		c.partial()
	}
	if len(c.inSet) > 0 {
		page := keysOf(signposts(c.own))
		if lost := page.beyond(c.inSet).where(isOfObject); len(lost) > 0 {
			c.add("FP-AGREE-LINKSET", "On the page, and not in the link set: %s.", example("%s", lost))
		}
		if lost := c.inSet.beyond(page).where(isOfObject).where(isFixed(page)); len(lost) > 0 {
			c.add("FP-AGREE-PAGE", "In the link set, and not on the page: %s.", example("%s", lost))
		}
	}
	c.identifiers()
}

// isOfObject reports whether a link belongs in a link set. Those that lead to
// link set and inbox need not.
func isOfObject(k key) bool { return k.rel != "linkset" && k.rel != inboxRel }

// isFixed reports whether a link must be in a header however large it is. Items,
// authors, and metadata beyond the first may be left out. FAIR Signposting,
// 2.1.1, allows that for items and authors.
func isFixed(header keys) func(key) bool {
	described := len(header.rel("describedby")) > 0
	return func(k key) bool {
		return k.rel != "item" && k.rel != "author" && (k.rel != "describedby" || !described)
	}
}

// partial: when items or authors are given, a link should be given for each.
// FAIR Signposting, 2.1.1.
func (c agreement) partial() {
	for _, rel := range []string{"item", "author"} {
		some, all := c.inHeader.rel(rel), c.inHTML.rel(rel)
		if more := c.inSet.rel(rel); len(more) > len(all) {
			all = more
		}
		if len(some) > 0 && len(some) < len(all) {
			c.add("FP-AGREE-PARTIAL", "The header has %d of %d links with the relation %s.", len(some), len(all), rel)
		}
	}
}

// identifiers: there is one persistent identifier, the same everywhere.
func (c agreement) identifiers() {
	var all []string
	for _, place := range [][]string{
		targets(c.Header.From(c.FinalURL), "cite-as"), targets(c.HTML, "cite-as"), targets(c.set(), "cite-as"),
	} {
		if len(place) == 1 && !slices.ContainsFunc(all, func(id string) bool { return sameTarget(id, place[0]) }) {
			all = append(all, place[0])
		}
	}
	if len(all) > 1 {
		c.add("FP-CITE-AS-CONFLICT", "The page's header, HTML and link set name different persistent identifiers: %s and %s.", all[0], all[1])
	}
}
