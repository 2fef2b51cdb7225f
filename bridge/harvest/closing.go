package harvest

import "fingerpost/oaipmh"

// closing is the evidence that a list is whole. The last of several pages has an
// empty resumptionToken (OAI-PMH 3.5); many repositories leave it out, and a list
// that is cut at the same page every time looks the same. Missing evidence is
// reported.
type closing struct {
	Live     int  // records that are not deleted, in windows that were read to their end
	Window   int  // likewise, in the current window
	Longest  int  // most records on a page so far
	Open     bool // a window has ended without a token and without a size to compare with
	Unclosed bool // one of several pages has
	Abrupt   bool // and its last page was as long as the longest, or empty: cut lists end so, others seldom
	Shown    bool // one of several pages has ended as it should
}

// took notes a page: whether it is the first of its window, and whether a size was
// announced for the window.
func (c *closing) took(page oaipmh.Page, first, sized bool) {
	n := len(page.Records) + len(page.Bad)
	c.Window += n
	for _, r := range page.Records {
		if r.Deleted {
			c.Window--
		}
	}
	if page.Token.Value == "" {
		c.ended(n, first, sized || page.Token.Present)
	}
	c.Longest = max(c.Longest, n)
}

// ended notes the end of a window, with n records on its last page.
func (c *closing) ended(n int, first, shown bool) {
	c.Live, c.Window = c.Live+c.Window, 0
	switch {
	case shown:
		c.Shown = c.Shown || !first
	case first:
		c.Open = true // most lists of one page have no token, as they need none
	default:
		c.Open, c.Unclosed = true, true
		c.Abrupt = c.Abrupt || n == 0 || n >= c.Longest
	}
}

// again forgets the current window, which is read once more.
func (c *closing) again() { c.Window = 0 }
