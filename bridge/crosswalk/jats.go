package crosswalk

import (
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/vocabulary"
)

// jats begins the namespaces of JATS 1.0, and is what some servers announce.
const jats = "http://jats.nlm.nih.gov"

// isJATS accepts an article in no namespace, as the DTDs have it.
func isJATS(root element.Element) bool {
	return root.Local() == "article" && root.Space() == "" && root.Child("front").Child("article-meta").Valid()
}

// readJATS reads what stands at the front of an article in JATS, or in the DTDs
// of the NLM before it. An archive's copy has the publisher's DOI, and often
// its address, so that neither is believed to be the object's own.
func readJATS(s *Statements, root element.Element) {
	s.attribute(Type, root, "article-type", "")
	for e := range root.Child("front").Child("article-meta").Children() {
		switch e.Local() {
		case "article-id":
			readJATSIdentifier(s, e)
		case "self-uri":
			readJATSAddress(s, e)
		case "contrib-group":
			readJATSContributors(s, e)
		case "pub-date":
			s.text(Date, e.Child("year"), "")
		case "permissions":
			readJATSPermissions(s, e)
		case "copyright-statement": // and license: before there was permissions
			s.text(Rights, e, "")
		case "license":
			readJATSLicence(s, e)
		}
	}
}

// readJATSIdentifier takes an article's number in PubMed Central for its address
// there, which is the page if that is the repository, and related if not.
func readJATSIdentifier(s *Statements, e element.Element) {
	kind := e.Attr("pub-id-type")
	if kind == "pmcid" || kind == "pmc" { // the latter mostly a number alone
		if id, ok := identifier.Parse("PMC" + strings.TrimPrefix(e.Text(), "PMC")); ok && id.Scheme == identifier.PMCID {
			s.say(Statement{Kind: Relation, At: e, Value: id.URI, Scheme: kind})
			return
		}
	}
	s.text(Identifier, e, kind)
}

// readJATSAddress takes what is said to be in another form than a page's for a
// file.
func readJATSAddress(s *Statements, e element.Element) {
	media, ok := vocabulary.MediaTypeOf(e.Attr("content-type"))
	if !ok || media == "text/html" {
		s.attribute(Identifier, e, "href", "")
		return
	}
	s.say(Statement{Kind: File, At: e, Attr: "href", Value: e.Attr("href"), Media: media})
}

func readJATSContributors(s *Statements, group element.Element) {
	for c := range group.Children() {
		if kind := c.Attr("contrib-type"); c.Local() != "contrib" || kind != "" && kind != "author" {
			continue
		}
		s.nextPerson()
		for id := range c.Children() {
			if id.Local() == "contrib-id" {
				s.text(Creator, id, id.Attr("contrib-id-type"))
			}
		}
	}
}

func readJATSPermissions(s *Statements, permissions element.Element) {
	for e := range permissions.Children() {
		switch e.Local() {
		case "copyright-statement":
			s.text(Rights, e, "")
		case "license":
			readJATSLicence(s, e)
		case "license_ref":
			readLicenceRef(s, e)
		}
	}
}

// readJATSLicence reads a licence's address, and else its words, which may have
// the address in a link.
func readJATSLicence(s *Statements, l element.Element) {
	s.attribute(Licence, l, "href", "")
	for e := range l.Descendants() {
		switch e.Local() {
		case "license_ref":
			readLicenceRef(s, e)
		case "license-p", "p":
			s.text(Rights, e, "")
		case "ext-link", "uri":
			s.attribute(Rights, e, "href", "")
		}
	}
}

// readLicenceRef reads a licence as NISO's Access and License Indicators has
// it. One for mining is not for readers.
func readLicenceRef(s *Statements, e element.Element) {
	if use := e.Attr("specific-use"); strings.Contains(use, "mining") || use == "tdm" {
		s.text(Related, e, use)
		return
	}
	s.text(Licence, e, "")
}
