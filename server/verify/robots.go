package verify

import (
	"context"
	"net/http"
	"slices"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// RobotsTxt is what the robots.txt of a page's host says.
type RobotsTxt struct {
	URL      string
	Status   int      // 0 if the host gave no answer
	Found    bool     // there is one
	Type     string   // Content-Type of the one that is there
	Sitemaps []string // what its Sitemap lines name, as they stand there
	Err      error    // of its rules, where they cannot be understood
	rules    outbound.Robots
}

// Names reports whether a Sitemap line names url.
func (r RobotsTxt) Names(url string) bool { return slices.Contains(r.Sitemaps, url) }

// Allows reports whether crawlers may request url. It is true for a URL on
// another host, whose own robots.txt decides.
func (r RobotsTxt) Allows(url string) bool {
	u, err := outbound.WebURL(url)
	return err != nil || outbound.RobotsURL(u) != r.URL || r.rules.Allow(u, outbound.Product)
}

// Robots reads the robots.txt of the host of pageURL. An *UnreachableError
// says that the host gave no answer. A missing robots.txt is no error.
func Robots(ctx context.Context, c *Client, pageURL string) (RobotsTxt, error) {
	v, ctx, end, err := c.begin(ctx, pageURL)
	if err != nil {
		return RobotsTxt{}, err
	}
	defer end()
	return v.robots(ctx, pageURL)
}

func (v *visit) robots(ctx context.Context, pageURL string) (RobotsTxt, error) {
	page, err := outbound.WebURL(pageURL)
	if err != nil {
		return RobotsTxt{}, &UnreachableError{pageURL, err}
	}
	r := RobotsTxt{URL: outbound.RobotsURL(page)}
	a, err := v.get(ctx, r.URL, "text/plain, */*;q=0.1", outbound.MaxRobots)
	if err != nil {
		return r, err
	}
	r.rules = outbound.ReadRobots(a.status, a.body)
	r.Status, r.Found, r.Sitemaps, r.Err = a.status, a.status == http.StatusOK, r.rules.Sitemaps, r.rules.Err
	if r.Found {
		r.Type = a.header.Get("Content-Type")
	}
	return r, nil
}

// discovery goes from robots.txt to the Signmap. Signmap, "robots.txt".
type discovery struct{ *check }

func (c discovery) examine() {
	r, err := c.robots(c.ctx, c.FinalURL)
	switch {
	case err != nil:
		c.add("FP-ROBOTS-MISSING", "The robots.txt: %v.", err)
		return
	case !r.Found && !r.Allows(c.FinalURL):
		c.add("FP-ROBOTS-DISALLOWED", "%s is answered with status %d, so crawlers keep away from the whole host.", r.URL, r.Status)
		return
	case !r.Found:
		c.add("FP-ROBOTS-MISSING", "There is no robots.txt at %s.", r.URL)
		return
	case r.Err != nil:
		c.add("FP-ROBOTS-FORM", "A part of %s cannot be understood: %v.", r.URL, r.Err)
	case !r.Allows(c.FinalURL):
		c.add("FP-ROBOTS-DISALLOWED", "The rules of %s keep crawlers away from %s.", r.URL, c.FinalURL)
	}
	for _, l := range c.links.From(c.FinalURL) {
		if isFollowed(l.Rel) && !c.isPage(l.Href) && !r.Allows(l.Href) {
			c.add("FP-ROBOTS-LINKED", "The rules of %s keep crawlers away from %s, which the page links to with the relation %s.", r.URL, l.Href, l.Rel)
		}
	}
	if bare, _ := linkset.MediaType(r.Type); bare != "text/plain" {
		c.add("FP-ROBOTS-MEDIA-TYPE", "%s is served as %q.", r.URL, r.Type)
	}
	var usable []string
	for _, s := range r.Sitemaps {
		if _, err := outbound.WebURL(s); err == nil {
			usable = append(usable, s)
		}
	}
	if len(usable) == 0 {
		c.add("FP-ROBOTS-SITEMAP", "%s names no sitemap by an absolute URL.", r.URL)
		return
	}
	c.searchSignmaps(usable)
}

// isFollowed reports whether crawlers request what links with the relation
// lead to.
func isFollowed(rel string) bool { return rel == "item" || rel == "describedby" || rel == "linkset" }
