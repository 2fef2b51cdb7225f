package verify

import (
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/outbound"
)

// The media types of link sets. RFC 9264, 4.
const (
	jsonType = "application/linkset+json"
	textType = "application/linkset"
)

// mostSets is how many link sets of one page are requested.
const mostSets = 4

// A document is a link set that could be read.
type document struct {
	url       string
	mediaType string
	links     linkset.LinkSet
}

// form is the name of its media type.
func (d document) form() string { return strings.TrimPrefix(d.mediaType, "application/") }

// linkSetCheck reads the link sets that the page leads to, and compares the first
// with Level 2. FAIR Signposting, 2.2.
type linkSetCheck struct{ *check }

func (c linkSetCheck) examine() {
	all := c.own.Rel("linkset")
	if len(all) == 0 {
		c.add("FP-L2-LINKSET-MISSING", "No link with the relation linkset leads from the page to a link set.")
		return
	}
	if len(all) > mostSets {
		c.add("FP-TARGETS-BOUND", "The page links to %d link sets; %d of them were examined.", len(all), mostSets)
		all = all[:mostSets]
	}
	var forms, urls []string
	for _, l := range all {
		mediaType, _ := linkset.MediaType(l.Type)
		if !isSetType(l.Type) {
			c.add("FP-L2-LINKSET-TYPE", "The link to the link set at %s says %q where it should say %s or %s.", l.Href, l.Type, jsonType, textType)
		}
		if slices.Contains(urls, l.Href) {
			c.add("FP-LINKSET-SAME-URL", "The link set at %s is linked to several times, with different types.", l.Href)
		}
		forms, urls = append(forms, mediaType), append(urls, l.Href)
		c.readSet(l.Href, mediaType)
	}
	if forms[0] != "" && (!slices.Contains(forms, jsonType) || !slices.Contains(forms, textType)) {
		c.add("FP-LINKSET-ONE-FORM", "The page links to %s only.", forms[0])
	}
	if len(c.set()) > 0 {
		c.cardinalities("FP-L2-", c.set(), "In the link set at "+c.sets[0].url)
		c.resources(c.sets[0])
	}
	c.formsAgree()
}

// readSet fetches one link set, and checks its syntax.
func (c linkSetCheck) readSet(url, declared string) {
	a := c.getSet(url, declared)
	if a == nil {
		return
	}
	d := document{url: url, mediaType: c.setType(a, url, declared)}
	var err error
	switch d.mediaType {
	case jsonType:
		d.links, err = linkset.ParseJSON(a.body)
	case textType:
		d.links, err = linkset.ParseText(a.body)
		if tightSemicolon.Match(quotedOrAngled.ReplaceAll(a.body, []byte(`""`))) {
			c.add("FP-LINKSET-SEMICOLON", "In the link set at %s, a semicolon has no white space before it.", url)
		}
	default:
		return
	}
	for _, fault := range formErrors(err) {
		c.add("FP-LINKSET-FORM", "In the link set at %s, %v.", url, fault)
	}
	for _, l := range d.links {
		if err := checkLink(l); err != nil {
			c.add("FP-LINKSET-LINK", "In the link set at %s, a link with the relation %s has an invalid value: %v.", url, l.Rel, err)
		}
	}
	if len(d.links) == 0 && err != nil {
		return
	}
	if len(d.links.From(c.FinalURL)) == 0 {
		c.add("FP-LINKSET-ANCHOR", "The link set at %s has no links for %s%s.", url, c.FinalURL, nearMiss(d.links, c.FinalURL))
	}
	c.sets = append(c.sets, d)
}

// tightSemicolon is searched for in text without strings and targets.
var tightSemicolon = regexp.MustCompile(`[^ \t\r\n];`)

// getSet fetches a link set; nil if it cannot be read.
func (c linkSetCheck) getSet(url, declared string) *answer {
	accept := declared
	if accept == "" {
		accept = jsonType + ", " + textType + ";q=0.9"
	}
	a, err := c.get(c.ctx, url, accept, linkset.MaxDocument)
	switch {
	case err != nil:
		c.add("FP-LINKSET-UNREACHABLE", "The link set: %v.", err)
		return nil
	case a.status != http.StatusOK:
		c.add("FP-LINKSET-UNREACHABLE", "The link set at %s is answered with status %d.", url, a.status)
		return nil
	case a.compression() != "":
		c.add("FP-LINKSET-UNREACHABLE", "The link set at %s is compressed (%s), which the request did not accept.", url, a.compression())
		return nil
	case a.cut:
		c.add("FP-LINKSET-FORM", "The link set at %s is larger than %d bytes; what follows them was not read.", url, linkset.MaxDocument)
	}
	return a
}

// isSetType reports whether a media type is that of a link set.
func isSetType(mediaType string) bool {
	bare, _ := linkset.MediaType(mediaType)
	return bare == jsonType || bare == textType
}

// setType is the media type by which to parse an answer: its own, or the declared
// one if its own is not that of a link set, which is a finding.
func (c linkSetCheck) setType(a *answer, url, declared string) string {
	raw := a.header.Get("Content-Type")
	own := a.mediaType()
	isSet := isSetType(own)
	switch {
	case own != declared && (!isSet || declared != ""):
		c.add("FP-LINKSET-MEDIA-TYPE", "The link set at %s is served as %q, but its link says %q.", url, raw, declared)
	case isSet && !isBareButProfile(raw):
		c.add("FP-LINKSET-PARAMETER", "The link set at %s is answered as %q.", url, raw)
	}
	switch {
	case isSet:
		return own
	case own == "application/json":
		return jsonType
	}
	return declared
}

// isBareButProfile reports whether a media type has no parameter other than
// profile, which is defined for link sets. RFC 9264, 5.
func isBareButProfile(contentType string) bool {
	_, params, err := mime.ParseMediaType(contentType)
	delete(params, "profile")
	return err == nil && len(params) == 0
}

// nearMiss names the anchor that was probably meant to be the page.
func nearMiss(s linkset.LinkSet, page string) string {
	if len(s) == 0 {
		return ": it is empty"
	}
	like := s[0].Anchor
	for _, l := range s {
		if l.Rel == "cite-as" || loosely(l.Anchor) == loosely(page) {
			like = l.Anchor
			break
		}
	}
	return ", but for " + outbound.Printable(like, 200)
}

// loosely is a URL without the parts that are easily wrong.
func loosely(url string) string {
	url = strings.ToLower(url)
	url = strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
	url, _, _ = strings.Cut(url, "#")
	return strings.TrimSuffix(strings.TrimPrefix(url, "www."), "/")
}

// resources checks the links that a link set has for each file.
// FAIR Signposting, 2.2.2.
func (c linkSetCheck) resources(d document) {
	items := targets(c.set(), "item")
	if len(items) == 0 {
		c.add("FP-L2-ITEM-MISSING", "The link set at %s has no link with the relation item for the page.", d.url)
	}
	byAnchor := map[string]linkset.LinkSet{}
	for _, l := range d.links {
		byAnchor[normal(l.Anchor)] = append(byAnchor[normal(l.Anchor)], l)
	}
	shared := map[string]bool{} // what is said of the object as a whole
	for _, k := range keysOf(c.set()) {
		shared[k.rel+" "+k.href] = true
	}
	for _, item := range items {
		if !c.isPage(item) { // an article in HTML is its own landing page
			c.resource(d, item, byAnchor[normal(item)], shared)
		}
	}
}

// resource checks the links of one file.
func (c linkSetCheck) resource(d document, item string, own linkset.LinkSet, shared map[string]bool) {
	switch back := targets(own, "collection"); {
	case len(back) == 0:
		c.add("FP-L2-COLLECTION-MISSING", "The link set at %s has no link with the relation collection for the file %s.", d.url, item)
	case !slices.ContainsFunc(back, c.isPage):
		c.add("FP-L2-COLLECTION-WRONG", "The link set at %s leads from the file %s to %s.", d.url, item, back[0])
	}
	for _, rel := range []string{"collection", "cite-as", "type", "license"} {
		if n := len(targets(own, rel)); n > 1 {
			c.add("FP-L2-RESOURCE-MANY", "The link set at %s has %d links with the relation %s for the file %s.", d.url, n, rel, item)
		}
	}
	for _, k := range keysOf(own) {
		switch {
		case k.rel == "describedby" && k.mediaType == "":
			c.add("FP-L2-DESCRIBEDBY-TYPE", "In the link set at %s, the link from the file %s to its metadata at %s does not say its media type.", d.url, item, k.href)
		case isOfWhole(k.rel) && shared[k.rel+" "+k.href]:
			c.add("FP-L2-RESOURCE-SAME", "The link set at %s repeats a link of the object as a link of the file %s: %s %s.", d.url, item, k.rel, k.href)
		}
	}
}

// isOfWhole reports whether a file has links with a relation only if they differ
// from those of the object as a whole.
func isOfWhole(rel string) bool {
	switch rel {
	case "author", "cite-as", "describedby", "license", "type":
		return true
	}
	return false
}

// formsAgree: JSON and text must say the same. RFC 9264, 4.
func (c linkSetCheck) formsAgree() {
	var forms [2]keys
	for i, mediaType := range []string{jsonType, textType} {
		at := slices.IndexFunc(c.sets, func(d document) bool { return d.mediaType == mediaType })
		if at < 0 {
			return
		}
		forms[i] = keysOf(c.sets[at].links)
	}
	onlyJSON, onlyText := forms[0].without(forms[1]), forms[1].without(forms[0])
	if len(onlyJSON)+len(onlyText) > 0 {
		c.add("FP-LINKSET-FORMS-DIFFER", "The JSON form and the text form of the link set differ.%s%s",
			example(" Only JSON has %s.", onlyJSON), example(" Only text has %s.", onlyText))
	}
}
