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

// edges brings the links of a site to the pages of repositories: by proxies in
// front of them, and by maps and configurations for their web servers.
type edges struct {
	*session
	site *server.Server
	log  *slog.Logger
}

// newEdges makes the site too. Nothing asks whether it is ready.
func newEdges(s *session, log *slog.Logger) (*edges, error) {
	site, err := newSite(s, nil, log)
	return &edges{s, site, log}, err
}

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
func (e *edges) proxies(ctx context.Context, traffic *edge.Traffic) ([]*frontProxy, error) {
	var proxies []*frontProxy
	for _, r := range e.Repositories { // no source of the table has a proxy
		if r.Edge.Listen == "" {
			continue
		}
		tally := traffic.Of(r.ID)
		proxy, err := e.proxy(ctx, r, tally)
		if err != nil {
			return proxies, &configError{fmt.Errorf("edge of repository %s: %w", r.ID, err)}
		}
		l, err := listen("edge.listen of repository "+r.ID, r.Edge.Listen)
		if err != nil {
			return proxies, err
		}
		e.log.Info("serve: standing in front of a repository", "repository", r.ID, "address", l.Addr().String())
		p := &frontProxy{Listener: l, repository: r, tally: tally}
		p.current.Store(proxy)
		proxies = append(proxies, p)
	}
	return proxies, nil
}

// updateProxy replaces the proxy in front of a repository if a run has shown that
// the repository's pages are elsewhere.
func (e *edges) updateProxy(ctx context.Context, proxies []*frontProxy, id string) {
	for _, p := range proxies {
		if p.repository.ID != id || ctx.Err() != nil {
			continue
		}
		proxy, err := e.proxy(ctx, p.repository, p.tally)
		if err != nil {
			e.log.Error("edge: the proxy stays as it was", "repository", id, "error", err)
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
func (e *edges) proxy(ctx context.Context, r config.Repository, tally *edge.Tally) (*edge.Proxy, error) {
	origin, err := url.Parse(r.Edge.Origin)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	base, _, err := e.survey(ctx, r, surveyed)
	if err != nil {
		return nil, fmt.Errorf("look through its pages: %w", err)
	}
	public, err := publicAddress(base, r.OAIURL)
	if err != nil {
		return nil, fmt.Errorf("address of its pages: %w", err)
	}
	return edge.New(edge.Config{
		Origin: origin, Public: public, Hosts: slices.Concat(r.Mapping.Hosts, []string{webHost(r.OAIURL)}),
		Budget: budgetOf(r), HTML: r.Edge.HTML, Describe: e.describe,
		Sitemaps: []string{signmapOf(e.Config, r)}, Catalog: e.site, Log: e.log, Tally: tally,
		Trusted: thisMachine(),
	}, e.site.Links)
}

// describe returns the JSON-LD for a landing page.
func (e *edges) describe(ctx context.Context, page string) (edge.Description, bool) {
	d, ok := e.site.Embedded(ctx, page)
	if !ok {
		return edge.Description{}, false
	}
	return edge.Description{JSON: d.JSON, Profile: d.Profile, Names: d.Names}, true
}

// signmapOf is the address of a repository's Signmap.
func signmapOf(c config.Config, r config.Repository) string {
	return c.PublicURL + "/" + r.ID + "/signmap.xml"
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
