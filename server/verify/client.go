package verify

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"fingerpost/oaipmh/outbound"
)

// A Client is what asks the web: politely, and with bounds on all it takes.
// The zero value is ready for use. One Client may serve several goroutines;
// no host ever gets two requests of it at a time.
type Client struct {
	UserAgent string         // default "fingerpost"; a contact belongs in it
	Clock     outbound.Clock // default is the machine's
	Timeout   time.Duration  // of one request with its answer; default 30 s, for a Signmap four times that
	Deadline  time.Duration  // of all requests for one page; default 10 min
	TLS       *tls.Config    // default is Go's

	mu    sync.Mutex
	hosts map[string]*host

	// dial connects to address, and lets check refuse what it resolves to.
	// Tests replace it.
	dial func(ctx context.Context, network, address string, check func(resolved string) error) (net.Conn, error)
}

func (c *Client) clock() outbound.Clock {
	if c.Clock == nil {
		return outbound.WallClock()
	}
	return c.Clock
}

// A host's fields belong to whoever holds its slot.
type host struct {
	slot      chan struct{}
	notBefore time.Time
	parked    time.Time // asked to be left alone until then
}

func (c *Client) host(name string) *host {
	name = strings.ToLower(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts == nil {
		c.hosts = map[string]*host{}
	}
	if c.hosts[name] == nil {
		c.hosts[name] = &host{slot: make(chan struct{}, 1)}
	}
	return c.hosts[name]
}

// acquire waits until a request to the host may go out, and holds its slot
// until release.
func (c *Client) acquire(ctx context.Context, h *host) error {
	select {
	case h.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	now := c.clock().Now()
	if h.parked.After(now) {
		h.release()
		return errParked
	}
	if wait := h.notBefore.Sub(now); wait > 0 {
		if err := c.clock().Sleep(ctx, wait); err != nil {
			h.release()
			return err
		}
	}
	return nil
}

func (h *host) release() { <-h.slot }

// interval is the least time between two requests to a host.
const interval = 200 * time.Millisecond

// pace keeps the next request to the host back.
func (c *Client) pace(h *host) {
	h.notBefore = c.clock().Now().Add(interval)
}

// maxWait is the longest Retry-After that is obeyed by waiting.
const maxWait = 30 * time.Second

// holdOff obeys the Retry-After of a busy server, and tells whether the
// request may be made once more. A pause that is too long parks the host.
func (c *Client) holdOff(h *host, status int, header http.Header) (again bool) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return false
	}
	pause := outbound.RetryAfter(header, c.clock().Now())
	until := c.clock().Now().Add(pause)
	if pause > maxWait {
		h.parked = until
		return false
	}
	if until.After(h.notBefore) {
		h.notBefore = until
	}
	return pause > 0
}
