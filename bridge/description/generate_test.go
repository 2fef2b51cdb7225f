package description

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"fingerpost/bridge"
	"fingerpost/bridge/crosswalk"
	"fingerpost/bridge/text"
	"fingerpost/oaipmh"
)

// formats has a record in each format, in which every element stands that the
// format's crosswalk reads.
var formats = sync.OnceValues(func() (map[string]string, error) {
	files, err := filepath.Glob("../crosswalk/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no cases: %w", err)
	}
	out := map[string]string{}
	for _, f := range files {
		archive, err := txtar.ParseFile(f)
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(filepath.Base(f), ".txtar")] = string(archive.Files[0].Data)
	}
	return out, nil
})

func formatNames(t testing.TB) []string {
	t.Helper()
	list, err := formats()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leaf is an element that has nothing but text.
var leaf = regexp.MustCompile(`<([\w:.-]+)(\s[^<>]*[^<>/])?>([^<>]+)</[\w:.-]+>`)

// plausible are texts that elements of records have.
var plausible = strings.Split(`Doe, Jane|Curriculum Council, Example University|van der Berg, J. M.|2014|2014-03-09|2014-03-09T01:02:03Z|2013/2015|1637-1654|0378-5955|
en|eng|de; fr|salt; water|12-14|12|https://orcid.org/0000-0002-1825-0097|10.5555/12345|https://doi.org/10.5555/12345|https://repo.example.org/9|info:eu-repo/semantics/article|
Dataset|text|application/pdf|123 KB|http://creativecommons.org/licenses/by/4.0/|All rights reserved|-3.5|50 -3.5|361|PhD|A <i>title</i> &amp; more|"quoted" -- dashes|ISSN 0378-5955|
978-3-16-148410-0|publication|Editor|x`, "|")

// generated is an object of which one to three records are held, in formats that
// differ. Elements are left out, repeated, or have another text.
func generated(t *rapid.T, names []string) Source {
	s := Source{Identifier: "oai:repo.example.org:1", Datestamp: "2024-05-06"}
	list, _ := formats()
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 3, rapid.ID).Draw(t, "formats") {
		s.Records = append(s.Records, bridge.Record{Prefix: name, Metadata: []byte(changed(t, list[name]))})
	}
	s.Object = mapped(s)
	return s
}

// mapped is what the mapping makes of records; with a page of its own where they
// state none.
func mapped(s Source) bridge.Object {
	m, err := bridge.NewMapping("https://repo.example.org/oai", bridge.Learn("https://repo.example.org/oai", oaipmh.Identify{}, nil, nil, nil), bridge.Settings{})
	if err != nil {
		panic(err)
	}
	o, err := m.Map(s.Identifier, s.Records, nil)
	if err != nil || o.LandingPage.URL == "" {
		o.LandingPage.URL = "https://repo.example.org/1"
	}
	return o
}

func changed(t *rapid.T, record string) string {
	return leaf.ReplaceAllStringFunc(record, func(element string) string {
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			return ""
		case 1:
			return element + element
		case 2, 3:
			return withText(element, rapid.SampledFrom(plausible).Draw(t, "text"))
		case 4:
			return withText(element, rapid.SampledFrom(hostile[:20]).Draw(t, "hostile"))
		}
		return element
	})
}

func withText(element, text string) string {
	at := leaf.FindStringSubmatchIndex(element)
	return element[:at[6]] + escaped(text) + element[at[7]:]
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // of a strings.Builder
	return b.String()
}

// What is true of the records that we have is true of any other: nothing is
// invented, and the documents have the forms of their formats.
func TestGeneratedRecords(t *testing.T) {
	t.Parallel()
	names := formatNames(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := generated(rt, names)
		d, err := Read(s)
		if err != nil {
			rt.Fatal(err)
		}
		for _, wrong := range inventions(d) {
			rt.Error(wrong)
		}
		for _, wrong := range disagreements(s, d) {
			rt.Error(wrong)
		}
		for _, wrong := range formsOfJSON(d) {
			rt.Error(wrong)
		}
		for _, doc := range Documents {
			if body, ok := d.Render(doc); ok {
				for _, wrong := range formOf(doc, string(body)) {
					rt.Error(wrong)
				}
			}
		}
	})
}

// Where each text is nonsense, only nonsense comes out, in whatever formats.
func TestGeneratedRecordsSubstituted(t *testing.T) {
	t.Parallel()
	names := formatNames(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := generated(rt, names)
		gone := map[string]bool{}
		for i := range s.Records {
			n := 0
			s.Records[i].Metadata = leaf.ReplaceAllFunc(s.Records[i].Metadata, func(element []byte) []byte {
				was := text.Plain(string(leaf.FindSubmatch(element)[3]), longestText)
				if !isFree(was) {
					return element
				}
				gone[was] = true
				n++
				return []byte(withText(string(element), fmt.Sprintf("qx%dzv wq%djk", n, i)))
			})
		}
		d, err := Read(s)
		if err != nil {
			rt.Fatal(err)
		}
		var left strings.Builder
		for _, r := range s.Records {
			left.WriteString(text.Plain(string(r.Metadata), 1<<20))
		}
		for _, doc := range Documents {
			for _, l := range d.Lines(doc) {
				if l.From != nil && len(l.With) == 0 && gone[l.Text] && !tableWords[l.Text] && !strings.Contains(left.String(), l.Text) {
					rt.Errorf("%s: %s is still %q", doc.Name, l.Path, l.Text)
				}
			}
		}
	})
}

// isFree reports whether a text is no word of a table, number, address or date.
func isFree(s string) bool {
	return len(s) > 4 && strings.Contains(s, " ") && !strings.ContainsAny(s, ":/0123456789;") && !tableWords[s]
}

// Without an element nothing is new, but for what stands in its place: another
// statement of its kind, one that a rule puts there, or what another record states.
func TestGeneratedRecordsWithoutAnElement(t *testing.T) {
	t.Parallel()
	names := formatNames(t)
	type deletion struct {
		Source
		record int
		at     []int
	}
	deletions := rapid.Custom(func(t *rapid.T) deletion {
		d := deletion{Source: generated(t, names)}
		d.record = rapid.IntRange(0, len(d.Records)-1).Draw(t, "record")
		whole := d.Records[d.record].Metadata
		elements := slices.DeleteFunc(leaf.FindAllIndex(whole, -1), func(at []int) bool { return saysWhat.Match(whole[at[0]:at[1]]) })
		if len(elements) > 0 {
			d.at = rapid.SampledFrom(elements).Draw(t, "element")
		}
		return d
	})
	for i := range 500 { // always the same
		s := deletions.Example(i)
		if s.at == nil {
			continue
		}
		had, said := allTexts(describe(t, s.Source)), kindsIn(t, s.Records[s.record].Metadata)
		whole, prefix := s.Records[s.record].Metadata, s.Records[s.record].Prefix
		s.Records[s.record].Metadata = slices.Concat(whole[:s.at[0]], whole[s.at[1]:])
		after, says := describe(t, s.Source), kindsIn(t, s.Records[s.record].Metadata)
		for _, doc := range Documents {
			for _, l := range after.Lines(doc) {
				if l.From == nil || len(l.With) > 0 || contained(had, l.Text) || after.prefixes[l.From.Doc] != prefix {
					continue
				}
				if kind := l.From.Kind; said[kind] == says[kind] && !standsIn[kind] {
					t.Errorf("%d: without %s, %s: %s is %q", i, whole[s.at[0]:s.at[1]], doc.Name, l.Path, l.Text)
				}
			}
		}
	}
}

// saysWhat are elements that say how others beside them are meant, or that stand
// in the middle of a text; without a name in its own element the text around it is
// the name.
var saysWhat = regexp.MustCompile(`^<([\w-]+:)?(ObjectType|role|roleTerm|CI_RoleCode|creatorName|contributorName|italic|institution|Abstract)\b`)

// kindsIn counts the statements of each kind.
func kindsIn(t *testing.T, metadata []byte) map[crosswalk.Kind]int {
	t.Helper()
	list, err := crosswalk.Read(metadata, crosswalk.All)
	if err != nil {
		t.Fatal(err)
	}
	out := map[crosswalk.Kind]int{}
	for _, st := range list {
		out[st.Kind]++
	}
	return out
}

// standsIn are the kinds of which a statement is used in place of one of another
// kind.
var standsIn = map[crosswalk.Kind]bool{
	crosswalk.Date: true, crosswalk.Language: true, crosswalk.Source: true, crosswalk.Identifier: true, crosswalk.Degree: true, crosswalk.Type: true,
	crosswalk.FamilyName: true, crosswalk.GivenName: true, crosswalk.Creator: true, crosswalk.Contributor: true,
	crosswalk.Coordinates: true, // of a place that was not whole
}

// allTexts are those of all documents, and what the record states of each kind.
func allTexts(d *Description) string {
	var b strings.Builder
	for _, doc := range Documents {
		for _, l := range d.Lines(doc) {
			b.WriteString(bare(l.Text) + "\n")
		}
	}
	return b.String()
}

func contained(texts, s string) bool { return strings.Contains(texts, bare(s)) }

// Every hostile text stands once in every element and attribute of every format.
func TestHostileTextsInEveryFormat(t *testing.T) {
	t.Parallel()
	list, err := formats()
	if err != nil {
		t.Fatal(err)
	}
	places := regexp.MustCompile(`>([^<>]*[^<>\s][^<>]*)<|\s([a-z]+)="([^"]*)"`)
	tried := 0
	for name, record := range list {
		for i, at := range places.FindAllStringSubmatchIndex(record, -1) {
			from, to := at[2], at[3]
			if from < 0 {
				if from, to = at[6], at[7]; record[at[4]:at[5]] == "xmlns" {
					continue
				}
			}
			h := hostile[i%20]
			s := Source{Identifier: h, Datestamp: "2024-05-06", Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://repo.example.org/1"}, Type: "https://schema.org/Dataset"},
				Records: []bridge.Record{{Prefix: name, Metadata: []byte(record[:from] + escaped(h) + record[to:])}}}
			d, err := Read(s)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			tried++
			for _, wrong := range formsOfJSON(d) {
				t.Errorf("%s: %s", name, wrong)
			}
			for _, doc := range Documents {
				if body, ok := d.Render(doc); ok {
					for _, wrong := range formOf(doc, string(body)) {
						t.Errorf("%s with %q: %s", name, h, wrong)
					}
				}
			}
		}
	}
	t.Logf("%d texts in %d formats", tried, len(list))
}
