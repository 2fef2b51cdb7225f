package harvest

import (
	"context"
	"errors"
	"time"

	"fingerpost/bridge/store"
)

// turnTime is how often a run that waits for its host looks whether it is free.
const turnTime = time.Second

// hostLock is the lock of a host. No repository's id has a dot.
const hostLock = ".host."

// take locks a repository for a run that sends requests: *store.LockedError while
// another run has it. If other processes harvest too, it then waits until none of
// them sends requests to the host: there is one request at a time to a host, over
// all processes.
func (h *Harvester) take(ctx context.Context, r Repository) (release func(), err error) {
	unlock, err := h.Store.Lock(ctx, r.ID)
	if err != nil || !h.Shared {
		return unlock, err
	}
	free, err := h.turn(ctx, hostLock+hostOf(r.OAIURL))
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { free(); unlock() }, nil
}

// turn waits for a lock. Meanwhile the worker is left to another run.
func (h *Harvester) turn(ctx context.Context, name string) (free func(), err error) {
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
