package oaipmh

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// Head is how a server answers when it is asked about a URL without its
// contents.
type Head struct {
	Status int
	Header http.Header
}

// Head asks about any URL, once, as politely as the client asks for records:
// in turn with all other requests to its host, and not inside this network
// unless the repository is there. Redirects are not followed, and nothing that
// identifies the client to the repository is sent. Where HEAD is not allowed,
// or what is asked for is said to be missing, which some servers say to every
// HEAD, it asks for the first byte by GET. A host that wants a pause that is
// too long is a *ParkedError.
func (c *Client) Head(ctx context.Context, address string) (Head, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return Head{}, &UnreachableError{URL: clip(address), Err: fmt.Errorf("not a web address"), final: true, remedy: "it cannot be asked for"}
	}
	u.User, u.Fragment = nil, ""
	if err := c.guard.CheckURL(u); err != nil {
		return Head{}, c.unreachable(ctx, u.String(), err)
	}
	answer, err := c.head(ctx, http.MethodHead, u)
	switch answer.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusNotFound, http.StatusGone:
		return c.head(ctx, http.MethodGet, u)
	}
	return answer, err
}

func (c *Client) head(ctx context.Context, method string, u *url.URL) (Head, error) {
	h := c.options.Hosts.host(u.Hostname())
	if err := h.acquire(ctx, c.options.Clock, c.options.MinInterval, c.options.Jitter); err != nil {
		return Head{}, err
	}
	defer h.release()
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, method, u.String(), nil)
	if err != nil {
		return Head{}, fmt.Errorf("request to %s: %w", u, err)
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	req.Header.Set("Accept", "*/*")
	if c.options.From != "" {
		req.Header.Set("From", c.options.From)
	}
	if method == http.MethodGet {
		req.Header.Set("Range", "bytes=0-0")
	}
	c.sent.Add(1)
	resp, err := c.http.Transport.RoundTrip(req) // no cookies
	if err != nil {
		return Head{}, c.unreachable(ctx, u.String(), err)
	}
	// Closed unread: a server that sends all of a file is cut off.
	resp.Body.Close()
	answer := Head{Status: resp.StatusCode, Header: resp.Header}
	return answer, c.holdOff(h, &response{status: answer.Status, header: answer.Header})
}
