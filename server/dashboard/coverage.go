package dashboard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

const (
	// countingLimit is how long counting one repository may take.
	countingLimit = 5 * time.Minute
	// rest is how much longer than a count the pause after it is, so that a
	// repository that changes all the time is not counted all the time.
	rest = 20
)

// errTooLong is a count that was given up.
var errTooLong = errors.New("counting took too long")

// coverage holds what was counted, and what is to be counted.
type coverage struct {
	mu     sync.Mutex
	counts map[string]*count
	wanted chan string // holds each repository once at most
}

// count is the coverage of one repository.
type count struct {
	bridge.Coverage
	modified int64     // of the repository when counting began; -1 before the first count
	pending  bool      // it is wanted, or being counted
	again    time.Time // not to be counted before
	err      error     // of the last attempt
}

func newCoverage(repositories int) coverage {
	return coverage{counts: map[string]*count{}, wanted: make(chan string, repositories)}
}

// want returns what is known of a repository, and has it counted if it has
// changed since.
func (c *coverage) want(id string, modified int64, now time.Time) count {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.counts[id]
	if !ok {
		known = &count{modified: -1}
		c.counts[id] = known
	}
	if known.modified != modified && !known.pending && !now.Before(known.again) {
		known.pending = true
		c.wanted <- id
	}
	return *known
}

// countNext waits for a repository that is wanted and counts it. It returns
// false when ctx has ended.
func (d *Dashboard) countNext(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case id := <-d.coverage.wanted:
		began := d.Now()
		counted, modified, err := d.count(ctx, id)
		if err != nil && ctx.Err() == nil {
			d.Log.Error("coverage: counting failed", "repository", id, "error", err)
		}
		d.coverage.note(id, counted, modified, err, began, d.Now())
		return true
	}
}

func (c *coverage) note(id string, counted bridge.Coverage, modified int64, err error, began, ended time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.counts[id]
	known.pending, known.err, known.again = false, err, ended.Add(rest*ended.Sub(began))
	if err == nil {
		known.Coverage, known.modified = counted, modified
	}
}

// count counts what a repository could have links for, as `fingerpost coverage`
// does.
func (d *Dashboard) count(ctx context.Context, id string) (c bridge.Coverage, modified int64, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, countingLimit, errTooLong)
	defer cancel()
	if modified, err = d.store.Modified(limited, id); err != nil {
		return c, 0, err
	}
	for o, err := range store.Candidates(limited, d.store, id) {
		if err == nil {
			err = context.Cause(limited)
		}
		if err != nil {
			return c, 0, fmt.Errorf("count the objects of %s: %w", id, err)
		}
		c.Add(o.Object)
	}
	return c, modified, nil
}
