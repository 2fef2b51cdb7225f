package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"fingerpost/bridge/linkset"
	"fingerpost/config"
	"fingerpost/server"
	"fingerpost/server/edge"
)

// door is a listener and what answers on it.
type door struct {
	net.Listener
	http.Handler
}

// proxies are those that stand in front of a repository, one for each that is
// configured.
func (s *session) proxies(site *server.Server, log *slog.Logger) ([]door, error) {
	var doors []door
	for _, r := range s.Repositories {
		if r.Edge.Listen == "" {
			continue
		}
		proxy, err := s.proxy(r, site, log)
		if err != nil {
			return doors, &configError{fmt.Errorf("edge of repository %s: %w", r.ID, err)}
		}
		l, err := listen("edge.listen of repository "+r.ID, r.Edge.Listen)
		if err != nil {
			return doors, err
		}
		doors = append(doors, door{l, proxy})
	}
	return doors, nil
}

// proxy stands in front of a repository, whose pages are known under the host
// of its OAI-PMH interface and its other names.
func (s *session) proxy(r config.Repository, site *server.Server, log *slog.Logger) (*edge.Proxy, error) {
	origin, err := url.Parse(r.Edge.Origin)
	if err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	public, err := url.Parse(r.OAIURL)
	if err != nil {
		return nil, fmt.Errorf("oai_url: %w", err)
	}
	return edge.New(edge.Config{
		Origin: origin, Public: &url.URL{Scheme: public.Scheme, Host: public.Host}, Hosts: r.Mapping.Hosts,
		Budget: linkset.Budget{Bytes: int(r.Header.Bytes), Lines: r.Header.Lines}, HTML: r.Edge.HTML,
		Sitemaps: []string{s.PublicURL + "/" + r.ID + "/signmap.xml"}, Catalog: site, Log: log,
	}, site.Links)
}
