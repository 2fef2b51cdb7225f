package server

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

// described is an object whose record states enough for every document.
var described = bridge.Object{
	LandingPage: bridge.LandingPage{URL: "https://repo.example.org/record/9"}, CiteAs: "https://doi.org/10.1234/nine",
	License: "https://creativecommons.org/licenses/by/4.0/", Type: "https://schema.org/ScholarlyArticle", Year: 2014,
	DescribedBy: []bridge.MetadataResource{{URL: "https://repo.example.org/record/9/ro-crate.json", MediaType: "application/ld+json"}},
	Documents:   bridge.Citation | bridge.CDIF | bridge.DataCite,
}

func saveDescribed(t *testing.T, g *gateway, o bridge.Object, elements string, deleted bool) (key string) {
	t.Helper()
	identifier := identifierOf("described")
	saved := store.Object{Repository: "main", Identifier: identifier, Object: o, Deleted: deleted}
	record := store.Record{Identifier: identifier, Prefix: "oai_dc", Datestamp: "2030-05-06T07:08:09Z", Deleted: deleted}
	if !deleted {
		saved.Prefixes = []string{"oai_dc"}
		record.Metadata = []byte(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` + elements + `</oai_dc:dc>`)
	}
	batch := store.Batch{Objects: []store.Object{saved}, Records: []store.Record{record}, Checkpoint: store.Checkpoint{Repository: "main", Prefix: "oai_dc"}}
	if err := g.db.Save(context.WithoutCancel(t.Context()), "main", batch); err != nil {
		t.Fatal(err)
	}
	g.clock.pass()
	return store.KeyOf(identifier)
}

const enough = `<dc:title>Tides &amp; salt</dc:title><dc:creator>Doe, Jane</dc:creator><dc:publisher>Press</dc:publisher><dc:date>2014</dc:date><dc:rights>CC BY 4.0</dc:rights>`

func TestDocumentsOfAnObject(t *testing.T) {
	g := newGateway(t, nil)
	dataSet := described
	dataSet.Type = "https://schema.org/Dataset"
	dataSet.Documents |= bridge.DCAT
	folder := "/main/" + saveDescribed(t, g, dataSet, enough, false) + "/metadata/"
	for _, doc := range description.Documents {
		status, header, body := g.ask(t, "GET", folder+doc.Name, nil)
		mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
		if status != http.StatusOK || err != nil || mediaType != doc.MediaType || !strings.Contains(body, "Tides") {
			t.Errorf("%s: got %d, %s (%v): %s", doc.Name, status, header.Get("Content-Type"), err, body)
		}
		for name, want := range map[string]string{
			"Link": `<https://repo.example.org/record/9>; rel="describes"; type="text/html"`, "Access-Control-Allow-Origin": "*",
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": locked,
		} {
			if !strings.Contains(strings.Join(header.Values(name), "\n"), want) {
				t.Errorf("%s: %s is %q, want %s", doc.Name, name, header.Values(name), want)
			}
		}
		if status, again, none := g.ask(t, "HEAD", folder+doc.Name, nil); status != http.StatusOK || none != "" || again.Get("ETag") != header.Get("ETag") {
			t.Errorf("%s: HEAD gave %d, %q and %d bytes", doc.Name, status, again.Get("ETag"), len(none))
		}
		for name, value := range map[string]string{"If-None-Match": header.Get("ETag"), "If-Modified-Since": header.Get("Last-Modified")} {
			if status, _, _ := g.ask(t, "GET", folder+doc.Name, http.Header{name: {value}}); status != http.StatusNotModified {
				t.Errorf("%s with %s: got %d", doc.Name, name, status)
			}
		}
	}
	if _, header, _ := g.ask(t, "GET", folder+"cdif.jsonld", nil); header.Get("Content-Type") != `application/ld+json; profile="CDIF1.0"` {
		t.Errorf("CDIF is %s", header.Get("Content-Type"))
	}
	for _, name := range []string{"nothing.json", "schema.json", "oai_dc.bib"} {
		if status, _, _ := g.ask(t, "GET", folder+name, nil); status != http.StatusNotFound {
			t.Errorf("%s: got %d", name, status)
		}
	}
}

// The first describedby is the one that a full header keeps. CDIF's text and
// FAIR Signposting ask for other profiles, so that each has its own address.
func TestDocumentsAreLinked(t *testing.T) {
	g := newGateway(t, nil)
	folder := "https://links.example.org/main/" + saveDescribed(t, g, described, enough, false) + "/metadata/"
	want := []linkset.Link{
		{Href: folder + "schema.jsonld", Type: "application/ld+json", Profile: "https://w3id.org/cdif/discovery/1.1"},
		{Href: folder + "cdif.jsonld", Type: "application/ld+json", Profile: "CDIF1.0"},
		{Href: folder + "datacite.json", Type: "application/vnd.datacite.datacite+json"},
		{Href: folder + "csl.json", Type: "application/vnd.citationstyles.csl+json"},
		{Href: folder + "citation.bib", Type: "application/x-bibtex"},
		{Href: folder + "citation.ris", Type: "application/x-research-info-systems"},
		{Href: "https://repo.example.org/record/9/ro-crate.json", Type: "application/ld+json"},
	}
	path := strings.TrimSuffix(strings.TrimPrefix(folder, "https://links.example.org"), "metadata/")
	_, _, body := g.ask(t, "GET", path+"linkset.json", nil)
	inSet, err := linkset.ParseJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, links := range map[string]linkset.LinkSet{"link set": inSet, "header": g.inHeader(t, described.LandingPage.URL)} {
		got := links.From(described.LandingPage.URL).Rel("describedby")
		for i, w := range want {
			if i >= len(got) || got[i].Href != w.Href || got[i].Type != w.Type || got[i].Profile != w.Profile {
				t.Errorf("%s: describedby %d of %d is not %+v: %+v", name, i, len(got), w, got)
				break
			}
		}
	}
	for _, document := range []string{"schema.jsonld", "cdif.jsonld", "citation.bib"} {
		_, header, _ := g.ask(t, "GET", "/links?uri="+url.QueryEscape(folder+document), nil)
		if !strings.Contains(header.Get("Link"), `rel="describes"`) {
			t.Errorf("the links of %s are %q", document, header.Get("Link"))
		}
	}
	if _, header, _ := g.ask(t, "GET", "/links?uri="+url.QueryEscape(folder+"none.jsonld"), nil); header.Get("Link") != "" {
		t.Errorf("a document that is not there has the links %q", header.Get("Link"))
	}
}

// What the record does not state enough for is not linked, and not there.
func TestDocumentsThatAreNotThere(t *testing.T) {
	g := newGateway(t, nil)
	o := described
	o.Documents = bridge.Citation
	key := saveDescribed(t, g, o, `<dc:title>Tides</dc:title>`, false)
	for _, doc := range description.Documents {
		want := http.StatusNotFound
		if doc.Needs == bridge.Citation {
			want = http.StatusOK
		}
		if status, _, _ := g.ask(t, "GET", "/main/"+key+"/metadata/"+doc.Name, nil); status != want {
			t.Errorf("%s: got %d, want %d", doc.Name, status, want)
		}
		linked := strings.Contains(string(g.inHeader(t, o.LandingPage.URL).JSON()), doc.Name)
		if linked != (want == http.StatusOK) {
			t.Errorf("%s: linked %v", doc.Name, linked)
		}
	}
	saveDescribed(t, g, o, "", true)
	for _, doc := range description.Documents {
		if status, _, _ := g.ask(t, "GET", "/main/"+key+"/metadata/"+doc.Name, nil); status != http.StatusGone {
			t.Errorf("%s of a deleted object: got %d", doc.Name, status)
		}
	}
}

// Documents and metadata are cached until their record changes, though no link
// does.
func TestDocumentsChange(t *testing.T) {
	for document, want := range map[string]string{"citation.ris": "TI  - Waves & salt\r\n", "oai_dc.xml": "Waves &amp; salt"} {
		g := newGateway(t, func(c *Config, options *[]store.Option) { *options = append(*options, store.Now(c.Now)) })
		path := "/main/" + saveDescribed(t, g, described, enough, false) + "/metadata/" + document
		_, before, _ := g.ask(t, "GET", path, nil)
		g.store = nil
		if status, cached, _ := g.ask(t, "GET", path, nil); status != http.StatusOK || cached.Get("ETag") != before.Get("ETag") {
			t.Errorf("%s is not cached: got %d", document, status)
		}
		g.store = g.db
		g.clock.pass()
		saveDescribed(t, g, described, strings.Replace(enough, "Tides", "Waves", 1), false)
		for name, field := range map[string]string{"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"} {
			status, after, body := g.ask(t, "GET", path, http.Header{name: {before.Get(field)}})
			if status != http.StatusOK || !strings.Contains(body, want) || after.Get(field) == before.Get(field) {
				t.Errorf("%s with %s: got %d, %s\n%s", document, name, status, after.Get(field), body)
			}
		}
	}
}
