// Package verify examines a landing page as a Signposting client does, and says
// what is wrong with its links: in the header by HEAD and by GET, in the HTML, in
// the link sets, on files and metadata, and on the way from robots.txt to a
// Signmap. It compares them with FAIR Signposting, RFC 8288, RFC 9264, Signmap,
// COAR Notify and what confuses clients in use. rules lists all that it looks for.
//
// It treats everything that servers send as hostile: it is bounded, and cleaned
// before it becomes part of a Report.
package verify

import (
	"context"
	"errors"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// Options say how far a verification goes.
type Options struct {
	NoTargets  bool // do not request the targets of links, except link sets
	MaxTargets int  // files and metadata documents that are examined; default 50
}

// Page verifies the landing page at url. It fails only if ctx ends: a page
// that cannot be reached is a Report.
func Page(ctx context.Context, c *Client, url string, o Options) (Report, error) {
	k := &check{ctx: ctx, options: o, report: Report{URL: outbound.Printable(url, linkset.MaxURI)}}
	v, limited, end, err := c.begin(ctx, url)
	if err != nil {
		return k.unreachable(err), nil
	}
	defer end()
	k.visit, k.ctx = v, limited
	if k.Landing, err = v.landing(limited, url); err != nil {
		return k.unreachable(err), ctx.Err()
	}
	k.run()
	if limited.Err() != nil {
		k.add("FP-STOPPED", "The time was up before everything was examined. The report has what was found so far.")
	}
	return k.finish(), ctx.Err()
}

// A check is the verification of one page. What is examined apart, such as the
// header or the link sets, is a type that embeds it.
type check struct {
	findings
	*visit
	Landing
	ctx     context.Context
	options Options
	report  Report
	own     linkset.LinkSet // of the page about itself, in header and HTML. FAIR Signposting, 2.1.1
	sets    []document      // the link sets that could be read
	links   linkset.LinkSet // own, and those of the page in the link sets
}

func (c *check) run() {
	c.own = merged(c.Header.From(c.FinalURL), c.HTML)
	c.links = c.own
	c.page()
	c.headEqualsGet()
	headerCheck{c}.examine()
	c.html()
	switch {
	case c.Status >= 300 || c.BotCheck != "":
		return
	case len(signposts(c.own)) == 0:
		c.add("FP-LINKS-NONE", "The page at %s has no Signposting links.", c.FinalURL)
	case !c.isHTML() && partOf(c.own) != "":
		c.add("FP-PAGE-IS-FILE", "%s says that it %s.", c.FinalURL, partOf(c.own))
		if len(c.own.Rel("collection")) > 0 {
			c.notify()
		}
		return
	default:
		c.cardinalities("FP-L1-", c.own, "On the page")
		linkSetCheck{c}.examine()
		for _, d := range c.sets {
			c.links = merged(c.links, d.links.From(c.FinalURL))
		}
		agreementOf(c).examine()
		c.quality()
		if !c.options.NoTargets {
			targetCheck{c}.examine()
		}
	}
	c.notify()
	discovery{c}.examine()
}

// set has the links of the first link set that could be read, with the page
// as their context. FAIR Signposting, 2.2.1.
func (c *check) set() linkset.LinkSet {
	if len(c.sets) == 0 {
		return nil
	}
	return c.sets[0].links.From(c.FinalURL)
}

func (c *check) unreachable(err error) Report {
	var failed *UnreachableError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	c.add("FP-PAGE-UNREACHABLE", "%s cannot be reached: %v.", c.report.URL, err)
	c.report.Unreachable = true
	return c.finish()
}

func (c *check) finish() Report {
	r := c.report
	r.FinalURL = outbound.Printable(c.FinalURL, linkset.MaxURI)
	r.Unreachable = r.Unreachable || c.Status >= 400 && c.Status != 410
	r.Level1, r.Level2 = c.breaks&level1 == 0, c.breaks&level2 == 0
	r.Findings = c.all()
	r.Links = c.found()
	return r
}

// found lists every Signposting link, and where it was found.
func (c *check) found() []Found {
	out := []Found{}
	at := map[key]int{}
	put := func(place string, s linkset.LinkSet) {
		for _, l := range signposts(s) {
			i, seen := at[keyOf(l)]
			if !seen {
				i = len(out)
				at[keyOf(l)] = i
				l = cleanLink(l)
				out = append(out, Found{Anchor: l.Anchor, Rel: l.Rel, Href: l.Href, Type: l.Type, Profile: l.Profile})
			}
			if in := out[i].In; len(in) == 0 || in[len(in)-1] != place {
				out[i].In = append(in, place)
			}
		}
	}
	put("head", c.Head)
	put("header", c.Header)
	put("html", c.HTML)
	for _, d := range c.sets {
		put(d.form(), d.links)
	}
	return out
}
