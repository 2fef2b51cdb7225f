package bridge_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"fingerpost/bridge"
	"fingerpost/bridge/linkset"
	"fingerpost/oaipmh"
)

// TestSamples maps recorded answers of real repositories. They are not part of
// the project: FINGERPOST_SAMPLES names the folder, with a folder for each
// platform. What must hold of every link holds of theirs; the shares that are
// printed are for those who improve the mapping.
func TestSamples(t *testing.T) {
	dir := os.Getenv("FINGERPOST_SAMPLES")
	if dir == "" {
		t.Skip("FINGERPOST_SAMPLES does not name a folder of recorded answers; they are not ours to publish")
	}
	var report strings.Builder
	fmt.Fprintf(&report, "%-18s %-15s %7s %7s %7s %5s %5s %7s %7s\n", "folder", "platform", "records", "landing", "cite-as", "item", "type", "licence", "author")
	total := 0
	for _, folder := range folders(t, dir) {
		counts := map[string]*counted{}
		var names []string
		for _, file := range files(t, filepath.Join(dir, folder)) {
			s := readSample(t, file)
			if len(s.records) == 0 {
				continue
			}
			total += len(s.records)
			learned := bridge.Learn(s.baseURL, oaipmh.Identify{}, nil, nil, s.records)
			if counts[learned.Platform] == nil {
				counts[learned.Platform] = &counted{}
				names = append(names, learned.Platform)
			}
			mapSample(t, s, learned, counts[learned.Platform])
		}
		for _, name := range names {
			fmt.Fprintf(&report, "%-18s %-15s %s\n", folder, name, counts[name])
		}
	}
	t.Log("\n" + report.String())
	if total == 0 {
		t.Errorf("no record was found in %s", dir)
	}
}

// counted is how many of the records have what.
type counted struct{ records, landing, citeAs, item, typ, licence, author int }

func (c counted) String() string {
	of := func(n int) string { return fmt.Sprintf("%d%%", 100*n/max(c.records, 1)) }
	return fmt.Sprintf("%7d %7s %7s %5s %5s %7s %7s", c.records, of(c.landing), of(c.citeAs), of(c.item), of(c.typ), of(c.licence), of(c.author))
}

func (c *counted) add(o bridge.Object) {
	for _, one := range []struct {
		has bool
		n   *int
	}{{true, &c.landing}, {o.CiteAs != "", &c.citeAs}, {len(o.Items) > 0, &c.item}, {o.Type != "", &c.typ}, {o.License != "", &c.licence}, {len(o.Authors) > 0, &c.author}} {
		if one.has {
			*one.n++
		}
	}
}

func mapSample(t *testing.T, s sample, learned bridge.Learned, c *counted) {
	t.Helper()
	m, err := bridge.NewMapping(s.baseURL, learned, bridge.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.records {
		if len(r.Metadata) == 0 {
			continue
		}
		c.records++
		var trace bridge.Trace
		o, err := m.Map(r.Identifier, []bridge.Record{{Prefix: "sample", Sets: r.Sets, Metadata: r.Metadata}}, &trace)
		if verbose := os.Getenv("FINGERPOST_SAMPLES_VERBOSE"); verbose != "" && strings.Contains(s.file, verbose) {
			t.Logf("%s %s %v\n%+v\n%s", s.file, r.Identifier, err, o, evidence(trace))
		}
		if err != nil {
			continue
		}
		c.add(o)
		holds(t, s.file+" "+r.Identifier, o)
	}
}

// holds checks what must hold of every object.
func holds(t testing.TB, name string, o bridge.Object) {
	t.Helper()
	set := bridge.Signpost(o, nil, bridge.Gateway{LinkSetJSON: "https://gateway.example.org/json", LinkSetText: "https://gateway.example.org/text"})
	if len(set) == 0 {
		t.Errorf("%s: no links of %+v", name, o)
	}
	for _, l := range set {
		if err := linkset.Check(l); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		u, err := url.Parse(l.Href)
		if err != nil || !u.IsAbs() || bridge.Placeholder(u.Hostname()) {
			t.Errorf("%s: %s may not be linked", name, l.Href)
		}
	}
	if o.CiteAs == "" || o.CiteAs == o.LandingPage.URL {
		return
	}
	if id, ok := bridge.ParseIdentifier(o.CiteAs); !ok || !id.Persistent() {
		t.Errorf("%s: cite-as %s is no persistent identifier", name, o.CiteAs)
	}
}

// sample is a recorded answer.
type sample struct {
	file, baseURL string
	records       []oaipmh.Record
}

// readSample reads what can be read of an answer; nothing of one that is not
// well-formed, since mending is the harvester's part.
func readSample(t *testing.T, file string) sample {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{file: file}
	doc := etree.NewDocument()
	if _, err := doc.ReadFrom(bytes.NewReader(body)); err != nil || doc.Root() == nil {
		return s
	}
	for _, e := range doc.FindElements("//*[local-name()='request']") {
		s.baseURL = strings.TrimSpace(e.Text())
	}
	for _, e := range doc.FindElements("//*[local-name()='record']") {
		header, metadata := e.SelectElement("header"), e.SelectElement("metadata")
		if header == nil {
			continue
		}
		r := oaipmh.Record{Header: oaipmh.Header{Identifier: strings.TrimSpace(textOf(header, "identifier"))}}
		for _, set := range header.SelectElements("setSpec") {
			r.Sets = append(r.Sets, strings.TrimSpace(set.Text()))
		}
		if metadata != nil && len(metadata.ChildElements()) > 0 {
			r.Metadata = alone(metadata.ChildElements()[0])
		}
		s.records = append(s.records, r)
	}
	return s
}

func textOf(e *etree.Element, name string) string {
	if c := e.SelectElement(name); c != nil {
		return c.Text()
	}
	return ""
}

// alone returns an element as a document that stands alone.
func alone(e *etree.Element) []byte {
	out := e.Copy()
	for p := e.Parent(); p != nil; p = p.Parent() {
		for _, a := range p.Attr {
			if (a.Space == "xmlns" || a.FullKey() == "xmlns") && out.SelectAttr(a.FullKey()) == nil {
				out.CreateAttr(a.FullKey(), a.Value)
			}
		}
	}
	doc := etree.NewDocumentWithRoot(out)
	b, err := doc.WriteToBytes()
	if err != nil {
		return nil
	}
	return b
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
