package crosswalk

import (
	"cmp"
	"fmt"
	"strings"

	"fingerpost/bridge/element"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
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
	s.rest(readJATSJournal, root.Child("front").Child("journal-meta"))
	meta := root.Child("front").Child("article-meta")
	affiliations := jatsAffiliations(s, meta)
	for e := range meta.Children() {
		switch e.Local() {
		case "article-id":
			readJATSIdentifier(s, e)
		case "self-uri":
			readJATSAddress(s, e)
		case "contrib-group":
			readJATSContributors(s, e, affiliations)
		case "pub-date":
			readJATSDate(s, e, Date)
		case "permissions":
			readJATSPermissions(s, e)
		case "copyright-statement": // and license: before there was permissions
			s.text(Rights, e, "")
		case "license":
			readJATSLicence(s, e)
		default:
			s.rest(readJATSDescription, e)
		}
	}
}

// readJATSDate reads a date in its parts.
func readJATSDate(s *Statements, e element.Element, k Kind) {
	year := e.Child("year")
	value := cmp.Or(e.Attr("iso-8601-date"), year.Text())
	if value == year.Text() {
		for _, part := range [...]string{"month", "day"} {
			n := e.Child(part).Text()
			if n == "" || !text.IsDigits(n) {
				break
			}
			value += fmt.Sprintf("-%02s", n)
		}
	}
	s.say(Statement{Kind: k, At: e, Value: value, Qualifier: cmp.Or(e.Attr("date-type"), e.Attr("pub-type"))})
}

func readJATSJournal(s *Statements, meta element.Element) {
	for e := range meta.Descendants() {
		s.add(jatsJournalTerms, e.Local(), e, cmp.Or(e.Attr("pub-type"), e.Attr("publication-format")))
	}
}

// jatsJournalTerms are the elements about the journal whose name alone says what
// they mean.
var jatsJournalTerms = map[string]term{
	"journal-title": {Journal, ""}, "issn": {ISSN, ""}, "isbn": {ISBN, ""}, "publisher-name": {Publisher, ""}, "publisher-loc": {Place, ""},
}

// readJATSDescription reads what is no part of links.
func readJATSDescription(s *Statements, e element.Element) {
	switch e.Local() {
	case "title-group":
		s.addDescendants(jatsTitles, e)
	case "abstract":
		s.qualified(Description, e, cmp.Or(e.Attr("abstract-type"), "abstract"))
	case "trans-abstract":
		s.qualified(Description, e, "translated abstract")
	case "article-categories":
		for g := range e.Children() {
			for subject := range g.Descendants("subject") {
				s.text(Subject, subject, g.Attr("subj-group-type"))
			}
		}
	case "kwd-group":
		for keyword := range e.Children("kwd", "compound-kwd") {
			s.text(Subject, keyword, e.Attr("kwd-group-type"))
		}
	case "history":
		for date := range e.Children() {
			readJATSDate(s, date, OtherDate)
		}
	case "funding-group":
		readJATSFunding(s, e)
	case "related-article", "related-object":
		s.related(e, e.Attr("related-article-type"))
		s.say(Statement{Kind: Related, At: e, Attr: "href", Value: e.Attr("href"), Scheme: e.Attr("ext-link-type"), Qualifier: e.Attr("related-article-type")})
	case "conference":
		for c := range e.Children() {
			s.qualified(Event, c, strings.TrimPrefix(c.Local(), "conf-"))
		}
	default:
		s.add(jatsTerms, e.Local(), e, "")
	}
}

// jatsTerms are the elements whose name alone says what they mean.
var jatsTerms = map[string]term{
	"volume": {Volume, ""}, "issue": {Issue, ""}, "fpage": {FirstPage, ""}, "lpage": {LastPage, ""}, "page-range": {Pages, ""},
	"elocation-id": {ArticleNumber, ""}, "isbn": {ISBN, ""}, "edition": {Edition, ""}, "article-version": {Version, ""},
	"copyright-year": {OtherDate, "copyrighted"}, "copyright-holder": {RightsHolder, ""}, "supplement": {Note, "supplement"},
	"issue-title": {Note, "issue-title"}, "volume-series": {Note, "volume-series"},
}

// jatsTitles are the elements in a group of titles.
var jatsTitles = map[string]term{
	"article-title": {Title, ""}, "subtitle": {Title, "subtitle"}, "alt-title": {Title, "alternative"},
	"trans-title": {Title, "translated"}, "trans-subtitle": {Title, "translated"},
}

func readJATSFunding(s *Statements, group element.Element) {
	for award := range group.Children() {
		s.nextGroup()
		if award.Local() == "funding-statement" {
			s.qualified(Note, award, "funding")
			continue
		}
		for e := range award.Descendants() {
			switch e.Local() {
			case "funding-source":
				if !e.Child("institution-wrap").Valid() {
					s.text(Funder, e, "")
				}
			case "institution":
				s.text(Funder, e, "")
			case "institution-id":
				s.text(FunderID, e, e.Attr("institution-id-type"))
			case "award-id":
				s.text(Award, e, "")
			}
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

func readJATSContributors(s *Statements, group element.Element, affiliations map[string]jatsAffiliation) {
	for c := range group.Children("contrib") {
		s.nextGroup()
		if kind := c.Attr("contrib-type"); kind == "" || kind == "author" {
			readJATSContributor(s, c, affiliations, CreatorName, CreatorID, "")
		} else {
			readJATSContributor(s, c, affiliations, Contributor, ContributorID, kind)
		}
	}
}

// readJATSContributor reads who contributed; as and id are the kinds of the name
// and of identifiers.
func readJATSContributor(s *Statements, c element.Element, affiliations map[string]jatsAffiliation, as, id Kind, role string) {
	for e := range c.Children() {
		switch e.Local() {
		case "contrib-id":
			s.say(Statement{Kind: id, At: e, Value: e.Text(), Scheme: e.Attr("contrib-id-type"), Qualifier: role})
		case "name":
			s.qualified(FamilyName, e.Child("surname"), role)
			s.qualified(GivenName, e.Child("given-names"), role)
		case "name-alternatives":
			s.qualified(FamilyName, e.Child("name").Child("surname"), role)
			s.qualified(GivenName, e.Child("name").Child("given-names"), role)
			s.qualified(as, e.Child("string-name"), role)
		case "collab", "string-name", "anonymous":
			s.qualified(as, e, role)
		case "role":
			s.qualified(Note, e, "role")
		case "aff":
			if s.scope == All {
				jatsAffiliationOf(e).read(s, role)
			}
		case "xref":
			for ref := range strings.FieldsSeq(e.Attr("rid")) {
				affiliations[ref].read(s, role)
			}
		}
	}
}

// jatsAffiliation is an affiliation that contributors refer to.
type jatsAffiliation struct {
	whole element.Element
	text  string            // of the whole, without the number that contributors refer to
	parts []element.Element // its institutions and their identifiers
}

// read reads an affiliation: its institutions, or else the whole.
func (a jatsAffiliation) read(s *Statements, role string) {
	named := false
	for _, e := range a.parts {
		if s.said[Affiliation]+s.said[AffiliationID] >= MostOfKind {
			return // every contributor may refer to it
		}
		if e.Local() == "institution" {
			s.qualified(Affiliation, e, role)
			named = true
		} else {
			s.say(Statement{Kind: AffiliationID, At: e, Value: e.Text(), Scheme: e.Attr("institution-id-type"), Qualifier: role})
		}
	}
	if !named && s.said[Affiliation] < MostOfKind {
		s.say(Statement{Kind: Affiliation, At: a.whole, Value: a.text, Qualifier: role})
	}
}

func jatsAffiliationOf(aff element.Element) jatsAffiliation {
	a := jatsAffiliation{whole: aff, text: strings.TrimSpace(strings.TrimPrefix(aff.Text(), aff.Child("label").Text()))}
	for e := range aff.Descendants("institution", "institution-id") {
		a.parts = append(a.parts, e)
	}
	return a
}

// jatsAffiliations are the affiliations by their ids. Links do without.
func jatsAffiliations(s *Statements, meta element.Element) map[string]jatsAffiliation {
	if s.scope == Links {
		return nil
	}
	out := map[string]jatsAffiliation{}
	for e := range meta.Descendants() {
		if id := e.Attr("id"); e.Local() == "aff" && id != "" {
			out[id] = jatsAffiliationOf(e)
		}
	}
	return out
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
		default:
			s.add(jatsTerms, e.Local(), e, "")
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
		s.related(e, use)
		return
	}
	s.text(Licence, e, "")
}
