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
	"time"
)

// newTransport reaches the origin.
func newTransport(timeout time.Duration) http.RoundTripper {
	dialer := &net.Dialer{Timeout: min(timeout, 5*time.Second), KeepAlive: 30 * time.Second}
	return &http.Transport{
		// No proxy of the environment, and what the origin has compressed
		// stays as it is.
		Proxy:              nil,
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &timedConn{Conn: c, timeout: timeout}, nil
		},
		TLSHandshakeTimeout:   min(timeout, 5*time.Second),
		ResponseHeaderTimeout: timeout,
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

// timedConn is a connection to an origin that takes what is sent, or fails.
type timedConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// watchedBody is an answer of the origin that is given up when nothing of it
// has come for too long. Time that the client takes does not count.
type watchedBody struct {
	io.ReadCloser
	timeout time.Duration
	timer   *time.Timer
}

func watch(body io.ReadCloser, timeout time.Duration, giveUp func()) io.ReadCloser {
	if body == http.NoBody {
		return body
	}
	w := &watchedBody{ReadCloser: body, timeout: timeout, timer: time.AfterFunc(timeout, giveUp)}
	w.timer.Stop()
	return w
}

func (w *watchedBody) Read(b []byte) (int, error) {
	w.timer.Reset(w.timeout)
	defer w.timer.Stop()
	return w.ReadCloser.Read(b)
}

// address turns a request to the proxy into one to the origin. Host stays as
// the client sent it, so that the repository makes its own links with it, and
// path and query stay byte for byte.
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
	p.forward(in, out)
	out.Header[loopHeader] = append(out.Header[loopHeader], loopToken)
}

// rawPath is the path of a request as it was sent: Go's own form of it is not
// the same where it holds what no URL should.
func rawPath(r *http.Request) string {
	if !strings.HasPrefix(r.RequestURI, "/") {
		return r.URL.EscapedPath()
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path
}

// forward tells the origin who asks. The scheme is that of the public address
// where no trusted server in front says another: whoever terminates TLS for
// the repository, an origin that believes it was asked by http would redirect
// to https for ever.
func (p *Proxy) forward(in, out *http.Request) {
	peer, _, err := net.SplitHostPort(in.RemoteAddr)
	if err != nil {
		peer = in.RemoteAddr
	}
	trusted := p.trusts(peer)
	for name := range out.Header {
		if !trusted && (strings.HasPrefix(name, "X-Forwarded-") || name == "X-Real-Ip") {
			delete(out.Header, name)
		}
	}
	from, host, scheme := peer, in.Host, p.Public.Scheme
	if trusted {
		from = strings.Join(slices.Concat(in.Header["X-Forwarded-For"], []string{peer}), ", ")
		host = cmp.Or(in.Header.Get("X-Forwarded-Host"), host)
		scheme = cmp.Or(in.Header.Get("X-Forwarded-Proto"), scheme)
	}
	out.Header["X-Forwarded-For"] = []string{from}
	out.Header["X-Forwarded-Host"] = []string{host}
	out.Header["X-Forwarded-Proto"] = []string{scheme}
}

func (p *Proxy) trusts(peer string) bool {
	if len(p.Trusted) == 0 {
		return false
	}
	address, err := netip.ParseAddr(peer)
	if err != nil {
		return false
	}
	for _, t := range p.Trusted {
		if t.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// originFailed answers where the origin does not, or not in HTTP.
func (p *Proxy) originFailed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		w.WriteHeader(http.StatusBadGateway) // the client has gone, nobody reads this
		return
	}
	p.Log.Warn("the repository's web server did not answer", "origin", p.Origin.Host, "path", r.URL.Path, "error", err)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		say(w, http.StatusGatewayTimeout, "The repository's own web server takes too long to answer.")
		return
	}
	say(w, http.StatusBadGateway, "The repository's own web server does not answer.")
}

// bufferSize is what is read from the origin at once.
const bufferSize = 32 << 10

// buffers keeps the buffers through which answers are copied.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if kept, ok := b.pool.Get().(*[bufferSize]byte); ok {
		return kept[:]
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(buffer []byte) {
	b.pool.Put((*[bufferSize]byte)(buffer))
}
