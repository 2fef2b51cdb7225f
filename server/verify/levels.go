package verify

import (
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// cardinalities compares the links of the landing page with the table of a level,
// whose findings begin with prefix. FAIR Signposting, 2.1.1 and 2.2.1.
func (c *check) cardinalities(prefix string, s linkset.LinkSet, where string) {
	switch ids := targets(s, "cite-as"); len(ids) {
	case 0:
		c.add(prefix+"CITE-AS-MISSING", "%s, no link with the relation cite-as names a persistent identifier.", where)
	case 1:
	default:
		if prefix == "FP-L2-" || !c.conflicting() {
			c.add(prefix+"CITE-AS-MANY", "%s, %d links have the relation cite-as: %s.", where, len(ids), strings.Join(ids, ", "))
		}
	}
	if len(s.Rel("describedby")) == 0 {
		c.add(prefix+"DESCRIBEDBY-MISSING", "%s, no link with the relation describedby leads to metadata.", where)
	}
	for _, l := range s.Rel("describedby") {
		if l.Type == "" {
			c.add(prefix+"DESCRIBEDBY-TYPE", "%s, the link to the metadata at %s does not say its media type.", where, l.Href)
		}
	}
	for _, l := range s.Rel("item") {
		if l.Type == "" {
			c.add(prefix+"ITEM-TYPE", "%s, the link to the file %s does not say its media type.", where, l.Href)
		}
	}
	if all := targets(s, "license"); len(all) > 1 {
		c.add(prefix+"LICENSE-MANY", "%s, %d links have the relation license: %s.", where, len(all), strings.Join(all, ", "))
	}
	c.types(prefix, s, where)
}

// types checks the type of the object, and AboutPage, which a landing page has
// unless it is the content itself.
func (c *check) types(prefix string, s linkset.LinkSet, where string) {
	all := targets(s, "type")
	about := slices.ContainsFunc(all, isAboutPage)
	content := slices.ContainsFunc(targets(s, "item"), c.isPage)
	switch {
	case content && about:
		c.add(prefix+"TYPE-CONTENT", "%s, the type AboutPage says that this is a landing page, and a link with the relation item says that it is the content.", where)
	case len(all) == 0:
		c.add(prefix+"TYPE-MISSING", "%s, no link with the relation type says what kind of thing this is.", where)
	case !about && !content:
		c.add(prefix+"TYPE-ABOUTPAGE", "%s, no link has the relation type and the target https://schema.org/AboutPage.", where)
	case about && len(all) == 1:
		c.add(prefix+"TYPE-OBJECT", "%s, the only type is AboutPage; the type of the object is missing.", where)
	}
	if most := 2; len(all) > most || !about && len(all) == most {
		c.add(prefix+"TYPE-MANY", "%s, %d links have the relation type: %s.", where, len(all), strings.Join(all, ", "))
	}
}

func isAboutPage(uri string) bool {
	return uri == "https://"+aboutPage || uri == "http://"+aboutPage
}

// conflicting reports whether header and HTML have one identifier each, and these
// differ.
func (c *check) conflicting() bool {
	header, html := targets(c.Header.From(c.FinalURL), "cite-as"), targets(c.HTML, "cite-as")
	return len(header) == 1 && len(html) == 1 && !sameTarget(header[0], html[0])
}

func sameTarget(a, b string) bool { return normal(a) == normal(b) }

// isPage reports whether a target is the page itself.
func (c *check) isPage(target string) bool { return sameTarget(target, c.FinalURL) }

// quality checks what makes links more or less useful, in whatever form they are.
func (c *check) quality() {
	s := c.links
	if part := partOf(s); part != "" {
		c.add("FP-PAGE-IS-FILE", "%s says that it %s.", c.FinalURL, part)
	}
	for _, id := range targets(s, "cite-as") {
		if c.isPage(id) {
			c.add("FP-CITE-AS-IS-PAGE", "The persistent identifier is the URL of the page itself, %s.", id)
		}
	}
	if len(s.Rel("license")) == 0 {
		c.add("FP-LICENSE-MISSING", "No link with the relation license says under which licence the object is.")
	}
	for _, class := range targets(s, "type") {
		if strings.HasPrefix(class, "http://schema.org/") {
			c.add("FP-TYPE-HTTP", "The type %s is written with http.", class)
		}
	}
	formats := map[string]key{} // by URL
	for _, k := range keysOf(s.Rel("describedby")) {
		if k.profile == "" && isGeneric(k.mediaType) {
			c.add("FP-DESCRIBEDBY-PROFILE", "The metadata at %s has the media type %s, which does not identify its format, and no profile.", k.href, k.mediaType)
		}
		if other, ok := formats[k.href]; ok {
			c.add("FP-DESCRIBEDBY-SAME-URL", "Several formats have the same URL: %s, and %s.", other, k)
		}
		formats[k.href] = k
	}
}

// partOf says in words of which page something is a file or metadata; "" for a
// landing page. Files and metadata lead to a landing page, and have no links that
// belong to an object as a whole. FAIR Signposting, 2.1.2.
func partOf(s linkset.LinkSet) string {
	if len(s.Rel("cite-as"))+len(s.Rel("describedby")) > 0 {
		return ""
	}
	if leads := targets(s, "collection"); len(leads) > 0 {
		return "is a part of " + leads[0]
	}
	if leads := targets(s, "describes"); len(leads) > 0 {
		return "describes " + leads[0]
	}
	return ""
}

// isGeneric reports whether a media type needs a profile. FAIR Signposting, 2.1.1.
func isGeneric(mediaType string) bool {
	switch bare, _ := linkset.MediaType(mediaType); bare {
	case "text/plain", "text/xml", "application/xml", "application/json", "application/ld+json":
		return true
	}
	return false
}
