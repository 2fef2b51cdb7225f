package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// closing is what the ends of a list show of its being whole. The last of
// several pages has an empty resumptionToken (OAI-PMH 3.5); many repositories
// leave it out, and a list that is cut at the same page every time looks the
// same. What is not shown cannot be known, but it is said.
type closing struct {
	live     int  // records that are not deleted, in windows that were read to their end
	window   int  // likewise, in the window at hand
	longest  int  // most records on a page so far
	open     bool // a window has ended without a token and without a size to compare with
	unclosed bool // one of several pages has
	abrupt   bool // and its last page was as long as the longest, or empty: cut lists end so, others seldom
	shown    bool // one of several pages has ended as it should
}

// took notes a page; first is the first of its window, sized one of which it is
// known how many records it announced.
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

// again forgets the window at hand, which is read once more.
func (c *closing) again() { c.window = 0 }

// remark notes in the run how the list ended, and what is doubtful about it
// although it was read to its end.
func (l *list) remark(ctx context.Context) (err error) {
	l.run.Closed = l.closing.shown && !l.closing.unclosed
	if l.whole[l.run.ID] {
		l.run.Listed = l.closing.live
	}
	if l.repository.IgnoreSize {
		return nil
	}
	if l.run.Remark, err = l.openEnd(ctx); err == nil && l.run.Remark == "" {
		l.run.Remark, err = l.overlap(ctx)
	}
	return err
}

// openEnd says that nothing shows the end of the list, where that is odd.
func (l *list) openEnd(ctx context.Context) (string, error) {
	c, why := l.closing, ""
	if !c.open {
		return "", nil
	}
	before, closed, err := l.before(ctx)
	switch {
	case err != nil:
		return "", err
	case l.whole[l.run.ID] && c.live*10 < before*9:
		why = fmt.Sprintf("and there were %d when all of it was last read", before)
	case c.abrupt:
		why = "as one that was cut off between two pages would"
	case c.unclosed && closed:
		why = "which it had before"
	default:
		return "", nil
	}
	return fmt.Sprintf("the list ended after %d live records without the closing resumptionToken that OAI-PMH 3.5 requires, %s: compare with what the repository itself counts, and if nothing is missing, set ignore_list_size", c.live, why), nil
}

// overlap says that fewer records are held of the whole repository than the
// list announced last. Some came twice, then, which may be all there is to it;
// or the pages overlapped, because the repository keeps to no order or a record
// changed its place meanwhile, and what fell between them never came.
func (l *list) overlap(ctx context.Context) (string, error) {
	announced := l.shown.Total
	if announced <= 0 {
		return "", nil
	}
	c, err := l.Store.Counts(ctx, l.repository.ID)
	if err != nil {
		return "", fmt.Errorf("count what is kept of %s: %w", l.repository.ID, err)
	}
	held := c.Objects + c.Deleted + c.Quarantined
	if held >= announced {
		return "", nil
	}
	return fmt.Sprintf("of the %d records announced only %d are different ones, so the list may leave some out: `fingerpost harvest --sweep` finds those, or set ignore_list_size", announced, held), nil
}

// before is how many live records the list had when all of it was last read, 0
// if that is not known, and whether it was ever closed.
func (l *list) before(ctx context.Context) (live int, closed bool, err error) {
	if l.untried {
		return 0, false, nil
	}
	runs, err := l.Store.Runs(ctx, l.repository.ID, lookBack)
	if err != nil {
		return 0, false, fmt.Errorf("read the runs of %s: %w", l.repository.ID, err)
	}
	for _, r := range runs {
		if r.ID == l.run.ID || r.Prefix != l.run.Prefix || r.Set != l.run.Set || r.Sweep || r.State != store.Complete {
			continue
		}
		if live == 0 {
			live = r.Listed
		}
		closed = closed || r.Closed
	}
	return live, closed, nil
}

// keepRemark keeps what is doubtful about the list beside its checkpoint, until
// all of it is read again.
func (l *list) keepRemark(ctx context.Context) error {
	settled := l.whole[l.run.ID] || l.repository.IgnoreSize
	if l.bounded || l.run.State != store.Complete || l.run.Remark == l.at.Remark || l.run.Remark == "" && !settled {
		return nil
	}
	l.at.Remark = l.run.Remark
	return l.Store.Save(context.WithoutCancel(ctx), l.repository.ID, store.Batch{Checkpoint: l.at})
}
