package config

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// validate returns everything that is wrong with c, each a *Problem, joined.
// It expects c with its derived values.
func (c Config) validate() error {
	var p problems
	p.check("public_url", webURL(c.PublicURL))
	p.check("contact", contact(c.Contact))
	if c.Workers < 1 || c.Workers > 1000 {
		p.add("workers", "%d is not between 1 and 1000", c.Workers)
	}
	p.check("database", CheckDatabase(c.Database))
	p.check("database_password", unmasked(c.DatabasePassword))
	if len(c.Repositories) == 0 && c.Sources == "" {
		p.add("repositories", "is empty: give the address of an OAI-PMH interface under oai_url, or without a file as FINGERPOST_OAI_URL")
	}
	c.checkListeners(&p)
	ids := map[string]int{}
	for i, r := range c.Repositories {
		key := fmt.Sprintf("repositories[%d].", i)
		if first, twice := ids[r.ID]; twice && r.ID != "" {
			p.add(key+"id", "%q is also the id of repositories[%d]: give each its own", r.ID, first)
		}
		ids[r.ID] = i
		r.check(&p, key)
	}
	return p.join()
}

// checkListeners requires an address of its own for every listener.
func (c Config) checkListeners(p *problems) {
	taken := map[string]string{}
	check := func(key, addr string) {
		p.check(key, hostPort(addr))
		if other := taken[addr]; other != "" && !strings.HasSuffix(addr, ":0") {
			p.add(key, "%q is taken by %s: choose another port", addr, other)
		}
		taken[addr] = key
	}
	check("listen", c.Listen)
	if c.AdminListen != "" {
		check("admin_listen", c.AdminListen)
	}
	for i, r := range c.Repositories {
		if r.Edge.Listen != "" {
			check(fmt.Sprintf("repositories[%d].edge.listen", i), r.Edge.Listen)
		}
	}
}

func (r Repository) check(p *problems, key string) {
	p.check(key+"id", repositoryID(r.ID))
	p.check(key+"oai_url", oaiURL(r.OAIURL))
	for i, f := range r.Formats {
		p.check(fmt.Sprintf("%sformats[%d]", key, i), word(f, "a metadataPrefix, such as oai_dc"))
	}
	for i, s := range r.Sets {
		p.check(fmt.Sprintf("%ssets[%d]", key, i), word(s, "a setSpec as ListSets prints it"))
	}
	p.check(key+"formats", distinct(r.Formats))
	p.check(key+"sets", distinct(r.Sets))
	r.checkTimes(p, key)
	p.check(key+"landing_page", landingPage(r.LandingPage))
	if r.Inbox != "" {
		p.check(key+"inbox", webURL(r.Inbox))
	}
	for _, what := range r.Probe {
		p.check(key+"probe", oneOf(what, "", ProbePages, ProbeItems))
	}
	p.check(key+"probe", distinct(r.Probe))
	r.Mapping.check(p, key+"mapping.")
	r.Politeness.check(p, key+"politeness.")
	r.Header.check(p, key+"header.")
	r.Edge.check(p, key+"edge.")
}

func (r Repository) checkTimes(p *problems, key string) {
	if _, err := time.LoadLocation(r.Timezone); err != nil {
		_, err = parseSchedule("@daily", r.Timezone)
		p.check(key+"timezone", err)
		return
	}
	_, err := r.Harvests()
	p.check(key+"schedule", err)
	_, err = r.Sweeps()
	p.check(key+"politeness.sweep", err)
}

func (m Mapping) check(p *problems, key string) {
	for i, h := range m.Hosts {
		p.check(fmt.Sprintf("%shosts[%d]", key, i), hostName(h))
	}
	p.check(key+"cite_as", oneOf(m.CiteAs, "", "landing_page"))
	for i, o := range m.OwnPrefixes {
		if !pidPrefix.MatchString(o) {
			p.add(fmt.Sprintf("%sown_prefixes[%d]", key, i), "%q is not a DOI or Handle prefix: write only what stands before the slash, such as 10.5072 or 2027.42", o)
		}
	}
	for i, r := range m.Rules {
		r.check(p, fmt.Sprintf("%srules[%d].", key, i))
	}
}

func (r Rule) check(p *problems, key string) {
	if r.Field == "" {
		p.add(key+"field", `is missing: name the element, such as dc:relation, as "fingerpost explain" prints it`)
	}
	p.check(key+"as", oneOf(r.As, ruleTargets...))
	re, err := regexp.Compile(r.Match)
	if err != nil {
		p.add(key+"match", "%q is not a regular expression (%v): put \\ before characters that stand for themselves", r.Match, err)
		return
	}
	r.checkParts(p, key)
	r.checkGroups(p, key+"value", r.Value, re)
	r.checkGroups(p, key+"item", r.Item, re)
}

// checkParts checks what only some kinds of rules have.
func (r Rule) checkParts(p *problems, key string) {
	if r.Item != "" && r.As != "author" && r.As != "describedby" {
		p.add(key+"item", "is for rules with as: author or as: describedby: leave it out")
	}
	if r.MediaType+r.Profile != "" && r.As != "item" && r.As != "describedby" {
		p.add(key+"as", "is %q, which has no media_type and no profile: leave them out", r.As)
	}
	if r.Profile != "" {
		if u, err := url.Parse(r.Profile); err != nil || !u.IsAbs() {
			p.add(key+"profile", "%q is not a URI: write for example https://w3id.org/ro/crate", r.Profile)
		}
	}
}

// checkGroups checks that match has the groups that a template names.
func (r Rule) checkGroups(p *problems, key, template string, re *regexp.Regexp) {
	for _, m := range groupRef.FindAllStringSubmatch(strings.ReplaceAll(template, "$$", ""), -1) {
		n, err := strconv.Atoi(m[1])
		if named := re.SubexpIndex(m[1]); err != nil && named < 0 || err == nil && n > re.NumSubexp() {
			p.add(key, "names the group %s, which match does not have: put ( ) around a part of match, and write ${1} before letters", m[0])
		}
	}
}

func (s Politeness) check(p *problems, key string) {
	between(p, key+"min_interval", s.MinInterval, 0, 60*minute)
	between(p, key+"timeout", s.Timeout, Duration(time.Second), 60*minute)
	between(p, key+"max_retry_after", s.MaxRetryAfter, 0, day)
	between(p, key+"overlap", s.Overlap, 0, 366*day)
	between(p, key+"max_page_bytes", s.MaxPageBytes, 64e3, 2e9)
	if s.Retries < 0 || s.Retries > 20 {
		p.add(key+"retries", "is %d: write a number from 0 to 20", s.Retries)
	}
	p.check(key+"granularity", oneOf(s.Granularity, "", "day"))
	if !httpguts.ValidHeaderFieldValue(s.UserAgent) {
		p.add(key+"user_agent", "has a control character: write it on one line")
	}
	p.check(key+"password", unmasked(s.Password))
	s.checkHeaders(p, key+"headers")
	for _, name := range slices.Sorted(maps.Keys(s.Query)) {
		p.check(key+"query", unmasked(s.Query[name]))
	}
	if s.Username == "" && (s.Password != "" || s.PasswordFile != "") {
		p.add(key+"username", "is missing beside the password: give both")
	}
	if s.CAFile != "" {
		p.check(key+"ca_file", certificates(s.CAFile))
	}
}

func (s Politeness) checkHeaders(p *problems, key string) {
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			p.add(key, "has %q, which is not a header's name: write letters, digits and hyphens", name)
		case !httpguts.ValidHeaderFieldValue(s.Headers[name].Reveal()):
			p.add(key, "has a control character in %s: write its value on one line", name)
		case strings.EqualFold(name, "User-Agent"):
			p.add(key, "has %s: use the key user_agent", name)
		}
		p.check(key, unmasked(s.Headers[name]))
	}
}

func (h Header) check(p *problems, key string) {
	between(p, key+"bytes", h.Bytes, 512, 64<<10)
	if h.Lines < 5 || h.Lines > 1000 {
		p.add(key+"lines", "is %d: write a number from 5 to 1000", h.Lines)
	}
}

// omittable are the relations of links on a landing page, FAIR Signposting, 2.1.
var omittable = []string{"author", "cite-as", "describedby", "item", "license", "linkset", "type"}

func (e Edge) check(p *problems, key string) {
	for i, rel := range e.Omit {
		p.check(fmt.Sprintf("%somit[%d]", key, i), oneOf(rel, omittable...))
	}
	switch {
	case e.Listen == "" && e.Origin == "" && !e.HTML: // the rest needs no proxy
	case e.Listen == "":
		p.add(key+"listen", "is missing: give host and port for the proxy, or remove origin and html")
	case e.Origin == "":
		p.add(key+"origin", "is missing: give the address of the repository's own web server")
	default:
		p.check(key+"origin", webURL(e.Origin))
		if u, err := url.Parse(e.Origin); err == nil && u.Path != "" {
			p.add(key+"origin", "%q has a path: give scheme, host and port only", e.Origin)
		}
	}
}
