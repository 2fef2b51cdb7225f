package verify

import (
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
)

// cardinalities holds the links of the landing page against the table of a
// level, whose findings begin with prefix. FAIR Signposting, 2.1.1 and 2.2.1.
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

// types: that of the object, and AboutPage where it is a landing page and not
// the content itself.
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
		c.add(prefix+"TYPE-OBJECT", "%s, the only type is AboutPage; that of the object is not said.", where)
	}
	if most := 2; len(all) > most || !about && len(all) == most {
		c.add(prefix+"TYPE-MANY", "%s, %d links have the relation type: %s.", where, len(all), strings.Join(all, ", "))
	}
}

func isAboutPage(uri string) bool {
	return uri == "https://"+aboutPage || uri == "http://"+aboutPage
}

// conflicting tells whether header and HTML have one identifier each, and not
// the same.
func (c *check) conflicting() bool {
	header, html := targets(c.Header.From(c.FinalURL), "cite-as"), targets(c.HTML, "cite-as")
	return len(header) == 1 && len(html) == 1 && !sameTarget(header[0], html[0])
}

func sameTarget(a, b string) bool { return normal(a) == normal(b) }

// isPage tells a target that is the page itself.
func (c *check) isPage(target string) bool { return sameTarget(target, c.FinalURL) }

// quality is what makes links worth more or less, in whichever form they are.
func (c *check) quality() {
	s := c.known
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
			c.add("FP-DESCRIBEDBY-PROFILE", "The metadata at %s is said to be %s, which does not tell its format, and has no profile.", k.href, k.mediaType)
		}
		if other, known := formats[k.href]; known {
			c.add("FP-DESCRIBEDBY-SAME-URL", "Several formats have one URL: %s, and %s.", other, k)
		}
		formats[k.href] = k
	}
}

// partOf tells files and metadata from landing pages: they lead to one, and to
// nothing that belongs to an object as a whole. It says so in words; "" for a
// landing page. FAIR Signposting, 2.1.2.
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

// isGeneric tells the media types of which FAIR Signposting, 2.1.1, says that
// they need a profile.
func isGeneric(mediaType string) bool {
	switch bare, _ := linkset.MediaType(mediaType); bare {
	case "text/plain", "text/xml", "application/xml", "application/json", "application/ld+json":
		return true
	}
	return false
}
