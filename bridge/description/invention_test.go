package description

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/identifier"
	"fingerpost/bridge/text"
)

// mayStand says of which kinds of statements a property is made. It names the
// properties without their places in lists.
var mayStand = func() map[string][]crosswalk.Kind {
	table := map[string][]crosswalk.Kind{}
	for _, row := range []struct {
		properties string
		kinds      []crosswalk.Kind
	}{
		{"schema:name schema:alternateName titles.title titles.titleType titles.lang title TI dcterms:title dcterms:alternative", []crosswalk.Kind{crosswalk.Title}},
		{`schema:creator.schema:name schema:creator.schema:familyName schema:creator.schema:givenName creators.name creators.familyName creators.givenName
			author.literal author.family author.given author AU dcterms:creator.foaf:name dcterms:creator.foaf:familyName dcterms:creator.foaf:givenName`,
			[]crosswalk.Kind{crosswalk.Creator, crosswalk.CreatorName, crosswalk.FamilyName, crosswalk.GivenName}},
		{`schema:editor.schema:name schema:editor.schema:familyName schema:editor.schema:givenName schema:contributor.schema:name schema:contributor.schema:familyName
			schema:contributor.schema:givenName contributors.familyName contributors.givenName editor.literal editor.family editor.given editor A2
			dcterms:contributor.foaf:name dcterms:contributor.foaf:familyName dcterms:contributor.foaf:givenName`,
			[]crosswalk.Kind{crosswalk.Contributor, crosswalk.FamilyName, crosswalk.GivenName}},
		{"contributors.name contributors.contributorType", []crosswalk.Kind{crosswalk.Contributor, crosswalk.ContributorID, crosswalk.FamilyName, crosswalk.GivenName, crosswalk.RightsHolder}},
		{"schema:creator.@id dcterms:creator.@id creators.nameIdentifiers.nameIdentifier", []crosswalk.Kind{crosswalk.CreatorID, crosswalk.Creator, crosswalk.CreatorName}},
		{"schema:editor.@id schema:contributor.@id dcterms:contributor.@id contributors.nameIdentifiers.nameIdentifier", []crosswalk.Kind{crosswalk.ContributorID, crosswalk.Contributor}},
		{"schema:creator.@type dcterms:creator.@type creators.nameType", []crosswalk.Kind{crosswalk.NameType, crosswalk.CreatorID, crosswalk.Creator, crosswalk.CreatorName}},
		{"schema:editor.@type schema:contributor.@type dcterms:contributor.@type contributors.nameType", []crosswalk.Kind{crosswalk.NameType, crosswalk.ContributorID, crosswalk.Contributor}},
		{`schema:creator.schema:affiliation.schema:name schema:contributor.schema:affiliation.schema:name schema:editor.schema:affiliation.schema:name
			creators.affiliation.name contributors.affiliation.name`, []crosswalk.Kind{crosswalk.Affiliation}},
		{`schema:creator.schema:affiliation.@id schema:contributor.schema:affiliation.@id creators.affiliation.affiliationIdentifier creators.affiliation.affiliationIdentifierScheme
			contributors.affiliation.affiliationIdentifier contributors.affiliation.affiliationIdentifierScheme`, []crosswalk.Kind{crosswalk.AffiliationID}},
		{"schema:publisher publisher.name PB dcterms:publisher.foaf:name", []crosswalk.Kind{crosswalk.Publisher, crosswalk.Degree}},
		{"publisher", []crosswalk.Kind{crosswalk.Publisher, crosswalk.Degree}},
		{"publisher.publisherIdentifier publisher.publisherIdentifierScheme", []crosswalk.Kind{crosswalk.PublisherID}},
		{"publisher-place address CY", []crosswalk.Kind{crosswalk.Place}},
		{"schema:datePublished dcterms:issued publicationYear issued.date-parts year month PY DA", []crosswalk.Kind{crosswalk.Date}},
		{"schema:dateCreated schema:dateModified dcterms:created dcterms:modified submitted.date-parts available-date.date-parts dates.dateInformation", []crosswalk.Kind{crosswalk.OtherDate, crosswalk.Date}},
		{"dates.date dates.dateType", []crosswalk.Kind{crosswalk.OtherDate, crosswalk.Date}},
		{"schema:inLanguage dcterms:language language langid LA", []crosswalk.Kind{crosswalk.Language}},
		{"schema:description dcterms:description descriptions.description descriptions.descriptionType descriptions.lang abstract AB", []crosswalk.Kind{crosswalk.Description}},
		{"schema:keywords dcat:keyword subjects.subject subjects.subjectScheme subjects.lang keyword keywords KW", []crosswalk.Kind{crosswalk.Subject}},
		{"schema:about.@id dcat:theme.@id subjects.valueUri", []crosswalk.Kind{crosswalk.SubjectURI}},
		{"schema:conditionsOfAccess rightsList.rights copyright dcterms:rights dcterms:rights.@id dcterms:accessRights dcterms:accessRights.@id", []crosswalk.Kind{crosswalk.Rights, crosswalk.Licence, crosswalk.Access}},
		{"schema:copyrightHolder.schema:name dcterms:rightsHolder.foaf:name", []crosswalk.Kind{crosswalk.RightsHolder}},
		{"schema:isPartOf.schema:name collection-title series T3", []crosswalk.Kind{crosswalk.Journal, crosswalk.RelatedTitle}},
		{"schema:hasPart.schema:name schema:isBasedOn.schema:name schema:citation.schema:name", []crosswalk.Kind{crosswalk.RelatedTitle}},
		{"container.title container-title journal booktitle T2", []crosswalk.Kind{crosswalk.Journal}},
		{"schema:isPartOf.schema:issn container.identifier ISSN issn", []crosswalk.Kind{crosswalk.ISSN, crosswalk.Source}},
		{"SN", []crosswalk.Kind{crosswalk.ISSN, crosswalk.Source, crosswalk.ISBN, crosswalk.Identifier}},
		{"schema:isbn ISBN isbn alternateIdentifiers.alternateIdentifier", []crosswalk.Kind{crosswalk.ISBN, crosswalk.Identifier}},
		{"schema:isPartOf.schema:volumeNumber container.volume volume VL", []crosswalk.Kind{crosswalk.Volume}},
		{"schema:isPartOf.schema:issueNumber container.issue issue IS", []crosswalk.Kind{crosswalk.Issue}},
		{"number", []crosswalk.Kind{crosswalk.Issue, crosswalk.ArticleNumber}},
		{"eid", []crosswalk.Kind{crosswalk.ArticleNumber}},
		{`schema:isPartOf.schema:pageStart schema:isPartOf.schema:pageEnd schema:isPartOf.schema:pagination container.firstPage container.lastPage page pages SP EP`,
			[]crosswalk.Kind{crosswalk.FirstPage, crosswalk.LastPage, crosswalk.Pages}},
		{"event event-place", []crosswalk.Kind{crosswalk.Event}},
		{"edition schema:bookEdition ET", []crosswalk.Kind{crosswalk.Edition}},
		{"schema:version version dcat:version", []crosswalk.Kind{crosswalk.Version}},
		{"schema:inSupportOf genre school M3", []crosswalk.Kind{crosswalk.Degree}},
		{"@ TY types.resourceTypeGeneral types.resourceType", []crosswalk.Kind{crosswalk.Type}},
		{"type", []crosswalk.Kind{crosswalk.Type, crosswalk.Degree}},
		{"schema:creditText N1 dcterms:bibliographicCitation", []crosswalk.Kind{crosswalk.Citation}},
		{"schema:audience.schema:audienceType", []crosswalk.Kind{crosswalk.Audience}},
		{"schema:spatialCoverage.schema:name geoLocations.geoLocationPlace schema:temporalCoverage dcterms:spatial.rdfs:label dcterms:temporal.rdfs:label", []crosswalk.Kind{crosswalk.Coverage}},
		{`schema:spatialCoverage.schema:geo.schema:box schema:spatialCoverage.schema:geo.schema:polygon schema:spatialCoverage.schema:geo.schema:latitude
			schema:spatialCoverage.schema:geo.schema:longitude geoLocations.geoLocationPoint.pointLongitude geoLocations.geoLocationPoint.pointLatitude
			geoLocations.geoLocationPolygon.polygonPoint.pointLongitude geoLocations.geoLocationPolygon.polygonPoint.pointLatitude
			geoLocations.geoLocationBox.westBoundLongitude geoLocations.geoLocationBox.eastBoundLongitude
			geoLocations.geoLocationBox.southBoundLatitude geoLocations.geoLocationBox.northBoundLatitude`, []crosswalk.Kind{crosswalk.Coordinates}},
		{`relatedIdentifiers.relatedIdentifier relatedIdentifiers.relationType schema:isPartOf.@id schema:hasPart.@id schema:isBasedOn.@id schema:citation.@id
			dcterms:isPartOf.@id dcterms:hasPart.@id dcterms:source.@id dcterms:references.@id dcterms:isReferencedBy.@id dcterms:isVersionOf.@id dcterms:hasVersion.@id
			dcat:previousVersion.@id dcterms:replaces.@id dcterms:isReplacedBy.@id dcterms:requires.@id dcterms:isRequiredBy.@id`,
			[]crosswalk.Kind{crosswalk.Related}},
		{"sizes", []crosswalk.Kind{crosswalk.Extent}}, {"formats", []crosswalk.Kind{crosswalk.Format}},
		{"schema:distribution.schema:contentSize schema:encoding.schema:contentSize dcat:distribution.dcat:byteSize", []crosswalk.Kind{crosswalk.FileSize, crosswalk.Extent, crosswalk.Format}},
		{"schema:distribution.schema:name schema:encoding.schema:name dcat:distribution.dcterms:title", []crosswalk.Kind{crosswalk.FileName}},
		{"schema:funding.schema:funder.schema:name fundingReferences.funderName", []crosswalk.Kind{crosswalk.Funder}},
		{"schema:funding.schema:funder.schema:identifier fundingReferences.funderIdentifier fundingReferences.funderIdentifierType", []crosswalk.Kind{crosswalk.FunderID}},
		{"schema:funding.schema:identifier fundingReferences.awardNumber", []crosswalk.Kind{crosswalk.Award}},
		{"schema:funding.schema:url fundingReferences.awardUri", []crosswalk.Kind{crosswalk.AwardURI}},
		{"schema:funding.schema:name fundingReferences.awardTitle", []crosswalk.Kind{crosswalk.AwardTitle}},
	} {
		for p := range strings.FieldsSeq(row.properties) {
			table[p] = row.kinds
		}
	}
	return table
}()

var place = regexp.MustCompile(`\[\d+\]`)

// propertyOf is the path of a line without its places in lists.
func propertyOf(l Line) string { return place.ReplaceAllString(l.Path, "") }

// Each value is a whole statement of a kind that may stand there, a part of one
// at a listed separator, a word of a table, or what the links say too.
func TestEachValueIsStated(t *testing.T) {
	t.Parallel()
	records, invented := 0, 0
	for _, s := range sources(t) {
		records++
		for _, wrong := range inventions(describe(t, s)) {
			invented++
			t.Errorf("%s: %s", s.Identifier, wrong)
		}
	}
	t.Logf("%d records, %d values that nobody stated", records, invented)
}

// inventions says which values of the documents nobody stated, and why.
func inventions(d *Description) (out []string) {
	forms := formsByStatement{}
	for _, doc := range Documents {
		if doc.Name == "cdif.jsonld" { // as schema.jsonld
			continue
		}
		for _, l := range d.Lines(doc) {
			if why := unstated(d, l, forms); why != "" {
				out = append(out, fmt.Sprintf("%s: %s = %.200q: %.200s", doc.Name, l.Path, l.Text, why))
			}
		}
	}
	return out
}

func unstated(d *Description, l Line, forms formsByStatement) string {
	if l.From == nil {
		return notOurs(d, l)
	}
	property := propertyOf(l)
	kinds, ok := mayStand[property]
	if !ok {
		return "the property is in no table"
	}
	for _, st := range append([]*crosswalk.Statement{l.From}, l.With...) {
		if !slices.Contains(kinds, st.Kind) {
			return "made of a " + st.Kind.String()
		}
	}
	if forms.state(l) || tableWords[l.Text] && fromTable[property] {
		return ""
	}
	return fmt.Sprintf("not in %q", l.From.Value)
}

// fromTable are the properties whose values are words of a table.
var fromTable = func() map[string]bool {
	out := map[string]bool{}
	for p := range strings.FieldsSeq(`type TY @ types.resourceTypeGeneral titles.titleType descriptions.descriptionType dates.dateType relatedIdentifiers.relationType
		contributors.contributorType fundingReferences.funderIdentifierType creators.nameType contributors.nameType schema:creator.@type schema:contributor.@type schema:editor.@type
		dcterms:creator.@type dcterms:contributor.@type`) {
		out[p] = true
	}
	return out
}()

// formsByStatement has what formsOf makes of a statement, and bare.
type formsByStatement map[*crosswalk.Statement]struct{ whole, bare []string }

func (f formsByStatement) of(st *crosswalk.Statement) ([]string, []string) {
	forms, ok := f[st]
	if !ok {
		forms.whole = formsOf(st)
		for _, form := range forms.whole {
			if b := bare(form); !slices.Contains(forms.bare, b) {
				forms.bare = append(forms.bare, b)
			}
		}
		f[st] = forms
	}
	return forms.whole, forms.bare
}

// state reports whether a value consists of what its statements say, one after
// the other, and of nothing else but signs between them.
func (f formsByStatement) state(l Line) bool {
	if whole, _ := f.of(l.From); len(l.With) == 0 && slices.Contains(whole, l.Text) {
		return true
	}
	text := bare(strings.ReplaceAll(l.Text, "} and {", ""))
	return f.consists(text, append([]*crosswalk.Statement{l.From}, l.With...)) ||
		f.consists(text, append(slices.Clone(l.With), l.From)) // an article before its title
}

// consists reports whether a text is what some statements say, each once or in
// several parts.
func (f formsByStatement) consists(text string, of []*crosswalk.Statement) bool {
	if len(of) == 0 {
		return text == ""
	}
	_, bare := f.of(of[0])
	for _, form := range bare {
		if rest, ok := strings.CutPrefix(text, form); ok && (f.consists(rest, of[1:]) || len(rest) < len(text) && f.consists(rest, of)) {
			return true
		}
	}
	return false
}

// bare is a text without signs and what BibTeX writes for them.
func bare(s string) string {
	s = bibTeXSigns.ReplaceAllString(s, "")
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s))
}

var (
	bibTeXSigns = regexp.MustCompile(`\\text[a-z]+`)
	dates       = regexp.MustCompile(`\d{4}(-\d\d(-\d\d)?)?`)
	issns       = regexp.MustCompile(`\d{4}-?\d{3}[\dXx]`)
)

// formsOf are the texts that may be made of a statement.
func formsOf(st *crosswalk.Statement) []string {
	whole := text.Plain(st.Value, longestText)
	out := []string{whole, text.Plain(st.Value, longestValue), st.Scheme, st.Qualifier, languageOf(st.Lang)}
	switch st.Kind {
	case crosswalk.Subject:
		for part := range strings.SplitSeq(whole, ";") {
			out = append(out, strings.TrimSpace(part))
		}
	case crosswalk.Language:
		out = append(out, languageOf(whole))
		for _, part := range strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune(" ,;|/", r) }) {
			out = append(out, languageOf(part))
		}
	case crosswalk.Creator, crosswalk.CreatorName, crosswalk.Contributor, crosswalk.CreatorID, crosswalk.ContributorID:
		family, given, _ := strings.Cut(whole, ", ")
		out = append(out, family, given)
		if id, err := identifier.Author(st.Value, st.Scheme); err == nil {
			out = append(out, id.URI)
		}
	case crosswalk.Date, crosswalk.OtherDate:
		for _, date := range dates.FindAllString(whole, -1) {
			parts := strings.Split(date, "-")
			out = append(out, date, parts[0], strings.Join(parts[:min(2, len(parts))], "-"))
			for _, p := range parts[1:] {
				out = append(out, p, strings.TrimLeft(p, "0"))
			}
		}
	case crosswalk.Extent, crosswalk.Format:
		size, _, _ := strings.Cut(whole, " ")
		out = append(out, size)
	case crosswalk.Pages:
		out = append(out, strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune("- –—", r) })...)
	case crosswalk.Coordinates:
		for number := range strings.FieldsSeq(whole) {
			if n, err := strconv.ParseFloat(number, 64); err == nil {
				out = append(out, strconv.FormatFloat(n, 'f', -1, 64))
			}
		}
	case crosswalk.ISSN, crosswalk.Source:
		for _, n := range issns.FindAllString(whole, -1) {
			out = append(out, n, n[:4]+"-"+strings.ToUpper(n[len(n)-4:]))
		}
	case crosswalk.ISBN, crosswalk.Identifier, crosswalk.Related:
		if id, ok := identifier.ParseAs(st.Value, st.Scheme); ok {
			out = append(out, id.URI, id.Value)
		}
		if id, ok := identifier.Parse("ISBN:" + st.Value); ok {
			out = append(out, id.Value)
		}
	}
	return out
}

// notOurs says why a value without a statement should not be there.
func notOurs(d *Description, l Line) string {
	o := &d.Object
	ours := append([]string{o.LandingPage.URL, o.CiteAs, o.License, d.Identifier, d.Changed, doiOf(o), bibTeXKey(d.Identifier)}, o.Aliases...)
	for _, item := range o.Items {
		ours = append(ours, item.URL, item.MediaType, mediaTypes+item.MediaType)
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
	for w := range strings.FieldsSeq(`schema:Person schema:Organization schema:Place schema:MonetaryGrant schema:CreativeWork schema:MediaObject schema:GeoShape schema:GeoCoordinates schema:Audience ISSN ISBN
		schema:DataDownload dcat:CatalogRecord http://schema.org/ http://purl.org/dc/terms/ http://www.w3.org/ns/dcat# http://datacite.org/schema/kernel-4
		https://w3id.org/cdif/core/1.1 https://w3id.org/cdif/discovery/1.1 misc DOI Handle ARK URN:NBN URN PURL w3id ISNI ORCID GND ROR VIAF IdRef Wikidata Lattes
		GRID arXiv resolver SWHID Resolver dcat:Dataset dcat:Distribution foaf:Person foaf:Organization
		http://xmlns.com/foaf/0.1/ http://www.w3.org/2000/01/rdf-schema#`) {
		words[w] = true
	}
	return words
}()

// dublinCore is an element of Dublin Core whose text is free.
var dublinCore = regexp.MustCompile(`(<dc:(title|creator|contributor|publisher|subject|description|rights)\b[^>]*>)([^<:/]{4,})(</dc:)`)

// Where each word is nonsense, only nonsense comes out.
func TestOnlyWhatIsSubstitutedComesOut(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	tried := 0
	for _, s := range sources(t) {
		if len(s.Records) != 1 || len(s.Records[0].Metadata) > 20_000 {
			continue
		}
		whole := s.Records[0].Metadata
		before := valuesOf(describe(t, s))
		for _, at := range child.FindAllIndex(whole, 2) {
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
	t.Parallel()
	for _, s := range sources(t) {
		for _, wrong := range disagreements(s, describe(t, s)) {
			t.Errorf("%s: %s", s.Identifier, wrong)
		}
	}
}

func disagreements(s Source, d *Description) (out []string) {
	o := &s.Object
	if year := yearOf(d.Issued).Text; year != "" && o.Year != 0 && year != fmt.Sprint(o.Year) && len(s.Records) == 1 {
		out = append(out, fmt.Sprintf("the year is %s, and %d for the links", year, o.Year))
	}
	doc, _ := Named("schema.jsonld")
	for _, l := range d.Lines(doc) {
		switch {
		case l.Path == "schema:license[0]" && l.Text != o.License,
			l.Path == "@id" && l.Text != o.CiteAs && l.Text != o.LandingPage.URL,
			l.Path == "@type[0]" && o.Type != "" && "https://schema.org/"+strings.TrimPrefix(l.Text, "schema:") != o.Type,
			l.Path == "schema:url" && l.Text != o.LandingPage.URL:
			out = append(out, fmt.Sprintf("%s is %q", l.Path, l.Text))
		}
	}
	for _, a := range o.Authors {
		if len(d.Creators) > 0 && len(s.Records) == 1 && !slices.ContainsFunc(d.Creators, func(c Agent) bool { return c.ID.Text == a }) {
			out = append(out, fmt.Sprintf("the author %s is in no document: %+v", a, d.Creators))
		}
	}
	return out
}
