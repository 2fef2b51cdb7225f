// Package outbound has the rules for requests to other people's servers: where
// they must not go, how long they have to wait, where redirects lead, what
// robots.txt allows, and what of an answer may be printed.
package outbound

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

// A Guard keeps redirects, and links of hostile pages, out of the network around
// this machine. It is made for a URL that the operator chose, whatever its host
// resolves to. Unless that host is inside this network, every other host must
// have a public address, and so must that host after it had one once: DNS may
// change. A Guard may be used by several goroutines.
type Guard struct {
	host string // of the URL it was made for, with its port

	mu      sync.Mutex
	decided bool            // whether private is set
	private bool            // that host is inside this network
	proxies map[string]bool // with ports
}

// A ForbiddenError is an address that a Guard refused.
type ForbiddenError struct {
	Address string // of a host inside this network, perhaps with a port
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("it leads to %s, an address inside this network", e.Address)
}

// NewGuard returns the Guard for requests that a URL makes necessary.
func NewGuard(given *url.URL) *Guard {
	g := &Guard{host: HostPort(given), proxies: map[string]bool{}}
	if IsPrivateName(given.Hostname()) {
		g.decided, g.private = true, true
	}
	return g
}

// HostPort is the host of a URL with its port, as it is dialled.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// IsPrivateName reports by the name alone whether a host is inside this network.
func IsPrivateName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return endsInNumber(host)
	}
	return isPrivate(ip)
}

// endsInNumber reports whether resolvers take a name for an IPv4 address, however
// it is written ("127.1", "0x7f000001"). WHATWG URL, 3.5.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	hex, isHex := strings.CutPrefix(last, "0x")
	if isHex {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// notPublic are the blocks that netip takes for global unicast although they lead
// nowhere on the internet, or through a tunnel into any network. IANA IPv4 and IPv6
// Special-Purpose Address Registries.
var notPublic = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),     // RFC 791, this network
	netip.MustParsePrefix("100.64.0.0/10"), // RFC 6598, shared address space
	netip.MustParsePrefix("192.0.0.0/24"),  // RFC 6890, protocol assignments
	netip.MustParsePrefix("198.18.0.0/15"), // RFC 2544, benchmarking
	netip.MustParsePrefix("240.0.0.0/4"),   // RFC 1112, reserved

	netip.MustParsePrefix("::/96"),          // RFC 4291, IPv4-compatible
	netip.MustParsePrefix("64:ff9b:1::/48"), // RFC 8215, a network's own NAT64
	netip.MustParsePrefix("2001::/32"),      // RFC 4380, Teredo
	netip.MustParsePrefix("2002::/16"),      // RFC 3056, 6to4
	netip.MustParsePrefix("fec0::/10"),      // RFC 3879, site-local
}

// nat64 is how networks without IPv4 reach IPv4 addresses. RFC 6052, 2.1.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// isPrivate reports whether an address is not a public unicast address.
func isPrivate(ip netip.Addr) bool {
	ip = ip.WithZone("").Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	for _, block := range notPublic {
		if block.Contains(ip) {
			return true
		}
	}
	return !ip.IsGlobalUnicast() || ip.IsPrivate()
}

// Dial connects to address, unless the Guard refuses what it resolves to.
func (g *Guard) Dial(ctx context.Context, timeout time.Duration, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
		return g.Check(address, resolved)
	}
	return d.DialContext(ctx, network, address)
}

// Check decides on one resolved address, "ip:port", of address. A refusal is a
// *ForbiddenError.
func (g *Guard) Check(address, resolved string) error {
	ap, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return &ForbiddenError{resolved}
	}
	private := isPrivate(ap.Addr())
	g.mu.Lock()
	defer g.mu.Unlock()
	if strings.EqualFold(address, g.host) && !g.decided {
		g.decided, g.private = true, private
	}
	if private && !g.private && !g.proxies[strings.ToLower(address)] {
		return &ForbiddenError{resolved}
	}
	return nil
}

// CheckURL decides by the name of a host alone, for connections that a proxy
// makes. A refusal is a *ForbiddenError.
func (g *Guard) CheckURL(u *url.URL) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if IsPrivateName(u.Hostname()) && !g.private {
		return &ForbiddenError{u.Host}
	}
	return nil
}

// Proxy is http.ProxyFromEnvironment; the proxy it names may be private.
func (g *Guard) Proxy(r *http.Request) (*url.URL, error) {
	p, err := http.ProxyFromEnvironment(r)
	if p != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.proxies[HostPort(p)] = true
	}
	return p, err
}
