package harvest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// unfinished is what a run whose turn is over leaves to its next turn, perhaps in
// another process, beside the checkpoint of its list. It is good as long as the run
// is as it was left.
type unfinished struct {
	Run      int64
	Pages    int // of the run
	OAIURL   string
	Sets     []string // that are configured
	Wanted   []string // formats that are configured
	Prefixes []string // that are harvested
	Done     []doneList
	List     evidence
	Mapping  string // a remap: the version of its mapping
	After    string // a remap: the identifier up to which it has come
}

// of reports whether a harvest was left that goes on: the configuration may have
// changed since.
func (u unfinished) of(r Repository) bool {
	return u.OAIURL == r.OAIURL && slices.Equal(u.Wanted, r.Prefixes) && slices.Equal(u.Sets, r.Sets)
}

// doneList is a list that a harvest has read as far as possible.
type doneList struct {
	Prefix, Set string
	First       bool      // it was complete for the first time
	Whole       bool      // and all of it was read
	Began       time.Time // the run
	Fruitless   bool
}

// evidence is what a reader has found out about its list so far.
type evidence struct {
	Whole    bool
	Records  int
	By       oaipmh.Granularity
	Size     announced
	Restarts int
	Reopened bool
	Closing  closing
	Gaps     int
	InARow   int
	Repeated int // records, by the repetition
	Total    int // records that were announced, as in Progress
}

// evidence returns what was found out about the list.
func (l *listRun) evidence() evidence {
	r := l.reader
	return evidence{
		Whole: r.whole, Records: r.records, By: r.by, Size: r.size, Restarts: r.restarts, Reopened: r.reopened,
		Closing: r.closing, Gaps: r.gaps, InARow: r.inARow, Repeated: l.repetition.inARow, Total: l.saver.total,
	}
}

// resume takes over what was found out about the list in an earlier turn.
func (l *listRun) resume(e evidence) {
	r := l.reader
	r.whole, r.records, r.by, r.size, r.restarts, r.reopened = e.Whole, e.Records, e.By, e.Size, e.Restarts, e.Reopened
	r.closing, r.gaps, r.inARow = e.Closing, e.Gaps, e.InARow
	l.repetition.inARow, l.saver.total = e.Repeated, e.Total
}

// goOn returns the run that goes on in this turn, and what it left: none unless
// the last turn left the run as it is, which is of this kind.
func (h *Harvester) goOn(ctx context.Context, repository string, is func(store.Run) bool) (run store.Run, left unfinished, err error) {
	if h.turn == nil {
		return run, left, nil
	}
	if err := h.Store.Unfinished(ctx, repository, &left); err != nil || left.Run == 0 {
		return store.Run{}, unfinished{}, err
	}
	runs, err := h.Store.Runs(ctx, repository, few)
	if err != nil {
		return run, left, fmt.Errorf("read the runs of %s: %w", repository, err)
	}
	i := slices.IndexFunc(runs, func(r store.Run) bool {
		return r.ID == left.Run && r.State == store.Running && r.Pages == left.Pages && is(r)
	})
	if i < 0 {
		return store.Run{}, unfinished{}, nil
	}
	return runs[i], left, nil
}

// leave saves a run whose turn is over, and what it leaves.
func (r *activeRun) leave(ctx context.Context, left unfinished) error {
	ctx = context.WithoutCancel(ctx)
	r.Run = r.with(store.Run{})
	left.Run, left.Pages = r.ID, r.Run.Pages
	if err := r.h.Store.SaveRun(ctx, &r.Run); err != nil {
		return fmt.Errorf("leave a run of %s: %w", r.Repository, err)
	}
	return r.h.Store.SaveUnfinished(ctx, r.Repository, left)
}
