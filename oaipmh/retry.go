package oaipmh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fingerpost/oaipmh/outbound"
)

const (
	firstBackoff   = time.Second
	longestBackoff = time.Minute
	// doubtfulRetries is for an address that has never answered OAI-PMH: it
	// is more likely wrong than ill.
	doubtfulRetries = 2
)

// ask sends a request until it is answered, or further tries are pointless.
func (c *Client) ask(ctx context.Context, args arguments) (*answer, error) {
	for try := 0; ; try++ {
		a, err := c.once(ctx, args)
		if err == nil {
			err = a.asked(args.get("verb"))
		}
		if err == nil {
			return a, nil
		}
		again, wait := c.retry(err, try)
		if !again {
			if try > 0 && ctx.Err() == nil {
				err = fmt.Errorf("%w (tried %d times)", err, try+1)
			}
			return nil, err
		}
		if err := c.options.Clock.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		c.repeated.Add(1)
	}
}

// retry says whether to try again after err, and how long to wait before.
func (c *Client) retry(err error, try int) (again bool, wait time.Duration) {
	if try >= c.options.Retries {
		return false, 0
	}
	wait = min(firstBackoff<<min(try, 16), longestBackoff)
	wait = wait/2 + random(wait/2)
	var status *StatusError
	var protocol *Error
	var unreachable *UnreachableError
	var notOAI *NotOAIError
	var truncated *TruncatedError
	switch {
	case errors.As(err, &status):
		return status.transient(), max(wait, status.RetryAfter)
	case errors.As(err, &protocol):
		return !protocol.known(), wait
	case errors.Is(err, errBadGzip):
		return !c.identity.Swap(true), 0
	case errors.As(err, &unreachable):
		return !unreachable.final && c.notDoubtful(try), wait
	case errors.As(err, &notOAI):
		return c.notDoubtful(try), wait
	case errors.As(err, &truncated):
		return true, wait
	}
	return false, 0
}

func (c *Client) notDoubtful(try int) bool { return c.answered.Load() || try < doubtfulRetries }

// holdOff obeys a server that asks for a pause: no request goes to its host
// before it is over. One that is too long to wait for parks the host.
func (c *Client) holdOff(h *host, r *response) error {
	slower := r.status == http.StatusTooManyRequests
	if !slower && r.status < 500 {
		return nil
	}
	now := c.options.Clock.Now()
	pause := outbound.RetryAfter(r.header, now)
	asked := h.restraint(now)
	if slower || pause > 0 {
		asked = h.restrain(now, pause, slower)
		if c.options.Told != nil {
			c.options.Told(asked)
		}
	}
	if pause > c.options.MaxRetryAfter {
		return &ParkedError{Host: asked.Host, Until: asked.Until}
	}
	h.delay(c.options.Clock, asked.Pace)
	return nil
}
