package element

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/oaipmh/oaitest/recorded"
)

const (
	oaiDC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
	dc    = "http://purl.org/dc/elements/1.1/"
)

// record is a plain oai_dc record of about 2 kB.
const record = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
  <dc:title xml:lang="en">Ripple marks &amp; their makers: a field guide to the tidal flats of an invented coast</dc:title>
  <dc:creator>Harrow, Ada</dc:creator>
  <dc:creator>Brandt, Jörg</dc:creator>
  <dc:subject>Geomorphology</dc:subject>
  <dc:subject>Tidal flats</dc:subject>
  <dc:subject>Sedimentology &gt; Bedforms</dc:subject>
  <dc:description>We walked the flats for eleven summers and measured every ripple that would stand still. The crests
    are longer in the north, which nobody had expected; the troughs hold more water than the models allow, and the
    animals that live in them do not mind. A classification in four steps is proposed, with a key for use in the field
    and photographs of the type specimens. Data, drawings and the complete set of profiles are deposited with the text.</dc:description>
  <dc:publisher>University of Example, Department of Shores</dc:publisher>
  <dc:date>2014-05-02T09:12:44Z</dc:date>
  <dc:date>2014</dc:date>
  <dc:type>Article</dc:type>
  <dc:type>PeerReviewed</dc:type>
  <dc:format>application/pdf</dc:format>
  <dc:language>en</dc:language>
  <dc:identifier>https://eprints.example.edu/id/eprint/4711/1/ripples.pdf</dc:identifier>
  <dc:identifier>Harrow, Ada and Brandt, J&#246;rg (2014) Ripple marks &amp; their makers. Journal of Shores, 12 (3). pp. 1-20. ISSN 1234-5679</dc:identifier>
  <dc:relation>https://doi.org/10.5555/shores.2014.12.3</dc:relation>
  <dc:relation>https://eprints.example.edu/id/eprint/4711/</dc:relation>
  <dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights>
</oai_dc:dc>`

func mustParse(t *testing.T, metadata string) Element {
	t.Helper()
	root, err := Parse([]byte(metadata))
	if err != nil {
		t.Fatalf("Parse(%q): %v", metadata, err)
	}
	return root
}

func TestRecord(t *testing.T) {
	if _, ok := scan([]byte(record)); !ok {
		t.Fatal("Scan is in doubt about a plain record")
	}
	root := mustParse(t, record)
	if !root.is(oaiDC, "dc") {
		t.Errorf("root is {%s}%s", root.Space(), root.Local())
	}
	var identifiers []string
	for e := range root.Children() {
		if e.is(dc, "identifier") {
			identifiers = append(identifiers, e.Path()+": "+e.Text())
		}
	}
	want := []string{
		"dc:identifier[1]: https://eprints.example.edu/id/eprint/4711/1/ripples.pdf",
		"dc:identifier[2]: Harrow, Ada and Brandt, Jörg (2014) Ripple marks & their makers. Journal of Shores, 12 (3). pp. 1-20. ISSN 1234-5679",
	}
	if diff := cmp.Diff(want, identifiers); diff != "" {
		t.Errorf("identifiers (-want +got):\n%s", diff)
	}
	title := root.Child("title")
	if got := title.Attr("lang"); got != "en" {
		t.Errorf("xml:lang = %q", got)
	}
	if got := title.Path(); got != "dc:title" {
		t.Errorf("path of the only title = %q", got)
	}
}

// TestText holds for both readers: what a value is, whichever way it is written.
func TestText(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", `<v/>`, ""},
		{"plain", `<v>one two</v>`, "one two"},
		{"white space collapses", "<v>\n  doi:10.5555/1\r\n\t x  y </v>", "doi:10.5555/1 x y"},
		{"no-break and ideographic spaces too", "<v>\u00a0a\u00a0\u3000b</v>", "a b"},
		{"entities are decoded once", `<v>a&amp;amp;b &lt;i&gt; &quot;&apos;</v>`, `a&amp;b <i> "'`},
		{"character references", `<v>J&#246;rg &#x4e2d;&#x1F600;</v>`, "Jörg 中😀"},
		{"descendants are part of it", `<v>a<i>b</i> <b>c<u/>d</b></v>`, "ab cd"},
		{"CDATA", `<v><![CDATA[a <b> & c]]></v>`, "a <b> & c"},
		{"a comment is no text", `<v>a<!-- not <this> -->b</v>`, "ab"},
		{"a processing instruction is no text", `<v>a<?php echo ?>b</v>`, "ab"},
		{"HTML's entities", `<v>a&nbsp;b&eacute;&hellip;</v>`, "a bé…"},
		{"an unknown entity stays", `<v>a &unknown; b</v>`, "a &unknown; b"},
		{"a bare ampersand stays", `<v>R&D, a & b, x=1&y=2</v>`, "R&D, a & b, x=1&y=2"},
		{"a bare less-than stays", `<v>p < 0.05 and n <5</v>`, "p < 0.05 and n <5"},
		{"the end of a CDATA section that never began", `<v>a]]>b</v>`, "a]]>b"},
		{"forbidden characters are dropped", "<v>a\x0bb\x00c\ufffed</v>", "abcd"},
		{"references to forbidden characters too", "<v>a&#11;b&#x0;c&#xFFFF;d</v>", "abcd"},
		{"bytes that are no UTF-8", "<v>a\xe9b</v>", "a\ufffdb"},
		{"declared charset", "<?xml version=\"1.0\" encoding='ISO-8859-1'?>\n<v>caf\xe9</v>", "café"},
		{"bytes beat the declaration", `<?xml version="1.0" encoding="UTF-16"?><v>café</v>`, "café"},
		{"a byte order mark", "\ufeff<v>a</v>", "a"},
		{"a document type and its entities are not expanded", `<!DOCTYPE v [<!ENTITY a "aaaa">]><v>&a;</v>`, "&a;"},
	} {
		if got := mustParse(t, test.in).Text(); got != test.want {
			t.Errorf("%s: Text = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAttr(t *testing.T) {
	root := mustParse(t, `<a xmlns="urn:a" xmlns:x="urn:x" x:href=" one
		two " href='three "&lt;3&gt;"' type="t"/>`)
	for _, test := range []struct{ got, want string }{
		{root.Attr("href"), "one two"},
		{root.Attr("type"), "t"},
		{root.Attr("xmlns"), ""},
		{root.Attr("absent"), ""},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestNamespaces(t *testing.T) {
	root := mustParse(t, `<r xmlns="urn:1" xmlns:p="urn:2">
		<a/><p:b/><p:c xmlns:p="urn:3"><p:d/></p:c><p:e/>
		<f xmlns=""><g/></f><h xmlns="urn:4 "/><lost:i lost:x="1"/><xml:j/><y:k xmlns:y="urn:5"/>
	</r>`)
	var got []string
	for e := range root.Descendants() {
		got = append(got, e.Space()+" "+e.Local())
	}
	want := []string{
		"urn:1 a", "urn:2 b", "urn:3 c", "urn:3 d", "urn:2 e",
		" f", " g", "urn:4 h", " i", xmlNamespace + " j", "urn:5 k",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNavigation(t *testing.T) {
	root := mustParse(t, `<r><creators><creator><id>1</id></creator><creator><id>2</id><id>3</id></creator></creators><z/></r>`)
	var paths []string
	for e := range root.Descendants() {
		paths = append(paths, e.Path())
	}
	want := []string{
		"creators", "creators/creator[1]", "creators/creator[1]/id",
		"creators/creator[2]", "creators/creator[2]/id[1]", "creators/creator[2]/id[2]", "z",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if got := root.Path(); got != "r" {
		t.Errorf("root's path = %q", got)
	}
	if got := root.First("id").Text(); got != "1" {
		t.Errorf("first id = %q", got)
	}
	if root.Child("id").Valid() {
		t.Error("Child finds a grandchild")
	}
	if n := len(slices.Collect(root.Children())); n != 2 {
		t.Errorf("%d children, want 2", n)
	}
}

func TestZeroElement(t *testing.T) {
	var e Element
	if e.Valid() || e.Text() != "" || e.Attr("a") != "" || e.Local() != "" ||
		e.Space() != "" || e.Path() != "" || e.is("", "") || e.Child("a").First("b").Valid() {
		t.Error("the zero Element has something in it")
	}
	for range e.Children() {
		t.Error("the zero Element has a child")
	}
}

func TestBad(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     error
	}{
		{"empty", "", errNotXML},
		{"white space", " \n", errNotXML},
		{"words", "Internal server error", errNotXML},
		{"a comment alone", "<!-- a -->", errNotXML},
		{"truncated", "<a><b>text", errNotXML},
		{"truncated tag", "<a", errNotXML},
		{"truncated comment", "<a><!-- ", errNotXML},
		{"crossed", "<a><b></a></b>", errNotXML},
		{"too deep", strings.Repeat("<a>", maxDepth+1) + strings.Repeat("</a>", maxDepth+1), errTooLarge},
		{"too many elements", "<r>" + strings.Repeat("<a/>", maxElements) + "</r>", errTooLarge},
		{"too many comments", "<r>" + strings.Repeat("<!---->", 2*maxElements) + "</r>", errTooLarge},
		{"too many attributes", "<r " + strings.Repeat("a ", maxAllAttributes) + "/>", errTooLarge},
		{"too many attributes of one element", "<r" + numbered(` a%d=""`, maxAttributes+1) + "/>", errTooLarge},
		{"too many namespaces", "<r" + numbered(` xmlns:a%d="u"`, maxAttributes) + `><r xmlns="u"/></r>`, errTooLarge},
		{"too many bytes", "<r>" + strings.Repeat("a", maxBytes) + "</r>", errTooLarge},
	} {
		if _, err := Parse([]byte(test.in)); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
	deep := strings.Repeat("<a>", maxDepth) + strings.Repeat("</a>", maxDepth)
	if _, ok := scan([]byte(deep)); !ok {
		t.Error("Scan doubts a record that is as deep as it may be")
	}
	if _, err := readTree([]byte(deep)); err != nil {
		t.Errorf("readTree refuses a record that is as deep as it may be: %v", err)
	}
}

// numbered is n copies of a text with a number in it.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// dump writes all that a crosswalk can see of a tree.
func dump(t *tree) string {
	var b strings.Builder
	for i := range t.nodes {
		e := Element{t, int32(i)}
		n := e.node()
		fmt.Fprintf(&b, "{%s}%s %s ^%d <%d %q", e.Space(), e.Local(), n.name, n.parent, n.end, e.Text())
		for _, a := range e.attrs() {
			fmt.Fprintf(&b, " %s:%s=%q", a.prefix, a.local, collapse(a.value))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// agree checks that readTree reads what scan is sure of as scan does.
func agree(t *testing.T, metadata []byte) (scanned bool) {
	t.Helper()
	fast, ok := scan(metadata)
	if !ok {
		return false
	}
	slow, err := readTree(metadata)
	if err != nil {
		t.Fatalf("scan is sure, readTree is not: %v\n%q", err, metadata)
	}
	if diff := cmp.Diff(dump(slow), dump(fast)); diff != "" {
		t.Fatalf("scan differs from readTree (-readTree +scan):\n%s\n%q", diff, metadata)
	}
	return true
}

func FuzzReadersAgree(f *testing.F) {
	for _, s := range []string{
		record, `<a/>`, `<a b="c" d='e'>f<g/>&amp;&#65;&#x42;</a>`, `<p:a xmlns:p="u" xmlns="v" p:b="1" b="2"><c/></p:a>`,
		`<a b="1" b="2"/>`, "<a>\r\n&#13;\u0085\u00a0</a>", `<a>]]></a>`, `<a>&nbsp;&x</a>`, `<?xml version="1.0"?><a/>`,
		`<!DOCTYPE a><a/>`, `<a><![CDATA[x]]><!-- y --></a>`, `<a></a ><b/>`, `<a:b:c/>`, `<é/>`, `<xmlns:a/>`, `<a xmlns:xmlns="x"/>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, metadata []byte) {
		agree(t, metadata)
		root, err := Parse(metadata)
		if err != nil {
			return
		}
		for e := range root.Descendants() {
			if e.Path() == "" {
				t.Errorf("an element without a path in %q", metadata)
			}
		}
	})
}

// TestSamples reads the metadata of recorded answers.
func TestSamples(t *testing.T) {
	read, scanned := 0, 0
	for _, file := range recorded.Files(t) {
		answer, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, metadata := range cut(answer) {
			read++
			if agree(t, metadata) {
				scanned++
			} else if _, err := readTree(metadata); err != nil {
				t.Errorf("%s: %v\n%s", file.Path, err, metadata)
			}
		}
	}
	t.Logf("%d records, %d of them plain", read, scanned)
	if scanned*10 < read*9 {
		t.Errorf("only %d of %d records are plain enough for Scan", scanned, read)
	}
}

// cut returns the metadata in an answer. Declarations made further out are
// lost, which leaves prefixes unbound: both readers must bear that.
func cut(answer []byte) [][]byte {
	var out [][]byte
	for _, m := range regexp.MustCompile(`(?s)<(?:\w+:)?metadata\b[^>]*>(.*?)</(?:\w+:)?metadata\s*>\s*</?(?:\w+:)?(?:record|about)\b`).FindAllSubmatch(answer, -1) {
		out = append(out, m[1])
	}
	return out
}

func BenchmarkParse(b *testing.B) {
	in := []byte(record)
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		var p Parser // as a harvest has it
		for b.Loop() {
			if _, ok := p.scan(in); !ok {
				b.Fatal("in doubt")
			}
		}
	})
	b.Run("etree", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			if _, err := readTree(in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	root, err := Parse([]byte(record))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for e := range root.Children() {
			_ = e.Text()
		}
	}
}
