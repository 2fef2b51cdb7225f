package oaipmh

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"fingerpost/oaipmh/outbound"
)

// Head is the answer to a HEAD request.
type Head struct {
	Status int
	Header http.Header
}

// Head requests any URL once, by HEAD, as politely as the client requests
// records: in turn with all other requests to its host, and not inside this
// network unless the repository is there. It does not follow redirects, and does
// not send the secrets of the repository. Where the server refuses HEAD, or says
// that the resource is missing, which some servers say to every HEAD, it requests
// the first byte by GET. A host that asks for a pause that is too long is a
// *ParkedError.
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

// RobotsTxt requests the robots.txt at an address in the same way.
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

// foreign reads a URL that is not the repository's base URL, if it may be
// requested.
func (w *wire) foreign(ctx context.Context, address string) (*url.URL, error) {
	u, err := outbound.WebURL(address)
	if err != nil {
		return nil, &UnreachableError{URL: clip(address), Err: err, final: true, remedy: "it cannot be requested"}
	}
	u.User, u.Fragment = nil, ""
	if err := w.guard.CheckURL(u); err != nil {
		return nil, w.unreachable(ctx, u.String(), err)
	}
	return u, nil
}

// look sends one request. Without read, one byte is enough and the body is left
// unread.
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
