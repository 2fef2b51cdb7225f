package oaipmh

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/klauspost/compress/gzip"

	"fingerpost/oaipmh/outbound"
)

const maxRedirects = 5

// errBadGzip is a body that is not compressed as it says, or as was asked for.
var errBadGzip = errors.New("the compressed answer cannot be decompressed")

// A response is an HTTP response with its whole body.
type response struct {
	status int
	header http.Header
	body   *buffer
	url    string
}

// once sends a request one time, through up to five redirects, and reads the
// answer's envelope.
func (c *Client) once(ctx context.Context, args arguments) (*answer, error) {
	base, permanent := c.currentBase(), true
	for range maxRedirects + 1 {
		r, err := c.send(ctx, base, args)
		if err != nil {
			return nil, err
		}
		next, err := c.redirect(base, r, args)
		if err != nil {
			return nil, err
		}
		if next == nil {
			a, err := c.judge(r)
			if err == nil && permanent && base != c.currentBase() {
				c.moved(base)
			}
			return a, err
		}
		base = next
		permanent = permanent && (r.status == http.StatusMovedPermanently || r.status == http.StatusPermanentRedirect)
	}
	return nil, &UnreachableError{
		URL: c.address(base, args), Err: fmt.Errorf("more than %d redirects", maxRedirects), final: true,
		remedy: "check the base URL in a browser",
	}
}

// redirect returns the base URL that the server leads to, nil if to none. Our
// arguments are taken off it: they go with the next request as with any, even
// where the server forgot them on the way.
func (c *Client) redirect(base *url.URL, r *response, args arguments) (*url.URL, error) {
	location := r.header.Get("Location")
	if r.status < 300 || r.status > 399 || location == "" {
		return nil, nil
	}
	fail := func(err error) (*url.URL, error) {
		return nil, &UnreachableError{URL: r.url, Err: err, final: true, remedy: "check the base URL in a browser"}
	}
	next, err := base.Parse(location)
	if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.Hostname() == "" {
		return fail(fmt.Errorf("the server leads to %q, which is not a web address", clip(location)))
	}
	if err := c.guard.CheckURL(next); err != nil {
		return fail(err)
	}
	keys := make([]string, len(args))
	for i, a := range args {
		keys[i] = a.key
	}
	next.RawQuery = without(next.RawQuery, keys...)
	next.Fragment, next.User = "", nil
	return next, nil
}

func (c *Client) address(base *url.URL, args arguments) string {
	u := *base
	u.RawQuery = args.query(base.RawQuery)
	return u.String()
}

// send sends one request, holding the host's slot until the body has come.
func (c *Client) send(ctx context.Context, base *url.URL, args arguments) (*response, error) {
	h := c.options.Hosts.host(base.Hostname())
	if err := h.acquire(ctx, &c.options); err != nil {
		return nil, err
	}
	defer h.release()
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	req, err := c.request(limited, base, args)
	if err != nil {
		return nil, err
	}
	r := &response{url: c.address(base, args)}
	c.sent.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, r.url, err)
	}
	defer resp.Body.Close()
	r.status, r.header = resp.StatusCode, resp.Header
	r.body, err = c.body(resp)
	switch {
	case errors.Is(err, errBadGzip):
		return nil, &UnreachableError{URL: r.url, Err: err, remedy: "the server's compression is broken"}
	case errors.Is(err, errTooLong):
		return nil, &TooLargeError{URL: r.url, What: "bytes", Limit: c.options.MaxBytes}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &TruncatedError{URL: r.url, Bytes: len(r.body.bytes)}
	case err != nil:
		return nil, c.unreachable(ctx, r.url, err)
	}
	return r, c.holdOff(h, r)
}

func (c *Client) request(ctx context.Context, base *url.URL, args arguments) (*http.Request, error) {
	u := *base
	var req *http.Request
	var err error
	if c.options.POST {
		u.RawQuery = ""
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(args.query(base.RawQuery)))
	} else {
		u.RawQuery = args.query(base.RawQuery)
		req, err = http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", base, err)
	}
	if c.sameSite(base) {
		for name, values := range c.options.Header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
		if c.options.Username != "" || c.options.Password != "" {
			req.SetBasicAuth(c.options.Username, c.options.Password)
		}
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	req.Header.Set("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	if c.identity.Load() {
		req.Header.Set("Accept-Encoding", "identity")
	}
	if c.options.From != "" {
		req.Header.Set("From", c.options.From)
	}
	if c.options.POST {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, nil
}

// sameSite says whether secrets may go to base: to the configured host alone,
// and not in the clear if they were configured for https.
func (c *Client) sameSite(base *url.URL) bool {
	if base.Scheme == c.configured.Scheme {
		return outbound.HostPort(base) == outbound.HostPort(c.configured)
	}
	return base.Scheme == "https" && strings.EqualFold(base.Hostname(), c.configured.Hostname()) &&
		base.Port() == "" && c.configured.Port() == ""
}

// body reads a body, decompressed if its first bytes are those of gzip,
// whatever the header says. With an error comes what could be read.
func (c *Client) body(resp *http.Response) (*buffer, error) {
	b := c.buffer()
	err := b.fill(resp.Body, c.options.MaxBytes)
	if err == nil && bytes.HasPrefix(b.bytes, []byte("\x1F\x8B")) {
		b, err = c.unzip(b)
	}
	if err == nil {
		c.lastSize.Store(int64(len(b.bytes)))
	}
	return b, err
}

func (c *Client) unzip(b *buffer) (*buffer, error) {
	defer b.release()
	z, err := gzip.NewReader(bytes.NewReader(b.bytes))
	if err != nil {
		return b, errBadGzip
	}
	out := c.buffer()
	err = out.fill(z, c.options.MaxBytes)
	if err != nil && err != errTooLong && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = errBadGzip
	}
	return out, err
}

// unreachable says in words why no answer came. The caller's own end of the
// context is returned as it is.
func (c *Client) unreachable(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	e := &UnreachableError{URL: address, Err: err, remedy: "check the base URL, and that the server runs and lets this machine in"}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var name *net.DNSError
	var forbidden *outbound.ForbiddenError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Err = fmt.Errorf("no whole answer within %s", c.options.Timeout)
		e.remedy = "the server is slow; try later, or allow it more time"
	case errors.As(err, &certificate):
		e.final = true
		e.remedy = "the server's certificate does not verify; give the certificate of its authority as the CA file"
	case errors.As(err, &record):
		e.final = true
		e.remedy = "the server does not speak TLS on this port; try http:// or another port"
	case errors.As(err, &name) && name.IsNotFound:
		e.final = true
		e.remedy = "the name does not exist; check the base URL"
	case errors.As(err, &forbidden):
		e.final = true
		e.remedy = "give the address itself as the base URL if it is to be harvested"
	}
	return e
}

// judge reads the envelope of a response and decides what it is. An OAI-PMH
// error counts more than the status it came with, unless that asks for a
// pause.
func (c *Client) judge(r *response) (*answer, error) {
	failure := &StatusError{Code: r.status, URL: r.url, RetryAfter: outbound.RetryAfter(r.header, c.options.Clock.Now())}
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		failure.Shield = r.shield()
		return nil, failure
	}
	a, err := readAnswer(r.body.bytes, r.header.Get("Content-Type"), int(c.options.MaxBytes))
	if err != nil {
		failure.Shield = r.shield()
		if failure.Shield != "" || r.status/100 != 2 {
			return nil, failure
		}
		if r.compressed() {
			return nil, &UnreachableError{URL: r.url, Err: errBadGzip, remedy: "the server's compression is broken"}
		}
		return nil, withURL(err, r.url)
	}
	a.url, a.body = r.url, r.body
	if len(a.errors) == 0 && r.status/100 != 2 {
		return nil, failure
	}
	c.answered.Store(true)
	if len(a.errors) > 0 {
		e := a.errors[0]
		e.URL = r.url
		return nil, &e
	}
	return a, nil
}

// compressed tells that a body is still compressed after what was gzip has
// been unzipped: twice, or in a way that was not asked for.
func (r *response) compressed() bool {
	switch strings.ToLower(r.header.Get("Content-Encoding")) {
	case "deflate", "br", "zstd", "compress":
		return true
	}
	return bytes.HasPrefix(r.body.bytes, []byte("\x1F\x8B"))
}

// withURL puts the request's URL into an error of readAnswer.
func withURL(err error, url string) error {
	switch e := err.(type) {
	case *NotOAIError:
		e.URL = url
	case *TruncatedError:
		e.URL = url
	case *TooLargeError:
		e.URL = url
	}
	return err
}

// shields are the bot protections that show themselves in a header. Some
// headers of theirs go with every answer and tell only when access is refused.
var shields = []struct {
	header, contains, name string
	refused                bool
}{
	{"Cf-Mitigated", "", "Cloudflare", false},
	{"X-Amzn-Waf-Action", "", "AWS WAF", false},
	{"X-Datadome", "", "DataDome", false},
	{"Set-Cookie", "anubis", "Anubis", false},
	{"X-Iinfo", "", "Imperva", true},
	{"X-Sucuri-Id", "", "Sucuri", true},
	{"Server", "akamaighost", "Akamai", true},
	{"Server", "cloudflare", "Cloudflare", true},
}

// shield names the bot protection that answered in place of the repository.
func (r *response) shield() string {
	for _, s := range shields {
		value := strings.ToLower(strings.Join(r.header.Values(s.header), " "))
		if value != "" && strings.Contains(value, s.contains) && (!s.refused || r.status == http.StatusForbidden) {
			return s.name
		}
	}
	return ""
}
