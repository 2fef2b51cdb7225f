package harvest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// defaultWorkers are those of a Harvester that has none.
const defaultWorkers = 8

// queue is that of a process alone: hosts wait for a worker, in the order of their
// times, each once.
type queue struct {
	*Scheduler
	workers *Workers
	busy    map[string]bool      // hosts that wait for a worker, or have one
	waiting map[string]time.Time // hosts that are due within a minute
	planned time.Time            // the last plan
	worked  chan worked
}

// worked is what Work has returned.
type worked struct {
	host string
	next time.Time
}

// Run works until ctx ends, with as many hosts at a time as there are Workers.
func (s *Scheduler) Run(ctx context.Context) {
	q := &queue{Scheduler: s, workers: s.Workers, busy: map[string]bool{}, waiting: map[string]time.Time{}, worked: make(chan worked)}
	if q.workers == nil {
		q.workers = NewWorkers(defaultWorkers)
	}
	for ctx.Err() == nil {
		q.plan(ctx)
		q.begin(ctx)
		q.wait(ctx)
	}
	for len(q.busy) > 0 {
		q.end(<-q.worked)
	}
}

// plan finds out once a minute which hosts are due.
func (q *queue) plan(ctx context.Context) {
	now := q.Clock.Now()
	if passed := now.Sub(q.planned); passed >= 0 && passed < horizon {
		return
	}
	q.planned = now
	hosts, err := q.Plan(ctx)
	if err != nil && ctx.Err() == nil {
		q.Log.Error("harvest: the store does not say which sources are due; it is asked again", "error", err)
	}
	for _, h := range hosts {
		if !q.busy[h.Host] {
			q.waiting[h.Host] = h.Due
		}
	}
}

// ready are the hosts whose time has come, by that time.
func (q *queue) ready() (hosts []string) {
	now := q.Clock.Now()
	for host, at := range q.waiting {
		if !at.After(now) {
			hosts = append(hosts, host)
		}
	}
	slices.SortFunc(hosts, func(a, b string) int {
		return cmp.Or(q.waiting[a].Compare(q.waiting[b]), strings.Compare(a, b))
	})
	return hosts
}

// begin puts the hosts whose time has come into the queue.
func (q *queue) begin(ctx context.Context) {
	for _, host := range q.ready() {
		delete(q.waiting, host)
		q.busy[host] = true
		q.workers.Go(func() { q.worked <- worked{host, q.work(ctx, host)} })
	}
}

func (q *queue) work(ctx context.Context, host string) time.Time {
	if ctx.Err() != nil {
		return time.Time{}
	}
	next, err := q.Work(ctx, host)
	if err != nil && ctx.Err() == nil {
		q.Log.Error("harvest: the store failed; the host is worked again later", "host", host, "error", err)
		return q.Clock.Now().Add(horizon)
	}
	return next
}

func (q *queue) end(w worked) {
	delete(q.busy, w.host)
	if !w.next.IsZero() {
		q.waiting[w.host] = w.next
	}
}

// wait waits until a worker has ended, or a host or the plan is due: in short steps,
// since clocks are set, machines sleep, and other processes harvest.
func (q *queue) wait(ctx context.Context) {
	if len(q.busy) > 0 && int64(len(q.busy)) == q.hosts.Load() { // nothing else can be due
		q.end(<-q.worked)
		return
	}
	ctx, wake := context.WithCancel(ctx)
	defer wake()
	awake, idle := make(chan struct{}), q.idle()
	go func() {
		_ = q.Clock.Sleep(ctx, idle)
		close(awake)
	}()
	select {
	case w := <-q.worked:
		q.end(w)
	case <-awake:
		return
	}
	wake()
	<-awake
}

// idle is how long nothing is due.
func (q *queue) idle() time.Duration {
	next := q.planned.Add(horizon)
	for _, at := range q.waiting {
		if at.Before(next) {
			next = at
		}
	}
	return max(next.Sub(q.Clock.Now()), 0)
}
