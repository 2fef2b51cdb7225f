package verify

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// What is taken of an answer at most.
const (
	maxHops   = 10
	maxHeader = linkset.MaxHeader // bytes of a whole header
	maxPage   = 5 << 20           // bytes of a landing page
)

// An UnreachableError is a URL that gave no answer.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s cannot be reached: %v", outbound.Printable(e.URL, 200), outbound.Printable(e.Err.Error(), 300))
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Why a request ended without an answer.
var (
	errLoop    = errors.New("its redirects form a circle; some servers do that to clients without cookies")
	errHops    = fmt.Errorf("it has more than %d redirects", maxHops)
	errParked  = errors.New("the server asked for a pause that is too long to wait for")
	errAddress = errors.New("it leads to an address that is neither http nor https")
)

// A visit makes all requests for one given URL. It is used by one goroutine.
type visit struct {
	*Client
	guard   *outbound.Guard
	http    *http.Client
	answers map[request]*answer // received in this visit
}

// A request is sent once in a visit.
type request struct{ method, url, accept string }

// newVisit begins a visit of given, an http or https URL.
func (c *Client) newVisit(given string) (*visit, error) {
	u, err := outbound.WebURL(given)
	if err != nil {
		return nil, &UnreachableError{given, errAddress}
	}
	v := &visit{Client: c, guard: outbound.NewGuard(u), answers: map[request]*answer{}}
	v.http = &http.Client{
		Transport:     c.transport(v.guard),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return v, nil
}

// begin begins a visit that ends with the Client's deadline, or with end.
func (c *Client) begin(ctx context.Context, given string) (v *visit, limited context.Context, end func(), err error) {
	v, err = c.newVisit(given)
	if err != nil {
		return nil, nil, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(c.Deadline, 10*time.Minute))
	return v, limited, func() { cancel(); v.http.CloseIdleConnections() }, nil
}

// head requests the header alone.
func (v *visit) head(ctx context.Context, url, accept string) (*answer, error) {
	return v.fetch(ctx, request{http.MethodHead, url, accept}, 0)
}

// get requests a document, and reads limit bytes of it.
func (v *visit) get(ctx context.Context, url, accept string, limit int64) (*answer, error) {
	return v.fetch(ctx, request{http.MethodGet, url, accept}, limit)
}

// probe is for servers that do not support HEAD: it requests the first byte.
func (v *visit) probe(ctx context.Context, url, accept string) (*answer, error) {
	return v.follow(ctx, request{http.MethodGet, url, accept}, http.Header{"Range": {"bytes=0-0"}}, discard)
}

func (v *visit) fetch(ctx context.Context, q request, limit int64) (*answer, error) {
	if a := v.answers[q]; a != nil {
		return a, nil
	}
	a, err := v.follow(ctx, q, nil, func(a *answer, body io.Reader) error {
		b, err := io.ReadAll(io.LimitReader(body, limit+1))
		if int64(len(b)) > limit {
			b, a.cut = b[:limit], true
		}
		a.body = b
		return err
	})
	if err == nil {
		v.answers[q] = a
	}
	return a, err
}

// follow sends a request, and those that its redirects lead to. consume reads
// the body of the last answer.
func (v *visit) follow(ctx context.Context, q request, extra http.Header, consume func(*answer, io.Reader) error) (*answer, error) {
	given := q.url
	fail := func(err error) (*answer, error) {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, &UnreachableError{given, err}
	}
	q.url, _, _ = strings.Cut(q.url, "#")
	seen := map[string]bool{q.url: true}
	for range maxHops + 1 {
		a, err := v.polite(ctx, q, extra, consume)
		if err != nil {
			return fail(v.explain(q, err))
		}
		next, err := a.location()
		switch {
		case err != nil:
			return fail(err)
		case next == "":
			return a, nil
		case seen[next]:
			return fail(errLoop)
		}
		seen[next] = true
		q.url = next
	}
	return fail(errHops)
}

// polite sends one request, and repeats it if a busy server says when.
func (v *visit) polite(ctx context.Context, q request, extra http.Header, consume func(*answer, io.Reader) error) (*answer, error) {
	u, err := outbound.WebURL(q.url)
	if err != nil {
		return nil, errAddress
	}
	if err := v.guard.CheckURL(u); err != nil {
		return nil, err
	}
	h := v.host(u.Hostname())
	for again := true; ; again = false {
		if err := v.acquire(ctx, h); err != nil {
			return nil, err
		}
		a, err := v.once(ctx, q, u, extra, consume)
		v.pace(h)
		later := err == nil && v.pause(h, a.status, a.header)
		h.release()
		if err != nil || !later || !again {
			return a, err
		}
	}
}

// once sends one request. The body of a redirect is not read.
func (v *visit) once(ctx context.Context, q request, u *url.URL, extra http.Header, consume func(*answer, io.Reader) error) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, v.timeout(q))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.method, u.String(), nil)
	if err != nil {
		return nil, errAddress
	}
	for name, values := range extra {
		r.Header[name] = values
	}
	r.Header.Set("User-Agent", cmp.Or(v.UserAgent, "fingerpost"))
	r.Header.Set("Accept", q.accept)
	resp, err := v.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{url: q.url, status: resp.StatusCode, header: resp.Header}
	if next, _ := a.location(); next != "" {
		return a, nil
	}
	return a, consume(a, resp.Body)
}

// timeout is that of a request. A Signmap may have 50 MB.
func (v *visit) timeout(q request) time.Duration {
	d := cmp.Or(v.Timeout, 30*time.Second)
	if q.accept == acceptSitemap {
		d *= 4
	}
	return d
}

func discard(*answer, io.Reader) error { return nil }

// explain says why there is no answer to q.
func (v *visit) explain(q request, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var operation *net.OpError
	var name *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no whole answer within %s: %w", v.timeout(q), err)
	case errors.As(err, &certificate):
		return fmt.Errorf("the server's certificate does not verify: %w", err)
	case errors.As(err, &operation) && operation.Op == "remote error": // an alert. RFC 8446, 6
		return fmt.Errorf("the server refuses the TLS connection: %w", err)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("the server does not speak TLS on this port: %w", err)
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Errorf("its host name does not exist: %w", err)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the server ended the connection without an answer: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the answer is cut off: %w", err)
	}
	return err
}
