package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"fingerpost/oaipmh"
)

const plainRecord = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
<dc:title>On the placing of signposts at forks</dc:title>
<dc:creator>Wegener, Ada</dc:creator>
<dc:creator>Pfad, Bertram</dc:creator>
<dc:subject>Orientation</dc:subject>
<dc:subject>Roads</dc:subject>
<dc:description>Where two roads meet, a post with an arm for each of them spares the traveller a question. We count the questions.</dc:description>
<dc:publisher>Fork University</dc:publisher>
<dc:date>2021-03-04T10:11:12Z</dc:date>
<dc:date>2021</dc:date>
<dc:type>Article</dc:type>
<dc:format>application/pdf</dc:format>
<dc:identifier>Wegener, A. and Pfad, B. (2021). On the placing of signposts at forks. Roads 3, 4-9.</dc:identifier>
<dc:identifier>https://repository.fork.example.edu/handle/20.500.12345/678</dc:identifier>
<dc:identifier>https://hdl.handle.net/20.500.12345/678</dc:identifier>
<dc:identifier>https://repository.fork.example.edu/bitstream/20.500.12345/678/1/signposts.pdf</dc:identifier>
<dc:identifier>10.5555/roads.3.4</dc:identifier>
<dc:language>en</dc:language>
<dc:relation>Roads; 3</dc:relation>
<dc:rights>info:eu-repo/semantics/openAccess</dc:rights>
<dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights>
</oai_dc:dc>`

func plainMapping(t testing.TB) Mapping {
	t.Helper()
	m, err := NewMapping("https://repository.fork.example.edu/oai/request", Learned{Platform: "dspace", OwnPrefixes: []string{"20.500.12345"}}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const plainIdentifier = "oai:repository.fork.example.edu:20.500.12345/678"

// TestNothingIsKept maps every case from memory that is used again afterwards,
// as that of a page is.
func TestNothingIsKept(t *testing.T) {
	for _, name := range caseFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, archive)
			want, wantErr := c.mapping.Map(c.identifier, c.records, nil)
			m := c.mapping.Mapper()
			for range 2 { // what a Mapper remembers is looked at too
				records := slices.Clone(c.records)
				for i := range records {
					records[i].Metadata = bytes.Clone(records[i].Metadata)
				}
				got, err := m.Map(c.identifier, records, nil)
				for _, r := range records {
					overwrite(r.Metadata)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("Object (-want +got):\n%s", diff)
				}
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("error %v, want %v", err, wantErr)
				}
			}
		})
	}
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = '#'
	}
}

func BenchmarkMap(b *testing.B) {
	m := plainMapping(b).Mapper()
	records := []Record{{Prefix: "oai_dc", Metadata: []byte(plainRecord)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Map(plainIdentifier, records, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignpost(b *testing.B) {
	o, err := plainMapping(b).Map(plainIdentifier, []Record{{Prefix: "oai_dc", Metadata: []byte(plainRecord)}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	g := Gateway{LinkSetJSON: "https://gateway.example.org/linkset.json", LinkSetText: "https://gateway.example.org/linkset.txt"}
	b.ReportAllocs()
	for b.Loop() {
		Signpost(o, nil, g)
	}
}

// The records of an object arrive in any order, and a trace changes nothing.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	for _, c := range severalRecords(t) {
		want, wantErr := c.mapping.Map(c.identifier, c.records, nil)
		rapid.Check(t, func(t *rapid.T) {
			var trace Trace
			got, err := c.mapping.Map(c.identifier, rapid.Permutation(c.records).Draw(t, "records"), &trace)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("got error %v, want %v", err, wantErr)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("another order gives another object:\n%s", diff)
			}
		})
	}
}

// A mapper forgets one object before the next, and what it made stays as it is.
func TestMapperKeepsItsMemoryToItself(t *testing.T) {
	m := plainMapping(t)
	cases := allCases(t)
	rapid.Check(t, func(t *rapid.T) {
		mapper := m.Mapper()
		drawn := rapid.SliceOfN(rapid.SampledFrom(cases), 1, 20).Draw(t, "cases")
		objects := make([]Object, len(drawn))
		for i, c := range drawn {
			objects[i], _ = mapper.Map(c.identifier, c.records, nil)
		}
		for i, c := range drawn {
			want, _ := m.Map(c.identifier, c.records, nil)
			if diff := cmp.Diff(want, objects[i]); diff != "" {
				t.Fatalf("%s is another object after others:\n%s", c.identifier, diff)
			}
		}
	})
}

// severalRecords are the cases with more than one record.
func severalRecords(t *testing.T) []mappingCase {
	t.Helper()
	out := slices.DeleteFunc(allCases(t), func(c mappingCase) bool { return len(c.records) < 2 })
	if len(out) == 0 {
		t.Fatal("no case has several records")
	}
	return out
}

func allCases(t *testing.T) []mappingCase {
	t.Helper()
	var out []mappingCase
	for _, name := range caseFiles(t) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, readCase(t, archive))
	}
	return out
}

// Every value of the elements that the mapping reads is spoken of.
func TestTraceSpeaksOfEveryValue(t *testing.T) {
	for _, name := range caseFiles(t) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := readCase(t, archive)
		var trace Trace
		if _, err := c.mapping.Map(c.identifier, c.records, &trace); err != nil {
			var none *NoLandingPageError
			if !errors.As(err, &none) {
				continue
			}
		}
		said := map[string]bool{}
		for _, e := range trace.Evidence {
			said[e.From] = true
			if e.Rejected && e.Reason == "" {
				t.Errorf("%s: %s is rejected without a reason", name, e.From)
			}
			if !e.Rejected && e.Rule == "" {
				t.Errorf("%s: %s is accepted without a rule", name, e.From)
			}
		}
		for _, r := range c.records {
			for _, from := range dublinCoreValues(r) {
				if !said[from] {
					t.Errorf("%s: the trace does not speak of %s", name, from)
				}
			}
		}
	}
}

func TestNewMappingRefuses(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings Settings
		want     string
	}{
		{"a regular expression that is none", Settings{Rules: []Rule{{Field: "dc:identifier", Match: "(", As: "item"}}}, "rule 1: match \"(\" is not a regular expression"},
		{"a field without an element", Settings{Rules: []Rule{{Field: "@href", Match: ".", As: "item"}}}, "names no element"},
		{"a purpose that is none", Settings{Rules: []Rule{{Field: "dc:source", Match: ".", As: "homepage"}}}, `as "homepage" is not known; use landing_page`},
		{"a template with an unknown name", Settings{LandingPage: "https://repo.example.edu/{number}"}, "{number} is not known; use {local}"},
		{"a template that is no URL", Settings{LandingPage: "repo.example.edu/{local}"}, "must begin with https://"},
		{"an unknown way to cite", Settings{CiteAs: "title"}, `cite_as "title" is not known`},
		{"an unknown platform", Settings{Platform: "fortran"}, `platform "fortran" is not known`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewMapping("https://repo.example.edu/oai", Learned{}, c.settings)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestLearn(t *testing.T) {
	records := func(n int, identifier, values string) []oaipmh.Record {
		var out []oaipmh.Record
		for i := range n {
			id := strings.ReplaceAll(identifier, "N", string(rune('1'+i)))
			out = append(out, oaipmh.Record{
				Header:   oaipmh.Header{Identifier: id},
				Metadata: []byte(`<dc xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/">` + strings.ReplaceAll(values, "N", string(rune('1'+i))) + `</dc>`),
			})
		}
		return out
	}
	mixed := append(records(5, "oai:a.example.edu:N", "<identifier>10.5555/own.N</identifier>"),
		records(2, "oai:b.example.edu:N", "<identifier>10.6666/else.N</identifier>")...)
	for _, c := range []struct {
		name    string
		base    string
		id      oaipmh.Identify
		formats []oaipmh.MetadataFormat
		sets    []oaipmh.Set
		sample  []oaipmh.Record
		want    Learned
	}{
		{name: "nothing", base: "https://a.example.edu/oai"},
		{name: "platform by the address", base: "https://a.example.edu/cgi/oai2", want: Learned{Platform: "eprints"}},
		{name: "platform by the toolkit", base: "https://a.example.edu/oai", id: oaipmh.Identify{Descriptions: []string{`<toolkit><title>OJS: Open Journal Systems</title></toolkit>`}}, want: Learned{Platform: "pkp"}},
		{name: "platform by a set", base: "https://a.example.edu/oai", sets: []oaipmh.Set{{Spec: "col_1234_5"}}, want: Learned{Platform: "dspace"}},
		{name: "platform by a format", base: "https://a.example.edu/oai", formats: []oaipmh.MetadataFormat{{Prefix: "xoai", Namespace: "http://www.lyncode.com/xoai"}}, want: Learned{Platform: "dspace"}},
		{name: "platform by the identifiers", base: "https://a.example.edu/oai", sample: records(1, "oai:zenodo.org:N", ""), want: Learned{Platform: "zenodo"}},
		{name: "an address like DSpace's, but no Handles for names", base: "https://a.example.edu/oai/request", sample: records(3, "oai:a.example.edu:10.5555/N", "")},
		{name: "an address like DSpace's, and Handles for names", base: "https://a.example.edu/oai/request", sample: records(3, "oai:a.example.edu:21.T15999/N", ""), want: Learned{Platform: "dspace"}},
		{name: "InvenioRDM's address, and its names", base: "https://a.example.edu/oai2d", sample: records(3, "oai:a.example.edu:k0d2p-5vyN1", ""), want: Learned{Platform: "inveniordm"}},
		{name: "Invenio's address alone", base: "https://a.example.edu/oai2d", want: Learned{Platform: "inveniordm"}},
		{name: "an address like Invenio's, but no numbers for names", base: "https://a.example.edu/oai2d", sample: records(3, "oai:a.example.edu:mills_N", "")},
		{name: "a publisher's prefix among others", base: "https://a.example.edu/oai", sample: records(6, "oai:a.example.edu:N", "<identifier>https://doi.org/10.1016/j.N</identifier><identifier>hdl:20.500.1/N</identifier>"), want: Learned{OwnPrefixes: []string{"20.500.1"}}},
		{name: "a publisher's prefix alone", base: "https://a.example.edu/oai", sample: records(6, "oai:a.example.edu:N", "<identifier>https://doi.org/10.1016/j.N</identifier>"), want: Learned{OwnPrefixes: []string{"10.1016"}}},
		{name: "own prefix", base: "https://a.example.edu/oai", sample: records(6, "oai:a.example.edu:N", "<identifier>https://doi.org/10.5555/own.N</identifier><identifier>hdl:20.500.1/N</identifier>"), want: Learned{OwnPrefixes: []string{"10.5555", "20.500.1"}}},
		{name: "own prefix of alternative identifiers", base: "https://a.example.edu/oai", sample: records(6, "oai:a.example.edu:N", "<relation>info:eu-repo/semantics/altIdentifier/doi/10.5555/own.N</relation>"), want: Learned{OwnPrefixes: []string{"10.5555"}}},
		{name: "too few records", base: "https://a.example.edu/oai", sample: records(4, "oai:a.example.edu:N", "<identifier>10.5555/own.N</identifier>")},
		{name: "a prefix in too few of them", base: "https://a.example.edu/oai", sample: mixed},
		{name: "what is related does not count", base: "https://a.example.edu/oai", sample: records(6, "oai:a.example.edu:N", "<relation>10.5555/other.N</relation>")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Learn(c.base, c.id, c.formats, c.sets, c.sample)
			for _, r := range c.sample { // of which nothing is kept
				overwrite(r.Metadata)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want (-) and got (+) differ:\n%s", diff)
			}
		})
	}
}

// Whatever stands in the metadata, the mapping ends, and what it links may be
// linked.
func FuzzMap(f *testing.F) {
	f.Add(plainIdentifier, []byte(plainRecord))
	for _, name := range caseFiles(f) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		c := readCase(f, archive)
		for _, r := range c.records {
			f.Add(c.identifier, r.Metadata)
		}
	}
	rule := Rule{Field: "source", Match: "^(.*)$", As: "item", Value: "$1"}
	m, err := NewMapping("https://repository.fork.example.edu/oai", Learned{OwnPrefixes: []string{"10.5555"}}, Settings{Rules: []Rule{rule}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, identifier string, metadata []byte) {
		var trace Trace
		o, err := m.Map(identifier, []Record{{Prefix: "fuzz", Metadata: metadata}}, &trace)
		if err != nil {
			return
		}
		holds(t, identifier, o)
	})
}

// Aliases are the further persistent identifiers of the object: what a format
// says is its identifier, what stands in dc:identifier, and alternatives.
func TestAliases(t *testing.T) {
	const doi, handle = "https://doi.org/10.5555/12", "https://hdl.handle.net/20.500.99999/12"
	for _, test := range []struct {
		name, metadata string
		want           []string
	}{
		{"identifiers of a format", `<rioxx xmlns="http://www.rioxx.net/schema/v3.0/rioxx/"><identifier>https://repo.example.edu/12</identifier>` +
			`<relation rel="cite-as">` + doi + `</relation><relation rel="cite-as">` + handle + `</relation><relation rel="cite-as">ISBN 978-3-16-148410-0</relation></rioxx>`, []string{handle}},
		{"an alternative identifier", `<dc xmlns="http://purl.org/dc/elements/1.1/"><identifier>https://repo.example.edu/12</identifier><identifier>` + handle + `</identifier>` +
			`<relation>info:eu-repo/semantics/altIdentifier/doi/10.5555/12</relation><relation>https://doi.org/10.5555/13</relation></dc>`, []string{doi}},
	} {
		m, err := NewMapping("https://repo.example.edu/oai", Learned{}, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Map("oai:repo.example.edu:20.500.99999/12", []Record{{Prefix: "x", Metadata: []byte(test.metadata)}}, nil)
		if err != nil || !slices.Equal(o.Aliases, test.want) {
			t.Errorf("%s: cite-as %s, aliases %v, %v, want %v", test.name, o.CiteAs, o.Aliases, err, test.want)
		}
	}
}

// Names of licences, types and identifiers become addresses in a rule, too.
func TestRulesReadNames(t *testing.T) {
	for as, test := range map[string]struct{ value, want string }{
		"license":      {"CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"},
		"type":         {"Thesis", "https://schema.org/Thesis"},
		"cite_as":      {"doi:10.5555/12", "https://doi.org/10.5555/12"},
		"landing_page": {"https://repo.example.edu/12", "https://repo.example.edu/12"},
		"item":         {"a.pdf", ""},
	} {
		r, err := compileRule(Rule{Field: "title", As: as, Value: test.value})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.target(test.value); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s of %q: %q, %v, want %q", as, test.value, got, ok, test.want)
		}
	}
}
