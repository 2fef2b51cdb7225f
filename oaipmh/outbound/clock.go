package outbound

import (
	"context"
	"time"
)

// A Clock is the time that pauses between requests are measured by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or until ctx ends, and returns its error then.
	Sleep(ctx context.Context, d time.Duration) error
}

// WallClock is the time of the machine.
func WallClock() Clock { return wallClock{} }

type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
