package harvest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fingerpost/bridge"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

const (
	// probesARun bounds the requests of a run about files. The next run continues.
	probesARun = 2000

	maxRedirects = 5
	longestURL   = 2048
	longestType  = 255

	// probePace is the least time between two requests to a host, unless another
	// is configured.
	probePace = time.Second
	// After failuresInARow requests without an answer a site is passed by.
	failuresInARow = 3
)

// prober asks servers about URLs, one request after the other.
type prober struct {
	client *oaipmh.Client
	log    *slog.Logger
	oai    string                     // site of the OAI-PMH interface
	own    []string                   // names of the repository's host
	shut   map[string]bool            // sites that refused, or could not answer: no more of them in this run
	failed map[string]int             // requests in a row that a site did not answer
	rules  map[string]outbound.Robots // by scheme and host
	since  time.Time                  // of the oldest of rules
	now    func() time.Time
	turn   *turn
	left   int  // requests that may be sent
	kept   int  // URLs that a robots.txt keeps us from, in this run
	ended  bool // nothing more is asked in this run
}

func newProber(r Repository, log *slog.Logger, now func() time.Time) (*prober, error) {
	options := r.Client
	if options.MinInterval == 0 {
		options.MinInterval = probePace
	}
	client, err := oaipmh.New(r.OAIURL, options)
	if err != nil {
		return nil, err
	}
	p := &prober{
		client: client, log: log, oai: siteOf(r.OAIURL), shut: map[string]bool{}, failed: map[string]int{}, rules: map[string]outbound.Robots{}, now: now, left: probesARun,
	}
	p.own = append(p.own, hostOf(r.OAIURL))
	for _, h := range r.Settings.Hosts {
		p.own = append(p.own, strings.ToLower(h))
	}
	return p, nil
}

// done reports whether nothing more may be asked in this run.
func (p *prober) done(ctx context.Context) bool {
	return p.ended || ctx.Err() != nil || p.client.Requests() >= p.left || p.turn.over()
}

// follow asks about a URL, then about the targets of redirects. Silence is saved as
// an answer, too, so that not every run asks again. It returns false at the end of
// the run.
func (p *prober) follow(ctx context.Context, address string) (bridge.Probe, bool) {
	at := address
	for range maxRedirects + 1 {
		answer, head, ok := p.step(ctx, at)
		if !ok || ctx.Err() != nil {
			return bridge.Probe{}, false
		}
		next, err := outbound.Location(at, head.Status, head.Header)
		if err != nil || next == "" || len(next) > longestURL {
			return answer, true
		}
		at = next
	}
	return bridge.Probe{URL: at}, true
}

// step asks about one URL if the robots.txt of its host allows that. It returns
// false if the run ended before the request.
func (p *prober) step(ctx context.Context, at string) (bridge.Probe, oaipmh.Head, bool) {
	answer := bridge.Probe{URL: at}
	if p.done(ctx) || p.shut[siteOf(at)] {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	allowed, apart, err := p.allowed(ctx, at)
	if err != nil || p.done(ctx) {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	if !allowed {
		p.kept++
		answer.Status = bridge.KeptOut
		return answer, oaipmh.Head{}, true
	}
	head, err := p.client.Head(ctx, at, apart)
	p.judge(at, head.Status, err)
	said := head.Header.Get("Content-Type")
	answer.Status, answer.MediaType = head.Status, said[:min(len(said), longestType)]
	pause := (*oaipmh.PauseError)(nil)
	return answer, head, head.Status != 0 || !errors.As(err, &pause) || !p.ended
}

// judge passes a site by that refuses or fails. If a host of the repository itself
// refuses, the run sends no more requests about files.
func (p *prober) judge(address string, status int, err error) {
	site := siteOf(address)
	pause := (*oaipmh.PauseError)(nil)
	refused := status == http.StatusForbidden || status == http.StatusTooManyRequests || status >= 500 || errors.As(err, &pause)
	switch {
	case refused:
		p.pass(site, slices.Contains(p.own, hostOf(address)), status, err)
	case err == nil:
		p.failed[site] = 0
	default: // no answer, perhaps of one file alone
		if p.failed[site]++; p.failed[site] >= failuresInARow {
			p.pass(site, site == p.oai, status, err)
		}
	}
}

// pass ends the requests of this run to a site, or all of them.
func (p *prober) pass(site string, end bool, status int, err error) {
	p.shut[site], p.ended = true, p.ended || end
	message := "harvest: files of a site are passed by in this run"
	if end {
		message = "harvest: no more files are asked about in this run"
	}
	p.log.Warn(message, "site", site, "status", status, "error", err)
}

// siteOf is the host and port of an address.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
