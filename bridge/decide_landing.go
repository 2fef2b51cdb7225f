package bridge

import (
	"fmt"
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// landing decides which page is the object's landing page.
type landing struct {
	*view
	own []ownIdentifier
}

// page finds the page for people; the first rule that gives one wins.
func (l landing) page() (LandingPage, error) {
	if url := l.ruled.landingPage; url != "" {
		return LandingPage{URL: url}, nil
	}
	if t := l.mapping.settings.LandingPage; t != "" {
		if page, ok := l.fromTemplate(t, "landing_page setting"); ok {
			return page, nil
		}
	}
	if l.mapping.platform.Aggregator {
		return LandingPage{}, l.noLandingPage("the repository is an aggregator, and its pages are not the objects' landing pages; set landing_page to link them all the same")
	}
	for _, rule := range [...]func(landing) (LandingPage, bool){
		landing.stated, landing.ownPage, landing.platformPage, landing.firstPage,
		landing.resolverPage, landing.pageOfFile, landing.hostPage, landing.identifierPage,
	} {
		if page, ok := rule(l); ok {
			return page, nil
		}
	}
	return LandingPage{}, l.noLandingPage(l.why())
}

// stated is L1: a format says which page it is. Of several, that which contains
// the most of the local part of the OAI identifier is the repository's own.
func (l landing) stated() (LandingPage, bool) {
	var from *crosswalk.Statement
	var page uri.Address
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if st.Kind != crosswalk.Page || from != nil && st.Doc != from.Doc {
			continue
		}
		a, ok := uri.Parse(st.Value)
		switch {
		case !ok:
			l.notes.reject(LandingPageEvidence, "L1", "not an absolute http URL that may be linked", st)
		case isPlaceholder(a.Host):
			l.notes.reject(LandingPageEvidence, "L1", "the host is a placeholder", st)
		case vocabulary.NotContent(a) != "":
			l.notes.reject(LandingPageEvidence, "L1", vocabulary.NotContent(a), st)
		case from == nil || l.id.In(a) > l.id.In(page):
			from, page = st, a
		}
	}
	if from == nil {
		return LandingPage{}, false
	}
	out := LandingPage{URL: page.URL}
	if id, ok := identifier.Parse(page.URL); ok && id.Persistent() && !l.hosts.own(page.Host) {
		out = unresolved(id)
	}
	l.notes.accept(LandingPageEvidence, out.URL, "L1", from)
	return out, true
}

// ownPage is L2: a page on the repository's host that contains the local part
// of the OAI identifier, all of it rather than some of it. Only among the
// identifiers is some of it enough: a relation may be to the next record.
func (l landing) ownPage() (LandingPage, bool) {
	for _, want := range [...]identifier.Match{identifier.EndMatch, identifier.FullMatch, identifier.CloseMatch, identifier.PartMatch} {
		for _, k := range [...]crosswalk.Kind{crosswalk.Identifier, crosswalk.Relation, crosswalk.Source} {
			for i := range l.candidates {
				c := &l.candidates[i]
				if want == identifier.PartMatch && k != crosswalk.Identifier {
					continue
				}
				if c.Kind == k && c.isURL() && !c.file && c.match == want && l.isRepositorys(c) {
					l.notes.accept(LandingPageEvidence, c.URL, "L2", c.Statement)
					return LandingPage{URL: c.URL}, true
				}
			}
		}
	}
	return LandingPage{}, false
}

// isRepositorys reports whether a page with some of the local part is the
// repository's: it is on its host or, the more of the local part it contains,
// on one of the same organisation, or on any.
func (l landing) isRepositorys(c *candidate) bool {
	switch {
	case c.own:
		return true
	case c.persistent() || c.Kind == crosswalk.Source:
		return false
	case c.match >= identifier.CloseMatch && text.ContainsAny(c.Rest, l.mapping.platform.Pages...):
		return true
	case c.match >= identifier.FullMatch && isIdentifier(c) && l.id.Distinctive():
		return true
	case c.match == identifier.EndMatch && isIdentifier(c) && !c.isID && l.id.LongNumber():
		return true
	}
	return c.match >= identifier.CloseMatch && l.hosts.sameSite(c.Host)
}

// platformPage is L5: made from the platform's template. It comes before a
// persistent identifier, which would have to be resolved to the same page.
func (l landing) platformPage() (LandingPage, bool) {
	p := &l.mapping.platform
	if !p.HasPage(l.id.Local) {
		return LandingPage{}, false
	}
	return l.fromTemplate(p.LandingPage, "platform "+p.Name)
}

// resolverPage is L3: a persistent identifier, printed as a URL, that contains
// the local part.
func (l landing) resolverPage() (LandingPage, bool) {
	for _, k := range [...]crosswalk.Kind{crosswalk.Identifier, crosswalk.Relation} {
		for i := range l.candidates {
			c := &l.candidates[i]
			if c.Kind == k && c.isURL() && !c.file && c.persistent() && l.names(c) {
				page := unresolved(c.id)
				l.notes.accept(LandingPageEvidence, page.URL, "L3", c.Statement)
				return page, true
			}
		}
	}
	return LandingPage{}, false
}

// pageOfFile is L4: derived from the address of a file, for the two platforms
// whose files lie below their page by design.
func (l landing) pageOfFile() (LandingPage, bool) {
	for i := range l.candidates {
		c := &l.candidates[i]
		if !c.isURL() || !c.file || !c.own {
			continue
		}
		if page, ok := pageAbove(c.Address, l.id.Local); ok {
			l.notes.accept(LandingPageEvidence, page, "L4", c.Statement)
			return LandingPage{URL: page}, true
		}
	}
	return LandingPage{}, false
}

// pageAbove returns the page above the address of a file.
func pageAbove(a uri.Address, local string) (string, bool) {
	site := a.URL[:len(a.URL)-len(a.Rest)]
	if before, after, ok := strings.Cut(a.Rest, "/bitstream/"+local+"/"); ok && after != "" { // DSpace
		return site + before + "/handle/" + local, true
	}
	if before, _, ok := strings.Cut(a.Rest, "/"+local+"/"); ok && text.IsDigits(local) && (before == "" || before == "/id/eprint") { // EPrints
		return site + before + "/" + local + "/", true
	}
	return "", false
}

// firstPage is L2b for the platforms that print a page of their own beside
// the persistent identifier.
func (l landing) firstPage() (LandingPage, bool) {
	if !l.mapping.platform.FirstURL {
		return LandingPage{}, false
	}
	return l.hostPage()
}

// hostPage is L2b: the first page on the repository's own host among the
// identifiers, where its URLs do not contain the local part. Digital Commons
// numbers its pages otherwise than its records; a platform that puts letters
// before the local part has it in all of them. A host below that of the OAI
// identifier will do if there is no other page.
func (l landing) hostPage() (LandingPage, bool) {
	if l.mapping.platform.LocalPrefix != "" {
		return LandingPage{}, false
	}
	several := false // once found not to be the sole page, none of them is
	for i := range l.candidates {
		c := &l.candidates[i]
		if !isPage(c) || strings.Trim(c.Rest, "/") == "" {
			continue
		}
		below := !several && l.hosts.below(c.Host)
		several = several || below && !l.isSole(c)
		if c.own || l.mapping.platform.FirstURL || below && !several {
			l.notes.accept(LandingPageEvidence, c.URL, "L2b", c.Statement)
			return LandingPage{URL: c.URL}, true
		}
	}
	return LandingPage{}, false
}

// isPage reports whether an identifier is the URL of a page.
func isPage(c *candidate) bool {
	return isIdentifier(c) && c.isURL() && !c.file && !c.persistent()
}

// isSole reports whether no other identifier is a page.
func (l landing) isSole(page *candidate) bool {
	for i := range l.candidates {
		if c := &l.candidates[i]; isPage(c) && !SameURL(c.URL, page.URL) {
			return false
		}
	}
	return true
}

// identifierPage is L6: the object's own identifier, which leads to the page.
func (l landing) identifierPage() (LandingPage, bool) {
	if len(l.own) == 0 {
		return LandingPage{}, false
	}
	page := unresolved(l.own[0].ID)
	l.notes.accept(LandingPageEvidence, page.URL, "L6", l.own[0].from)
	return page, true
}

// unresolved is a persistent identifier in the place of the page it leads to.
// No client asks the repository for it, so it is written as cite-as is: in one
// form for all objects, in whatever form their records print it.
func unresolved(id identifier.ID) LandingPage {
	url := id.URI
	if target, err := linkset.Target(url); err == nil {
		url = target
	}
	return LandingPage{URL: url, Resolve: true}
}

// shown is L7: where only a persistent identifier is known, its page is where that
// leads, or what the page there calls itself: the first of them on the
// repository's own host.
func (l landing) shown(page LandingPage) LandingPage {
	for i := range l.statements.List {
		st := &l.statements.List[i]
		if !page.Resolve || st.Kind != crosswalk.Page {
			continue
		}
		address, _, _ := strings.Cut(st.Value, "#")
		a, ok := uri.Parse(address)
		switch {
		case !ok || !l.hosts.own(a.Host):
			l.notes.reject(LandingPageEvidence, "L7", "not on the repository's own host", st)
		case !isObject(a.Rest):
			l.notes.reject(LandingPageEvidence, "L7", "the front page, or a page to log in", st)
		default:
			l.notes.accept(LandingPageEvidence, address, "L7", st)
			return LandingPage{URL: address}
		}
	}
	return page
}

// fromTemplate fills a template; false if the object lacks what the template
// names, or the result is no URL.
func (l landing) fromTemplate(template, from string) (LandingPage, bool) {
	url, ok := fillTemplate(template, func(name string) string { return l.variable(name, l.own) })
	if !ok {
		return LandingPage{}, false
	}
	if _, ok := uri.Parse(url); !ok {
		return LandingPage{}, false
	}
	l.notes.acceptFrom(from, LandingPageEvidence, url, "L5")
	return LandingPage{URL: url}, true
}

func (v *view) noLandingPage(reason string) error {
	return &NoLandingPageError{Identifier: v.id.Whole, Reason: reason}
}

// why says why there is no landing page.
func (l landing) why() string {
	switch {
	case slices.ContainsFunc(l.statements.List, crosswalk.Statement.InLinks):
		return "no URL or identifier in it is known to be the repository's own; a landing_page template can name it"
	case !l.statements.Readable():
		return fmt.Sprintf("no harvested format says where it is: %s", l.statements.Formats())
	}
	return "the metadata is empty"
}
