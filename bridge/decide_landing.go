package bridge

import (
	"fmt"
	"net/url"
	"strings"

	"fingerpost/bridge/linkset"
)

// landingPage finds the page for people; the first rule that gives one wins.
func (d *decision) landingPage(own []ownIdentifier) (LandingPage, error) {
	if url := d.ruled.landingPage; url != "" {
		return LandingPage{URL: url}, nil
	}
	if t := d.mapping.settings.LandingPage; t != "" {
		if page, ok := d.landingPageOf(t, "landing_page setting", own); ok {
			return page, nil
		}
	}
	if d.mapping.platform.aggregator {
		return LandingPage{}, d.noLandingPage("the repository is an aggregator, and its pages are not the objects' landing pages; set landing_page to link them all the same")
	}
	for _, rule := range []func([]ownIdentifier) (LandingPage, bool){
		d.statedPage, d.ownPage, d.platformPage, d.firstPage, d.resolverPage, d.pageOfFile, d.hostPage, d.identifierPage,
	} {
		if page, ok := rule(own); ok {
			return page, nil
		}
	}
	return LandingPage{}, d.noLandingPage(d.whyNoLandingPage())
}

// statedPage is L1: a format says which page it is.
func (d *decision) statedPage([]ownIdentifier) (LandingPage, bool) {
	for i := range d.statements.list {
		st := &d.statements.list[i]
		if st.kind != page {
			continue
		}
		a, ok := parseAddress(st.value)
		switch {
		case !ok:
			d.reject(LandingPageEvidence, "L1", "not an absolute http URL that may be linked", st)
		case isPlaceholder(a.host):
			d.reject(LandingPageEvidence, "L1", "the host is a placeholder", st)
		default:
			d.accept(LandingPageEvidence, a.raw, "L1", st)
			return LandingPage{URL: a.raw, Resolve: isPersistent(a.raw) && !d.ownHost(a.host)}, true
		}
	}
	return LandingPage{}, false
}

// ownPage is L2: a page on the repository's host that contains the local part
// of the OAI identifier, all of it rather than some of it. Only among the
// identifiers is some of it enough: a relation may be to the next record.
func (d *decision) ownPage([]ownIdentifier) (LandingPage, bool) {
	for _, want := range [...]match{endMatch, fullMatch, closeMatch, partMatch} {
		for _, k := range []kind{identifier, relation, source} {
			for i := range d.candidates {
				c := &d.candidates[i]
				if want == partMatch && k != identifier {
					continue
				}
				if c.kind == k && c.isURL() && !c.file && c.match == want && d.repositorys(c) {
					d.accept(LandingPageEvidence, c.raw, "L2", c.statement)
					return LandingPage{URL: c.raw}, true
				}
			}
		}
	}
	return LandingPage{}, false
}

// repositorys reports whether a page with some of the local part is the
// repository's: it is on its host or, the more of the local part it contains,
// on one of the same organisation, or on any.
func (d *decision) repositorys(c *candidate) bool {
	switch {
	case c.own:
		return true
	case c.persistent() || c.kind == source:
		return false
	case c.match >= closeMatch && containsAny(c.rest, d.mapping.platform.pages):
		return true
	case c.match >= fullMatch && c.kind == identifier && d.identifier.distinctive():
		return true
	case c.match == endMatch && c.kind == identifier && !c.isID && d.identifier.longNumber():
		return true
	}
	return c.match >= closeMatch && d.ownSite(c.host)
}

// platformPage is L5: made from the platform's template. It comes before a
// persistent identifier, which would have to be resolved to the same page.
func (d *decision) platformPage(own []ownIdentifier) (LandingPage, bool) {
	if d.mapping.platform.landingPage == "" {
		return LandingPage{}, false
	}
	return d.landingPageOf(d.mapping.platform.landingPage, "platform "+d.mapping.platform.name, own)
}

// resolverPage is L3: a persistent identifier, printed as a URL, that contains
// the local part.
func (d *decision) resolverPage([]ownIdentifier) (LandingPage, bool) {
	for _, k := range []kind{identifier, relation} {
		for i := range d.candidates {
			c := &d.candidates[i]
			if c.kind == k && c.isURL() && !c.file && c.persistent() && d.names(c) {
				d.accept(LandingPageEvidence, c.raw, "L3", c.statement)
				return unresolved(c.raw), true
			}
		}
	}
	return LandingPage{}, false
}

// names reports whether a persistent identifier contains the local part.
func (d *decision) names(c *candidate) bool {
	return c.match >= fullMatch || c.kind == identifier && (c.match == closeMatch || d.identifier.inIdentifier(c.id.Value))
}

// pageOfFile is L4: derived from the address of a file, for the two platforms
// whose files lie below their page by design.
func (d *decision) pageOfFile([]ownIdentifier) (LandingPage, bool) {
	for i := range d.candidates {
		c := &d.candidates[i]
		if !c.isURL() || !c.file || !c.own || c.match < fullMatch {
			continue
		}
		if page, ok := d.pageAbove(c.address); ok {
			d.accept(LandingPageEvidence, page, "L4", c.statement)
			return LandingPage{URL: page}, true
		}
	}
	return LandingPage{}, false
}

func (d *decision) pageAbove(a address) (string, bool) {
	site := a.raw[:len(a.raw)-len(a.rest)]
	local := d.identifier.local
	if before, after, ok := strings.Cut(a.rest, "/bitstream/"+local+"/"); ok && after != "" { // DSpace
		return site + before + "/handle/" + local, true
	}
	if before, _, ok := strings.Cut(a.rest, "/"+local+"/"); ok && isDigits(local) && (before == "" || before == "/id/eprint") { // EPrints
		return site + before + "/" + local + "/", true
	}
	return "", false
}

// firstPage is L2b for the platforms that print a page of their own beside
// the persistent identifier.
func (d *decision) firstPage(own []ownIdentifier) (LandingPage, bool) {
	if !d.mapping.platform.firstURL {
		return LandingPage{}, false
	}
	return d.hostPage(own)
}

// hostPage is L2b: the first page on the repository's own host among the
// identifiers, where its URLs do not contain the local part. Digital Commons
// numbers its pages otherwise than its records; a platform that puts letters
// before the local part has it in all of them. A host below that of the OAI
// identifier will do if there is no other page.
func (d *decision) hostPage([]ownIdentifier) (LandingPage, bool) {
	if d.mapping.platform.localPrefix != "" {
		return LandingPage{}, false
	}
	several := false // once found not to be the sole page, none of them is
	for i := range d.candidates {
		c := &d.candidates[i]
		if c.kind != identifier || !c.isURL() || c.file || c.persistent() || strings.Trim(c.rest, "/") == "" {
			continue
		}
		below := !several && d.below(c.host)
		several = several || below && !d.isSole(c)
		if c.own || d.mapping.platform.firstURL || below && !several {
			d.accept(LandingPageEvidence, c.raw, "L2b", c.statement)
			return LandingPage{URL: c.raw}, true
		}
	}
	return LandingPage{}, false
}

// isSole reports whether no other identifier is a page.
func (d *decision) isSole(page *candidate) bool {
	for i := range d.candidates {
		c := &d.candidates[i]
		if c != page && c.kind == identifier && c.isURL() && !c.file && !c.persistent() && !SameURL(c.raw, page.raw) {
			return false
		}
	}
	return true
}

// identifierPage is L6: the object's own identifier, which leads to the page.
func (d *decision) identifierPage(own []ownIdentifier) (LandingPage, bool) {
	if len(own) == 0 {
		return LandingPage{}, false
	}
	d.accept(LandingPageEvidence, own[0].URI, "L6", own[0].statement)
	return unresolved(own[0].URI), true
}

// unresolved is a persistent identifier in the place of the page it leads to.
// No client asks the repository for it, so it is written as cite-as is.
func unresolved(uri string) LandingPage {
	if target, err := linkset.Target(uri); err == nil {
		uri = target
	}
	return LandingPage{URL: uri, Resolve: true}
}

func (d *decision) whyNoLandingPage() string {
	switch {
	case len(d.statements.list) > 0:
		return "no URL or identifier in it is known to be the repository's own; a landing_page template can name it"
	case !d.statements.readable():
		return "no format is held that says where it is: " + d.statements.formats()
	}
	return "the metadata is empty"
}

// landingPageOf fills a template; false if the object has not got what the
// template names, or the result is no URL.
func (d *decision) landingPageOf(template, from string, own []ownIdentifier) (LandingPage, bool) {
	u, ok := fillTemplate(template, func(name string) string { return d.variable(name, own) })
	if !ok {
		return LandingPage{}, false
	}
	if _, ok := parseAddress(u); !ok {
		return LandingPage{}, false
	}
	d.acceptFrom(from, LandingPageEvidence, u, "L5")
	return LandingPage{URL: u}, true
}

// variable returns the value of a template's variable, "" if there is none.
func (d *decision) variable(name string, own []ownIdentifier) string {
	switch name {
	case "base": // of the repository, without the path of its OAI-PMH interface
		return site(d.mapping.baseURL)
	case "local":
		return escapeSegments(d.identifier.local)
	case "identifier":
		return escapeSegments(d.identifier.whole)
	case "doi":
		return valueOf(own, DOI)
	case "handle":
		return valueOf(own, Handle)
	}
	return ""
}

// site returns scheme and host of a URL; "" if it has none.
func site(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || host == "" {
		return ""
	}
	return scheme + "://" + host
}

func valueOf(own []ownIdentifier, scheme Scheme) string {
	for _, o := range own {
		if o.Scheme == scheme {
			return escapeSegments(o.Value)
		}
	}
	return ""
}

// escapeSegments encodes a value for a path; slashes and colons in it stay.
func escapeSegments(value string) string {
	segments := strings.Split(value, "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), "%3A", ":")
	}
	return strings.Join(segments, "/")
}

// fillTemplate replaces every {name}, but not ${name}, which is a group of a
// regular expression; false if one of them has no value.
func fillTemplate(template string, value func(string) string) (string, bool) {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(template, "{")
		out.WriteString(before)
		if !open {
			return out.String(), true
		}
		if strings.HasSuffix(before, "$") {
			out.WriteByte('{')
			template = rest
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		v := value(name)
		if !closed || v == "" {
			return "", false
		}
		out.WriteString(v)
		template = after
	}
}

// checkTemplate reports what is wrong with an administrator's template.
func checkTemplate(template string) error {
	if template == "" {
		return nil
	}
	for rest := template; ; {
		_, after, open := strings.Cut(rest, "{")
		if !open {
			break
		}
		name, after, closed := strings.Cut(after, "}")
		switch name {
		case "local", "identifier", "doi", "handle", "base":
		default:
			closed = false
		}
		if !closed {
			return fmt.Errorf("template %q: {%s} is not known; use {local}, {identifier}, {doi}, {handle} or {base}", template, name)
		}
		rest = after
	}
	if !strings.HasPrefix(template, "http://") && !strings.HasPrefix(template, "https://") && !strings.HasPrefix(template, "{base}") {
		return fmt.Errorf("template %q must begin with https://, http:// or {base}", template)
	}
	return nil
}
