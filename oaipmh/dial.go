package oaipmh

import (
	"context"
	"crypto/tls"
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

// A guard keeps redirects away from the machines behind the gateway. The
// configured host is the operator's choice, whatever it resolves to. Every
// other host, and the configured one once it has shown itself to be public
// (DNS may change its mind), must have a public address.
type guard struct {
	host string // of the configured URL, with its port

	mu      sync.Mutex
	known   bool // whether the configured host is private
	private bool
	proxies map[string]bool // with ports
}

// A forbiddenError is a connection that a guard refused.
type forbiddenError struct{ address string }

func (e *forbiddenError) Error() string {
	return fmt.Sprintf("the server leads to %s, an address inside this network", e.address)
}

func newGuard(base *url.URL) *guard {
	g := &guard{host: hostPort(base), proxies: map[string]bool{}}
	if isPrivateName(base.Hostname()) {
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

// dial connects to address and lets the guard see what it resolves to.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: 30 * time.Second}
	d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
		return g.check(address, resolved)
	}
	return d.DialContext(ctx, network, address)
}

// check decides on one resolved address, "ip:port".
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

// checkURL decides on a redirect by the name of its host alone, which is all
// there is to see where a proxy makes the connection.
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

// transport is what requests go through unless Options say otherwise. It does
// not decompress: a body says by its first bytes whether it is compressed.
func (g *guard) transport(o Options) *http.Transport {
	return &http.Transport{
		Proxy:                  g.proxy,
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, InsecureSkipVerify: o.Insecure, MinVersion: o.MinTLS},
		TLSHandshakeTimeout:    30 * time.Second,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
}
