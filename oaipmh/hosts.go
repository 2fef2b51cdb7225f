package oaipmh

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"fingerpost/oaipmh/outbound"
)

// Hosts keeps the requests to every host polite: one at a time, at a pace the
// host can bear, none while it asked to be left alone. All clients of a
// process share one. The zero value is ready for use.
type Hosts struct {
	mu    sync.Mutex
	hosts map[string]*host
}

// A host's fields belong to whoever holds its slot.
type host struct {
	name      string
	slot      chan struct{}
	notBefore time.Time
	pace      time.Duration // least time between requests, learnt from 429
	parked    time.Time
}

const (
	firstPace   = time.Second
	slowestPace = time.Minute
)

func (h *Hosts) host(name string) *host {
	name = strings.ToLower(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hosts == nil {
		h.hosts = map[string]*host{}
	}
	if h.hosts[name] == nil {
		h.hosts[name] = &host{name: name, slot: make(chan struct{}, 1)}
	}
	return h.hosts[name]
}

// acquire waits until a request to the host may go out and holds its slot
// until release. Requests begin at least interval, plus up to jitter, apart.
func (h *host) acquire(ctx context.Context, clock outbound.Clock, interval, jitter time.Duration) error {
	select {
	case h.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	now := clock.Now()
	if h.parked.After(now) {
		h.release()
		return &ParkedError{Host: h.name, Until: h.parked}
	}
	if wait := h.notBefore.Sub(now); wait > 0 {
		if err := clock.Sleep(ctx, wait); err != nil {
			h.release()
			return err
		}
	}
	h.delay(clock, max(interval, h.pace)+random(jitter))
	return nil
}

func (h *host) release() { <-h.slot }

// delay keeps every request to the host back for d.
func (h *host) delay(clock outbound.Clock, d time.Duration) {
	if t := clock.Now().Add(d); d > 0 && t.After(h.notBefore) {
		h.notBefore = t
	}
}

// slowDown lowers the rate for as long as the process lives.
func (h *host) slowDown() { h.pace = min(max(2*h.pace, firstPace), slowestPace) }

// random is a duration in [0, d).
func random(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d)
}
