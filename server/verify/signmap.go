package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

const acceptSitemap = "application/xml, text/xml;q=0.9, */*;q=0.1"

// Bounds of the search. sitemaps.org allows 50 MB in a file.
const (
	mostSitemaps = 60
	maxSitemap   = 50 << 20
	maxSearch    = 200 << 20
)

// searchSignmaps looks for the page in the sitemaps that robots.txt names, and in
// those that they name in turn.
func (c discovery) searchSignmaps(sitemaps []string) {
	seen := map[string]bool{}
	near, read := "", int64(0)
	for len(sitemaps) > 0 {
		at := sitemaps[0]
		sitemaps = sitemaps[1:]
		if seen[at] {
			continue
		}
		if len(seen) == mostSitemaps || read > maxSearch || c.ctx.Err() != nil {
			c.add("FP-SIGNMAP-BOUND", "The page was not found in the first %d sitemaps; the others were not read.", len(seen))
			return
		}
		seen[at] = true
		m, err := c.readSitemap(at)
		if err != nil {
			c.add("FP-SIGNMAP-UNREADABLE", "The sitemap at %s cannot be read: %v.", at, err)
		}
		for _, fault := range m.faults {
			c.add("FP-SIGNMAP-FORM", "In the Signmap at %s, %s.", at, fault)
		}
		if m.found {
			c.signmapEntry(at, m.links)
			return
		}
		sitemaps, near, read = append(sitemaps, m.sitemaps...), cmp.Or(near, m.near), read+m.read
	}
	if near != "" {
		near = ", but " + outbound.Printable(near, 200)
	}
	c.add("FP-SIGNMAP-PAGE-MISSING", "The sitemaps that robots.txt leads to (%d) do not list %s%s.", len(seen), c.FinalURL, near)
}

// signmapEntry compares the links of the Signmap with those of the page.
func (c discovery) signmapEntry(at string, links linkset.LinkSet) {
	if len(links) == 0 {
		c.add("FP-SIGNMAP-PLAIN", "The sitemap at %s lists the page, without links.", at)
		return
	}
	c.add("FP-SIGNMAP-FOUND", "The Signmap at %s lists the page, with %d links.", at, len(links))
	if extra := keysOf(links).without(keysOf(c.links).orLess()); len(extra) > 0 && len(c.links) > 0 {
		c.add("FP-SIGNMAP-AGREE", "In the Signmap at %s, but neither on the page nor in the link set: %s.", at, example("%s", extra))
	}
}

// readSitemap streams one file. With an error it returns what could be read.
func (c discovery) readSitemap(at string) (*sitemap, error) {
	m := &sitemap{page: c.FinalURL}
	a, err := c.follow(c.ctx, request{http.MethodGet, at, acceptSitemap}, nil, func(a *answer, body io.Reader) error {
		if a.status != http.StatusOK {
			return nil
		}
		return m.parse(body)
	})
	var failed *UnreachableError
	switch {
	case errors.As(err, &failed):
		return m, failed.Err
	case err == nil && a.status != http.StatusOK:
		return m, fmt.Errorf("it is answered with status %d", a.status)
	}
	return m, err
}
