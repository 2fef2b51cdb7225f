package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
)

// repetitionAtLeast is the number of known records in a row that any list may have.
const repetitionAtLeast = 1000

// repetition finds lists that never end and bring no new identifier. If more known
// records come in a row than are kept at all, some come repeatedly. The limit is
// twice that number, since pages may overlap.
type repetition struct {
	store interface {
		Counts(ctx context.Context, repository string) (store.Counts, error)
	}
	repository string
	inARow     int
	limit      int
}

// check returns an error if a list only repeats itself. Counting starts again with
// each window.
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
