package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/server/edge"
	"fingerpost/server/verify"
)

// outside looks at the gateway and the repository as the world sees them.
func (c *checking) outside(ctx context.Context) {
	site, err := newSite(c.session, nil, nil)
	if err != nil {
		c.say("step 0", bad, "", "%v", err)
		return
	}
	page, known := c.examplePage(ctx)
	l := &ladder{checking: c, Client: &verify.Client{UserAgent: userAgent(c.Config, "")}, links: site.Links}
	l.climb(ctx, page, known)
}

// ladder looks at the steps that docs/edge.md and README describe.
type ladder struct {
	*checking
	*verify.Client
	links edge.Lookup // ours, as the gateway has them
}

// climb reports of each step whether it is taken, and what is missing.
func (l *ladder) climb(ctx context.Context, page string, known bool) {
	signmap := signmapOf(l.Config, l.repository)
	if !l.stepPublished(ctx, signmap) {
		return
	}
	if !known {
		l.say("step 1", warning, "harvest it first", "no landing page is known yet to look at")
		return
	}
	l.stepRobots(ctx, page, signmap)
	l.stepPages(ctx, page)
}

// examples is among how many objects one with a file is looked for.
const examples = 1000

// examplePage is the landing page of an object that has one of its own, and a
// file if there are such.
func (c *checking) examplePage(ctx context.Context) (page string, known bool) {
	n := 0
	for o, err := range c.db.Objects(ctx, c.repository.ID, 0) {
		if n++; err != nil || n > examples {
			break
		}
		if o.Deleted || o.LandingPage.Resolve || o.LandingPage.URL == "" {
			continue
		}
		if page == "" || len(o.Items) > 0 {
			page = o.LandingPage.URL
		}
		if len(o.Items) > 0 {
			break
		}
	}
	return page, page != ""
}

func (l *ladder) stepPublished(ctx context.Context, signmap string) bool {
	if misleads(l.Config) {
		l.say("step 0", bad, setPublicURL, "the gateway serves other machines at %s, and every link leads to %s", l.Listen, l.PublicURL)
		return false
	}
	seen, err := verify.LandingPage(ctx, l.Client, signmap)
	if err != nil || seen.Status != http.StatusOK {
		l.say("step 0", bad, `start it with "fingerpost serve", and set public_url to where the world sees it`, "the Signmap cannot be fetched from %s", signmap)
		return false
	}
	l.say("step 0", good, "", "link sets and Signmap are published: %s", signmap)
	return true
}

// entryRobots is what Signmap demands of a repository whose entry page is not
// the root of its host.
const entryRobots = "if the entry page of the repository is not the root of its host, that line belongs into the robots.txt beside the entry page too"

func (l *ladder) stepRobots(ctx context.Context, page, signmap string) {
	robots, err := verify.Robots(ctx, l.Client, page)
	switch {
	case err != nil:
		l.say("step 1", bad, "", "robots.txt: %v", err)
	case robots.Names(signmap) && !robots.Allows(page):
		l.say("step 1", warning, "allow landing pages there; crawlers keep away from them otherwise", "%s leads to the Signmap, and keeps crawlers away from %s", robots.URL, page)
	case robots.Names(signmap) && !robots.Allows(l.repository.OAIURL):
		l.say("step 1", warning, "allow it there, with a line such as Allow: "+pathOf(l.repository.OAIURL), "%s leads to the Signmap, and keeps crawlers away from the OAI-PMH interface, which is linked as metadata (describedby)", robots.URL)
	case robots.Names(signmap):
		l.say("step 1", good, entryRobots, "%s leads to the Signmap", robots.URL)
	default:
		l.say("step 1", bad, "add the line: Sitemap: "+signmap+"; "+entryRobots, "%s has no Sitemap line for the Signmap", robots.URL)
	}
}

func (l *ladder) stepPages(ctx context.Context, page string) {
	seen, err := verify.LandingPage(ctx, l.Client, page)
	ours, _ := l.links(ctx, page)
	switch {
	case err != nil:
		l.say("step 2", bad, "", "%v", err)
		return
	case seen.BotCheck != "":
		l.say("step 2", bad, fmt.Sprintf("let through the User-Agent %q, all requests to %s, and HEAD and GET of landing pages and files by Signposting clients", userAgent(l.Config, ""), l.repository.OAIURL), "the bot check of %s answers in place of %s", seen.BotCheck, page)
		return
	case seen.Status != http.StatusOK:
		l.say("step 2", bad, "see whether the page is there; it must answer programs as it answers browsers", "%s is answered with status %d", page, seen.Status)
		return
	}
	mark := l.mark(ours)
	l.repositorysOwn(seen, ours, mark)
	switch {
	case len(ours) == 0 && len(l.repository.Edge.Omit) > 0:
		l.say("step 2", good, "", "edge.omit leaves no links of ours for landing pages")
		return
	case !contains(seen.Head, mark...):
		l.say("step 2", bad, fmt.Sprintf(`"fingerpost snippet nginx" (apache, caddy, haproxy, varnish) prints what to add to the web server; or set edge.listen and edge.origin, and let the web server that ends TLS pass requests on to the proxy; "fingerpost verify %s" says more`, page),
			"HEAD %s has none of our links", page)
		return
	}
	if !l.stepFiles(ctx, seen, ours) {
		return
	}
	l.say("step 2", good, "", "landing pages have our Link headers: %s", page)
	if !contains(seen.HTML, mark...) {
		l.say("step 3", warning, "set edge.html if the proxy stands in front; crawlers that read no headers find the links then too", "the HTML of %s has none of our link elements", page)
		return
	}
	l.say("step 3", good, "", "and link elements")
}

// mark returns the links by which ours are told from the repository's own: those
// that lead to the gateway or, if there are none, all.
func (l *ladder) mark(ours linkset.LinkSet) linkset.LinkSet {
	mark := slices.DeleteFunc(slices.Clone(ours), func(link linkset.Link) bool { return !strings.HasPrefix(link.Href, l.PublicURL+"/") })
	if len(mark) == 0 {
		return ours
	}
	return mark
}

// repositorysOwn reports the relations that a landing page has in links which are
// not ours. It is to be complemented, never contradicted.
func (l *ladder) repositorysOwn(seen verify.Landing, ours, mark linkset.LinkSet) {
	omit := slices.Clone(l.repository.Edge.Omit)
	for _, rel := range ownRelations(seen, ours, mark) {
		if len(ours.Rel(rel)) > 0 {
			omit = append(omit, rel)
		}
	}
	if added := omit[len(l.repository.Edge.Omit):]; len(added) > 0 {
		which := strings.Join(added, ", ")
		slices.Sort(omit)
		l.say("pages", warning, "set edge.omit: ["+strings.Join(omit, ", ")+"]; it leaves our links with these relations out of landing pages",
			"the repository itself sends links with the relations %s on %s", which, seen.URL)
	}
}

// ownRelations returns the relations of those links about a page that come from
// the repository: all links if ours are not on the page, and else those that are
// not ours or stand in the header twice.
func ownRelations(seen verify.Landing, ours, mark linkset.LinkSet) (rels []string) {
	header, html := seen.Header.From(seen.FinalURL), seen.HTML.From(seen.FinalURL)
	installed := contains(header, mark...)
	for i, link := range slices.Concat(header, html) {
		twice := i < len(header) && contains(header[:i], link)
		if rel := strings.ToLower(link.Rel); (!installed || twice || !contains(ours, link)) && !slices.Contains(rels, rel) {
			rels = append(rels, rel)
		}
	}
	return rels
}

// contains reports whether at least one of some links is among links. Their
// contexts do not matter.
func contains(links linkset.LinkSet, some ...linkset.Link) bool {
	return slices.ContainsFunc(links, func(a linkset.Link) bool {
		return slices.ContainsFunc(some, func(b linkset.Link) bool { return strings.EqualFold(a.Rel, b.Rel) && sameTarget(a.Href, b.Href) })
	})
}

func sameTarget(a, b string) bool {
	x, errX := linkset.Target(a)
	y, errY := linkset.Target(b)
	return a == b || errX == nil && errY == nil && x == y
}

// stepFiles looks whether a file and a description to which our links lead on the
// page's own host lead back to it: the web server may serve them in another way.
func (l *ladder) stepFiles(ctx context.Context, page verify.Landing, ours linkset.LinkSet) bool {
	for _, way := range [][2]string{{"item", "collection"}, {"describedby", "describes"}} {
		there, back := way[0], way[1]
		for _, link := range ours.Rel(there) {
			expected, _ := l.links(ctx, link.Href)
			if webHost(link.Href) != webHost(page.FinalURL) || !contains(page.Head, link) || len(expected.Rel(back)) == 0 {
				continue
			}
			links, err := verify.Resource(ctx, l.Client, link.Href)
			if err == nil && !contains(links, expected.Rel(back)...) {
				l.say("step 2", bad, `let the lines that "fingerpost snippet" prints apply there too; in nginx, a location with an add_header of its own needs them again`,
					"the landing page has Link headers, but HEAD %s has none with the relation %s", link.Href, back)
				return false
			}
			break
		}
	}
	return true
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}
