package server

import (
	"net/http"
	"strconv"
	"strings"
)

const textType = "text/plain; charset=utf-8"

// mostNamed is of how many repositories robots.txt and the catalogue name every
// document. Where there are more, they lead to lists of as many: crawlers read no
// more than 500 KiB of a robots.txt. RFC 9309, 2.5.
const mostNamed = 500

// serveRobots allows everything, and names every Signmap. The agents of CDIF find
// their sitemaps below their own name, the last: a group without rules, so that
// the rules of all hold for them too. CDIF, metadata publication; RFC 9309, 2.2.
func (s discovery) serveRobots(w http.ResponseWriter, r *http.Request, _ vars) error {
	configured := s.repositories.configured.Load()
	var signmaps, cdif []string
	if pages := configured.pages(); pages > 1 {
		for page := range pages {
			signmaps, cdif = append(signmaps, s.urls.signmaps(page+1)), append(cdif, s.urls.cdifSitemaps(page+1))
		}
	} else {
		for _, repo := range configured.all {
			signmaps, cdif = append(signmaps, s.urls.signmap(repo.ID)), append(cdif, s.urls.cdifSitemap(repo.ID))
		}
	}
	var b strings.Builder
	b.WriteString("User-agent: *\nDisallow:\n")
	writeSitemaps(&b, "\n", signmaps)
	writeSitemaps(&b, "\nUser-agent: CDIF1.0\n", cdif)
	document{mediaType: textType, body: []byte(b.String()), modified: configured.since}.sealed().serve(w, r, s.Now())
	return nil
}

func writeSitemaps(b *strings.Builder, head string, urls []string) {
	if len(urls) > 0 {
		b.WriteString(head)
	}
	for _, u := range urls {
		b.WriteString("Sitemap: " + u + "\n")
	}
}

// pages is how many lists of repositories there are.
func (c *configuration) pages() int { return (len(c.all) + mostNamed - 1) / mostNamed }

// page returns the repositories in one of these; none if there is no such page.
func (c *configuration) page(number string) []Repository {
	n, err := strconv.Atoi(number)
	if err != nil || strconv.Itoa(n) != number || n < 1 || n > c.pages() {
		return nil
	}
	return c.all[(n-1)*mostNamed : min(n*mostNamed, len(c.all))]
}

// serveSignmaps is an index of the sitemaps of many repositories. Where a Signmap
// is an index itself its pages are named: an index does not lead to another.
// sitemaps.org.
func (s *paged) serveSignmaps(w http.ResponseWriter, r *http.Request, v vars) error {
	now, err := s.repositories.current(r.Context())
	if err != nil {
		return err
	}
	b, some, named := []byte(indexHead), now.of.page(v.page), 0
	for _, repo := range some {
		if now.source(repo.ID).modified == 0 {
			continue
		}
		pages, err := s.store.SignmapPages(r.Context(), repo.ID)
		if err != nil {
			return err
		}
		for _, p := range pages {
			if p.Objects == 0 || named == mostSitemaps {
				continue
			}
			loc := s.urls.signmapPage(repo.ID, p.Number)
			if len(pages) == 1 {
				loc = s.urls.signmap(repo.ID)
			}
			b = appendSitemap(b, loc, s.past(timeOf(p.Modified)))
			named++
		}
	}
	if named == mostSitemaps {
		s.Log.Warn("an index of Signmaps is full: pages are missing in it", "first", some[0].ID)
	}
	return s.sendIndex(w, r, now, some, b)
}

// serveCDIFSitemaps is an index of the sitemaps for agents that look for CDIF.
func (s *paged) serveCDIFSitemaps(w http.ResponseWriter, r *http.Request, v vars) error {
	now, err := s.repositories.current(r.Context())
	if err != nil {
		return err
	}
	b, some := []byte(indexHead), now.of.page(v.page)
	for _, repo := range some {
		if modified := now.source(repo.ID).modified; modified > 0 {
			b = appendSitemap(b, s.urls.cdifSitemap(repo.ID), s.past(timeOf(modified)))
		}
	}
	return s.sendIndex(w, r, now, some, b)
}

// sendIndex answers with an index of some repositories' sitemaps.
func (s *paged) sendIndex(w http.ResponseWriter, r *http.Request, now *published, some []Repository, b []byte) error {
	if len(some) == 0 {
		return noPage
	}
	d := document{mediaType: signmapPages.mediaType, policy: locked, modified: now.of.since, body: append(b, indexTail...)}
	for _, repo := range some {
		d.modified = later(d.modified, timeOf(now.source(repo.ID).modified))
	}
	d.sealed().serve(w, r, s.Now())
	return nil
}

// serveRepositoryRobots shows the lines that the repository's own robots.txt
// needs: crawlers look for them there, not here. Signmap, "robots.txt".
func (s discovery) serveRepositoryRobots(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	body := "# Add the line below to the robots.txt of the repository's own host, beside\n" +
		"# what is there. Crawlers then find every object with its links.\n" +
		"Sitemap: " + s.urls.signmap(repo.ID) + "\n" +
		"# Agents of CDIF find their sitemap in " + s.urls.robots() + "\n"
	document{mediaType: textType, body: []byte(body), modified: repo.since}.sealed().serve(w, r, s.Now())
	return nil
}
