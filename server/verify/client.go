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

// A Client sends requests politely, and bounds the answers. The zero value is
// ready for use. One Client may serve several goroutines; no host gets two of its
// requests at a time.
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

// A host's fields belong to the owner of its slot.
type host struct {
	slot      chan struct{}
	notBefore time.Time
	parked    time.Time // the end of a pause that is too long to wait for
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

// acquire waits until a request to the host may go out, and takes its slot until
// release.
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

// pace puts off the next request to the host.
func (c *Client) pace(h *host) {
	h.notBefore = c.clock().Now().Add(interval)
}

// maxWait is the longest Retry-After that is obeyed by waiting.
const maxWait = 30 * time.Second

// pause obeys the Retry-After of a busy server, and reports whether the request
// may be repeated. After a pause that is too long, the host gets no more requests.
func (c *Client) pause(h *host, status int, header http.Header) (again bool) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return false
	}
	wait := outbound.RetryAfter(header, c.clock().Now())
	until := c.clock().Now().Add(wait)
	if wait > maxWait {
		h.parked = until
		return false
	}
	if until.After(h.notBefore) {
		h.notBefore = until
	}
	return wait > 0
}
