package harvest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

const (
	// probesARun is how many requests about files a run may send. What is left
	// is for the next runs.
	probesARun = 2000

	maxRedirects = 5
	longestURL   = 2048
	longestType  = 255
)

// prober asks servers about URLs, one request after the other.
type prober struct {
	client *oaipmh.Client
	log    *slog.Logger
	begun  int                        // requests that went out before
	own    []string                   // names of the repository's host
	shut   map[string]bool            // hosts that refused, or could not answer: no more of them in this run
	rules  map[string]outbound.Robots // by scheme and host
	kept   int                        // URLs that a robots.txt keeps us from, in this run
	ended  bool                       // nothing more is asked in this run
}

func newProber(client *oaipmh.Client, r Repository, log *slog.Logger) *prober {
	p := &prober{client: client, log: log, begun: client.Requests(), shut: map[string]bool{}, rules: map[string]outbound.Robots{}}
	p.own = append(p.own, hostOf(r.OAIURL))
	for _, h := range r.Settings.Hosts {
		p.own = append(p.own, strings.ToLower(h))
	}
	return p
}

func (p *prober) requests() int { return p.client.Requests() - p.begun }

// done reports whether nothing more may be asked in this run.
func (p *prober) done(ctx context.Context) bool {
	return p.ended || ctx.Err() != nil || p.requests() >= probesARun
}

// follow asks about a URL, then about where it leads. No answer is an answer
// too, so that the same question is not asked in every run; it is false where
// the run is over.
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

// step asks about one URL, if its host lets us; false where the run is over
// before anybody was asked.
func (p *prober) step(ctx context.Context, at string) (bridge.Probe, oaipmh.Head, bool) {
	host, answer := hostOf(at), bridge.Probe{URL: at}
	if p.done(ctx) || p.shut[host] {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	allowed, err := p.allowed(ctx, at)
	if err != nil || p.done(ctx) {
		return answer, oaipmh.Head{}, !p.done(ctx)
	}
	if !allowed {
		p.kept++
		answer.Status = bridge.KeptOut
		return answer, oaipmh.Head{}, true
	}
	head, err := p.client.Head(ctx, at)
	p.judge(host, head.Status, err)
	said := head.Header.Get("Content-Type")
	answer.Status, answer.MediaType = head.Status, said[:min(len(said), longestType)]
	parked := (*oaipmh.ParkedError)(nil)
	return answer, head, head.Status != 0 || !errors.As(err, &parked) || !p.ended
}

// judge leaves a host alone that wants it, or that is not well. If it is the
// repository's own, nothing more is asked at all.
func (p *prober) judge(host string, status int, err error) {
	if err == nil && status != http.StatusForbidden && status != http.StatusTooManyRequests && status < 500 {
		return
	}
	p.log.Debug("harvest: a host is not asked about files any more in this run", "host", host, "status", status, "error", err)
	p.shut[host] = true
	p.ended = p.ended || slices.Contains(p.own, host)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
