package bridge

import (
	"cmp"
	"slices"
	"strings"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
)

// ownIdentifier is a persistent identifier that the repository gave to the
// object, and the rule that says so.
type ownIdentifier struct {
	identifier.ID
	from *crosswalk.Statement
	rule string
}

// naming decides what the object is called: its own identifiers, cite-as and
// aliases.
type naming struct{ *view }

// own returns the object's own persistent identifiers, best first.
func (n naming) own() []ownIdentifier {
	own := n.stated()
	if len(own) == 0 {
		own = n.recognised()
	}
	if len(own) == 0 && n.mapping.platform.OwnsDOIs {
		own = n.onlyDOI()
	}
	return own
}

// stated is C1: the format says that this is the object's identifier.
func (n naming) stated() (own []ownIdentifier) {
	for i := range n.statements.List {
		st := &n.statements.List[i]
		if st.Kind != crosswalk.PID {
			continue
		}
		id, ok := identifier.ParseAs(st.Value, st.Scheme)
		if !ok || !id.Persistent() {
			n.notes.reject(relCiteAs, "C1", "not a persistent identifier", st)
			continue
		}
		own = append(own, ownIdentifier{id, st, "C1"})
	}
	return own
}

// recognised is C2: an identifier that contains the local part of the OAI
// identifier, has one of the repository's own prefixes, or is of a scheme in
// which only an object's keeper names it. Several are ranked by C5: DOI,
// Handle, ARK, URN:NBN, PURL, arXiv; of one scheme, what contains the local
// part goes before what has an own prefix, which may be another object's. An
// institution's own resolver is none: only the administrator can say that its
// addresses last (cite_as: landing_page).
func (n naming) recognised() (own []ownIdentifier) {
	for i := range n.candidates {
		c := &n.candidates[i]
		if c.persistent() && c.id.Scheme != identifier.Resolver && n.isOwn(c) {
			own = append(own, ownIdentifier{c.id, c.Statement, "C2"})
		}
	}
	if len(own) < 2 {
		return own
	}
	named := func(o ownIdentifier) int {
		if n.id.InValue(o.Value) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(own, func(a, b ownIdentifier) int {
		return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(named(b), named(a)))
	})
	return own
}

func (n naming) isOwn(c *candidate) bool {
	switch {
	case c.Kind == crosswalk.Identifier:
		return n.hasOwnPrefix(c.id) || n.names(c) || c.id.Scheme == identifier.URNNBN || c.id.Scheme == identifier.ARK ||
			c.id.Scheme == identifier.PURL && n.hosts.sameSite(c.Host)
	case isAlternative(c.Value):
		return n.hasOwnPrefix(c.id)
	}
	return false
}

func (n naming) hasOwnPrefix(id identifier.ID) bool {
	return id.Prefix != "" && (strings.EqualFold(id.Prefix, n.id.Prefix()) || slices.Contains(n.mapping.own, strings.ToLower(id.Prefix)))
}

// isAlternative reports whether dc:relation contains an identifier of the
// object itself. OpenAIRE Guidelines 3.0, Alternative Identifier.
func isAlternative(value string) bool {
	return strings.HasPrefix(value, "info:eu-repo/semantics/altIdentifier/")
}

// onlyDOI is C3: at a publisher or a data repository, the only DOI among the
// identifiers is the object's; an alternative identifier, if there is none.
func (n naming) onlyDOI() []ownIdentifier {
	for _, fits := range []func(*candidate) bool{isIdentifier, n.isAlternative} {
		if c := n.soleDOI(fits); c != nil {
			return []ownIdentifier{{c.id, c.Statement, "C3"}}
		}
	}
	return nil
}

func isIdentifier(c *candidate) bool { return c.Kind == crosswalk.Identifier }

// isAlternative reports whether an identifier in dc:relation is the object's,
// as it says itself, or as the platform has it.
func (n naming) isAlternative(c *candidate) bool {
	return isAlternative(c.Value) || c.Kind == crosswalk.Relation && n.mapping.platform.RelatedDOI
}

// soleDOI returns the DOI that fits, if there is one and no other.
func (n naming) soleDOI(fits func(*candidate) bool) *candidate {
	var found *candidate
	for i := range n.candidates {
		c := &n.candidates[i]
		if !c.persistent() || c.id.Scheme != identifier.DOI || !fits(c) {
			continue
		}
		if found != nil && !found.id.Same(c.id) {
			return nil
		}
		if found == nil {
			found = c
		}
	}
	return found
}

// citeAs chooses what to cite the object as; "" if nothing is known to be it.
func (n naming) citeAs(own []ownIdentifier) string {
	if n.ruled.citeAs != "" {
		return n.ruled.citeAs
	}
	if len(own) > 0 {
		n.notes.accept(relCiteAs, own[0].URI, own[0].rule, own[0].from)
		n.rejectOthers(own)
		return own[0].URI
	}
	return n.published()
}

// landingPage is C8: the landing page, where there is no identifier to cite.
func (n naming) landingPage(page LandingPage) string {
	if n.mapping.settings.CiteAs == CiteAsLandingPage || n.mapping.platform.PersistentPages {
		n.notes.acceptFrom("landing page", relCiteAs, page.URL, "C8")
		return page.URL
	}
	return ""
}

// published is C4: a DOI with another's prefix is that of the published
// version, which is cited only where the administrator or the platform says so.
func (n naming) published() string {
	c := n.soleDOI(isIdentifier)
	if c == nil {
		return ""
	}
	if n.mapping.settings.CiteAsPublishedDOI || n.mapping.platform.PublishedDOI {
		n.notes.accept(relCiteAs, c.id.URI, "C4", c.Statement)
		return c.id.URI
	}
	n.notes.reject(relCiteAs, "C4", "a DOI whose prefix is not known to be the repository's own: the published version's; cite_as_published_doi would take it", c.Statement)
	return ""
}

func (n naming) rejectOthers(own []ownIdentifier) {
	if !n.notes.wanted() {
		return
	}
	for _, o := range own[1:] {
		reason := "another own identifier ranks higher"
		if o.Same(own[0].ID) {
			reason = "the same identifier in another spelling"
		}
		n.notes.reject(relCiteAs, "C5", reason, o.from)
	}
	for i := range n.candidates {
		c := &n.candidates[i]
		switch {
		case !c.persistent():
		case c.id.Same(own[0].ID):
			n.notes.reject(relCiteAs, "C5", "the same identifier in another spelling", c.Statement)
		case isIdentifier(c) && c.id.Scheme == identifier.DOI:
			n.notes.reject(relCiteAs, "C4", "the DOI of the published version: an own identifier exists", c.Statement)
		}
	}
}

// maxAliases bounds the further identifiers of one object.
const maxAliases = 1000

// aliases appends the object's further persistent identifiers.
func (n naming) aliases(out []string, citeAs string) []string {
	add := func(id identifier.ID) {
		if len(out) < maxAliases && id.URI != citeAs && !slices.Contains(out, id.URI) {
			out = append(out, id.URI)
		}
	}
	n.each(crosswalk.PID, func(st *crosswalk.Statement) {
		if id, ok := identifier.ParseAs(st.Value, st.Scheme); ok && id.Persistent() {
			add(id)
		}
	})
	for i := range n.candidates {
		c := &n.candidates[i]
		if c.persistent() && (isIdentifier(c) || isAlternative(c.Value)) {
			add(c.id)
		}
	}
	return out
}
