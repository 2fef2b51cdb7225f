package description

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
)

// mayStand says of which statements a property of DataCite JSON is made. It
// names the properties without their places in lists.
var mayStand = map[string][]crosswalk.Kind{
	"types.resourceType": {crosswalk.Type},
	"creators.name":      {crosswalk.Creator, crosswalk.CreatorName, crosswalk.FamilyName},
	"titles.title":       {crosswalk.Title}, "publisher.name": {crosswalk.Publisher}, "publicationYear": {crosswalk.Date},
	"contributors.name": {crosswalk.Contributor, crosswalk.FamilyName}, "subjects.subject": {crosswalk.Subject},
	"dates.date": {crosswalk.Date, crosswalk.OtherDate}, "language": {crosswalk.Language},
	"relatedIdentifiers.relatedIdentifier": {crosswalk.Related}, "sizes": {crosswalk.Extent}, "formats": {crosswalk.Format},
	"version": {crosswalk.Version}, "rightsList.rights": {crosswalk.Rights, crosswalk.Licence, crosswalk.Access},
	"descriptions.description": {crosswalk.Description}, "geoLocations.geoLocationPlace": {crosswalk.Coverage},
	"fundingReferences.funderName": {crosswalk.Funder}, "fundingReferences.awardNumber": {crosswalk.Award},
}

var place = regexp.MustCompile(`\[\d+\]`)

// Each value is a whole statement of a kind that may stand there, a part of one
// at a listed separator, a word of a table, or what the links say too.
func TestEachValueIsStated(t *testing.T) {
	records, invented := 0, 0
	for _, s := range sources(t) {
		d := describe(t, s)
		records++
		for _, doc := range Documents {
			for _, l := range d.Lines(doc) {
				if why := unstated(d, doc, l); why != "" {
					invented++
					t.Errorf("%s: %s: %s = %q: %s", s.Identifier, doc.Name, l.Path, l.Text, why)
				}
			}
		}
	}
	t.Logf("%d records, %d values that nobody stated", records, invented)
}

func unstated(d *Description, doc Document, l Line) string {
	if l.From == nil {
		return notOurs(d, doc, l)
	}
	if kinds, ok := mayStand[place.ReplaceAllString(l.Path, "")]; ok && !slices.Contains(kinds, l.From.Kind) {
		return "made of a " + l.From.Kind.String()
	}
	if isStated(d, l) || tableWords[l.Text] || languageOf(l.Text) == l.Text {
		return ""
	}
	return fmt.Sprintf("not in %q", l.From.Value)
}

// isStated compares a value with what its statement, or those beside it, say.
func isStated(d *Description, l Line) bool {
	stated := text.Plain(l.From.Value, longestText)
	scheme := l.From.Scheme + "|" + l.From.Qualifier + "|" + l.From.Lang
	switch path := place.ReplaceAllString(l.Path, ""); path {
	case "author", "editor", "keyword", "keywords", "page", "pages", "DA", "schema:creator.schema:name", "creators.name", "author.literal", "AU":
		return true // several statements in one; those they are made of are looked at elsewhere
	case "issued.date-parts", "month":
		return strings.Contains(stated, strings.TrimLeft(l.Text, "0"))
	}
	for _, part := range append(strings.FieldsFunc(stated, func(r rune) bool { return strings.ContainsRune(";T ", r) }), strings.Split(stated, ";")...) {
		if strings.TrimSpace(part) == l.Text || strings.HasPrefix(part, l.Text+"-") {
			return true
		}
	}
	for _, part := range strings.Split(stated, ", ") {
		if part == l.Text {
			return true
		}
	}
	bare := signs.ReplaceAllString(strings.ToLower(l.Text), "")
	inside := signs.ReplaceAllString(strings.ToLower(stated), "")
	return stated == l.Text || strings.HasSuffix(stated, " "+l.Text) || strings.HasPrefix(l.Text, stated+", ") || // MODS: names and titles in parts
		strings.HasSuffix(l.Text, text.Cut) || strings.HasSuffix(l.Text, stated) || strings.Contains(scheme, l.Text) ||
		strings.Contains(l.Path, "publicationYear") && strings.Contains(stated, l.Text) || (l.Path == "PY" || l.Path == "year" || l.Path == "schema:datePublished") && strings.Contains(stated, l.Text) ||
		inside != "" && strings.HasSuffix(bare, inside) || strings.Contains(inside, bare) && isNumber(l.Path) || // an identifier as its URI, an ISSN in a text
		strings.HasPrefix(l.Text, "http") && bare != "" && sharesTail(bare, inside)
}

// signs are the characters that identifiers may be written with or without.
var signs = regexp.MustCompile(`[^0-9a-z]`)

func isNumber(path string) bool {
	return strings.HasSuffix(path, "issn") || strings.Contains(path, "ISSN") || path == "SN" || strings.Contains(path, "issn[")
}

// sharesTail reports whether a URI ends with the digits of what was stated.
func sharesTail(uri, stated string) bool {
	return len(uri) > 8 && strings.Contains(stated, uri[len(uri)-8:])
}

// notOurs says why a value without a statement should not be there.
func notOurs(d *Description, doc Document, l Line) string {
	o := &d.Object
	ours := append([]string{o.LandingPage.URL, o.CiteAs, o.License, d.Identifier, d.Changed, doiOf(o), bibTeXKey(d.Identifier)}, o.Aliases...)
	for _, item := range o.Items {
		ours = append(ours, item.URL, item.MediaType)
	}
	for _, v := range d.Subjects {
		ours = append(ours, v.From.Scheme)
	}
	if slices.Contains(ours, l.Text) || tableWords[l.Text] || l.Text == "schema:"+classOf(o) {
		return ""
	}
	return "neither the format's own nor in the links"
}

// tableWords are all words that documents have of their own.
var tableWords = func() map[string]bool {
	words := map[string]bool{"URL": true, "Journal": true, "Person": true, "Personal": true, "Organizational": true, "Other": true, "Issued": true}
	for _, k := range kinds {
		for _, w := range []string{k.dataCite, k.csl, k.bibTeX, k.ris} {
			words[w] = true
		}
	}
	for _, t := range []map[string]string{contributorTypes, dateTypes, titleTypes, descriptionTypes, relationTypes, bibTeXThesis} {
		for _, w := range t {
			words[w] = true
		}
	}
	for _, w := range strings.Fields(`schema:Person schema:Organization schema:Place schema:MonetaryGrant schema:CreativeWork schema:MediaObject
		schema:DataDownload dcat:CatalogRecord http://schema.org/ http://purl.org/dc/terms/ http://www.w3.org/ns/dcat# http://datacite.org/schema/kernel-4
		https://w3id.org/cdif/core/1.1 https://w3id.org/cdif/discovery/1.1 misc DOI Handle ARK URN:NBN URN PURL w3id ISNI ORCID GND ROR VIAF IdRef Wikidata Lattes
		GRID arXiv resolver SWHID Resolver`) {
		words[w] = true
	}
	return words
}()

// dublinCore is an element of Dublin Core whose text is free.
var dublinCore = regexp.MustCompile(`(<dc:(title|creator|contributor|publisher|subject|description|rights)\b[^>]*>)([^<:/]{4,})(</dc:)`)

// Where each word is nonsense, only nonsense comes out.
func TestOnlyWhatIsSubstitutedComesOut(t *testing.T) {
	tried := 0
	for _, s := range sources(t) {
		if len(s.Records) != 1 {
			continue
		}
		var gone []string
		n := 0
		nonsense := dublinCore.ReplaceAllFunc(s.Records[0].Metadata, func(element []byte) []byte {
			m := dublinCore.FindSubmatch(element)
			gone = append(gone, text.Plain(string(m[3]), longestText))
			n++
			return fmt.Appendf(nil, "%sqx%dzv wq%djk%s", m[1], n, n, m[4])
		})
		if n == 0 {
			continue
		}
		tried++
		s.Records[0].Metadata = nonsense
		d := describe(t, s)
		for _, doc := range Documents {
			for _, l := range d.Lines(doc) {
				if l.From != nil && slices.Contains(gone, l.Text) && !strings.Contains(string(nonsense), l.Text) {
					t.Errorf("%s: %s: %s is still %q", s.Identifier, doc.Name, l.Path, l.Text)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d records were tried", tried)
	}
}

// child is an element of Dublin Core. Dates and languages are left: of two that
// differ, neither is sure until the other is gone.
var child = regexp.MustCompile(`(?s)<dc:(title|creator|contributor|publisher|subject|description|rights|coverage|format|relation|source)\b[^>]*>[^<]*</dc:(\w+)>`)

func TestDeletionAddsNothing(t *testing.T) {
	tried := 0
	for _, s := range sources(t) {
		if len(s.Records) != 1 || len(s.Records[0].Metadata) > 20_000 {
			continue
		}
		whole := s.Records[0].Metadata
		before := valuesOf(describe(t, s))
		for _, at := range child.FindAllIndex(whole, 5) {
			s.Records[0].Metadata = slices.Concat(whole[:at[0]], whole[at[1]:])
			tried++
			for v := range valuesOf(describe(t, s)) {
				if !before[v] {
					t.Errorf("%s: without %s there is %q", s.Identifier, whole[at[0]:at[1]], v)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d deletions were tried", tried)
	}
}

// valuesOf are the values of the documents that do not join several.
func valuesOf(d *Description) map[string]bool {
	out := map[string]bool{}
	for _, name := range []string{"schema.jsonld", "datacite.json", "citation.ris"} {
		doc, _ := Named(name)
		for _, l := range d.Lines(doc) {
			if l.From != nil && !isBytes(l.Text) {
				out[l.Text] = true
			}
		}
	}
	return out
}

// Documents say what the links say.
func TestDocumentsAgreeWithLinks(t *testing.T) {
	for _, s := range sources(t) {
		d := describe(t, s)
		if year := yearOf(d.Issued).Text; year != "" && s.Object.Year != 0 && year != fmt.Sprint(s.Object.Year) && len(s.Records) == 1 {
			t.Errorf("%s: the year is %s, and %d for the links", s.Identifier, year, s.Object.Year)
		}
		doc, _ := Named("schema.jsonld")
		for _, l := range d.Lines(doc) {
			switch {
			case l.Path == "schema:license[0]" && l.Text != s.Object.License,
				l.Path == "@id" && l.Text != s.Object.CiteAs && l.Text != s.Object.LandingPage.URL,
				l.Path == "schema:url" && l.Text != s.Object.LandingPage.URL:
				t.Errorf("%s: %s is %q", s.Identifier, l.Path, l.Text)
			}
		}
		for _, a := range s.Object.Authors {
			if len(d.Creators) > 0 && len(s.Records) == 1 && !slices.ContainsFunc(d.Creators, func(c Agent) bool { return c.ID.Text == a }) {
				t.Errorf("%s: the author %s is in no document: %+v", s.Identifier, a, d.Creators)
			}
		}
	}
}
