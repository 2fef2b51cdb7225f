package harvest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"fingerpost/bridge/store"
)

// turnTime is how often a run that waits for its host looks whether it is free.
const turnTime = time.Second

// hostLock is the lock of a host, and nextLock that of the run which waits for it. No
// repository's id has a dot.
const (
	hostLock = ".host."
	nextLock = ".next."
)

// take locks a repository for a run that sends requests: *store.LockedError while
// another run has it. It then waits until no other run sends requests to the host:
// there is one request at a time to a host, over all processes.
func (h *Harvester) take(ctx context.Context, r Repository) (release func(), err error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	free, err := h.takeHost(ctx, hostOf(r.OAIURL))
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { free(); unlock() }, nil
}

// takeHost waits for the lock of a host. It is the next to get it: a Scheduler that
// has it for one turn after the other leaves a turn out.
func (h *Harvester) takeHost(ctx context.Context, host string) (free func(), err error) {
	mine, err := h.waitFor(ctx, nextLock+host)
	if err != nil {
		return nil, err
	}
	defer mine()
	return h.waitFor(ctx, hostLock+host)
}

// waitFor waits for a lock. Meanwhile the worker is left to another run.
func (h *Harvester) waitFor(ctx context.Context, name string) (free func(), err error) {
	for {
		free, err = h.Store.Lock(ctx, name)
		if !errors.As(err, new(*store.LockedError)) {
			return free, err
		}
		if err := h.Workers.pause(func() error { return h.Clock.Sleep(ctx, turnTime) }); err != nil {
			return nil, err
		}
	}
}

// turn is the time that a run has before others have theirs. A page that is on its
// way when the time is over is still taken.
type turn struct {
	until time.Time
	now   func() time.Time
	stop  context.CancelCauseFunc // ends the turn at once
	ended atomic.Bool
}

// errTurnOver is the cause of the end of a turn's context.
var errTurnOver = errors.New("the turn is over")

// begin returns a Harvester, and a context, for one turn until a time.
func (h *Harvester) turnUntil(ctx context.Context, until time.Time) (*Harvester, context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	own := *h
	own.turn = &turn{until: until, now: h.Clock.Now, stop: stop}
	return &own, ctx
}

// over reports whether the turn is over: what goes on later should stop here. A run
// by hand has no turn, and all the time that it takes.
func (t *turn) over() bool {
	if t == nil {
		return false
	}
	if !t.now().Before(t.until) {
		t.ended.Store(true)
	}
	return t.ended.Load()
}

// without lets the turn last as long as it takes.
func (t *turn) without() {
	if t != nil {
		t.until = t.until.AddDate(100, 0, 0)
	}
}

// end ends the turn before its time, since there is nothing to do in it.
func (t *turn) end() {
	t.ended.Store(true)
	t.stop(errTurnOver)
}

// isOver reports whether a context has ended with its turn, and not because
// somebody stopped the process.
func isOver(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTurnOver) }
