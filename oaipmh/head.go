package oaipmh

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"fingerpost/oaipmh/outbound"
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
	u, err := c.session.foreign(ctx, address)
	if err != nil {
		return Head{}, err
	}
	answer, err := c.session.look(ctx, http.MethodHead, u, nil)
	switch answer.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusNotFound, http.StatusGone:
		return c.session.look(ctx, http.MethodGet, u, nil)
	}
	return answer, err
}

// RobotsTxt asks for the robots.txt at an address, likewise.
func (c *Client) RobotsTxt(ctx context.Context, address string) (Head, []byte, error) {
	u, err := c.session.foreign(ctx, address)
	if err != nil {
		return Head{}, nil, err
	}
	var text []byte
	answer, err := c.session.look(ctx, http.MethodGet, u, func(body io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(body, outbound.MaxRobots))
		return err
	})
	return answer, text, err
}

// foreign is a URL that is not the repository's base URL, if it may be asked.
func (w *wire) foreign(ctx context.Context, address string) (*url.URL, error) {
	u, err := outbound.WebURL(address)
	if err != nil {
		return nil, &UnreachableError{URL: clip(address), Err: err, final: true, remedy: "it cannot be asked for"}
	}
	u.User, u.Fragment = nil, ""
	if err := w.guard.CheckURL(u); err != nil {
		return nil, w.unreachable(ctx, u.String(), err)
	}
	return u, nil
}

// look asks once. Without read one byte is enough, and the body is left alone.
func (w *wire) look(ctx context.Context, method string, u *url.URL, read func(io.Reader) error) (Head, error) {
	h := w.options.Hosts.host(u.Hostname())
	if err := h.acquire(ctx, &w.options); err != nil {
		return Head{}, err
	}
	defer h.release()
	limited, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, method, u.String(), nil)
	if err != nil {
		return Head{}, fmt.Errorf("request to %s: %w", u, err)
	}
	w.introduce(req)
	req.Header.Set("Accept", "*/*")
	if method == http.MethodGet && read == nil {
		req.Header.Set("Range", "bytes=0-0")
	}
	w.sent.Add(1)
	resp, err := w.http.Transport.RoundTrip(req) // no cookies
	if err != nil {
		return Head{}, w.unreachable(ctx, u.String(), err)
	}
	// Closed where it is unread: a server that sends all of a file is cut off.
	defer resp.Body.Close()
	if read != nil {
		if err := read(resp.Body); err != nil {
			return Head{}, w.unreachable(ctx, u.String(), err)
		}
	}
	answer := Head{Status: resp.StatusCode, Header: resp.Header}
	return answer, w.pause(h, &response{status: answer.Status, header: answer.Header})
}
