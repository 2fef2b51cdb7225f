package oaipmh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/publicsuffix"

	"fingerpost/oaipmh/outbound"
)

// errBadGzip is a body that is not compressed as it says, or as was asked for.
var errBadGzip = errors.New("the compressed answer cannot be decompressed")

// A wire sends requests to a repository, one after the other, and returns the
// responses as they are.
type wire struct {
	options    Options
	configured *url.URL // where secrets may go
	http       *http.Client
	guard      *outbound.Guard

	sent     atomic.Int64 // requests so far
	identity atomic.Bool  // requests do not accept compression
	lastSize atomic.Int64
	spare    sync.Pool // of *[]byte, the memory of buffers
}

// A response is an HTTP response with its whole body.
type response struct {
	status int
	header http.Header
	body   *buffer
	url    string
}

func newWire(base *url.URL, o Options) (*wire, error) {
	w := &wire{options: o.withDefaults(), configured: base, guard: outbound.NewGuard(base)}
	carrier := o.Transport
	if carrier == nil {
		carrier = transport(w.guard, w.options)
	}
	w.http = &http.Client{
		Transport:     carrier,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var err error
	if o.Cookies {
		w.http.Jar, err = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	}
	return w, err
}

// address is the URL of a request, without secrets.
func address(base *url.URL, args arguments) string {
	u := *base
	u.RawQuery = args.query(base.RawQuery)
	return u.String()
}

// send sends one request. It has the host's slot until the body has come.
func (w *wire) send(ctx context.Context, base *url.URL, args arguments) (*response, error) {
	h := w.options.Hosts.host(base.Hostname())
	if err := h.acquire(ctx, &w.options); err != nil {
		return nil, err
	}
	defer h.release()
	limited, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	req, err := w.newRequest(limited, base, args)
	if err != nil {
		return nil, err
	}
	r := &response{url: address(base, args)}
	w.sent.Add(1)
	resp, err := w.http.Do(req)
	if err != nil {
		return nil, w.unreachable(ctx, r.url, err)
	}
	defer resp.Body.Close()
	r.status, r.header = resp.StatusCode, resp.Header
	r.body, err = w.body(resp)
	switch {
	case errors.Is(err, errBadGzip):
		return nil, &UnreachableError{URL: r.url, Err: err, remedy: "the server's compression is broken"}
	case errors.Is(err, errTooLong):
		return nil, &TooLargeError{URL: r.url, What: "bytes", Limit: w.options.MaxBytes}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &TruncatedError{URL: r.url, Bytes: len(r.body.bytes)}
	case err != nil:
		return nil, w.unreachable(ctx, r.url, err)
	}
	return r, w.pause(h, r)
}

func (w *wire) newRequest(ctx context.Context, base *url.URL, args arguments) (*http.Request, error) {
	u, query, trusted := *base, args.query(base.RawQuery), w.sameSite(base)
	if trusted && len(w.options.Query) > 0 {
		query += "&" + w.options.Query.Encode()
	}
	var req *http.Request
	var err error
	if w.options.POST {
		u.RawQuery = ""
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(query))
	} else {
		u.RawQuery = query
		req, err = http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", base, err)
	}
	if trusted {
		w.authenticate(req)
	}
	w.introduce(req)
	req.Header.Set("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	if w.identity.Load() {
		req.Header.Set("Accept-Encoding", "identity")
	}
	if w.options.POST {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, nil
}

// authenticate adds the headers that the configured host alone may see.
func (w *wire) authenticate(req *http.Request) {
	for name, values := range w.options.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if w.options.Username != "" || w.options.Password != "" {
		req.SetBasicAuth(w.options.Username, w.options.Password)
	}
}

// introduce says who sends the request.
func (w *wire) introduce(req *http.Request) {
	req.Header.Set("User-Agent", w.options.UserAgent)
	if w.options.From != "" {
		req.Header.Set("From", w.options.From)
	}
}

// sameSite reports whether secrets may go to base: only to the configured host,
// and not in the clear if they were configured for https.
func (w *wire) sameSite(base *url.URL) bool {
	if base.Scheme == w.configured.Scheme {
		return outbound.HostPort(base) == outbound.HostPort(w.configured)
	}
	return base.Scheme == "https" && strings.EqualFold(base.Hostname(), w.configured.Hostname()) &&
		base.Port() == "" && w.configured.Port() == ""
}

// body reads a body, decompressed if its first bytes are those of gzip,
// whatever the header says. With an error it returns what could be read.
func (w *wire) body(resp *http.Response) (*buffer, error) {
	b := w.buffer()
	err := b.fill(resp.Body, w.options.MaxBytes)
	if err == nil && bytes.HasPrefix(b.bytes, []byte("\x1F\x8B")) {
		b, err = w.unzip(b)
	}
	if err == nil {
		w.lastSize.Store(int64(len(b.bytes)))
	}
	return b, err
}

func (w *wire) unzip(b *buffer) (*buffer, error) {
	defer b.release()
	z, err := gzip.NewReader(bytes.NewReader(b.bytes))
	if err != nil {
		return b, errBadGzip
	}
	out := w.buffer()
	err = out.fill(z, w.options.MaxBytes)
	if err != nil && err != errTooLong && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = errBadGzip
	}
	return out, err
}
