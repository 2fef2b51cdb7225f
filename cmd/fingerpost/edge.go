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

// door is a listener and the proxy that answers on it, in front of one
// repository. Where the repository's pages are is known once it was harvested:
// then the proxy is made anew.
type door struct {
	net.Listener
	repository config.Repository
	tally      *edge.Tally
	proxy      atomic.Pointer[edge.Proxy]
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.proxy.Load().ServeHTTP(w, r) }

// proxies are those that stand in front of a repository, one for each that is
// configured.
func (s *session) proxies(ctx context.Context, site *server.Server, traffic *edge.Traffic, log *slog.Logger) ([]*door, error) {
	var doors []*door
	for _, r := range s.Repositories {
		if r.Edge.Listen == "" {
			continue
		}
		tally := traffic.Of(r.ID)
		proxy, err := s.proxy(ctx, r, site, tally, log)
		if err != nil {
			return doors, &configError{fmt.Errorf("edge of repository %s: %w", r.ID, err)}
		}
		l, err := listen("edge.listen of repository "+r.ID, r.Edge.Listen)
		if err != nil {
			return doors, err
		}
		log.Info("serve: standing in front of a repository", "repository", r.ID, "address", l.Addr().String())
		d := &door{Listener: l, repository: r, tally: tally}
		d.proxy.Store(proxy)
		doors = append(doors, d)
	}
	return doors, nil
}

// follow has the proxy in front of a repository look for links where the
// repository's pages are after a run.
func (s *session) follow(ctx context.Context, doors []*door, id string, site *server.Server, log *slog.Logger) {
	for _, d := range doors {
		if d.repository.ID != id || ctx.Err() != nil {
			continue
		}
		proxy, err := s.proxy(ctx, d.repository, site, d.tally, log)
		if err != nil {
			log.Error("edge: the proxy stays as it was", "repository", id, "error", err)
			continue
		}
		if *proxy.Public != *d.proxy.Load().Public {
			d.proxy.Store(proxy)
		}
	}
}

// proxy stands in front of a repository: under the name of its pages, as far
// as they are known, of its OAI-PMH interface, and of those that are
// configured.
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

// publicAddress is where the world finds a repository's pages: where they are
// said to be, but by TLS if its OAI-PMH interface has it. Metadata say http long
// after a host has moved, and an origin that is told so leads to https for ever.
func publicAddress(base, oaiURL string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err == nil && strings.HasPrefix(oaiURL, "https://") && strings.EqualFold(u.Host, webHost(oaiURL)) {
		u.Scheme = "https"
	}
	return u, err
}

// thisMachine are the addresses of servers on it, such as one that has the
// certificate.
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
