package oaipmh

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/klauspost/compress/gzip"

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
// *PauseError. The next request to the host begins no sooner than apart after
// this one, from any client.
func (c *Client) Head(ctx context.Context, address string, apart time.Duration) (Head, error) {
	u, err := c.session.foreign(ctx, address)
	if err != nil {
		return Head{}, err
	}
	answer, _, err := c.session.look(ctx, look{method: http.MethodHead, url: u, apart: apart})
	switch answer.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusNotFound, http.StatusGone:
		answer, _, err = c.session.look(ctx, look{method: http.MethodGet, url: u, header: http.Header{"Range": {"bytes=0-0"}}, apart: apart})
	}
	return answer, err
}

// RobotsTxt requests the robots.txt at an address in the same way.
func (c *Client) RobotsTxt(ctx context.Context, address string) (Head, []byte, error) {
	return c.Get(ctx, address, nil, outbound.MaxRobots, 0)
}

// Get requests any URL once, in the same way, with further request headers. It
// returns the first bytes of the body, decompressed, most of them at the most.
func (c *Client) Get(ctx context.Context, address string, header http.Header, most int64, apart time.Duration) (Head, []byte, error) {
	u, err := c.session.foreign(ctx, address)
	if err != nil {
		return Head{}, nil, err
	}
	return c.session.look(ctx, look{http.MethodGet, u, header, most, apart})
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

// look is a request for any URL.
type look struct {
	method string
	url    *url.URL
	header http.Header   // beside what every request has
	most   int64         // bytes of the body that are read
	apart  time.Duration // least time to the next request to the host
}

// look sends one request.
func (w *wire) look(ctx context.Context, l look) (Head, []byte, error) {
	h, options := w.options.Hosts.host(l.url.Hostname()), w.options
	options.MinInterval = max(options.MinInterval, l.apart)
	if err := h.acquire(ctx, &options); err != nil {
		return Head{}, nil, err
	}
	defer h.release()
	limited, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, l.method, l.url.String(), nil)
	if err != nil {
		return Head{}, nil, fmt.Errorf("request to %s: %w", l.url, err)
	}
	w.introduce(req)
	req.Header.Set("Accept", "*/*")
	maps.Copy(req.Header, l.header)
	w.sent.Add(1)
	resp, err := w.http.Transport.RoundTrip(req) // no cookies
	if err != nil {
		return Head{}, nil, w.unreachable(ctx, l.url.String(), err)
	}
	// Closed where it is unread: a server that sends all of a file is cut off.
	defer resp.Body.Close()
	answer := Head{Status: resp.StatusCode, Header: resp.Header}
	body, err := beginning(resp.Body, l.most)
	if err != nil {
		return Head{}, nil, w.unreachable(ctx, l.url.String(), err)
	}
	return answer, body, w.pause(h, &response{status: answer.Status, header: answer.Header})
}

// beginning returns the first bytes of a body, decompressed if they are those of
// gzip, whatever the header says. Of what is broken it returns what could be read.
func beginning(body io.Reader, most int64) ([]byte, error) {
	if most == 0 {
		return nil, nil
	}
	b, err := io.ReadAll(io.LimitReader(body, most))
	if !bytes.HasPrefix(b, []byte("\x1F\x8B")) {
		return b, err
	}
	z, broken := gzip.NewReader(bytes.NewReader(b))
	if broken != nil {
		return b, err
	}
	b, _ = io.ReadAll(io.LimitReader(z, most))
	return b, err
}
