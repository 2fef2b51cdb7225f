package harvest

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// reader reads one list of a repository, a format of a set, as far as possible: page
// by page and, if the server fails, window by window or record by record. It saves
// nothing.
type reader struct {
	position
	client     *oaipmh.Client
	clock      outbound.Clock
	log        *slog.Logger
	identify   oaipmh.Identify
	fullOnly   bool // no windows can be asked for
	ignoreSize bool // neither a length nor a closing token is expected
	expected   bool // an empty list is a mistake if it was never read before

	untried bool        // no run of this list was ever complete
	whole   bool        // the list was begun at the start of everything
	records int         // read so far, by this run
	state   store.State // running until the list has ended
	reason  string
	class   store.Class // of a failure
	refusal error       // why the repository must not be asked for its other lists

	emit    func(step) bool
	turn    *turn
	stopped bool // the consumer wants no more, or the turn is over
}

// step is a page of a list, or several records that were requested one by one, and
// the checkpoint behind them. A step without a page only moves the checkpoint.
type step struct {
	page   *oaipmh.Page
	behind store.Checkpoint // kept unless its Prefix is ""
	last   bool             // of its window: it is saved at once
	total  int              // records that the repository announced; -1 if none
	read   int              // records of the window so far
}

// reader returns a reader that continues where an earlier run stopped, or starts at
// the watermark.
func (s *source) reader(ctx context.Context, prefix, set string, o Options) (*reader, error) {
	at, err := s.h.Store.Checkpoint(ctx, s.repository.ID, prefix, set)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint of %s: %w", s.repository.ID, err)
	}
	if at.OAIURL != "" && !sameAddress(at.OAIURL, s.repository.OAIURL) {
		at = store.Checkpoint{}
	}
	at.Repository, at.Prefix, at.Set, at.OAIURL = s.repository.ID, prefix, set, s.repository.OAIURL
	r := &reader{
		client: s.client, clock: s.h.Clock, log: s.h.Log, identify: s.kept.Identify,
		fullOnly: s.repository.FullOnly, ignoreSize: s.repository.IgnoreSize,
		expected: prefix == oaiDC || len(s.repository.Prefixes) > 0 || slices.Contains(s.fruitless, set),
		untried:  at.Watermark.IsZero(), state: store.Running, turn: s.h.turn,
	}
	r.by = s.granularity()
	r.begin(at, s.since(at.Watermark), o)
	return r, nil
}

// begin chooses where the list begins.
func (r *reader) begin(at store.Checkpoint, since time.Time, o Options) {
	r.bounded = !o.From.IsZero() || !o.Until.IsZero()
	switch {
	case r.bounded:
		at = startOf(at, o.From, o.Until)
	case o.Full || r.fullOnly && at.ResponseDate.IsZero():
		at = startOf(at, time.Time{}, time.Time{})
	case at.ResponseDate.IsZero():
		at = startOf(at, since, time.Time{})
	}
	r.at, r.size, r.gap = at, unannounced, at.Gap
	r.whole = at.ResponseDate.IsZero() && at.From.IsZero() && at.Until.IsZero()
	if at.Pages > 0 {
		r.closing.Longest = at.Records / at.Pages // as far as that is known
	}
}

// steps reads the list. At the end state and reason say how it ended.
func (r *reader) steps(ctx context.Context) iter.Seq[step] {
	return func(yield func(step) bool) {
		r.emit = yield
		for !r.ended && !r.stopped && r.state == store.Running && !r.turn.over() {
			if err := r.readWindow(ctx); err != nil && !r.stopped {
				r.recover(ctx, err)
			}
		}
		switch {
		case r.stopped && ctx.Err() != nil:
			r.interrupt(ctx)
		case r.state == store.Running && !r.ended && r.turn.over():
			return
		case r.state == store.Running:
			r.end(r.verdict())
		}
		r.explainSet(ctx)
	}
}

// readWindow reads the current window to its end.
func (r *reader) readWindow(ctx context.Context) error {
	pages := 0
	list := r.request()
	list.More = func() bool { return !r.turn.over() }
	for page, err := range r.client.ListRecords(ctx, list) {
		if err == nil {
			err = r.take(ctx, page)
		}
		if err != nil || r.stopped {
			return err
		}
		pages++
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if pages == 0 {
		return fmt.Errorf("%s gave neither a page nor an error", r.client.BaseURL())
	}
	return nil
}

// take yields a page with the checkpoint behind it. After a list that broke off the
// checkpoint goes back to the start of the window; if it may have broken off, the
// checkpoint stays.
func (r *reader) take(ctx context.Context, page oaipmh.Page) error {
	r.answered(page.ResponseDate)
	r.size.note(page.Token.CompleteListSize)
	doubt := r.doubt(ctx, page)
	behind := r.at
	switch doubt.(type) {
	case *brokenOffError, *tokenLostError:
		behind = r.windowStart()
	case *unclosedError:
	default:
		r.closing.took(page, r.at.Token == "", r.size.Least >= 0)
		behind = r.behind(page)
	}
	r.give(&page, behind, page.Token.Value == "")
	if doubt == nil && page.Token.Value == "" {
		r.inARow = 0
	}
	return doubt
}

// doubt returns an error if the list should not end with page.
func (r *reader) doubt(ctx context.Context, page oaipmh.Page) error {
	if r.ignoreSize {
		return nil
	}
	if err := r.closed(page); err != nil || !r.onePage(page) {
		return err
	}
	listed, err := r.client.FirstIdentifiers(ctx, r.request())
	if err == nil && (listed.Token.Value != "" || recordsOf(listed) > recordsOf(page)) {
		return &tokenLostError{Read: recordsOf(page)}
	}
	return nil
}

// give moves to a checkpoint and yields the page before it.
func (r *reader) give(page *oaipmh.Page, behind store.Checkpoint, last bool) {
	out := step{page: page, last: last, total: r.size.Last, read: r.at.Records}
	if page != nil {
		r.records += recordsOf(*page)
		out.read += recordsOf(*page)
	}
	if behind.ResponseDate.IsZero() && (r.gap != "" || r.barren()) {
		behind.Watermark = r.at.Watermark
	}
	r.move(behind)
	if !r.bounded {
		out.behind = behind
	}
	r.stopped = r.stopped || !r.emit(out)
}

// answered notes the time of the first answer by the repository's clock. Without a
// date in the answer it is that of Identify or, failing that, ours. It is ours, too,
// if the repository's clock is ahead: requesting too much again costs little.
func (r *reader) answered(date time.Time) {
	now := r.clock.Now()
	for _, t := range []time.Time{date, r.identify.ResponseDate, now} {
		if r.at.ResponseDate.IsZero() && !t.After(now) {
			r.at.ResponseDate = t
		}
	}
}

// skip ends the current window without a page.
func (r *reader) skip() {
	r.answered(time.Time{})
	r.closing.ended(1, true, true)
	r.restarts = 0
	r.give(nil, r.next(r.at), true)
}

// goTo moves to a checkpoint without a page: back, or to smaller windows.
func (r *reader) goTo(c store.Checkpoint) {
	r.answered(c.ResponseDate)
	r.closing.again()
	c.ResponseDate = r.at.ResponseDate
	r.give(nil, c, true)
}

func (r *reader) end(state store.State, reason string) { r.state, r.reason = state, reason }

// interrupt ends a list with its context. With the end of a turn it does not end.
func (r *reader) interrupt(ctx context.Context) {
	if r.stopped = true; isOver(ctx) {
		r.ended = false
		r.end(store.Running, "")
		return
	}
	if r.bounded {
		r.end(store.Interrupted, "stopped; what came is kept, the rest has to be asked for again")
		return
	}
	r.end(store.Interrupted, "stopped; the next run goes on from the checkpoint")
}

// verdict is the state of a list that was read to its end. A first harvest without
// records is incomplete: nobody sets up a gateway for an empty repository.
func (r *reader) verdict() (store.State, string) {
	switch {
	case r.gaps > 1:
		return store.Incomplete, fmt.Sprintf("%d periods could not be read, the first %s", r.gaps, r.gap)
	case r.gap != "":
		return store.Incomplete, "could not be read: " + r.gap
	case r.barren():
		return store.Incomplete, "the repository sent no record: is the address, the set or the format right?"
	}
	return store.Complete, ""
}

// barren reports whether a list that was never complete is empty although its format
// is configured or oai_dc, or although nothing else came of its set.
func (r *reader) barren() bool { return r.expected && r.untried && r.records == 0 }

// fruitless reports whether a list that was never complete brought nothing.
func (r *reader) fruitless() bool {
	return r.untried && r.records == 0 && (r.state == store.Incomplete || r.state == store.Failed)
}
