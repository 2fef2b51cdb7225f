package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh"
	"fingerpost/server"
)

// sourcesOf turns repositories into those of package harvest. They share one guard
// that sends one request at a time to a host.
func sourcesOf(c config.Config, repositories []config.Repository) ([]harvest.Repository, error) {
	hosts := new(oaipmh.Hosts)
	var out []harvest.Repository
	for _, r := range repositories {
		source, err := sourceOf(c, r, hosts)
		if err != nil {
			return nil, err
		}
		out = append(out, source)
	}
	return out, nil
}

func sourceOf(c config.Config, r config.Repository, hosts *oaipmh.Hosts) (harvest.Repository, error) {
	options, err := clientOptions(c, r)
	if err != nil {
		return harvest.Repository{}, err
	}
	options.Hosts = hosts
	return harvest.Repository{
		ID: r.ID, OAIURL: r.OAIURL, MovedFrom: r.MovedFrom, Prefixes: r.Formats, Sets: r.Sets,
		Settings: mappingSettings(r), Learned: bridge.Learned{OwnPrefixes: r.Mapping.OwnPrefixes},
		Overlap: time.Duration(r.Politeness.Overlap), FullOnly: r.Politeness.FullOnly,
		IgnoreSize: r.Politeness.IgnoreListSize, HarvestedOnly: !r.DescribedBy.GetRecord || !r.DescribedBy.Offered, Client: options,
	}, nil
}

// mappingSettings returns the configuration of the mapping.
func mappingSettings(r config.Repository) bridge.Settings {
	m := bridge.Settings{
		LandingPage: r.LandingPage, Hosts: r.Mapping.Hosts, CiteAs: r.Mapping.CiteAs,
		CiteAsPublishedDOI: r.Mapping.CiteAsPublishedDOI, Platform: r.Mapping.Platform, Probe: r.Probe.Has(config.ProbeItems), Pages: r.Probe.Has(config.ProbePages),
	}
	for _, rule := range r.Mapping.Rules {
		m.Rules = append(m.Rules, bridge.Rule(rule))
	}
	return m
}

// clientOptions returns the configuration of requests to a repository.
func clientOptions(c config.Config, r config.Repository) (oaipmh.Options, error) {
	p := r.Politeness
	o := oaipmh.Options{
		UserAgent: userAgent(c, p.UserAgent), Username: p.Username, Password: p.Password.Reveal(),
		POST: p.Post, Cookies: p.Cookies, VerbatimToken: p.VerbatimToken, DayGranularity: p.Granularity == "day",
		MaxBytes: int64(p.MaxPageBytes), Timeout: time.Duration(p.Timeout), Retries: orNone(p.Retries),
		MaxRetryAfter: time.Duration(p.MaxRetryAfter), MinInterval: time.Duration(p.MinInterval), Jitter: time.Duration(p.MinInterval) / 4,
	}
	if strings.Contains(c.Contact, "@") {
		o.From = c.Contact
	}
	for name, value := range p.Headers {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, value.Reveal())
	}
	for name, value := range p.Query {
		if o.Query == nil {
			o.Query = url.Values{}
		}
		o.Query.Set(name, value.Reveal())
	}
	if p.CAFile == "" {
		return o, nil
	}
	pool, err := authorities(p.CAFile)
	if err != nil {
		return o, &configError{fmt.Errorf("ca_file of repository %s: %w", r.ID, err)}
	}
	o.RootCAs = pool
	return o, nil
}

// orNone returns what oaipmh.Options has for no retries.
func orNone(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}

// authorities returns the certificates of the system and of a PEM file.
func authorities(file string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM form", file)
	}
	return pool, nil
}

// userAgent names the gateway and how to reach the people who run it. OAI-PMH
// Implementation Guidelines for harvesters, 2.1.
func userAgent(c config.Config, own string) string {
	if own != "" {
		return own
	}
	agent := "fingerpost/" + version() + " (+" + c.PublicURL
	if c.Contact != "" {
		agent += "; " + c.Contact
	}
	return agent + ")"
}

// newSite makes the server of the published documents.
func newSite(s *session, ready func() (bool, string), log *slog.Logger) (*server.Server, error) {
	address, err := url.Parse(s.PublicURL)
	if err != nil {
		return nil, &configError{fmt.Errorf("public_url: %w", err)}
	}
	c := server.Config{
		PublicURL: address, Version: version(), Contact: s.Contact, Ready: ready, Log: log,
		PageFolder: filepath.Join(s.Data, "pages"), Repositories: publishedBy(s.Config),
	}
	var site *server.Server
	c.Explain = func(ctx context.Context, o store.Object) (bridge.Explanation, error) {
		r, ok := s.Repository(o.Repository)
		if !ok { // it was removed a moment ago
			return bridge.Explanation{}, store.ErrNotFound
		}
		e, _, err := explainObject(ctx, s, site, r, o)
		return e, err
	}
	site, err = server.New(c, s.db)
	return site, err
}

// publishedBy returns what is published of a configuration.
func publishedBy(c config.Config) []server.Repository {
	out := make([]server.Repository, 0, c.Len())
	for r := range c.All() {
		out = append(out, server.Repository{
			ID: r.ID, Name: r.Name, OAIURL: r.OAIURL, Inbox: r.Inbox, Prefixes: r.Formats, Hosts: r.Mapping.Hosts,
			Budget:      budgetOf(r),
			Omit:        r.Edge.Omit,
			Platform:    r.Mapping.Platform,
			Describedby: server.Describedby{OmitGetRecord: !r.DescribedBy.GetRecord, OmitCopies: !r.DescribedBy.Copies, OmitOffered: !r.DescribedBy.Offered},
		})
	}
	return out
}

// budgetOf returns the limits of the Link header of a repository's pages.
func budgetOf(r config.Repository) linkset.Budget {
	return linkset.Budget{Bytes: int(r.Header.Bytes), Lines: r.Header.Lines}
}
