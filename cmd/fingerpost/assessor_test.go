package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/piprate/json-gold/ld"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/server/edge"
)

// metric is a test of F-UJI 3.5.1: where it reads, and what it has to find there.
// lacks says why it finds nothing, if that is so.
type metric struct {
	name  string
	marks float64
	reads string
	finds func(*assessor) []string
	lacks string
}

// metrics08 are the scored tests of F-UJI's metrics v0.8, 26 marks in all.
var metrics08 = []metric{
	{"F1-01MD-1", 1, "identifier: a URI", inPage("identifier"), ""},
	{"F1-02MD-1", 0.5, "identifier: of a scheme that is persistent", persistent, ""},
	{"F1-02MD-2", 0.5, "where the identifier's resolver redirects to", nothing, "the resolver answers this, neither gateway nor page"},
	{"F2-01M-2", 1, "what a citation needs", allInPage("creator", "title", "identifier", "date", "publisher", "type"), ""},
	{"F2-01M-3", 1, "and what a search needs", allInPage("creator", "title", "identifier", "date", "publisher", "type", "summary", "keywords"), ""},
	{"F3-01M-2", 1, "address of a file", inPage("file"), ""},
	{"F4-01M-1", 2, "schema.org, Dublin Core or DCAT in the page itself", func(a *assessor) []string { return a.embedded.classes("http://schema.org/") }, ""},
	{"A1-01M-1", 1, "conditions of access: a licence alone does not count", inPage("access"), ""},
	{"A1-02MD-1", 1, "the page answers, and with metadata", func(a *assessor) []string { return a.answers(a.page) }, ""},
	{"A1-02MD-2", 1, "the file answers", func(a *assessor) []string { return a.answers(a.embedded.read("file")...) }, ""},
	{"A1.1-01MD-1", 1, "scheme of the page's address", func(a *assessor) []string { return web(a.page) }, ""},
	{"A1.1-01MD-2", 1, "scheme of the file's address", func(a *assessor) []string { return web(a.embedded.read("file")...) }, ""},
	{"A1.2-01MD-1", 1, "scheme of the page's address: it supports authentication", func(a *assessor) []string { return web(a.page) }, ""},
	{"A1.2-01MD-2", 1, "likewise of the file's", func(a *assessor) []string { return web(a.embedded.read("file")...) }, ""},
	{"I1-01M-1, -2", 2, "JSON-LD in the page, or linked", func(a *assessor) []string { return a.described("application/ld+json") }, ""},
	{"I2-01M-2", 2, "a registered namespace that is not schema.org, Dublin Core or FOAF", func(a *assessor) []string { return a.embedded.classes("http://www.w3.org/ns/dcat#") }, ""},
	{"I3-01M-1, -2", 2, "something related, and how", inPage("related"), ""},
	{"R1-01M-1", 1, "type", inPage("type"), ""},
	{"R1-01M-2", 1, "type and size of the file", allInPage("file type", "file size"), ""},
	{"R1.1-01M-1", 1, "licence", inPage("licence"), ""},
	{"R1.2-01M-1", 1, "provenance: who made and published it, and when", allInPage("creator", "publisher", "date", "modified"), ""},
	{"R1.3-01M-3", 1, "namespace of a standard that is listed", func(a *assessor) []string { return a.embedded.classes("http://www.w3.org/ns/dcat#") }, ""},
	{"R1.3-02D-1", 1, "type of the file: an open format", inPage("file type"), ""},
}

// metricsA2A are those of v0.6a2a, which follow Signposting and read Dublin Core
// and DCAT alone.
var metricsA2A = []metric{
	{"F1-01M-1", 1, "identifier: a URI", inDCAT("identifier"), ""},
	{"F1-02M-1", 0.5, "identifier: of a scheme that is persistent", persistent, ""},
	{"F1-02M-2", 0.5, "where the identifier's resolver redirects to", nothing, "the resolver answers this, neither gateway nor page"},
	{"F1-01DD-1", 1, "address of a file", inDCAT("file"), ""},
	{"F1-02DD-1", 1, "a file's own persistent identifier", nothing, "no format that is read states identifiers of files"},
	{"F2-01M-1", 0.5, "describedby", func(a *assessor) []string { return a.described("application/ld+json") }, ""},
	{"F2-01M-3", 1, "what a citation and a search need", allInDCAT("creator", "title", "identifier", "date", "publisher", "type", "summary", "keywords"), ""},
	{"F3-01M-2", 0.5, "address of a file", inDCAT("file"), ""},
	{"F4-01M-1", 1, "Dublin Core or DCAT by Signposting", func(a *assessor) []string { return a.linked.classes("http://www.w3.org/ns/dcat#") }, ""},
}

// TestMetricsOfFUJI stands where the assessor stands: at a landing page behind our
// proxy, of a data set whose record states everything.
func TestMetricsOfFUJI(t *testing.T) {
	a := assess(t)
	a.mark("v0.8", metrics08)
	a.mark("v0.6a2a", metricsA2A)
}

func (a *assessor) mark(version string, metrics []metric) {
	a.t.Helper()
	marks, of := 0.0, 0.0
	for _, m := range metrics {
		found := m.finds(a)
		of += m.marks
		switch {
		case m.lacks == "" && len(found) == 0:
			a.t.Errorf("%s %s: nothing was found: %s", version, m.name, m.reads)
		case m.lacks != "" && len(found) > 0:
			a.t.Errorf("%s %s: %q was found, although %s", version, m.name, found, m.lacks)
		case m.lacks == "":
			marks += m.marks
		}
		a.t.Logf("%-8s %-14s %s: %q %s", version, m.name, m.reads, found, m.lacks)
	}
	a.t.Logf("%s: %v of %v", version, marks, of)
}

// Of the typed nodes, F-UJI takes the one with most properties for the object,
// also where a record states little.
func TestFUJIFindsTheObjectOfASparseRecord(t *testing.T) {
	p, address := publishLookAlikes(t)
	looked := 0
	for _, r := range p.Repositories {
		for o, err := range p.db.Objects(t.Context(), r.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if o.Deleted || o.Documents == 0 {
				continue
			}
			looked++
			for name, needs := range map[string]bridge.Documents{"schema.jsonld": bridge.Citation, "dcat.jsonld": bridge.DCAT} {
				if o.Documents&needs == 0 {
					continue
				}
				body, _ := p.document(t, address+"/"+r.ID+"/"+o.Key+"/metadata/"+name, http.StatusOK)
				if got, want := triplesIn(t, body).main(), cmp.Or(o.CiteAs, o.LandingPage.URL); got != want {
					t.Errorf("%s: in %s %s is taken for the object, want %s", o.Identifier, name, got, want)
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d documents were looked at", looked)
	}
}

func nothing(*assessor) []string { return nil }

func inPage(field string) func(*assessor) []string {
	return func(a *assessor) []string { return a.embedded.read(field) }
}

func allInPage(fields ...string) func(*assessor) []string {
	return func(a *assessor) []string { return a.embedded.readAll(fields) }
}

func inDCAT(field string) func(*assessor) []string {
	return func(a *assessor) []string { return a.linked.read(field) }
}

func allInDCAT(fields ...string) func(*assessor) []string {
	return func(a *assessor) []string { return a.linked.readAll(fields) }
}

func persistent(a *assessor) (out []string) {
	for _, id := range a.embedded.read("identifier") {
		if strings.HasPrefix(id, "https://doi.org/10.") {
			out = append(out, id)
		}
	}
	return out
}

func web(addresses ...string) []string {
	return slices.DeleteFunc(slices.Clone(addresses), func(a string) bool { return !strings.HasPrefix(a, "https://") })
}

// assessor has what F-UJI gathers before it marks.
type assessor struct {
	t        *testing.T
	proxy    *edge.Proxy
	page     string
	links    linkset.LinkSet // of the page, as the link set has them
	embedded triples         // in the page
	linked   triples         // by describedby, in DCAT
}

const dataSetPage = "https://data.example.edu/9"

// assess harvests a data set, and visits its page.
func assess(t *testing.T) *assessor {
	record := recordOf("oai:data.example.edu:9", `<dc:title>Heights of the tide</dc:title><dc:creator>Doe, Jane</dc:creator><dc:creator>Roe, Jan</dc:creator>
		<dc:publisher>Example Data Archive</dc:publisher><dc:date>2021-03-04</dc:date><dc:type>Dataset</dc:type><dc:subject>tides; sea level</dc:subject>
		<dc:description>Heights of the tide at one gauge, every minute of a year, and how they were measured.</dc:description>
		<dc:identifier>`+dataSetPage+`</dc:identifier><dc:identifier>https://doi.org/10.98765/tides.9</dc:identifier>
		<dc:identifier>`+dataSetPage+`/files/tides.csv</dc:identifier><dc:format>text/csv</dc:format><dc:format>2048 bytes</dc:format>
		<dcterms:isPartOf xmlns:dcterms="http://purl.org/dc/terms/">https://doi.org/10.98765/gauges</dcterms:isPartOf>
		<dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights><dc:rights>info:eu-repo/semantics/openAccess</dc:rights>`)
	p, _ := publishServed(t, oaitest.New(oaitest.Options{}, record), func(origin string) []string {
		return []string{"FINGERPOST_REPOSITORIES_0_ID=main", "FINGERPOST_REPOSITORIES_0_OAI_URL=" + origin + "/oai",
			"FINGERPOST_REPOSITORIES_0_MAPPING_HOSTS=data.example.edu", "FINGERPOST_REPOSITORIES_0_MAPPING_OWN_PREFIXES=10.98765"}
	})
	a := &assessor{t: t, proxy: pageProxy(t, p, p.Repositories[0]), page: dataSetPage}
	a.visit(p)
	return a
}

// visit reads the page as F-UJI does: of the header the last line alone, of the link
// sets the first, and in it the links whose anchor is the page's address.
func (a *assessor) visit(p *publication) {
	header, body := a.get(a.page)
	_, script, _ := strings.Cut(scriptIn(body), ">")
	script, _, _ = strings.Cut(script, "</script>")
	a.embedded = triplesIn(a.t, []byte(script))
	lines := header["Link"]
	last, err := linkset.ParseHeader(lines[len(lines)-1:], a.page)
	if err != nil || len(last.Rel("linkset")) != 1 {
		a.t.Fatalf("the last Link line leads to no link set: %q (%v)", lines, err)
	}
	elements, err := linkset.ParseHTML(strings.NewReader(body), a.page)
	if err != nil {
		a.t.Fatal(err)
	}
	first := elements.Rel("linkset")[0]
	if first.Type != "application/linkset+json" {
		a.t.Errorf("the first link set is %s", first.Type)
	}
	set, _ := p.document(a.t, first.Href, http.StatusOK)
	all, err := linkset.ParseJSON(set)
	if err != nil {
		a.t.Fatal(err)
	}
	a.links = all.From(a.page)
	for _, l := range a.links.Rel("describedby") {
		if l.Type == "application/ld+json" && l.Profile == "http://www.w3.org/ns/dcat#" {
			document, _ := p.document(a.t, l.Href, http.StatusOK)
			a.linked = triplesIn(a.t, document)
		}
	}
}

func (a *assessor) get(address string) (http.Header, string) {
	a.t.Helper()
	w := httptest.NewRecorder()
	a.proxy.ServeHTTP(w, httptest.NewRequestWithContext(a.t.Context(), http.MethodGet, address, nil))
	if w.Code != http.StatusOK {
		a.t.Errorf("%s: got %d", address, w.Code)
		return nil, ""
	}
	return w.Header(), w.Body.String()
}

func (a *assessor) answers(addresses ...string) (out []string) {
	for _, address := range addresses {
		if header, _ := a.get(address); header != nil {
			out = append(out, address)
		}
	}
	return out
}

// described are the documents of a type to which the link set leads.
func (a *assessor) described(mediaType string) (out []string) {
	for _, l := range a.links.Rel("describedby") {
		if l.Type == mediaType {
			out = append(out, l.Href)
		}
	}
	return out
}

// triples are a document in JSON-LD as RDF.
type triples []*ld.Quad

func triplesIn(t *testing.T, document []byte) triples {
	t.Helper()
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	found, err := ld.NewJsonLdProcessor().ToRDF(v, ld.NewJsonLdOptions(""))
	if err != nil {
		t.Fatal(err)
	}
	return found.(*ld.RDFDataset).Graphs["@default"]
}

const (
	schemaTerms = "http://schema.org/"
	dcTerms     = "http://purl.org/dc/terms/"
	dcatTerms   = "http://www.w3.org/ns/dcat#"
	rdfType     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
)

// fujiReads are the properties of the object, or of its files, in which F-UJI
// looks for a field.
var fujiReads = map[string][]string{
	"creator": {dcTerms + "creator", schemaTerms + "creator"}, "title": {dcTerms + "title", schemaTerms + "name"},
	"identifier": {dcTerms + "identifier", schemaTerms + "identifier"}, "date": {dcTerms + "issued", schemaTerms + "datePublished"},
	"publisher": {dcTerms + "publisher", schemaTerms + "publisher"}, "summary": {dcTerms + "description", schemaTerms + "description"},
	"keywords": {dcatTerms + "keyword", schemaTerms + "keywords"}, "type": {rdfType}, "modified": {schemaTerms + "dateModified"},
	"licence": {dcTerms + "license", schemaTerms + "license"}, "access": {dcTerms + "accessRights", schemaTerms + "conditionsOfAccess"},
	"related": {schemaTerms + "isPartOf", schemaTerms + "isBasedOn", schemaTerms + "citation"},
	"file":    {schemaTerms + "distribution " + schemaTerms + "contentUrl", dcatTerms + "distribution " + dcatTerms + "downloadURL"},
	"file type": {schemaTerms + "distribution " + schemaTerms + "encodingFormat",
		dcatTerms + "distribution " + dcatTerms + "mediaType"},
	"file size": {schemaTerms + "distribution " + schemaTerms + "contentSize", dcatTerms + "distribution " + dcatTerms + "byteSize"},
}

// read returns the values of a field: literals, addresses, or the names of nodes.
func (g triples) read(field string) (out []string) {
	for _, path := range fujiReads[field] {
		nodes := []string{g.main()}
		for _, property := range strings.Fields(path) {
			nodes = g.follow(nodes, property)
		}
		out = append(out, nodes...)
	}
	return out
}

// readAll returns the values of all fields, and none if one has none.
func (g triples) readAll(fields []string) (out []string) {
	for _, field := range fields {
		found := g.read(field)
		if len(found) == 0 {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

func (g triples) follow(nodes []string, property string) (out []string) {
	for _, q := range g {
		if q.Predicate.GetValue() != property || !slices.Contains(nodes, q.Subject.GetValue()) {
			continue
		}
		if names := g.namesOf(q.Object.GetValue()); len(names) > 0 {
			out = append(out, names...)
			continue
		}
		out = append(out, q.Object.GetValue())
	}
	return out
}

func (g triples) namesOf(node string) (out []string) {
	for _, q := range g {
		if p := q.Predicate.GetValue(); q.Subject.GetValue() == node && node != g.main() && (p == schemaTerms+"name" || p == "http://xmlns.com/foaf/0.1/name") {
			out = append(out, q.Object.GetValue())
		}
	}
	return out
}

// main is the typed node that has most properties.
func (g triples) main() string {
	typed, properties := map[string]bool{}, map[string]int{}
	for _, q := range g {
		properties[q.Subject.GetValue()]++
		typed[q.Subject.GetValue()] = typed[q.Subject.GetValue()] || q.Predicate.GetValue() == rdfType
	}
	best := ""
	for node, n := range properties {
		if typed[node] && (n > properties[best] || n == properties[best] && node < best) {
			best = node
		}
	}
	return best
}

// classes are the types of nodes that a namespace has.
func (g triples) classes(namespace string) (out []string) {
	for _, q := range g {
		if class := q.Object.GetValue(); q.Predicate.GetValue() == rdfType && strings.HasPrefix(class, namespace) {
			out = append(out, class)
		}
	}
	return out
}
