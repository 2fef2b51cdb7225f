package verify

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A guard keeps redirects, and links of hostile pages, away from the machines
// around us. The URL that was given is the user's choice, whatever its host
// resolves to. Unless that host is inside this network, every other host, and
// itself from then on, must have a public address.
type guard struct {
	host string // of the given URL, with its port

	mu      sync.Mutex
	known   bool // whether the given host is private
	private bool
	proxies map[string]bool // with ports
}

// A forbiddenError is a connection that a guard refused.
type forbiddenError struct{ address string }

func (e *forbiddenError) Error() string {
	return fmt.Sprintf("it leads to %s, an address inside this network", e.address)
}

func newGuard(given *url.URL) *guard {
	g := &guard{host: hostPort(given), proxies: map[string]bool{}}
	if isPrivateName(given.Hostname()) {
		g.known, g.private = true, true
	}
	return g
}

// hostPort is the host of a URL with its port, as it is dialled.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// isPrivateName tells by the name alone.
func isPrivateName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && isPrivate(ip)
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598

// isPrivate is true for all that is not a public unicast address.
func isPrivate(ip netip.Addr) bool {
	ip = ip.Unmap()
	return !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip)
}

// check decides on one resolved address, "ip:port", of address.
func (g *guard) check(address, resolved string) error {
	ap, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return &forbiddenError{resolved}
	}
	private := isPrivate(ap.Addr().WithZone(""))
	g.mu.Lock()
	defer g.mu.Unlock()
	if strings.EqualFold(address, g.host) && !g.known {
		g.known, g.private = true, private
	}
	if private && !g.private && !g.proxies[strings.ToLower(address)] {
		return &forbiddenError{resolved}
	}
	return nil
}

// checkURL decides by the name of a host alone, which is all there is to see
// where a proxy makes the connection.
func (g *guard) checkURL(u *url.URL) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if isPrivateName(u.Hostname()) && !g.private {
		return &forbiddenError{u.Host}
	}
	return nil
}

// proxy is http.ProxyFromEnvironment; the proxy it names may be private.
func (g *guard) proxy(r *http.Request) (*url.URL, error) {
	p, err := http.ProxyFromEnvironment(r)
	if p != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.proxies[hostPort(p)] = true
	}
	return p, err
}

// transport is what the requests for one given URL go through: connections
// are not shared with those for another, which may have other rights.
func (c *Client) transport(g *guard) *http.Transport {
	dial := c.dial
	if dial == nil {
		dial = dialChecked
	}
	return &http.Transport{
		Proxy: g.proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dial(ctx, network, address, func(resolved string) error { return g.check(address, resolved) })
		},
		TLSClientConfig:        c.TLS,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxIdleConnsPerHost:    1,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
}

func dialChecked(ctx context.Context, network, address string, check func(resolved string) error) (net.Conn, error) {
	d := net.Dialer{Timeout: 15 * time.Second}
	d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
		return check(resolved)
	}
	return d.DialContext(ctx, network, address)
}
