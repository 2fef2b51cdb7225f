package server

import (
	"net/http"
	"strings"
)

const textType = "text/plain; charset=utf-8"

// serveRobots allows everything, and names every Signmap. The agents of CDIF find
// their sitemaps below their own name, the last: a group without rules, so that
// the rules of all hold for them too. CDIF, metadata publication; RFC 9309, 2.2.
func (s discovery) serveRobots(w http.ResponseWriter, r *http.Request, _ vars) error {
	var b strings.Builder
	b.WriteString("User-agent: *\nDisallow:\n")
	for i, repo := range s.Repositories {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("Sitemap: " + s.urls.signmap(repo.ID) + "\n")
	}
	if len(s.Repositories) > 0 {
		b.WriteString("\nUser-agent: CDIF1.0\n")
	}
	for _, repo := range s.Repositories {
		b.WriteString("Sitemap: " + s.urls.cdifSitemap(repo.ID) + "\n")
	}
	document{mediaType: textType, body: []byte(b.String()), modified: s.started}.sealed().serve(w, r, s.Now())
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
