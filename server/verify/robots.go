package verify

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/temoto/robotstxt"

	"fingerpost/bridge/linkset"
)

// maxRobots is what crawlers read of a robots.txt. RFC 9309, 2.5.
const maxRobots = 500 << 10

// RobotsTxt is what the robots.txt of a page's host says.
type RobotsTxt struct {
	URL      string
	Status   int      // 0 if the host gave no answer
	Found    bool     // there is one
	Type     string   // Content-Type of the one that is there
	Sitemaps []string // what its Sitemap lines name, as they stand there
	Allowed  bool     // crawlers may read the page
	Err      error    // of its rules, where they cannot be understood
}

// Names tells whether a Sitemap line names url.
func (r RobotsTxt) Names(url string) bool { return slices.Contains(r.Sitemaps, url) }

// Robots reads the robots.txt of the host of pageURL. An *UnreachableError
// says that the host gave no answer; a host without robots.txt is none.
func Robots(ctx context.Context, c *Client, pageURL string) (RobotsTxt, error) {
	v, ctx, end, err := c.begin(ctx, pageURL)
	if err != nil {
		return RobotsTxt{}, err
	}
	defer end()
	return v.robots(ctx, pageURL)
}

func (v *visit) robots(ctx context.Context, pageURL string) (RobotsTxt, error) {
	page, err := webURL(pageURL)
	if err != nil {
		return RobotsTxt{}, err
	}
	r := RobotsTxt{Allowed: true}
	r.URL = (&url.URL{Scheme: page.Scheme, Host: page.Host, Path: "/robots.txt"}).String()
	a, err := v.get(ctx, r.URL, "text/plain, */*;q=0.1", maxRobots)
	if err != nil {
		return r, err
	}
	r.Status, r.Found = a.status, a.status == http.StatusOK
	if !r.Found {
		r.Allowed = a.status < 500 // RFC 9309, 2.3.1.3 and 2.3.1.4
		return r, nil
	}
	r.Type = a.header.Get("Content-Type")
	r.Sitemaps = sitemapLines(a.body)
	rules, err := robotstxt.FromBytes(bytes.TrimPrefix(a.body, []byte("\uFEFF")))
	if err != nil {
		r.Err = err
		return r, nil
	}
	r.Allowed = rules.TestAgent(page.RequestURI(), "fingerpost")
	return r, nil
}

// sitemapLines reads the Sitemap lines, which stand outside of all groups and
// count even if some rule is wrong. RFC 9309, 2.2.4.
func sitemapLines(text []byte) []string {
	var out []string
	for line := range strings.FieldsFuncSeq(strings.TrimPrefix(string(text), "\uFEFF"), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, " #")
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "sitemap") && strings.TrimSpace(value) != "" {
			out = append(out, strings.TrimSpace(value))
		}
	}
	return out
}

// discovery goes from robots.txt to the Signmap. Signmap, "robots.txt".
func (c *check) discovery() {
	r, err := c.robots(c.ctx, c.FinalURL)
	switch {
	case err != nil:
		c.add("FP-ROBOTS-MISSING", "The robots.txt: %v.", err)
		return
	case !r.Found && !r.Allowed:
		c.add("FP-ROBOTS-DISALLOWED", "%s is answered with status %d, at which crawlers keep away from the whole host.", r.URL, r.Status)
		return
	case !r.Found:
		c.add("FP-ROBOTS-MISSING", "There is no robots.txt at %s.", r.URL)
		return
	case r.Err != nil:
		c.add("FP-ROBOTS-FORM", "A part of %s cannot be understood: %v.", r.URL, r.Err)
	case !r.Allowed:
		c.add("FP-ROBOTS-DISALLOWED", "The rules of %s keep crawlers away from %s.", r.URL, c.FinalURL)
	}
	if bare, _ := linkset.MediaType(r.Type); bare != "text/plain" {
		c.add("FP-ROBOTS-MEDIA-TYPE", "%s is answered as %q.", r.URL, r.Type)
	}
	var usable []string
	for _, s := range r.Sitemaps {
		if _, err := webURL(s); err == nil {
			usable = append(usable, s)
		}
	}
	if len(usable) == 0 {
		c.add("FP-ROBOTS-SITEMAP", "%s names no sitemap by an absolute URL.", r.URL)
		return
	}
	c.searchSignmaps(usable)
}
