package edge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// newTransport reaches the origin. wait limits the time before its answer, silence
// the pauses within it; a silence of 0 is without limit.
func newTransport(wait, silence time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		// No proxy from the environment. What the origin has compressed stays
		// compressed.
		Proxy:              nil,
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil || silence == 0 {
				return c, err
			}
			return &timedConn{Conn: c, timeout: silence}, nil
		},
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: wait,
		ExpectContinueTimeout: time.Second,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   256,
		// Less than the five seconds after which Apache closes a connection:
		// a POST must not be sent on one that is just being closed.
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		WriteBufferSize:        16 << 10,
		ReadBufferSize:         16 << 10,
	}
}

// timedConn is a connection to an origin that must not be silent for longer than
// timeout and a quarter. ResponseHeaderTimeout, which is timeout, then comes first:
// after that error net/http does not try again. Time in which the origin waits for
// a slow client does not count.
type timedConn struct {
	net.Conn
	timeout time.Duration
	renewed atomic.Int64 // when the deadline was last set, in Unix nanoseconds
}

func (c *timedConn) Read(b []byte) (int, error) {
	c.renew()
	return c.Conn.Read(b)
}

func (c *timedConn) Write(b []byte) (int, error) {
	c.renew()
	return c.Conn.Write(b)
}

// renew sets the deadline, at most eight times in timeout: it costs a system call.
func (c *timedConn) renew() {
	now := time.Now()
	if last := c.renewed.Load(); now.UnixNano()-last > int64(c.timeout/8) && c.renewed.CompareAndSwap(last, now.UnixNano()) {
		_ = c.SetDeadline(now.Add(c.timeout + c.timeout/4)) // an error shows in the next call
	}
}

// address turns a request to the proxy into one to the origin. Host stays as the
// client sent it, so that the repository can make its own links. Path and query
// stay byte for byte.
func (p *Proxy) address(pr *httputil.ProxyRequest) {
	out, in := pr.Out, pr.In
	out.URL.Scheme, out.URL.Host, out.URL.User = p.Origin.Scheme, p.Origin.Host, nil
	out.URL.RawQuery, out.URL.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery
	if path := rawPath(in); path != out.URL.EscapedPath() && !strings.HasPrefix(path, "//") {
		out.URL.Opaque = path
	}
	if out.Host == "" {
		out.Host = p.Public.Host
	}
	if !isWebSocket(in) {
		delete(out.Header, "Upgrade")
		delete(out.Header, "Connection")
	}
	out.Trailer = in.Trailer // it is filled when the body has been read
	p.forward(in, out)
	out.Header[loopHeader] = append(out.Header[loopHeader], loopToken)
}

// isWebSocket reports whether a request asks for the only upgrade that is passed
// on. Some clients ask for HTTP/2 in clear text with every request; with that they
// would bypass the proxy. They are answered by HTTP/1.1. RFC 9110, 7.8.
func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// rawPath returns the path of a request as it was sent. net/url writes a path with
// invalid characters in another way.
func rawPath(r *http.Request) string {
	if !strings.HasPrefix(r.RequestURI, "/") {
		return r.URL.EscapedPath()
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path
}

// forward tells the origin who asks. The scheme is that of the public address,
// unless a trusted server in front says another: an origin that believes it was
// asked by http would redirect to https for ever.
func (p *Proxy) forward(in, out *http.Request) {
	peer, _, err := net.SplitHostPort(in.RemoteAddr)
	if err != nil {
		peer = in.RemoteAddr
	}
	trusted := p.trusts(peer)
	for name := range out.Header {
		if saysWhoAsks(name) && (!trusted || strings.Contains(name, "_")) {
			delete(out.Header, name)
		}
	}
	from, host, scheme := peer, cmp.Or(in.Host, p.Public.Host), p.Public.Scheme
	if trusted {
		from = strings.Join(slices.Concat(in.Header["X-Forwarded-For"], []string{peer}), ", ")
		host = cmp.Or(in.Header.Get("X-Forwarded-Host"), host)
		scheme = cmp.Or(in.Header.Get("X-Forwarded-Proto"), scheme)
	}
	out.Header["X-Forwarded-For"] = []string{from}
	out.Header["X-Forwarded-Host"] = []string{host}
	out.Header["X-Forwarded-Proto"] = []string{scheme}
}

// saysWhoAsks reports whether servers in front set the header with this name. To
// an origin that runs scripts "-" and "_" are the same. RFC 3875, 4.1.18.
func saysWhoAsks(name string) bool {
	if !strings.HasPrefix(name, "X") {
		return false
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return strings.HasPrefix(name, "x-forwarded-") || name == "x-real-ip"
}

func (p *Proxy) trusts(peer string) bool {
	address, err := netip.ParseAddr(peer)
	return err == nil && slices.ContainsFunc(p.Trusted, func(t netip.Prefix) bool { return t.Contains(address.Unmap()) })
}

// clientError is an error in reading the client's request.
type clientError struct{ error }

func (e clientError) Unwrap() error { return e.error }

// clientBody is the body of a request that is passed on.
type clientBody struct{ io.ReadCloser }

func (b clientBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if err != nil && err != io.EOF {
		err = clientError{err}
	}
	return n, err
}

// readFromClient keeps errors of the client's body apart from the origin's.
func readFromClient(out *http.Request) {
	if out.Body != nil && out.Body != http.NoBody {
		out.Body = clientBody{out.Body}
	}
}

// originFailed answers if the origin does not, or not in HTTP.
func (p *Proxy) originFailed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		p.Tally.count(gone, http.StatusBadGateway, time.Time{})
		w.WriteHeader(http.StatusBadGateway) // the client has gone and does not read it
		return
	}
	if errors.As(err, new(clientError)) {
		p.Tally.count(refused, http.StatusBadRequest, time.Time{})
		say(w, http.StatusBadRequest, "The body of the request cannot be read.")
		return
	}
	p.Tally.count(failed, http.StatusBadGateway, time.Time{})
	p.Log.Warn("the repository's web server did not answer", "origin", p.Origin.Host, "path", r.URL.Path, "error", err)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		say(w, http.StatusGatewayTimeout, "The repository's own web server takes too long to answer.")
		return
	}
	say(w, http.StatusBadGateway, "The repository's own web server does not answer.")
}

// bufferSize is how much is read from the origin at once, in bytes.
const bufferSize = 32 << 10

// buffers is a pool of the buffers through which answers are copied.
type buffers struct {
	pool  sync.Pool
	large atomic.Int32 // pages that are in larger ones
}

func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[bufferSize]byte); ok {
		return buffer[:]
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(buffer []byte) {
	b.pool.Put((*[bufferSize]byte)(buffer))
}
