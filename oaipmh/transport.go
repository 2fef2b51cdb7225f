package oaipmh

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"fingerpost/oaipmh/outbound"
)

// transport is what requests go through unless Options say otherwise. It does
// not decompress: a body says by its first bytes whether it is compressed.
func transport(g *outbound.Guard, o Options) *http.Transport {
	return &http.Transport{
		Proxy: g.Proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return g.Dial(ctx, 30*time.Second, network, address)
		},
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    30 * time.Second,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
}
