package harvest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// mostRules bounds the memory for the rules of hosts, of which metadata may name
// many. A file of rules has half a megabyte at the most.
const mostRules = 64

// rulesAge is how long the rules of a host are used. RFC 9309, 2.4.
const rulesAge = 24 * time.Hour

// allowed reports whether the robots.txt of its host lets a URL be requested, and
// how far apart requests to the host should be; 0 if it does not say. The file is
// read once a run and host, or more often if there are many hosts. The error of a
// host that could not answer forbids everything. RFC 9309, 2.3.1.4.
func (p *prober) allowed(ctx context.Context, address string) (allowed bool, apart time.Duration, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return false, 0, err
	}
	at := outbound.RobotsURL(u)
	if len(p.rules) == mostRules || p.now().Sub(p.since) > rulesAge {
		clear(p.rules)
		p.since = p.now()
	}
	rules, met := p.rules[at]
	if !met {
		if rules, err = p.robots(ctx, at); err != nil {
			return false, 0, err
		}
		p.rules[at] = rules
	}
	return rules.Allow(u, outbound.Product), rules.Delay(outbound.Product), nil
}

// robots reads the rules at an address.
func (p *prober) robots(ctx context.Context, address string) (outbound.Robots, error) {
	for range maxRedirects + 1 {
		answer, text, err := p.client.RobotsTxt(ctx, address)
		p.judge(address, answer.Status, err)
		if err != nil {
			if site := siteOf(address); !p.shut[site] { // it keeps everybody out
				p.pass(site, site == p.oai, answer.Status, err)
			}
			return outbound.Robots{}, err
		}
		if p.shut[siteOf(address)] {
			return outbound.Robots{}, &oaipmh.StatusError{Code: answer.Status, URL: address}
		}
		next, err := outbound.Location(address, answer.Status, answer.Header)
		if err != nil || next == "" {
			return outbound.ReadRobots(answer.Status, text), nil
		}
		address = next
	}
	return outbound.ReadRobots(http.StatusNotFound, nil), nil // RFC 9309, 2.3.1.2
}
