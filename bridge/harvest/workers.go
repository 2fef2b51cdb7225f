package harvest

import "sync"

// Workers bound the runs that are under way at a time. A run that waits for the end
// of a pause gives its place to another run; afterwards it is served before runs
// that have not begun.
type Workers struct {
	mu       sync.Mutex
	free     int
	resuming []chan struct{}
	starting []func()
}

// NewWorkers returns n places.
func NewWorkers(n int) *Workers { return &Workers{free: n} }

// Go calls do in a goroutine of its own as soon as there is a place. It does not
// wait for that.
func (w *Workers) Go(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.free == 0 {
		w.starting = append(w.starting, do)
		return
	}
	w.free--
	go w.work(do)
}

func (w *Workers) work(do func()) {
	defer w.leave()
	do()
}

// pause gives the place of a run to another while it waits. Without Workers it
// only waits.
func (w *Workers) pause(wait func() error) error {
	if w == nil {
		return wait()
	}
	w.leave()
	err := wait()
	<-w.place()
	return err
}

// place returns a channel that is closed when there is a place to resume.
func (w *Workers) place() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	place := make(chan struct{})
	if w.free > 0 {
		w.free--
		close(place)
		return place
	}
	w.resuming = append(w.resuming, place)
	return place
}

// leave gives a place to the next run.
func (w *Workers) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(w.resuming) > 0:
		close(w.resuming[0])
		w.resuming = w.resuming[1:]
	case len(w.starting) > 0:
		go w.work(w.starting[0])
		w.starting[0] = nil
		w.starting = w.starting[1:]
	default:
		w.free++
	}
}
