package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
)

// repetitionAtLeast is how many records that are kept already a list may have in
// a row, however few are kept.
const repetitionAtLeast = 1000

// repetition finds lists that go on for ever without a new identifier. More
// records in a row that are kept already than there are kept at all must come
// again and again; twice as many are left to lists whose pages overlap.
type repetition struct {
	store interface {
		Counts(ctx context.Context, repository string) (store.Counts, error)
	}
	repository string
	inARow     int
	limit      int
}

// check returns an error if a list does nothing but repeat itself. A window that
// is read again starts anew.
func (r *repetition) check(ctx context.Context, m mappedStep) error {
	if r.inARow += m.counts.Records; m.first > 0 || m.page == nil || m.last {
		r.inARow = 0
	}
	if r.inARow <= max(r.limit, repetitionAtLeast) {
		return nil
	}
	c, err := r.store.Counts(ctx, r.repository)
	if err != nil {
		return nil // what is wrong with the store shows when it saves
	}
	r.limit = repetitionAtLeast + 2*(c.Objects+c.Deleted+c.Quarantined)
	if r.inARow <= r.limit {
		return nil
	}
	return fmt.Errorf("the list goes on and on: the last %d records were known already; tell the repository's administrators", r.inARow)
}
