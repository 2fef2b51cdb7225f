package description

import (
	"slices"
	"testing"

	"fingerpost/bridge"
)

// What the links say too has their element and rule; the rest has the element of
// the record, or none.
func TestExplain(t *testing.T) {
	s := oaiDC(`<dc:title>Heights</dc:title><dc:type>Dataset</dc:type><dc:rights>Open</dc:rights>`)
	s.Object.CiteAs, s.Object.Type = "https://doi.org/10.5555/heights", "https://schema.org/Dataset"
	s.Object.Documents = bridge.Citation | bridge.CDIF | bridge.DCAT
	s.Object.Items = []bridge.ContentResource{{URL: "https://repo.example.org/1.csv", MediaType: "text/csv"}}
	links := bridge.Explanation{
		LandingPage: s.Object.LandingPage.URL, PageFrom: "oai_dc dc:identifier", PageRule: "L1",
		Links: []bridge.ExplainedLink{
			{Rel: "cite-as", Href: s.Object.CiteAs, From: "oai_dc dc:identifier[2]", Rule: "C1"},
			{Rel: "type", Href: "https://schema.org/Dataset", From: "oai_dc dc:type", Rule: "DCMI"},
			{Rel: "type", Href: "https://schema.org/AboutPage", From: "fingerpost", Rule: "FAIR Signposting"},
			{Rel: "item", Href: "https://repo.example.org/1.csv", Type: "text/csv", From: "oai_dc dc:identifier[3]", Rule: "I2", TypeFrom: "oai_dc dc:format", TypeRule: "alone"},
		},
	}
	d := describe(t, s)
	for name, want := range map[string][]ExplainedValue{
		"schema.jsonld": {
			{"@id", "https://doi.org/10.5555/heights", "oai_dc dc:identifier[2]", "C1"},
			{"@type[0]", "schema:Dataset", "oai_dc dc:type", "DCMI"},
			{"schema:name", "Heights", "oai_dc dc:title", ""},
			{"schema:url", s.Object.LandingPage.URL, "oai_dc dc:identifier", "L1"},
			{"schema:distribution[0].schema:contentUrl", "https://repo.example.org/1.csv", "oai_dc dc:identifier[3]", "I2"},
			{"schema:distribution[0].schema:encodingFormat[0]", "text/csv", "oai_dc dc:format", "alone"},
			{"schema:distribution[0].@type[0]", "schema:DataDownload", "fingerpost", ""},
			{"schema:dateModified", d.Changed, "the record's datestamp", ""},
		},
		"dcat.jsonld": {
			{"@type[0]", "dcat:Dataset", "oai_dc dc:type", "DCMI"},
			{"dcterms:rights[0]", "Open", "oai_dc dc:rights", ""},
			{"dcat:distribution[0].dcat:mediaType.@id", mediaTypes + "text/csv", "oai_dc dc:format", "alone"},
		},
		"citation.ris": {{"DO", "10.5555/heights", "oai_dc dc:identifier[2]", "C1"}, {"TY", "DATA", "oai_dc dc:type", ""}},
	} {
		doc, _ := Named(name)
		got := d.Explain(doc, links)
		for _, w := range want {
			if !slices.Contains(got.Values, w) {
				t.Errorf("%s: there is no %+v in %+v", name, w, got)
			}
		}
	}
	doc, _ := Named("datacite.json")
	got := d.Explain(doc, links)
	if want := []string{"a creator", "a publisher", "a date of publication that is sure"}; len(got.Values) > 0 || !slices.Equal(got.Missing, want) {
		t.Errorf("datacite.json: got %+v, want %q missing", got, want)
	}
}
