package harvest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// list is one list of a repository being read: one format, one set.
type list struct {
	*source
	prefix   string
	at       store.Checkpoint // behind the last page that was taken
	staged   store.Batch      // what is behind the last page that was saved, to be saved
	weight   int              // of its metadata, good and bad, in bytes
	pages    []oaipmh.Page    // that staged was made from
	run      store.Run
	total    int                 // completeListSize as last announced; -1 while unknown
	shown    Progress            // of the window that was read last, to its end if it has one
	least    int                 // the smallest that was announced; -1 while unknown
	ended    bool                // the last window did, as the protocol says
	bounded  bool                // asked for by from or until: the checkpoint stays as it is
	untried  bool                // no run of this list was ever complete
	unread   map[string][32]byte // in quarantine, with a digest of their bytes
	restarts int                 // of the window at hand
	gap      string              // the first window that could not be read although everything was tried, and why
	gaps     int                 // how many such windows this run has met
	inARow   int                 // gaps since a window was last read to its end
	unclosed bool                // a list has ended without the token that closes it
	closing  closing
	asked    int // requests that were made before the run
	repeated int // of these, those for what had failed
	by       oaipmh.Granularity
}

// list reads one list to its end, or as far as it goes, and says how it ended.
// The error is the store's: the repository's own are in the run.
func (s *source) list(ctx context.Context, prefix, set string, o Options) (store.Run, error) {
	l, err := s.begin(ctx, prefix, set, o)
	if err != nil {
		return store.Run{}, err
	}
	for !l.ended && l.run.State == store.Running {
		if err := l.read(ctx); err != nil {
			if err := l.recover(ctx, err); err != nil {
				return l.fail(ctx, err)
			}
		}
	}
	if l.run.State == store.Running {
		if err := l.askAgain(ctx); err != nil {
			return l.fail(ctx, err)
		}
	}
	return l.finish(ctx)
}

// begin takes up the list where an earlier run left it, or starts at the
// watermark.
func (s *source) begin(ctx context.Context, prefix, set string, o Options) (*list, error) {
	at, err := s.Store.Checkpoint(ctx, s.repository.ID, prefix, set)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint of %s: %w", s.repository.ID, err)
	}
	if at.OAIURL != "" && at.OAIURL != s.repository.OAIURL {
		at = store.Checkpoint{}
	}
	at.Repository, at.Prefix, at.Set, at.OAIURL = s.repository.ID, prefix, set, s.repository.OAIURL
	l := &list{source: s, prefix: prefix, at: at, total: -1, least: -1, by: s.granularity(), untried: at.Watermark.IsZero()}
	l.asked, l.repeated = s.client.Requests(), s.client.Retries()
	l.bounded = !o.From.IsZero() || !o.Until.IsZero()
	switch {
	case l.bounded:
		l.at = l.fresh(o.From, o.Until)
	case o.Full || s.repository.FullOnly && at.ResponseDate.IsZero():
		l.at = l.fresh(time.Time{}, time.Time{})
	case at.ResponseDate.IsZero():
		l.at = l.fresh(s.since(at.Watermark), time.Time{})
	}
	if l.at.Pages > 0 {
		l.closing.longest = l.at.Records / l.at.Pages // as far as that is known
	}
	l.gap, l.shown = l.at.Gap, Progress{Total: -1, Read: l.at.Records}
	if l.unread, err = s.inQuarantine(ctx, prefix); err != nil {
		return nil, err
	}
	l.run = store.Run{Repository: s.repository.ID, Prefix: prefix, Set: set, State: store.Running, Started: s.Clock.Now()}
	if err := s.Store.SaveRun(ctx, &l.run); err != nil {
		return nil, fmt.Errorf("begin a run of %s: %w", s.repository.ID, err)
	}
	if s.whole == nil {
		s.whole = map[int64]bool{}
	}
	s.whole[l.run.ID] = l.at.ResponseDate.IsZero() && l.at.From.IsZero() && l.at.Until.IsZero()
	return l, nil
}

func (s *source) granularity() oaipmh.Granularity {
	if s.repository.Client.DayGranularity || s.known.Identify.Granularity != oaipmh.Second {
		return oaipmh.Day
	}
	return oaipmh.Second
}

// since is where an incremental run begins: behind the watermark, against
// records that show up after their datestamp has passed.
func (s *source) since(watermark time.Time) time.Time {
	if watermark.IsZero() {
		return watermark
	}
	overlap := s.repository.Overlap
	if overlap == 0 && s.granularity() == oaipmh.Day {
		overlap = 24 * time.Hour
	} else if overlap == 0 {
		overlap = time.Hour
	}
	return watermark.Add(-overlap)
}

// fresh is a checkpoint at the start of a list, the watermark kept.
func (l *list) fresh(from, until time.Time) store.Checkpoint {
	return store.Checkpoint{
		Repository: l.at.Repository, Prefix: l.at.Prefix, Set: l.at.Set, OAIURL: l.at.OAIURL,
		Watermark: l.at.Watermark, Remark: l.at.Remark, From: from, Until: until,
	}
}

// within is a checkpoint at the start of a window of the list at hand.
func (l *list) within(from, until time.Time, pending []store.Window) store.Checkpoint {
	c := l.fresh(from, until)
	c.ResponseDate, c.Gap, c.Pending = l.at.ResponseDate, l.gap, pending
	return c
}

func (l *list) request() oaipmh.List {
	return oaipmh.List{
		Prefix: l.at.Prefix, Set: l.at.Set, From: l.at.From, Until: l.at.Until,
		Token: l.at.Token, Granularity: l.by,
	}
}

// read reads the window at hand to its end. While pages are saved, the next
// one is mapped, and the one after that is on its way.
func (l *list) read(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	mapped := l.mapPages(ctx)
	defer func() { // nothing of this read outlives it
		stop()
		for range mapped {
		}
	}()
	pages := 0
	for m := range mapped {
		pages++
		if err := l.takeAll(ctx, m, mapped); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if pages == 0 {
		return fmt.Errorf("%s gave neither a page nor an error", l.repository.OAIURL)
	}
	return nil
}

// What is saved in one transaction: so many pages, fewer if they hold so many
// new records or atOnce of metadata, and those that have come when that time is
// over. A transaction costs as much as many records do.
const (
	batchPages   = 16
	batchRecords = 500
	batchTime    = 200 * time.Millisecond
)

// takeAll takes a page, and with it those that come soon after it.
func (l *list) takeAll(ctx context.Context, m mappedPage, more <-chan mappedPage) error {
	over := time.NewTimer(batchTime) // whatever l.Clock is: it decides when something is saved, not what
	defer over.Stop()
	for n := 1; ; n++ {
		err := errors.Join(m.err, ctx.Err())
		if err == nil {
			err = l.take(m.page, m.kept)
		}
		if err != nil || n == batchPages || len(l.staged.Records) >= batchRecords || l.weight >= atOnce {
			return errors.Join(l.flush(ctx), err)
		}
		var open bool
		select {
		case m, open = <-more:
			if open {
				continue
			}
		case <-over.C:
		}
		return l.flush(ctx)
	}
}

// mappedPage is a page and what is to be saved of it.
type mappedPage struct {
	page oaipmh.Page
	kept kept
	err  error
}

// mapPages maps the pages of the window at hand, a few ahead of who takes them.
// It touches nothing of the list but what it maps by.
func (l *list) mapPages(ctx context.Context) <-chan mappedPage {
	out := make(chan mappedPage, 1)
	request, first := l.request(), l.at.Pages == 0
	go func() {
		defer close(out)
		for page, err := range l.client.ListRecords(ctx, request) {
			m := mappedPage{page: page, err: err}
			if err == nil {
				m.kept, m.err = l.mapPage(ctx, page, first)
			}
			select {
			case out <- m:
			case <-ctx.Done():
				return
			}
			if first = false; m.err != nil {
				return
			}
		}
	}()
	return out
}

func (l *list) mapPage(ctx context.Context, page oaipmh.Page, first bool) (kept, error) {
	if first && l.untaught {
		if err := l.learnFirst(ctx, l.prefix, page); err != nil {
			return kept{}, &storeError{err}
		}
	}
	k, err := l.keep(ctx, page)
	if err != nil {
		return k, &storeError{err}
	}
	if len(k.Records)+len(k.Quarantined) == 0 {
		page.Release()
	}
	return k, nil
}

// take takes what is kept of a page, with the checkpoint behind it, to be
// saved. A list that broke off is set back to its start, one that may have
// broken off stays where it was.
func (l *list) take(page oaipmh.Page, k kept) error {
	l.began(page.ResponseDate)
	l.announced(page.Token.CompleteListSize)
	l.count(k.counts)
	l.shown = Progress{Total: l.total, Read: l.at.Records + len(page.Records) + len(page.Bad)}
	doubt := l.doubt(page)
	switch doubt.(type) {
	case *brokenOffError:
		k.Checkpoint = l.windowStart()
	case *unclosedError:
		k.Checkpoint = l.at
	default:
		l.closing.took(page, l.at.Token == "", l.least >= 0)
		k.Checkpoint = l.behind(page)
	}
	l.stage(k.Batch)
	l.pages = append(l.pages, page)
	if doubt == nil && page.Token.Value == "" {
		l.inARow = 0
	}
	return doubt
}

// stage moves the list behind a page that is to be saved.
func (l *list) stage(p store.Batch) {
	ended := p.Checkpoint.ResponseDate.IsZero()
	if ended && (l.barren() || l.gap != "") {
		p.Checkpoint.Watermark = l.at.Watermark
	}
	if ended || !sameWindow(p.Checkpoint, l.at) {
		l.restarts, l.total, l.least = 0, -1, -1
	}
	l.at, l.ended = p.Checkpoint, ended
	l.weight += metadataIn(p.Records)
	for i := range p.Quarantined {
		l.weight += len(p.Quarantined[i].Bytes)
	}
	l.staged.Records = append(l.staged.Records, p.Records...)
	l.staged.Objects = append(l.staged.Objects, p.Objects...)
	l.staged.Quarantined = append(l.staged.Quarantined, p.Quarantined...)
	l.staged.Checkpoint, l.staged.Run = p.Checkpoint, &l.run
}

// unstage makes room for what is to be saved next, in the same memory.
func (l *list) unstage() {
	clear(l.staged.Records)
	clear(l.staged.Objects)
	l.staged, l.weight = store.Batch{Records: l.staged.Records[:0], Objects: l.staged.Objects[:0]}, 0
}

// flush saves what was staged, in one transaction with the checkpoint behind
// it.
func (l *list) flush(ctx context.Context) error {
	if l.staged.Run == nil {
		return nil
	}
	if l.bounded {
		l.staged.Checkpoint = store.Checkpoint{}
	}
	l.tally()
	// A page that was read is kept even if the run is told to stop meanwhile.
	if err := l.Store.Save(context.WithoutCancel(ctx), l.repository.ID, l.staged); err != nil {
		return &storeError{fmt.Errorf("keep page %d of %s: %w", l.run.Pages, l.repository.ID, err)}
	}
	for _, page := range l.pages {
		page.Release()
	}
	l.pages = nil
	l.unstage()
	l.report(l.shown)
	return nil
}

// save keeps a page at once.
func (l *list) save(ctx context.Context, p store.Batch) error {
	l.stage(p)
	return l.flush(ctx)
}

// count adds what happened on a page to the run.
func (l *list) count(page store.Run) {
	r := &l.run
	for _, n := range []struct {
		sum *int
		add int
	}{
		{&r.Records, page.Records}, {&r.New, page.New}, {&r.Changed, page.Changed}, {&r.Unchanged, page.Unchanged},
		{&r.Deleted, page.Deleted}, {&r.Quarantined, page.Quarantined}, {&r.Pages, page.Pages},
		{&r.Repairs, page.Repairs},
	} {
		*n.sum += n.add
	}
}

// tally notes what the run has asked so far.
func (l *list) tally() {
	if l.client == nil { // a remap
		return
	}
	l.run.Requests, l.run.Retries = l.client.Requests()-l.asked, l.client.Retries()-l.repeated
}

// began notes when the repository answered first, by its own clock. Without a
// date in the answer Identify's serves, and ours if that has none either. Ours
// serves too where the repository's is ahead of it: to ask for too much again
// costs little.
func (l *list) began(date time.Time) {
	now := l.Clock.Now()
	for _, t := range []time.Time{date, l.known.Identify.ResponseDate, now} {
		if l.at.ResponseDate.IsZero() && !t.After(now) {
			l.at.ResponseDate = t
		}
	}
}

// announced notes a completeListSize. It is advisory (OAI-PMH 3.5): some
// repositories announce another on every page.
func (l *list) announced(size int) {
	if size < 0 {
		return
	}
	l.total = size
	if l.least < 0 || size < l.least {
		l.least = size
	}
}

// behind is the checkpoint after page: its token, the next window, or the end.
func (l *list) behind(page oaipmh.Page) store.Checkpoint {
	c := l.at
	c.Token = page.Token.Value
	c.Pages++
	c.Records += len(page.Records) + len(page.Bad)
	if c.Token != "" {
		return c
	}
	return l.next(c)
}

// next is the checkpoint at the start of the window after c's, or, if there
// is none, at the end of the list, where the watermark moves to the date of
// the run's first answer: the last record's own datestamp proves nothing.
func (l *list) next(c store.Checkpoint) store.Checkpoint {
	if len(c.Pending) == 0 {
		end := l.fresh(time.Time{}, time.Time{})
		end.Watermark = c.ResponseDate
		return end
	}
	return l.within(c.Pending[0].From, c.Pending[0].Until, c.Pending[1:])
}

// doubt tells what is wrong with the page if a list ends with it.
func (l *list) doubt(page oaipmh.Page) error {
	if err := l.brokenOff(page); err != nil {
		return err
	}
	// The last of several pages has an empty resumptionToken (OAI-PMH 3.5).
	// Many repositories leave it out; where no size was announced either, nothing
	// tells the end of the list from a page that has lost its token.
	if page.Token.Present || l.at.Token == "" || l.least >= 0 || l.unclosed || l.repository.IgnoreSize {
		return nil
	}
	return &unclosedError{Read: l.at.Records + len(page.Records) + len(page.Bad)}
}

// brokenOff tells whether a list stopped before its end: it has fewer records
// than every size that was announced for it, whether or not it ended with an
// empty resumptionToken element.
func (l *list) brokenOff(page oaipmh.Page) error {
	read := l.at.Records + len(page.Records) + len(page.Bad)
	if page.Token.Value != "" || l.repository.IgnoreSize || l.least <= read {
		return nil
	}
	return &brokenOffError{Read: read, Announced: l.least}
}

func sameWindow(a, b store.Checkpoint) bool {
	return a.From.Equal(b.From) && a.Until.Equal(b.Until)
}

// report tells the run's figures beside those of the list.
func (l *list) report(p Progress) {
	if p.Run = l.run; l.Progress != nil {
		l.Progress(p)
	}
}
