package crosswalk

import (
	"slices"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/text"
	"fingerpost/bridge/uri"
	"fingerpost/bridge/vocabulary"
)

// readLandingPage reads what a landing page states: links in HTTP and in HTML,
// meta elements, JSON-LD. It is for links alone. What names and describes the
// object stands in the harvested metadata.
func readLandingPage(s *Statements, root element.Element) {
	p := pageReader{Statements: s, base: landingpage.BaseOf(root), access: pageAccess(root)}
	p.pages(root)
	for _, section := range signposts {
		p.signposted = p.signposted || root.Child(section).Child("item").Valid()
	}
	for e := range root.Children() {
		switch e.Local() {
		case "header", "link", "linkset":
			p.links(e)
		case "meta":
			p.metas(e)
		}
	}
	if work := p.work(root); work.Valid() {
		p.readWork(work)
	}
	p.licenceOfBody(root)
}

// signposts are the parts of a record with links and their relation types.
var signposts = [...]string{"header", "link", "linkset"}

// pageReader reads a landing page.
type pageReader struct {
	*Statements
	base     string
	access   string   // of all files: restricted
	own      []string // addresses of the page itself, as uri.Normal writes them
	licensed bool     // a licence was stated
	// signposted is set where items are named as such: an alternate is none then.
	signposted bool
}

// address adds the address that an element has, unless it is the page's.
func (p *pageReader) address(k Kind, e element.Element, media, qualifier string) {
	address := landingpage.Resolve(p.base, e.Text())
	if key, ok := uri.Normal(address); ok && !p.isOwn(key) {
		p.say(Statement{Kind: k, At: e, Value: address, Media: media, Qualifier: qualifier})
	}
}

func (p *pageReader) isOwn(key string) bool {
	return slices.Contains(p.own, key)
}

// file adds a file that the page names.
func (p *pageReader) file(e element.Element, media string) {
	p.address(Offered, e, media, p.access)
}

// rights adds what a page states about a licence, in words or as an address.
func (p *pageReader) rights(k Kind, e element.Element, value string) {
	if _, err := vocabulary.LicenceOf(value); err == nil || k == Licence && strings.Contains(value, "://") {
		p.licensed = true
	}
	p.say(Statement{Kind: k, At: e, Value: value})
}

// pages adds the page's own addresses: where it was shown comes first, then
// what it calls itself.
func (p *pageReader) pages(root element.Element) {
	p.page(root, "url", root.Attr("url"))
	p.ownAddress(root.Attr("asked"))
	for _, section := range signposts {
		for e := range root.Child(section).Children("canonical") {
			p.page(e, "", e.Text())
		}
	}
	for e := range root.Child("meta").Children() {
		switch strings.ToLower(e.Local()) {
		case "citation_abstract_html_url", "bepress_citation_abstract_html_url", "dc.identifier.uri":
			p.page(e, "", e.Text())
		}
	}
	if work := p.work(root); work.Valid() {
		for _, name := range [...]string{"url", "mainEntityOfPage"} {
			if e := work.Child(name); len(e.Text()) > 0 {
				p.page(e, "", e.Text())
			}
		}
	}
}

func (p *pageReader) page(e element.Element, attr, value string) {
	address := landingpage.Resolve(p.base, value)
	p.ownAddress(address)
	p.say(Statement{Kind: Page, At: e, Attr: attr, Value: address})
}

func (p *pageReader) ownAddress(address string) {
	if key, ok := uri.Normal(address); ok && len(p.own) < 100 {
		p.own = append(p.own, key)
	}
}

// links reads links with their relation types. FAIR Signposting, 2.1; a
// repository that signposts itself is taken at its word.
func (p *pageReader) links(section element.Element) {
	for e := range section.Children() {
		switch e.Local() {
		case "cite-as":
			p.text(PID, e, "")
		case "license":
			p.rights(Licence, e, landingpage.Resolve(p.base, e.Text()))
		case "type":
			p.class(e)
		case "author":
			p.nextGroup()
			p.text(CreatorID, e, "")
		case "item":
			p.file(e, e.Attr("type"))
		case "alternate":
			if !p.signposted && isFullText(e) {
				p.file(e, e.Attr("type"))
			}
		case "describedby":
			p.address(Described, e, e.Attr("type"), "")
		}
	}
}

// class adds a class of schema.org: its names are among the types that are known.
func (p *pageReader) class(e element.Element) {
	value := e.Text()
	if i := strings.LastIndex(value, "schema.org/"); i >= 0 {
		value = value[i+len("schema.org/"):]
	}
	if !strings.HasSuffix(value, "Page") { // that is what it is shown on
		p.say(Statement{Kind: Type, At: e, Value: value})
	}
}

// isFullText reports whether an alternate of a page is the object's content in
// another form, and neither metadata, a feed, nor the page once more. One that
// has a title is offered beside others: only whole texts are taken of those.
func isFullText(e element.Element) bool {
	media, ok := vocabulary.MediaTypeOf(e.Attr("type"))
	switch media {
	case "application/pdf", "application/epub+zip", "application/zip":
		return true
	case "application/xml", "text/xml", "text/plain":
		return !isExport(e.Text())
	case "text/html", "text/css", "text/turtle", "text/n3", "text/x-bibliography", "text/calendar", "application/json", "application/javascript",
		"application/x-bibtex", "application/x-research-info-systems", "application/n-triples", "application/x-endnote-refer", "application/marc",
		"application/opensearchdescription", "image/x-icon", "image/vnd.microsoft.icon":
		return false
	}
	return ok && e.Attr("title") == "" && !strings.HasSuffix(media, "+json") && !strings.HasSuffix(media, "+xml") && !isExport(e.Text())
}

// isExport reports whether an address is that of metadata, by its words.
func isExport(address string) bool {
	return text.ContainsAny(strings.ToLower(address), "oai", "export", "metadata", "citation", "marc", "mods", "mets", "opensearch", "feed", "/rss", "/api/",
		"xmlrpc", "wlwmanifest", "sitemap")
}

// metas reads meta elements.
func (p *pageReader) metas(section element.Element) {
	documents := eprintsDocuments(section)
	for e := range section.Children() {
		name := strings.ToLower(e.Local())
		name = strings.TrimPrefix(name, "bepress_")
		switch name {
		case "citation_doi", "doi", "prism.doi", "dc.identifier.doi":
			p.text(Identifier, e, "")
		case "citation_author_orcid":
			p.nextGroup()
			p.text(CreatorID, e, "ORCID")
		case "citation_pdf_url", "citation_fulltext_html_url", "citation_full_html_url", "citation_xml_url", "citation_fulltext_xml_url", "citation_epub_url", "eprints.document_url":
			p.file(e, documents[e.Text()])
		case "dc.identifier", "dcterms.identifier":
			if documents != nil && strings.Contains(e.Text(), "://") {
				continue // EPrints: its documents, its page
			}
			p.text(Identifier, e, e.Attr("scheme"))
		case "dc.rights", "dcterms.rights", "dc.rights.uri":
			p.rights(Rights, e, e.Text())
		case "dcterms.license", "dc.rights.license", "dc.license", "citation_license", "citation_license_url":
			p.rights(Licence, e, e.Text())
		case "dc.type", "dcterms.type":
			p.text(Type, e, "")
		}
	}
}

// eprintsDocuments returns the media types of the documents of an EPrints by
// their addresses: of each it states format, language, rights and identifier, in
// this order. It is nil for pages of other software.
func eprintsDocuments(section element.Element) map[string]string {
	var out map[string]string
	for e := range section.Children() {
		if strings.HasPrefix(strings.ToLower(e.Local()), "eprints.") {
			out = map[string]string{}
			break
		}
	}
	if out == nil {
		return nil
	}
	format := ""
	for e := range section.Children() {
		switch strings.ToLower(e.Local()) {
		case "dc.format":
			format = e.Text()
		case "dc.identifier":
			out[e.Text()], format = format, ""
		}
	}
	return out
}

// restricted is the Qualifier of files that a page says are not for everybody.
const restricted = "restricted"

// pageAccess returns "restricted" if the page says so of all files.
func pageAccess(root element.Element) string {
	documents, closed := 0, false
	for e := range root.Child("meta").Children() {
		switch strings.ToLower(e.Local()) {
		case "eprints.document_url":
			documents++
		case "eprints.full_text_status": // at least one is
			closed = e.Text() == restricted
		case "dc.rights", "dcterms.rights", "dcterms.accessrights", "dc.rights.accessrights", "dc.accessrights":
			if vocabulary.SaysRestricted(e.Text()) {
				return restricted
			}
		}
	}
	if closed && documents == 1 {
		return restricted
	}
	return ""
}

// work returns the object of JSON-LD that the page is about: the only one, or
// the only one with an address of the page.
func (p *pageReader) work(root element.Element) element.Element {
	var all, named []element.Element
	for e := range root.Children("json-ld") {
		all = append(all, e)
		for _, name := range [...]string{"url", "id", "mainEntityOfPage"} {
			if key, ok := uri.Normal(landingpage.Resolve(p.base, e.Child(name).Text())); ok && p.isOwn(key) {
				named = append(named, e)
				break
			}
		}
	}
	switch {
	case len(all) == 1:
		return all[0]
	case len(named) == 1:
		return named[0]
	}
	return element.Element{}
}

// readWork reads an object of schema.org.
func (p *pageReader) readWork(work element.Element) {
	if work.Child("isAccessibleForFree").Text() == "false" || vocabulary.SaysRestricted(work.Child("conditionsOfAccess").Text()) {
		p.access = restricted
	}
	p.workFile(work)
	for e := range work.Children() {
		switch e.Local() {
		case "id", "identifier", "sameAs":
			p.workIdentifier(e)
		case "license":
			l := nodeAddress(e)
			p.rights(Licence, l, l.Text())
		case "type":
			p.class(e)
		case "author", "creator":
			p.workAuthor(e)
		case "distribution", "encoding", "associatedMedia", "hasPart":
			p.workFile(e)
		}
	}
}

// nodeAddress is the element with the address of an object: it may be written
// as nothing else.
func nodeAddress(e element.Element) element.Element {
	for _, name := range [...]string{"url", "id", "identifier"} {
		if c := e.Child(name); c.Valid() {
			return c
		}
	}
	return e
}

// workIdentifier adds a persistent identifier. An address is none of those that
// are loose.
func (p *pageReader) workIdentifier(e element.Element) {
	if value := e.Child("value"); value.Valid() { // a PropertyValue
		p.text(Identifier, value, e.Child("propertyID").Text())
		return
	}
	p.text(Identifier, e, "")
}

// workAuthor adds the identifiers of a person, the best of which is taken.
func (p *pageReader) workAuthor(e element.Element) {
	p.nextGroup()
	for c := range e.Children() {
		switch c.Local() {
		case "id", "sameAs", "url": // of them, only what is an identifier counts
			p.text(CreatorID, c, "")
		case "identifier":
			if value := c.Child("value"); value.Valid() {
				p.text(CreatorID, value, c.Child("propertyID").Text())
			} else {
				p.text(CreatorID, c, "")
			}
		}
	}
}

// workFile adds the file that an object of schema.org is.
func (p *pageReader) workFile(e element.Element) {
	media := e.Child("encodingFormat").Text()
	if media == "" {
		media = e.Child("fileFormat").Text()
	}
	access := p.access
	if e.Child("isAccessibleForFree").Text() == "false" {
		access = restricted
	}
	for c := range e.Children("contentUrl") {
		p.address(Offered, c, media, access)
	}
}

// licenceOfBody takes what the body calls a licence, where nothing else states
// one and all that it names are one: a page has licences of what it quotes, too.
func (p *pageReader) licenceOfBody(root element.Element) {
	if p.licensed {
		return
	}
	sole := ""
	var from element.Element
	for e := range root.Child("a").Children() {
		licence, err := vocabulary.LicenceOf(landingpage.Resolve(p.base, e.Text()))
		if err != nil || sole != "" && licence != sole {
			return
		}
		sole, from = licence, e
	}
	if sole != "" {
		p.say(Statement{Kind: Licence, At: from, Value: sole})
	}
}
