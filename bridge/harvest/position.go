package harvest

import (
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// position is how far a list has been read, and what its pages have shown so
// far. It asks nobody anything and saves nothing.
type position struct {
	at       store.Checkpoint // behind the last page
	ended    bool             // the last window ended as the protocol says
	by       oaipmh.Granularity
	bounded  bool      // from or until were asked for: the checkpoint that is kept stays as it is
	size     announced // of the current window
	restarts int       // of the current window
	reopened bool      // the last page was asked for again, since nothing closed the list
	closing  closing
	gap      string // the first window that could not be read although everything was tried, and why
	gaps     int    // how many such windows this run has met
	inARow   int    // gaps since a window was last read to its end
}

// announced is what a repository says of the length of a list. It is advisory
// (OAI-PMH 3.5): some repositories announce another length on every page.
type announced struct {
	Last  int // -1 while unknown
	Least int // the smallest; -1 while unknown
}

var unannounced = announced{-1, -1}

func (a *announced) note(size int) {
	if size < 0 {
		return
	}
	a.Last = size
	if a.Least < 0 || size < a.Least {
		a.Least = size
	}
}

// brokenOffError is a list with fewer records than were announced.
type brokenOffError struct{ Read, Announced int }

func (e *brokenOffError) Error() string {
	return fmt.Sprintf("the list ended after %d of the %d records that the repository announced: if what it announces is wrong, set ignore_list_size", e.Read, e.Announced)
}

// unclosedError is a list without evidence that it is whole.
type unclosedError struct{ Read int }

func (e *unclosedError) Error() string {
	return fmt.Sprintf("the list ended after %d records without the resumptionToken that closes it: its last page is asked for once more", e.Read)
}

// tokenLostError is a list of one page that goes on when its identifiers are
// listed.
type tokenLostError struct{ Read int }

func (e *tokenLostError) Error() string {
	return fmt.Sprintf("the list ended with its first page, after %d records, but ListIdentifiers has more: the repository lost the resumptionToken; if nothing is missing, set ignore_list_size", e.Read)
}

// brokenOff is an error if a list ends with fewer records than every length
// that was announced, with or without an empty resumptionToken.
func (a announced) brokenOff(read int) error {
	if a.Least <= read {
		return nil
	}
	return &brokenOffError{Read: read, Announced: a.Least}
}

// startOf returns the checkpoint at the start of a list. The watermark stays.
func startOf(c store.Checkpoint, from, until time.Time) store.Checkpoint {
	return store.Checkpoint{
		Repository: c.Repository, Prefix: c.Prefix, Set: c.Set, OAIURL: c.OAIURL,
		Watermark: c.Watermark, Remark: c.Remark, From: from, Until: until,
	}
}

// window returns the checkpoint at the start of a window; pending are the windows
// after it.
func (p *position) window(from, until time.Time, pending []store.Window) store.Checkpoint {
	c := startOf(p.at, from, until)
	c.ResponseDate, c.Gap, c.Pending = p.at.ResponseDate, p.gap, pending
	return c
}

// windowStart is the checkpoint at the start of the current window.
func (p *position) windowStart() store.Checkpoint {
	return p.window(p.at.From, p.at.Until, p.at.Pending)
}

// behind is the checkpoint after page: its token, the next window, or the end.
func (p *position) behind(page oaipmh.Page) store.Checkpoint {
	c := p.at
	c.Token = page.Token.Value
	c.Pages++
	c.Records += recordsOf(page)
	if c.Token != "" {
		return c
	}
	return p.next(c)
}

func recordsOf(page oaipmh.Page) int { return len(page.Records) + len(page.Bad) }

// next is the checkpoint at the start of the window after c's, or, if there
// is none, at the end of the list, where the watermark moves to the date of
// the run's first answer: the last record's own datestamp proves nothing.
func (p *position) next(c store.Checkpoint) store.Checkpoint {
	if len(c.Pending) == 0 {
		end := startOf(p.at, time.Time{}, time.Time{})
		end.Watermark = c.ResponseDate
		return end
	}
	return p.window(c.Pending[0].From, c.Pending[0].Until, c.Pending[1:])
}

// move goes to a checkpoint.
func (p *position) move(c store.Checkpoint) {
	p.ended = c.ResponseDate.IsZero()
	if p.ended || !sameWindow(c, p.at) {
		p.restarts, p.size = 0, unannounced
	}
	p.at = c
}

func sameWindow(a, b store.Checkpoint) bool {
	return a.From.Equal(b.From) && a.Until.Equal(b.Until)
}

// readAll reports whether as many records came as were announced.
func (p *position) readAll() bool { return p.size.Least >= 0 && p.at.Records >= p.size.Least }

// closed is nil if nothing is wrong with a list that ends with page.
func (p *position) closed(page oaipmh.Page) error {
	if page.Token.Value != "" {
		return nil
	}
	read := p.at.Records + recordsOf(page)
	if err := p.size.brokenOff(read); err != nil {
		return err
	}
	// The last of several pages has an empty resumptionToken (OAI-PMH 3.5).
	// Many repositories leave it out; where no size was announced either, nothing
	// tells the end of the list from a page that has lost its token.
	if page.Token.Present || p.at.Token == "" || p.size.Least >= 0 || p.reopened {
		return nil
	}
	return &unclosedError{Read: read}
}

// onePage reports whether page is all of a list, and nothing shows that it is: a
// list of one page needs no token, one that lost its token looks the same.
func (p *position) onePage(page oaipmh.Page) bool {
	all := p.at.Pages == 0 && p.at.From.IsZero() && p.at.Until.IsZero()
	return all && page.Token.Value == "" && !page.Token.Present && p.size.Least < 0 && recordsOf(page) > 0
}

// untilIgnored reports whether a repository ignores until: its list for the current
// window goes beyond the window, and contains what later windows would list.
func (p *position) untilIgnored(headers []oaipmh.Header) bool {
	end := p.at.Until.Add(48 * time.Hour) // whatever its time zone
	return !p.at.Until.IsZero() && slices.ContainsFunc(headers, func(h oaipmh.Header) bool {
		t, err := h.Time()
		return err == nil && t.After(end)
	})
}

func (p *position) request() oaipmh.List {
	return oaipmh.List{
		Prefix: p.at.Prefix, Set: p.at.Set, From: p.at.From, Until: p.at.Until,
		Token: p.at.Token, Granularity: p.by,
	}
}

// Limits on the windows that are given up before the whole run is.
const (
	gapsInARow = 3 // with none read between them, it is the list that fails, and no record in it
	gapsInAll  = 100
)

// pass notes that a window stays unread. It returns an error if too many have.
func (p *position) pass(w store.Window, cause error) error {
	if p.gap == "" {
		p.gap = fmt.Sprintf("%s to %s: %v", p.by.Format(w.From), p.by.Format(w.Until), cause)
	}
	p.gaps++
	if p.inARow++; p.inARow >= gapsInARow || p.gaps >= gapsInAll {
		return fmt.Errorf("%d periods could not be read, the first %s", p.gaps, p.gap)
	}
	return nil
}
