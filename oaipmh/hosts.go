package oaipmh

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"fingerpost/oaipmh/outbound"
)

// Hosts keeps the requests to every host polite: one at a time, no faster than
// the host can bear, none during a pause that it asked for. All clients of a
// process share one. The zero value is ready for use.
type Hosts struct {
	mu    sync.Mutex
	hosts map[string]*host
}

// Restraint is what a host has asked for by Retry-After and 429. A program that
// stores it from Options.Told and gives it to Hosts.Obey also obeys it after a
// restart.
type Restraint struct {
	Host      string
	At        time.Time     // of the last answer that asked for it, by our clock
	Until     time.Time     // no request before
	Pace      time.Duration // least time between the beginnings of two requests
	PaceUntil time.Time     // when Pace is forgotten
}

const (
	firstPace   = time.Second
	slowestPace = time.Minute
	// paceLasts is how long a host gets slower requests after its last 429.
	paceLasts = 24 * time.Hour
	// clockError is how far in the future the At of a Restraint may be. Beyond it
	// the clock was wrong then, and so are its times.
	clockError = time.Hour
)

// in returns what is still in force at a time; the rest is zero.
func (r Restraint) in(now time.Time) Restraint {
	if r.At.After(now.Add(clockError)) {
		return Restraint{Host: r.Host}
	}
	if !r.Until.After(now) {
		r.Until = time.Time{}
	}
	if !r.PaceUntil.After(now) {
		r.Pace, r.PaceUntil = 0, time.Time{}
	}
	return r
}

// FreeAt is when restraints allow the next request to the host of a repository;
// the zero time is at once.
func FreeAt(baseURL string, restraints []Restraint, now time.Time) (at time.Time) {
	base, err := parseBase(baseURL)
	if err != nil {
		return at
	}
	for _, r := range restraints {
		if r = r.in(now); strings.EqualFold(r.Host, base.Hostname()) {
			at = later(r.Until, at)
		}
	}
	return at
}

// Obey takes over what a host asked for before this process began, or of another
// process. What it asked for here later takes precedence.
func (h *Hosts) Obey(r Restraint) {
	host := h.host(r.Host)
	host.mu.Lock()
	defer host.mu.Unlock()
	if !r.At.Before(host.asked.At) {
		r.Host = host.asked.Host
		host.asked = r
	}
}

type host struct {
	slot      chan struct{}
	notBefore time.Time // belongs to the owner of the slot

	mu    sync.Mutex
	asked Restraint
}

func (h *Hosts) host(name string) *host {
	name = strings.ToLower(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hosts == nil {
		h.hosts = map[string]*host{}
	}
	if h.hosts[name] == nil {
		h.hosts[name] = &host{slot: make(chan struct{}, 1), asked: Restraint{Host: name}}
	}
	return h.hosts[name]
}

// acquire waits until a request to the host may go out, and takes its slot until
// release. Requests begin at least MinInterval, plus up to Jitter, apart.
func (h *host) acquire(ctx context.Context, o *Options) error {
	for free := false; !free; {
		if err := h.waitOut(ctx, o); err != nil {
			return err
		}
		select {
		case h.slot <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		// The host may have asked for a pause while this request waited.
		if free = h.restraint(o.Clock.Now()).Until.IsZero(); !free {
			h.release()
		}
	}
	now := o.Clock.Now()
	if wait := h.notBefore.Sub(now); wait > 0 {
		if err := o.Clock.Sleep(ctx, wait); err != nil {
			h.release()
			return err
		}
	}
	h.delay(o.Clock, max(o.MinInterval, h.restraint(now).Pace)+random(o.Jitter))
	return nil
}

// waitOut waits until the pause is over that a host has asked for.
func (h *host) waitOut(ctx context.Context, o *Options) error {
	now := o.Clock.Now()
	asked := h.restraint(now)
	switch {
	case asked.Until.IsZero():
		return nil
	case asked.Until.Sub(now) > o.MaxRetryAfter:
		return &PauseError{Host: asked.Host, Until: asked.Until}
	case o.Wait != nil:
		return o.Wait(ctx, asked.Until)
	}
	return o.Clock.Sleep(ctx, asked.Until.Sub(now))
}

func (h *host) release() { <-h.slot }

// delay puts off every request to the host for d.
func (h *host) delay(clock outbound.Clock, d time.Duration) {
	if t := clock.Now().Add(d); d > 0 {
		h.notBefore = later(t, h.notBefore)
	}
}

func (h *host) restraint(now time.Time) Restraint {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked.in(now)
}

// restrain notes that the host asked for a pause or a slower pace.
func (h *host) restrain(now time.Time, pause time.Duration, slower bool) Restraint {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.asked.in(now)
	r.At = now
	if pause > 0 {
		r.Until = later(now.Add(pause), r.Until)
	}
	if slower {
		r.Pace, r.PaceUntil = min(max(2*r.Pace, firstPace), slowestPace), now.Add(paceLasts)
	}
	h.asked = r
	return r
}

// pause obeys a server that asks for a pause: no request goes to its host
// before it is over. One that is too long to wait for is a *PauseError.
func (w *wire) pause(h *host, r *response) error {
	slower := r.status == http.StatusTooManyRequests
	if !slower && r.status < 500 {
		return nil
	}
	now := w.options.Clock.Now()
	pause := r.retryAfter(now)
	asked := h.restraint(now)
	if slower || pause > 0 {
		asked = h.restrain(now, pause, slower)
		if w.options.Told != nil {
			w.options.Told(asked)
		}
	}
	if pause > w.options.MaxRetryAfter {
		return &PauseError{Host: asked.Host, Until: asked.Until}
	}
	h.delay(w.options.Clock, asked.Pace)
	return nil
}

// retryAfter is the pause that a server asks for; 0 if none. It counts with the
// two answers that mean it: some servers send the field with every answer. RFC
// 6585, 4; RFC 9110, 15.6.4.
func (r *response) retryAfter(now time.Time) time.Duration {
	if r.status != http.StatusTooManyRequests && r.status != http.StatusServiceUnavailable {
		return 0
	}
	return outbound.RetryAfter(r.header, now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// random is a duration in [0, d).
func random(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(d)
}
