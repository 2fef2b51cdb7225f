package harvest

import (
	"context"
	"slices"
	"sync"
)

// Workers bound the runs that are under way at a time. A run that waits for the end
// of a pause gives its place to another run; afterwards it is served before runs
// that have not begun.
type Workers struct {
	mu       sync.Mutex
	free     int
	resuming []chan struct{}
	starting []chan struct{}
}

// NewWorkers returns n places.
func NewWorkers(n int) *Workers { return &Workers{free: n} }

// Do calls do as soon as there is a place, or returns the error of ctx.
func (w *Workers) Do(ctx context.Context, do func()) error {
	place := w.queue(&w.starting)
	select {
	case <-place:
	case <-ctx.Done():
		w.cancel(place)
		return ctx.Err()
	}
	defer w.leave()
	do()
	return nil
}

// pause gives the place of a run to another while it waits. Without Workers it
// only waits.
func (w *Workers) pause(wait func() error) error {
	if w == nil {
		return wait()
	}
	w.leave()
	err := wait()
	<-w.queue(&w.resuming)
	return err
}

// queue returns a channel that is closed when there is a place.
func (w *Workers) queue(line *[]chan struct{}) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	place := make(chan struct{})
	if w.free > 0 {
		w.free--
		close(place)
		return place
	}
	*line = append(*line, place)
	return place
}

func (w *Workers) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range []*[]chan struct{}{&w.resuming, &w.starting} {
		if len(*line) > 0 {
			close((*line)[0])
			*line = (*line)[1:]
			return
		}
	}
	w.free++
}

// cancel leaves the line, or the place if it came meanwhile.
func (w *Workers) cancel(place chan struct{}) {
	w.mu.Lock()
	i := slices.Index(w.starting, place)
	if i >= 0 {
		w.starting = slices.Delete(w.starting, i, i+1)
	}
	w.mu.Unlock()
	if i < 0 {
		w.leave()
	}
}
