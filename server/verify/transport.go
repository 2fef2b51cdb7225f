package verify

import (
	"context"
	"net"
	"net/http"
	"time"

	"fingerpost/oaipmh/outbound"
)

// transport carries the requests for one given URL. It shares no connections with
// that for another, which may have other rights.
func (c *Client) transport(g *outbound.Guard) *http.Transport {
	return &http.Transport{
		Proxy: g.Proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if c.dial != nil {
				return c.dial(ctx, network, address, func(resolved string) error { return g.Check(address, resolved) })
			}
			return g.Dial(ctx, 15*time.Second, network, address)
		},
		TLSClientConfig:        c.TLS,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxIdleConnsPerHost:    1,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
}
