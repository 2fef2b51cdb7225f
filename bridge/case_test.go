package bridge

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fingerpost/bridge/element"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/linkset"
)

var update = flag.Bool("update", false, "write what the mapping gives into the cases")

// TestCases maps the records of each case and compares the links. A case is a
// text archive:
//
//	repository   base_url, identifier and what is known or set, one a line
//	PREFIX.xml   a record's metadata in the format with that prefix
//	answer       status, address and headers of an answer, for which "asked" was requested
//	page.html    its page, whose record is one more
//	linkset.json the link set that the page leads to
//	links        the expected links; or "error", why there are none
//	no record    why the page gives none
//	explain      what became of every value; only compared if it is there
func TestCases(t *testing.T) {
	for _, name := range caseFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, archive)
			got := c.run(t)
			if *update {
				if err := os.WriteFile(name, c.with(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if c.want["links"]+c.want["error"] == "" {
				t.Fatal("the case expects neither links nor an error: run it with -update, and read what it writes")
			}
			if _, ok := c.want["explain"]; !ok {
				delete(got, "explain")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want (-) and got (+) differ:\n%s", diff)
			}
		})
	}
}

func caseFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, folder := range [...]string{"testdata/cases", "../testdata/pages"} {
		more, err := filepath.Glob(folder + "/*.txtar")
		if err != nil || len(more) == 0 {
			t.Fatalf("no cases in %s: %v", folder, err)
		}
		files = append(files, more...)
	}
	return files
}

// mappingCase is one text case.
type mappingCase struct {
	archive    *txtar.Archive
	mapping    Mapping
	identifier string
	records    []Record
	noRecord   string // why the landing page gives none
	want       map[string]string
}

func readCase(t testing.TB, archive *txtar.Archive) mappingCase {
	t.Helper()
	c := mappingCase{archive: archive, want: map[string]string{}}
	var sets []string
	c.readPage(t)
	for _, f := range archive.Files {
		prefix, isRecord := strings.CutSuffix(f.Name, ".xml")
		switch {
		case f.Name == "repository":
			sets = c.readRepository(t, string(f.Data))
		case isRecord:
			c.records = append(c.records, Record{Prefix: prefix, Metadata: f.Data})
		case f.Name == "answer", f.Name == "page.html", f.Name == "linkset.json":
		case f.Name == "links", f.Name == "error", f.Name == "explain", f.Name == "no record":
			c.want[f.Name] = string(f.Data)
		default:
			t.Fatalf("file %s has no meaning in a case", f.Name)
		}
	}
	for i := range c.records {
		c.records[i].Sets = sets
	}
	return c
}

// readPage reads the landing page of a case, if there is one.
func (c *mappingCase) readPage(t testing.TB) {
	t.Helper()
	parts := map[string][]byte{}
	for _, f := range c.archive.Files {
		parts[f.Name] = f.Data
	}
	if parts["answer"] == nil {
		return
	}
	p := answered(t, string(parts["answer"]))
	p.Body = bytes.NewReader(parts["page.html"])
	record, err := landingpage.Read(p)
	if set := parts["linkset.json"]; err == nil && set != nil {
		_, mediaType := landingpage.LinkSetOf(record)
		record, err = landingpage.AddLinkSet(record, mediaType, set)
	}
	if err != nil {
		c.noRecord = err.Error() + "\n"
		return
	}
	c.records = append(c.records, Record{Prefix: landingpage.Prefix, Metadata: record})
}

// answered reads what stands before a page: "200 https://…", then its headers,
// and "asked: https://…" if redirects led there.
func answered(t testing.TB, text string) landingpage.Page {
	t.Helper()
	p := landingpage.Page{Header: http.Header{}}
	if _, err := fmt.Sscanf(text, "%d %s\n", &p.Status, &p.URL); err != nil {
		t.Fatalf("answer: %v", err)
	}
	p.Asked = p.URL
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case !ok:
		case key == "asked":
			p.Asked = value
		default:
			p.Header.Add(key, value)
		}
	}
	return p
}

func (c *mappingCase) readRepository(t testing.TB, text string) (sets []string) {
	t.Helper()
	var baseURL string
	learned, settings := Learned{PageFiles: FilesBelieved}, Settings{Pages: true}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "base_url":
			baseURL = value
		case "identifier":
			c.identifier = value
		case "sets":
			sets = strings.Fields(value)
		case "platform":
			learned.Platform = value
		case "own_prefixes":
			learned.OwnPrefixes = strings.Fields(value)
		case "landing_page":
			settings.LandingPage = value
		case "hosts":
			settings.Hosts = strings.Fields(value)
		case "cite_as":
			settings.CiteAs = value
		case "cite_as_published_doi":
			settings.CiteAsPublishedDOI = value == "true"
		case "rule":
			settings.Rules = append(settings.Rules, readRule(t, value))
		default:
			t.Fatalf("repository: %q is not known", key)
		}
	}
	m, err := NewMapping(baseURL, learned, settings)
	if err != nil {
		t.Fatal(err)
	}
	c.mapping = m
	return sets
}

// readRule reads "field -> match -> as -> value -> item -> profile", or less of it.
func readRule(t testing.TB, text string) Rule {
	t.Helper()
	parts := strings.Split(text, " -> ")
	if len(parts) < 3 {
		t.Fatalf("rule %q is not written as: field -> match -> as -> value", text)
	}
	r := Rule{Field: parts[0], Match: parts[1], As: parts[2]}
	for i, to := range []*string{&r.Value, &r.Item, &r.Profile} {
		if i+3 < len(parts) {
			*to = parts[i+3]
		}
	}
	return r
}

// run maps the records and returns what the case may expect.
func (c mappingCase) run(t *testing.T) map[string]string {
	t.Helper()
	var trace Trace
	o, err := c.mapping.Map(c.identifier, c.records, &trace)
	got := map[string]string{"explain": evidence(trace)}
	if c.noRecord != "" {
		got["no record"] = c.noRecord
	}
	var none *NoLandingPageError
	switch {
	case errors.As(err, &none):
		got["error"] = err.Error() + "\n"
	case err != nil:
		got["error"] = err.Error() + "\n"
	default:
		got["links"] = written(Signpost(o, nil, Gateway{}))
	}
	return got
}

// written writes links for people: every anchor, and below it what it links.
func written(set linkset.LinkSet) string {
	var b strings.Builder
	anchor := ""
	for _, l := range set {
		if l.Anchor != anchor {
			anchor = l.Anchor
			fmt.Fprintf(&b, "%s\n", anchor)
		}
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(fmt.Sprintf("%-11s %s %s %s", l.Rel, l.Href, l.Type, l.Profile)))
	}
	return b.String()
}

// evidence writes a trace as text.
func evidence(t Trace) string {
	var b strings.Builder
	for _, e := range t.Evidence {
		if e.Rejected {
			fmt.Fprintf(&b, "no    %s\n      %s: %s\n", e.From, clip(e.Value), e.Reason)
		} else {
			of := ""
			if e.Of != "" {
				of = " of " + e.Of
			}
			fmt.Fprintf(&b, "%-5s %s\n      %s %s%s (%s)\n", "yes", e.From, e.Rel, e.Value, of, e.Rule)
		}
	}
	return b.String()
}

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// with returns the case with what was got in the place of what was expected.
func (c mappingCase) with(got map[string]string) []byte {
	out := &txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if _, expected := c.want[f.Name]; !expected {
			out.Files = append(out.Files, f)
		}
	}
	for _, name := range []string{"no record", "links", "error", "explain"} {
		_, wanted := c.want["explain"]
		if text := got[name]; text != "" && (name != "explain" || wanted) {
			out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	return txtar.Format(out)
}

// dublinCoreValues says where in a record the values stand that lead to links,
// as Evidence.From has it.
func dublinCoreValues(r Record) []string {
	root, err := element.Parse(r.Metadata)
	if err != nil || root.Local() != "dc" {
		return nil
	}
	var out []string
	for e := range root.Children() {
		switch e.Local() {
		case "identifier", "relation", "source", "rights", "type", "format", "creator":
			if e.Text() != "" {
				out = append(out, r.Prefix+" "+e.Path())
			}
		}
	}
	return out
}
