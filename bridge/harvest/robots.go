package harvest

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"github.com/temoto/robotstxt"

	"fingerpost/oaipmh"
)

// product is the name that groups of a robots.txt know us by. RFC 9309, 2.2.1.
const product = "fingerpost"

// mostRules bounds the memory for the rules of hosts, of which metadata may name
// many. A file of rules has half a megabyte at the most.
const mostRules = 64

// allowed tells whether the robots.txt of its host lets a URL be asked about.
// That is read once a run, or more often of many hosts. It is false with an error where the host could not
// say, which keeps everybody out. RFC 9309, 2.3.1.4.
func (p *prober) allowed(ctx context.Context, address string) (bool, error) {
	u, err := url.Parse(address)
	if err != nil {
		return false, err
	}
	site := u.Scheme + "://" + u.Host
	rules, known := p.rules[site]
	if !known {
		if rules, err = p.robots(ctx, site+"/robots.txt"); err != nil {
			return false, err
		}
		if len(p.rules) == mostRules {
			clear(p.rules)
		}
		p.rules[site] = rules
	}
	return rules.TestAgent(u.RequestURI(), product), nil
}

// robots reads the rules at an address. Where there are none, or none that can
// be understood, everything is allowed. RFC 9309, 2.3.1.
func (p *prober) robots(ctx context.Context, address string) (*robotstxt.RobotsData, error) {
	for range maxRedirects + 1 {
		answer, text, err := p.client.RobotsTxt(ctx, address)
		if p.judge(hostOf(address), answer.Status, err); err != nil {
			return nil, err
		}
		if p.shut[hostOf(address)] {
			return nil, &oaipmh.StatusError{Code: answer.Status, URL: address}
		}
		next, leads := redirect(address, answer)
		if !leads {
			rules, err := robotstxt.FromStatusAndBytes(answer.Status, bytes.TrimPrefix(text, []byte("\uFEFF")))
			if err != nil {
				break
			}
			return rules, nil
		}
		address = next
	}
	return robotstxt.FromStatusAndBytes(http.StatusNotFound, nil)
}
