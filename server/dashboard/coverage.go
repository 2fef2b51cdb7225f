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
	// rest is how many times longer than a count the pause after it is, so that a
	// repository that keeps changing is not counted without end.
	rest = 20
)

// errTooLong is a count that was given up.
var errTooLong = errors.New("counting took too long")

// coverage has the counts, and the repositories that wait to be counted.
type coverage struct {
	mu     sync.Mutex
	counts map[string]*count
	wanted chan string // each repository once at most
}

// count is the coverage of one repository.
type count struct {
	bridge.Coverage
	modified int64     // of the repository when counting began; -1 before the first count
	pending  bool      // it waits to be counted, or is being counted
	again    time.Time // not to be counted before
	err      error     // of the last attempt
}

func newCoverage(repositories int) coverage {
	return coverage{counts: map[string]*count{}, wanted: make(chan string, repositories)}
}

// want returns the last count of a repository, and has it counted again if it has
// changed since.
func (c *coverage) want(id string, modified int64, now time.Time) count {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.counts[id]
	if !ok {
		last = &count{modified: -1}
		c.counts[id] = last
	}
	if last.modified != modified && !last.pending && !now.Before(last.again) {
		last.pending = true
		c.wanted <- id
	}
	return *last
}

// countNext waits for a repository to count, and counts it. It returns false when
// ctx has ended.
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
	last := c.counts[id]
	last.pending, last.err, last.again = false, err, ended.Add(rest*ended.Sub(began))
	if err == nil {
		last.Coverage, last.modified = counted, modified
	}
}

// count counts the links that the objects of a repository have, as `fingerpost
// coverage` does.
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
