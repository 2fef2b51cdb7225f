package main

import (
	"context"
	"fmt"
	"strings"

	"fingerpost/bridge"
)

// sitemapRecords is in how many records check looks for URLs.
const sitemapRecords = 1000

// sitemap says what Google finds if it is given the interface as a sitemap. It
// looks at what was harvested, or else at the first page.
func (c *checking) sitemap(ctx context.Context, firstPage bridge.OAISitemap) {
	s, err := c.harvestedSitemap(ctx)
	switch {
	case err != nil:
		c.say("sitemap", warning, "", "the records could not be read: %v", err)
		return
	case s.Records == 0:
		s = firstPage
	}
	if s.Records == 0 {
		return
	}
	state, fix := good, ""
	if s.Found < s.Records {
		state = warning
		fix = fmt.Sprintf("submit the Signmap, which has all of them: %s; not found is for example %s", signmapOf(c.Config, c.repository), strings.Join(s.Lost, ", "))
	}
	c.say("sitemap", state, fix, "Google reads an OAI-PMH interface as a sitemap and takes the URLs in dc:identifier that begin with %s: %d of %d records have one", &s.Folder, s.Found, s.Records)
}

func (c *checking) harvestedSitemap(ctx context.Context) (bridge.OAISitemap, error) {
	s := bridge.NewOAISitemap(c.repository.OAIURL)
	ids, err := c.db.Sample(ctx, c.repository.ID, sitemapRecords)
	if err != nil {
		return s, err
	}
	for _, id := range ids {
		records, err := c.db.Records(ctx, c.repository.ID, id)
		if err != nil {
			return s, fmt.Errorf("read the records of %s: %w", id, err)
		}
		for _, r := range records {
			if r.Prefix == "oai_dc" && !r.Deleted {
				s.Add(id, r.Metadata)
			}
		}
	}
	return s, nil
}
