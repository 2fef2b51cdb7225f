package dashboard

import (
	"context"
	"errors"

	"fingerpost/bridge/store"
)

// history is how many runs of a repository are read: those of months.
const history = 100

// doubtfulLists is of how many lists doubts are read.
const doubtfulLists = 20

// Seen is a repository with its newest runs and its figures.
type Seen struct {
	store.Source
	Standing store.Standing
	Runs     []store.Run // newest first
	Doubts   []string    // about complete lists, a sentence each
	Pause    string      // why it is left alone until Due, a sentence; "" if it is not
	Pages    store.Pages // how far its landing pages are read
}

// See reads a repository. source says when it is due, and why then: the rest is
// read anew.
func See(ctx context.Context, db Store, r Repository, source store.Source) (s Seen, err error) {
	s.Source = source
	s.Repository = r.ID
	if s.Runs, err = db.Runs(ctx, r.ID, history); err != nil {
		return s, err
	}
	known, err := db.Repository(ctx, r.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return s, err
	}
	if s.Why == "pause" || s.Why == "refused" {
		s.Pause = known.Pause.Reason
	}
	prefixes := r.Prefixes
	if len(prefixes) == 0 {
		prefixes = known.Prefixes
	}
	s.judge(store.StandingOf(s.Runs, prefixes, r.Sets))
	if s.Doubts, err = doubts(ctx, db, r.ID, s.Standing.Lists); err != nil {
		return s, err
	}
	counts, err := db.Counts(ctx, r.ID)
	if err != nil {
		return s, err
	}
	s.Objects, s.Deleted, s.Quarantined = counts.Objects, counts.Deleted, counts.Quarantined
	s.Pages, err = db.Pages(ctx, r.ID)
	return s, err
}

func (s *Seen) judge(by store.Standing) {
	s.Standing = by
	s.State, s.Reason, s.Failures, s.Class = by.Worst.State, by.Worst.Reason, by.Failures, string(by.Class)
	s.Began, s.Complete = by.Newest.Started, by.Complete
}

// doubts are those about lists that are complete.
func doubts(ctx context.Context, db Store, id string, lists []store.Run) (out []string, err error) {
	for _, r := range lists[:min(len(lists), doubtfulLists)] {
		if r.Prefix == "" || r.Sweep {
			continue
		}
		at, err := db.Checkpoint(ctx, id, r.Prefix, r.Set)
		if err != nil {
			return nil, err
		}
		if at.Remark != "" {
			out = append(out, listName(r)+": "+at.Remark)
		}
	}
	return out, nil
}
