package description

import (
	"encoding/json"
	"strings"
	"testing"

	"fingerpost/bridge"
)

// article is what a journal's record may state.
func article() Source {
	s := oaiDC(`
		<dc:title>Salt &amp;amp; &lt;i&gt;water&lt;/i&gt;: 50% {of} it</dc:title>
		<dc:title xml:lang="de">Salz</dc:title>
		<dc:creator>Doe, Jane</dc:creator>
		<dc:creator>Curriculum Council, Example University</dc:creator>
		<dc:publisher>Example Press</dc:publisher>
		<dc:date>2014-03-09</dc:date>
		<dc:language>eng</dc:language>
		<dc:type>info:eu-repo/semantics/article</dc:type>
		<dc:subject>salt; water</dc:subject>
		<dc:subject>salt</dc:subject>
		<dc:description>Of &#8232;salt.</dc:description>
		<dc:rights>All rights reserved</dc:rights>
		<dc:source>Journal of Salt; ISSN: 0378-5955; 12-14</dc:source>`)
	s.Object.CiteAs = "https://doi.org/10.5555/a_b%"
	s.Object.Type = "https://schema.org/ScholarlyArticle"
	s.Object.License = "https://creativecommons.org/licenses/by/4.0/"
	s.Object.Items = []bridge.ContentResource{{URL: "https://repo.example.org/1.pdf", MediaType: "application/pdf"}}
	return s
}

func TestDocuments(t *testing.T) {
	d := describe(t, article())
	for name, want := range map[string]string{
		"citation.bib": `@misc{oai:repo-example-org:1,
  title = {Salt \& water: 50\% {\textbraceleft}of{\textbraceright} it},
  author = {{Doe, Jane} and {Curriculum Council, Example University}},
  publisher = {Example Press},
  year = {2014},
  month = {03},
  issn = {0378-5955},
  langid = {en},
  abstract = {Of salt.},
  keywords = {salt, water},
  copyright = {All rights reserved},
  doi = {10.5555/a_b%},
  url = {https://repo.example.org/1}
}
`,
		"citation.ris": strings.ReplaceAll(`TY  - JOUR
TI  - Salt & water: 50% {of} it
AU  - Doe, Jane
AU  - Curriculum Council, Example University
PY  - 2014
DA  - 2014/03/09/
SN  - 0378-5955
PB  - Example Press
LA  - en
AB  - Of salt.
KW  - salt
KW  - water
DO  - 10.5555/a_b%
UR  - https://repo.example.org/1
ER  - 
`, "\n", "\r\n"),
		"csl.json": `{"id":"https://doi.org/10.5555/a_b%","type":"article-journal","title":"Salt & water: 50% {of} it",
			"author":[{"literal":"Doe, Jane"},{"literal":"Curriculum Council, Example University"}],"publisher":"Example Press",
			"issued":{"date-parts":[[2014,3,9]]},"ISSN":"0378-5955","language":"en","abstract":"Of salt.","keyword":"salt, water",
			"DOI":"10.5555/a_b%","URL":"https://repo.example.org/1"}`,
		"datacite.json": `{"schemaVersion":"http://datacite.org/schema/kernel-4",
			"types":{"resourceTypeGeneral":"JournalArticle","resourceType":"info:eu-repo/semantics/article"},
			"creators":[{"name":"Doe, Jane"},{"name":"Curriculum Council, Example University"}],
			"titles":[{"title":"Salt & water: 50% {of} it"},{"title":"Salz","lang":"de"}],"publisher":{"name":"Example Press"},"publicationYear":"2014",
			"subjects":[{"subject":"salt"},{"subject":"water"}],"dates":[{"date":"2014-03-09","dateType":"Issued"}],"language":"en",
			"rightsList":[{"rightsUri":"https://creativecommons.org/licenses/by/4.0/"},{"rights":"All rights reserved"}],
			"descriptions":[{"description":"Of salt.","descriptionType":"Other"}],"container":{"type":"Journal","identifier":"0378-5955","identifierType":"ISSN"},"url":"https://repo.example.org/1"}`,
		"schema.jsonld": `{"@context":{"schema":"http://schema.org/","dcterms":"http://purl.org/dc/terms/","dcat":"http://www.w3.org/ns/dcat#"},
			"@id":"https://doi.org/10.5555/a_b%","@type":["schema:ScholarlyArticle"],"schema:name":"Salt & water: 50% {of} it","schema:alternateName":["Salz"],
			"schema:identifier":["https://doi.org/10.5555/a_b%"],"schema:url":"https://repo.example.org/1",
			"schema:creator":[{"schema:name":"Doe, Jane"},{"schema:name":"Curriculum Council, Example University"}],"schema:publisher":["Example Press"],
			"schema:datePublished":"2014-03-09","schema:dateModified":"2024-05-06","schema:inLanguage":["en"],"schema:description":["Of salt."],
			"schema:keywords":["salt","water"],"schema:license":["https://creativecommons.org/licenses/by/4.0/"],
			"schema:conditionsOfAccess":["All rights reserved"],"schema:isPartOf":[{"schema:issn":["0378-5955"]}],
			"schema:encoding":[{"@type":["schema:MediaObject"],"schema:contentUrl":"https://repo.example.org/1.pdf","schema:encodingFormat":["application/pdf"]}],
			"schema:subjectOf":{"@type":["dcat:CatalogRecord"],"schema:additionalType":[{"@id":"dcat:CatalogRecord"}],"schema:about":{"@id":"https://doi.org/10.5555/a_b%"},
			"schema:dateModified":"2024-05-06","dcterms:conformsTo":[{"@id":"https://w3id.org/cdif/core/1.1"},{"@id":"https://w3id.org/cdif/discovery/1.1"}]}}`,
	} {
		doc, _ := Named(name)
		got, ok := d.Render(doc)
		if !ok {
			t.Fatalf("%s is not complete", name)
		}
		same := string(got) == want
		if strings.HasPrefix(want, "{") {
			same = compact(t, got) == compact(t, []byte(want))
		}
		if !same {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// compact is a JSON document with its members in the order of their names.
func compact(t *testing.T, doc []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func TestComplete(t *testing.T) {
	const cites, cdif, dataCite = bridge.Citation, bridge.Citation | bridge.CDIF, bridge.Citation | bridge.DataCite
	const base = `<dc:creator>Doe</dc:creator><dc:publisher>P</dc:publisher><dc:type>Text</dc:type>`
	tests := []struct {
		name, elements string
		want           bridge.Documents
	}{
		{"nothing", ``, 0},
		{"no title", base + `<dc:date>2014</dc:date><dc:rights>free</dc:rights>`, 0},
		{"a title without text", `<dc:title> &lt;p&gt; </dc:title>`, 0},
		{"a title", `<dc:title>T</dc:title>`, cites},
		{"rights", `<dc:title>The</dc:title><dc:rights>free</dc:rights>`, cdif},
		{"a short title and rights", `<dc:title>T</dc:title><dc:rights>free</dc:rights>`, cites},
		{"all", `<dc:title>T</dc:title><dc:date>2014</dc:date>` + base, dataCite},
		{"two years", `<dc:title>T</dc:title><dc:date>2014</dc:date><dc:date>2013</dc:date>` + base, cites},
		{"an identifier as the creator", `<dc:title>T</dc:title><dc:date>2014</dc:date><dc:publisher>P</dc:publisher><dc:type>Text</dc:type><dc:creator>https://orcid.org/0000-0002-1825-0097</dc:creator>`, cites},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := oaiDC(tt.elements)
			s.Object.Type = "https://schema.org/CreativeWork"
			d := describe(t, s)
			if got := d.Complete(); got != tt.want {
				t.Errorf("got %b, want %b", got, tt.want)
			}
			for _, doc := range Documents {
				if _, ok := d.Render(doc); ok != (tt.want&doc.Needs != 0) {
					t.Errorf("%s: rendered %v", doc.Name, ok)
				}
			}
		})
	}
}

func TestLanguages(t *testing.T) {
	for value, want := range map[string]string{
		"en": "en", "en_US": "en-US", "eng": "en", "English": "en", "Eng": "en", "ger": "de", "pt-BR": "pt-BR",
		"": "", "und": "", "English (US)": "", "de-1996": "", "klingon": "",
	} {
		if got := languageOf(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
	d := describe(t, oaiDC(`<dc:language>en fr</dc:language>`))
	if len(d.Languages) != 2 || only(d.Languages).Text != "" {
		t.Errorf("two languages became %v, the only one %q", d.Languages, only(d.Languages).Text)
	}
}

func TestDataCiteIsKept(t *testing.T) {
	s := Source{Identifier: "oai:x:1", Datestamp: "2024-01-01", Object: bridge.Object{
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/d"}, CiteAs: "https://doi.org/10.5555/d", Type: "https://schema.org/Dataset"}}
	s.Records = []bridge.Record{
		{Prefix: "oai_dc", Metadata: []byte(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>D</dc:title><dc:creator>Doe, J</dc:creator><dc:subject>a</dc:subject><dc:subject>b</dc:subject></oai_dc:dc>`)},
		{Prefix: "datacite", Metadata: []byte(`<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5555/d</identifier>
			<creators><creator><creatorName nameType="Personal">Doe, Jane</creatorName><nameIdentifier nameIdentifierScheme="ORCID">0000-0002-1825-0097</nameIdentifier><affiliation>Example</affiliation></creator></creators>
			<titles><title>Data</title><title titleType="Subtitle">more</title></titles><publisher>Pub</publisher><publicationYear>2020</publicationYear>
			<resourceType resourceTypeGeneral="Dataset">Table</resourceType><subjects><subject subjectScheme="DDC">a</subject></subjects>
			<contributors><contributor contributorType="Editor"><contributorName>Roe, Rob</contributorName></contributor></contributors>
			<dates><date dateType="Updated">2021-02-03</date></dates>
			<fundingReferences><fundingReference><funderName>F</funderName><awardNumber>7</awardNumber></fundingReference></fundingReferences>
			<relatedIdentifiers><relatedIdentifier relatedIdentifierType="DOI" relationType="IsPartOf">10.5555/all</relatedIdentifier></relatedIdentifiers></resource>`)},
	}
	d := describe(t, s)
	want := map[string]string{
		"creators[0].name": "Doe, Jane", "creators[0].familyName": "Doe", "creators[0].nameIdentifiers[0].nameIdentifier": "https://orcid.org/0000-0002-1825-0097",
		"creators[0].affiliation[0].name": "Example", "titles[1].titleType": "Subtitle", "publicationYear": "2020", "types.resourceTypeGeneral": "Dataset",
		"contributors[0].contributorType": "Editor", "dates[1].dateType": "Updated", "fundingReferences[0].awardNumber": "7",
		"relatedIdentifiers[0].relationType": "IsPartOf", "subjects[1].subject": "b", "doi": "10.5555/d",
	}
	doc, _ := Named("datacite.json")
	for _, l := range d.Lines(doc) {
		if want[l.Path] == l.Text {
			delete(want, l.Path)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v\nin %+v", want, d.Lines(doc))
	}
}

// CDIF asks for a year and a month at least.
func TestDateModified(t *testing.T) {
	for updated, want := range map[string]string{"2021-02-03": "2021-02-03", "2021-02": "2021-02", "2021": "2024-01-01", "lately": "2024-01-01", "2021-13": "2024-01-01", "2021-02-03T04:05:06.789+01:00": "2021-02-03"} {
		s := Source{Identifier: "oai:x:1", Datestamp: "2024-01-01", Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/d"}}}
		s.Records = []bridge.Record{{Prefix: "datacite", Metadata: []byte(`<resource xmlns="http://datacite.org/schema/kernel-4"><titles><title>Data</title></titles>
			<rightsList><rights>free</rights></rightsList><dates><date dateType="Updated">` + updated + `</date></dates></resource>`)}}
		d := describe(t, s)
		if got := modified(d).Text; got != want {
			t.Errorf("%s: got %q, want %q", updated, got, want)
		}
	}
}
