package harvest

import "fingerpost/oaipmh"

// closing is the evidence that a list is whole. The last of several pages has an
// empty resumptionToken (OAI-PMH 3.5); many repositories leave it out, and a list
// that is cut at the same page every time looks the same. Missing evidence is
// reported.
type closing struct {
	live     int  // records that are not deleted, in windows that were read to their end
	window   int  // likewise, in the current window
	longest  int  // most records on a page so far
	open     bool // a window has ended without a token and without a size to compare with
	unclosed bool // one of several pages has
	abrupt   bool // and its last page was as long as the longest, or empty: cut lists end so, others seldom
	shown    bool // one of several pages has ended as it should
}

// took notes a page: whether it is the first of its window, and whether a size was
// announced for the window.
func (c *closing) took(page oaipmh.Page, first, sized bool) {
	n := len(page.Records) + len(page.Bad)
	c.window += n
	for _, r := range page.Records {
		if r.Deleted {
			c.window--
		}
	}
	if page.Token.Value == "" {
		c.ended(n, first, sized || page.Token.Present)
	}
	c.longest = max(c.longest, n)
}

// ended notes the end of a window, with n records on its last page.
func (c *closing) ended(n int, first, shown bool) {
	c.live, c.window = c.live+c.window, 0
	switch {
	case shown:
		c.shown = c.shown || !first
	case first:
		c.open = true // most lists of one page have no token, as they need none
	default:
		c.open, c.unclosed = true, true
		c.abrupt = c.abrupt || n == 0 || n >= c.longest
	}
}

// again forgets the current window, which is read once more.
func (c *closing) again() { c.window = 0 }
