package bridge

import (
	"cmp"
	"slices"
	"strings"
)

// ownIdentifier is a persistent identifier that the repository gave to the
// object, and the rule that says so.
type ownIdentifier struct {
	Identifier
	*statement
	rule string
}

// ownIdentifiers returns the object's own persistent identifiers, best first.
func (d *decision) ownIdentifiers() []ownIdentifier {
	own := d.statedIdentifiers()
	if len(own) == 0 {
		own = d.recognised()
	}
	if len(own) == 0 && d.mapping.platform.ownsDOIs {
		own = d.onlyDOI()
	}
	d.own = own
	return own
}

// statedIdentifiers is C1: the format says that this is the object's identifier.
func (d *decision) statedIdentifiers() []ownIdentifier {
	own := d.own[:0]
	for i := range d.statements.list {
		st := &d.statements.list[i]
		if st.kind != pid {
			continue
		}
		id, ok := parseAs(st.value, st.scheme)
		if !ok || !id.Persistent() {
			d.reject(relCiteAs, "C1", "not a persistent identifier", st)
			continue
		}
		own = append(own, ownIdentifier{id, st, "C1"})
	}
	return own
}

// parseAs reads an identifier whose scheme the metadata names; Dataverse
// prints a bare Handle, which is a number with a slash without its scheme.
func parseAs(value, scheme string) (Identifier, bool) {
	if id, ok := ParseIdentifier(value); ok {
		return id, true
	}
	switch strings.ToLower(scheme) {
	case "handle", "hdl":
		return ParseIdentifier("hdl:" + value)
	case "doi":
		return ParseIdentifier("doi:" + value)
	}
	return Identifier{}, false
}

// recognised is C2: an identifier that contains the local part of the OAI
// identifier, has one of the repository's own prefixes, or is of a scheme in
// which only the holder of an object names it. Several are ranked by C5: DOI,
// Handle, ARK, URN:NBN, PURL, arXiv; of one scheme, what contains the local
// part goes before what has an own prefix, which may be another object's. An
// institution's own resolver is none: that its addresses last is for the
// administrator to say (cite_as: landing_page).
func (d *decision) recognised() []ownIdentifier {
	own := d.own[:0]
	for i := range d.candidates {
		c := &d.candidates[i]
		if c.persistent() && c.id.Scheme != Resolver && d.isOwn(c) {
			own = append(own, ownIdentifier{c.id, c.statement, "C2"})
		}
	}
	if len(own) < 2 {
		return own
	}
	named := func(o ownIdentifier) int {
		if d.identifier.inIdentifier(o.Value) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(own, func(a, b ownIdentifier) int {
		return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(named(b), named(a)))
	})
	return own
}

func (d *decision) isOwn(c *candidate) bool {
	switch {
	case c.kind == identifier:
		return d.ownPrefix(c.id) || d.names(c) || c.id.Scheme == URNNBN || c.id.Scheme == ARK ||
			c.id.Scheme == PURL && d.ownSite(c.host)
	case isAlternative(c.value):
		return d.ownPrefix(c.id)
	}
	return false
}

func (d *decision) ownPrefix(id Identifier) bool {
	return id.Prefix != "" && (strings.EqualFold(id.Prefix, d.identifier.prefix()) || slices.Contains(d.mapping.own, strings.ToLower(id.Prefix)))
}

// isAlternative reports whether dc:relation holds an identifier of the object
// itself. OpenAIRE Guidelines 3.0, Alternative Identifier.
func isAlternative(value string) bool {
	return strings.HasPrefix(value, "info:eu-repo/semantics/altIdentifier/")
}

// isAlternative reports whether an identifier in dc:relation is the object's,
// as it says itself, or as the platform has it.
func (d *decision) isAlternative(c *candidate) bool {
	return isAlternative(c.value) || c.kind == relation && d.mapping.platform.relatedDOI
}

// onlyDOI is C3: at a publisher or a data repository, the only DOI among the
// identifiers is the object's; an alternative identifier, if there is none.
func (d *decision) onlyDOI() []ownIdentifier {
	for _, alternative := range []bool{false, true} {
		if c := d.soleDOI(alternative); c != nil {
			return []ownIdentifier{{c.id, c.statement, "C3"}}
		}
	}
	return nil
}

// soleDOI returns the DOI if there is one and no other.
func (d *decision) soleDOI(alternative bool) *candidate {
	var found *candidate
	for i := range d.candidates {
		c := &d.candidates[i]
		if !c.persistent() || c.id.Scheme != DOI {
			continue
		}
		if alternative && !d.isAlternative(c) || !alternative && c.kind != identifier {
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
func (d *decision) citeAs(own []ownIdentifier, page LandingPage) string {
	if d.ruled.citeAs != "" {
		return d.ruled.citeAs
	}
	if len(own) > 0 {
		d.accept(relCiteAs, own[0].URI, own[0].rule, own[0].statement)
		d.rejectOthers(own)
		return own[0].URI
	}
	// C4: a DOI with another's prefix is that of the published version.
	if c := d.soleDOI(false); c != nil {
		if d.mapping.settings.CiteAsPublishedDOI || d.mapping.platform.publishedDOI {
			d.accept(relCiteAs, c.id.URI, "C4", c.statement)
			return c.id.URI
		}
		d.reject(relCiteAs, "C4", "a DOI whose prefix is not known to be the repository's own: the published version's; cite_as_published_doi would take it", c.statement)
	}
	if d.mapping.settings.CiteAs == CiteAsLandingPage || d.mapping.platform.persistentPages {
		d.acceptFrom("landing page", relCiteAs, page.URL, "C8")
		return page.URL
	}
	return ""
}

func (d *decision) rejectOthers(own []ownIdentifier) {
	if d.trace == nil {
		return
	}
	for _, o := range own[1:] {
		reason := "another own identifier ranks higher"
		if o.Same(own[0].Identifier) {
			reason = "the same identifier in another spelling"
		}
		d.reject(relCiteAs, "C5", reason, o.statement)
	}
	for i := range d.candidates {
		c := &d.candidates[i]
		switch {
		case !c.persistent():
		case c.id.Same(own[0].Identifier):
			d.reject(relCiteAs, "C5", "the same identifier in another spelling", c.statement)
		case c.kind == identifier && c.id.Scheme == DOI:
			d.reject(relCiteAs, "C4", "the DOI of the published version: an own identifier exists", c.statement)
		}
	}
}

// maxAliases bounds the further identifiers of one object.
const maxAliases = 1000

// aliases returns the object's further persistent identifiers.
func (d *decision) aliases(citeAs string) []string {
	var out []string
	add := func(id Identifier) {
		if len(out) < maxAliases && id.URI != citeAs && !slices.Contains(out, id.URI) {
			out = append(out, id.URI)
		}
	}
	for i := range d.statements.list {
		if st := &d.statements.list[i]; st.kind == pid {
			if id, ok := parseAs(st.value, st.scheme); ok && id.Persistent() {
				add(id)
			}
		}
	}
	for i := range d.candidates {
		c := &d.candidates[i]
		if c.persistent() && (c.kind == identifier || isAlternative(c.value)) {
			add(c.id)
		}
	}
	return out
}
