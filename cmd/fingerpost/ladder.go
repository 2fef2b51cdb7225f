package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"fingerpost/bridge/linkset"
	"fingerpost/server/verify"
)

// outside looks at the gateway and the repository as the world sees them.
func (c *checking) outside(ctx context.Context) {
	page, known := c.examplePage(ctx)
	c.climb(ctx, &verify.Client{UserAgent: userAgent(c.Config, "")}, page, known)
}

// climb says of each step of the ladder whether it is taken, and what is missing.
func (c *checking) climb(ctx context.Context, client *verify.Client, page string, known bool) {
	signmap := c.signmap(c.repository)
	if !c.stepPublished(ctx, client, signmap) {
		return
	}
	if !known {
		c.say("step 1", warning, "harvest it first", "no landing page is known yet to look at")
		return
	}
	c.stepRobots(ctx, client, page, signmap)
	c.stepPages(ctx, client, page)
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

func (c *checking) stepPublished(ctx context.Context, client *verify.Client, signmap string) bool {
	if c.misleads() {
		c.say("step 0", bad, setPublicURL, "the gateway serves other machines at %s, and every link leads to %s", c.Listen, c.PublicURL)
		return false
	}
	seen, err := verify.LandingPage(ctx, client, signmap)
	if err != nil || seen.Status != http.StatusOK {
		c.say("step 0", bad, `start it with "fingerpost serve", and set public_url to where the world sees it`, "the Signmap cannot be fetched from %s", signmap)
		return false
	}
	c.say("step 0", good, "", "link sets and Signmap are published: %s", signmap)
	return true
}

func (c *checking) stepRobots(ctx context.Context, client *verify.Client, page, signmap string) {
	robots, err := verify.Robots(ctx, client, page)
	switch {
	case err != nil:
		c.say("step 1", bad, "", "robots.txt: %v", err)
	case robots.Names(signmap) && !robots.Allows(page):
		c.say("step 1", warning, "allow landing pages there; crawlers keep away from them otherwise", "%s leads to the Signmap, and keeps crawlers away from %s", robots.URL, page)
	case robots.Names(signmap) && !robots.Allows(c.repository.OAIURL):
		c.say("step 1", warning, "allow it there, with a line such as Allow: "+pathOf(c.repository.OAIURL), "%s leads to the Signmap, and keeps crawlers away from the OAI-PMH interface, which is linked as metadata (describedby)", robots.URL)
	case robots.Names(signmap):
		c.say("step 1", good, "", "%s leads to the Signmap", robots.URL)
	default:
		c.say("step 1", bad, "add the line: Sitemap: "+signmap, "%s has no Sitemap line for the Signmap", robots.URL)
	}
}

func (c *checking) stepPages(ctx context.Context, client *verify.Client, page string) {
	seen, err := verify.LandingPage(ctx, client, page)
	switch {
	case err != nil:
		c.say("step 2", bad, "", "%v", err)
		return
	case seen.BotCheck != "":
		c.say("step 2", bad, fmt.Sprintf("let through the User-Agent %q, all requests to %s, and HEAD and GET of landing pages and files by Signposting clients", userAgent(c.Config, ""), c.repository.OAIURL), "the bot check of %s answers in place of %s", seen.BotCheck, page)
		return
	case seen.Status != http.StatusOK:
		c.say("step 2", bad, "see whether the page is there; it must answer programs as it answers browsers", "%s is answered with status %d", page, seen.Status)
		return
	case !signposted(seen.Head):
		c.say("step 2", bad, fmt.Sprintf(`"fingerpost snippet nginx" (apache, caddy, haproxy, varnish) prints what to add to the web server; "fingerpost verify %s" says more`, page), "HEAD %s has no Signposting links", page)
		return
	}
	if !c.stepFiles(ctx, client, seen) {
		return
	}
	c.say("step 2", good, "", "landing pages have Link headers: %s", page)
	if !signposted(seen.HTML) {
		c.say("step 3", warning, "set edge.html if the proxy stands in front; crawlers that read no headers find the links then too", "the HTML of %s has no link elements", page)
		return
	}
	c.say("step 3", good, "", "and link elements")
}

// stepFiles looks whether a file and a description on the page's own host lead
// back to it: the web server may serve them in another way.
func (c *checking) stepFiles(ctx context.Context, client *verify.Client, page verify.Landing) bool {
	for _, way := range [][2]string{{"item", "collection"}, {"describedby", "describes"}} {
		there, back := way[0], way[1]
		for _, l := range page.Head.Rel(there) {
			if webHost(l.Href) != webHost(page.FinalURL) {
				continue
			}
			links, err := verify.Resource(ctx, client, l.Href)
			if err == nil && len(links.Rel(back)) == 0 {
				c.say("step 2", bad, `let the lines that "fingerpost snippet" prints hold there too; in nginx, a location with an add_header of its own needs them again`,
					"the landing page has Link headers, but HEAD %s has none with the relation %s", l.Href, back)
				return false
			}
			break
		}
	}
	return true
}

// signposted reports whether links say where an object's metadata, files or
// link set are.
func signposted(links linkset.LinkSet) bool {
	return len(links.Rel("describedby"))+len(links.Rel("item"))+len(links.Rel("linkset"))+len(links.Rel("cite-as")) > 0
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}
