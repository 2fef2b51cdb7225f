package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"fingerpost/config"
	"fingerpost/server"
	"fingerpost/server/edge"
)

// frontProxy is the proxy in front of a repository, with its listener. The address
// of the repository's pages is known after the first harvest: then the proxy is
// replaced.
type frontProxy struct {
	net.Listener
	repository config.Repository
	tally      *edge.Tally
	current    atomic.Pointer[edge.Proxy]
}

func (p *frontProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.current.Load().ServeHTTP(w, r)
}

// proxies opens the proxies that are configured.
func (s *session) proxies(ctx context.Context, site *server.Server, traffic *edge.Traffic, log *slog.Logger) ([]*frontProxy, error) {
	var proxies []*frontProxy
	for _, r := range s.Repositories {
		if r.Edge.Listen == "" {
			continue
		}
		tally := traffic.Of(r.ID)
		proxy, err := s.proxy(ctx, r, site, tally, log)
		if err != nil {
			return proxies, &configError{fmt.Errorf("edge of repository %s: %w", r.ID, err)}
		}
		l, err := listen("edge.listen of repository "+r.ID, r.Edge.Listen)
		if err != nil {
			return proxies, err
		}
		log.Info("serve: standing in front of a repository", "repository", r.ID, "address", l.Addr().String())
		p := &frontProxy{Listener: l, repository: r, tally: tally}
		p.current.Store(proxy)
		proxies = append(proxies, p)
	}
	return proxies, nil
}

// updateProxy replaces the proxy in front of a repository if a run has shown that
// the repository's pages are elsewhere.
func (s *session) updateProxy(ctx context.Context, proxies []*frontProxy, id string, site *server.Server, log *slog.Logger) {
	for _, p := range proxies {
		if p.repository.ID != id || ctx.Err() != nil {
			continue
		}
		proxy, err := s.proxy(ctx, p.repository, site, p.tally, log)
		if err != nil {
			log.Error("edge: the proxy stays as it was", "repository", id, "error", err)
			continue
		}
		if *proxy.Public != *p.current.Load().Public {
			p.current.Store(proxy)
		}
	}
}

// proxy makes the proxy in front of a repository. It answers under the host names
// of the repository's pages, as far as they are known, of its OAI-PMH interface, and
// of mapping.hosts.
func (s *session) proxy(ctx context.Context, r config.Repository, site *server.Server, tally *edge.Tally, log *slog.Logger) (*edge.Proxy, error) {
	origin, err := url.Parse(r.Edge.Origin)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	base, _, err := s.survey(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("look through its pages: %w", err)
	}
	public, err := publicAddress(base, r.OAIURL)
	if err != nil {
		return nil, fmt.Errorf("address of its pages: %w", err)
	}
	return edge.New(edge.Config{
		Origin: origin, Public: public, Hosts: slices.Concat(r.Mapping.Hosts, []string{webHost(r.OAIURL)}),
		Budget: budgetOf(r), HTML: r.Edge.HTML,
		Sitemaps: []string{s.signmap(r)}, Catalog: site, Log: log, Tally: tally,
		Trusted: thisMachine(),
	}, site.Links)
}

// signmap is the address of a repository's Signmap.
func (s *session) signmap(r config.Repository) string {
	return s.PublicURL + "/" + r.ID + "/signmap.xml"
}

// publicAddress is the public address of a repository's pages: base, but with https
// if the OAI-PMH interface on the same host has it. Metadata often say http long after
// a host has moved to https, and an origin that is told http redirects for ever.
func publicAddress(base, oaiURL string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err == nil && strings.HasPrefix(oaiURL, "https://") && strings.EqualFold(u.Host, webHost(oaiURL)) {
		u.Scheme = "https"
	}
	return u, err
}

// thisMachine are the addresses of servers on this machine, such as the one that
// ends TLS.
func thisMachine() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func webHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
