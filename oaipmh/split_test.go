package oaipmh

import (
	"bytes"
	stdxml "encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// samplePage is a page as a repository sends it, of n records.
func samplePage(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>2026-03-01T12:00:00Z</responseDate><request verb="ListRecords">http://repository.example.org/oai</request>
<ListRecords>
`)
	for i := range n {
		fmt.Fprintf(&b, `<record><header><identifier>oai:repository.example.org:%d</identifier><datestamp>2026-01-01T00:00:00Z</datestamp><setSpec>com_1</setSpec><setSpec>col_2</setSpec></header>
<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
`, i)
		for k := range 22 {
			fmt.Fprintf(&b, "<dc:subject>Subject %d &amp; what belongs to it</dc:subject>\n", k)
		}
		fmt.Fprintf(&b, "<dc:description>%s</dc:description>\n</oai_dc:dc></metadata></record>\n", strings.Repeat("A sentence of the abstract, plain and not short. ", 16))
	}
	b.WriteString("<resumptionToken>next</resumptionToken></ListRecords></OAI-PMH>")
	return b.Bytes()
}

func TestSplitDoesNotAllocate(t *testing.T) {
	a, err := readAnswer(samplePage(100), "", math.MaxInt32)
	if err != nil {
		t.Fatal(err)
	}
	parts, start := 0, a.lexer.pos
	got := testing.AllocsPerRun(20, func() {
		a.lexer.pos = start
		parts = 0
		a.lexer.split(a.verb, 1000, func(*part) { parts++ })
	})
	if parts != 100 || got > 3 {
		t.Errorf("%d parts with %.0f allocations a page, want 100 with 3 at most", parts, got)
	}
}

// TestHostilePagesAreLinear: what is not closed is searched for once, not once
// a record, and what was read in vain is not read again for each record in it.
// The sizes are such that anything quadratic would take minutes.
func TestHostilePagesAreLinear(t *testing.T) {
	const n = 100_000
	const record = "<record><header></header></record>"
	for name, inside := range map[string]string{
		"comments":   strings.Repeat("<record><header/><!-- </record>", n),
		"CDATA":      strings.Repeat("<record><header/><![CDATA[ </record>", n),
		"quotes":     strings.Repeat(`<record><header a="></record>`, n),
		"doctypes":   strings.Repeat("<record><!x </record>", n/10),
		"unclosed":   strings.Repeat("<record><header><a></record>", n),
		"references": "<record><header>" + strings.Repeat("&<!--", n) + "</header></record>",
		"roots":      strings.Repeat("<record><OAI-PMH><header>", n),

		"one comment's end":      strings.Repeat("<record><!--", n) + "-->",
		"rows of comments":       "<record><x></record>" + strings.Repeat("<!--<record>-->", n),
		"records in comments":    "<record><header></header>" + strings.Repeat("<!--<record><header></header>-->", n) + "</x>",
		"a stray tag at the end": strings.Repeat("<!--"+record+"-->", n) + "< ",
		"bare doctypes":          "<record>" + strings.Repeat("<!", n) + "</record>",
	} {
		body := "<OAI-PMH><ListRecords>" + inside + "</ListRecords></OAI-PMH>"
		if p, err := ReadPage([]byte(body), ""); err == nil && len(p.Records) > 0 {
			t.Errorf("%s: %d records", name, len(p.Records))
		}
		_, _ = ReadPage([]byte(strings.Repeat("<!--OAI-PMH", n)+body), "")
	}
}

// TestDeclarationsAreBounded: each record is searched for each namespace that
// is declared around it.
func TestDeclarationsAreBounded(t *testing.T) {
	const n = 20_000
	var root strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&root, ` xmlns:n%d="urn:n"`, i)
	}
	record := "<record><header><identifier>a</identifier></header><metadata><n1:a>n2999:b</n1:a></metadata></record>"
	p, err := ReadPage([]byte("<OAI-PMH"+root.String()+"><ListRecords>"+strings.Repeat(record, n)+"</ListRecords></OAI-PMH>"), "")
	if err != nil || len(p.Records) != n {
		t.Fatalf("%d records, %v, want %d", len(p.Records), err, n)
	}
	if got, want := string(p.Records[0].Metadata), `<n1:a xmlns:n1="urn:n">n2999:b</n1:a>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// referenceReading reads a page with encoding/xml: the identifiers of its records and
// their metadata as a sequence of tokens. ok is false unless the page is an
// answer that is well-formed throughout.
func referenceReading(page []byte) (records map[string]string, ok bool) {
	d := stdxml.NewDecoder(bytes.NewReader(page))
	records = map[string]string{}
	var path []string
	var identifier string
	var tokens strings.Builder
	for {
		t, err := d.Token()
		if err == io.EOF {
			return records, true
		}
		if err != nil {
			return nil, false
		}
		inMetadata := len(path) >= 4 && path[3] == "metadata"
		switch t := t.(type) {
		case stdxml.StartElement:
			path = append(path, t.Name.Local)
		case stdxml.EndElement:
			path = path[:len(path)-1]
			inMetadata = len(path) >= 4 && path[3] == "metadata"
			if len(path) == 2 && t.Name.Local == "record" {
				records[strings.TrimSpace(identifier)] = tokens.String()
				identifier = ""
				tokens.Reset()
			}
		case stdxml.CharData:
			if len(path) == 5 && path[4] == "identifier" && path[3] == "header" {
				identifier += string(t)
			}
			inMetadata = inMetadata && len(path) > 4
		}
		if inMetadata {
			writeToken(&tokens, t)
		}
	}
}

// writeToken writes names with their namespaces, not their prefixes.
func writeToken(b *strings.Builder, t stdxml.Token) {
	switch t := t.(type) {
	case stdxml.StartElement:
		fmt.Fprintf(b, "<%s %s", t.Name.Space, t.Name.Local)
		for _, a := range t.Attr {
			if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
				fmt.Fprintf(b, " %s %s=%q", a.Name.Space, a.Name.Local, a.Value)
			}
		}
		b.WriteByte('>')
	case stdxml.EndElement:
		b.WriteString("</>")
	case stdxml.CharData:
		b.Write(t)
	}
}

func tokensOf(t testing.TB, document []byte) string {
	d := stdxml.NewDecoder(bytes.NewReader(document))
	var b strings.Builder
	for {
		k, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		writeToken(&b, k)
	}
}

func FuzzReadPage(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(string(samplePage(1)), "A sentence of the abstract, plain and not short. ", "")))
	for _, inside := range []string{
		`<record><header><identifier>a</identifier></header><metadata><dc:a/></metadata></record>`,
		`<record xmlns:dc="2"><header status="deleted"><identifier>a</identifier><setSpec>x</setSpec></header></record>`,
		`<record><header><identifier>a</identifier></header><metadata xmlns=""><a dc:b='1"2'><record/><![CDATA[</record>]]></a><!--</metadata>--></metadata><about/></record>`,
		`<record><?xml version="1.0"?><header/><metadata><a>&nbsp;& <br></a></metadata></record><record><header/></record>`,
		`<resumptionToken cursor="0">a&amp;b</resumptionToken>`,
	} {
		f.Add([]byte(`<OAI-PMH xmlns="o" xmlns:dc="1"><ListRecords>` + inside + `</ListRecords></OAI-PMH>`))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		p, err := ReadPage(page, "")
		if err != nil {
			return
		}
		for _, r := range p.Records {
			if r.Identifier == "" || !r.Deleted && r.Metadata == nil && bytes.Contains(page, []byte("ListRecords")) && !bytes.Contains(page, []byte("ListIdentifiers")) {
				t.Fatalf("record %+v", r)
			}
		}
		if p.Repairs > 0 || len(p.Bad) > 0 {
			return
		}
		want, ok := referenceReading(page)
		if !ok || bytes.Contains(page, []byte("<!DOCTYPE")) {
			return
		}
		for _, r := range p.Records {
			tokens, known := want[r.Identifier]
			if !known || r.Metadata == nil || len(want) != len(p.Records) {
				continue
			}
			if got := tokensOf(t, r.Metadata); !strings.HasPrefix(tokens, got) {
				t.Fatalf("record %s stands alone as\n%s\nand in the page as\n%s", r.Identifier, got, tokens)
			}
		}
	})
}

func FuzzHeader(f *testing.F) {
	f.Add("<header><identifier>oai:a:1</identifier><datestamp>2026-01-01</datestamp><setSpec>a:b</setSpec></header>")
	f.Add(`<o:header status='deleted' xmlns:o="o"><o:identifier> &#x41;&amp;<![CDATA[<]]> </o:identifier></o:header>`)
	f.Add("<header><identifier><b>1</b></identifier><identifier>2</identifier><setSpec/></header>")
	f.Fuzz(func(t *testing.T, s string) {
		var h Header
		if err := new(reader).header([]byte(s), &h); err != nil {
			return
		}
		var want struct {
			Status     string   `xml:"status,attr"`
			Identifier []string `xml:"identifier"`
		}
		if stdxml.Unmarshal([]byte(s), &want) != nil || len(want.Identifier) != 1 || strings.ContainsAny(s, "!?") {
			return
		}
		if got := strings.TrimSpace(want.Identifier[0]); !strings.Contains(h.Identifier, got) {
			t.Errorf("got identifier %q, want %q", h.Identifier, got)
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	page := samplePage(100)
	a, err := readAnswer(page, "", math.MaxInt32)
	if err != nil {
		b.Fatal(err)
	}
	start := a.lexer.pos
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		a.lexer.pos = start
		a.lexer.split(a.verb, 1000, func(*part) {})
	}
}

func BenchmarkReadPage(b *testing.B) {
	page := samplePage(100)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if p, err := ReadPage(page, ""); err != nil || len(p.Records) != 100 {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncodingXML is what a page costs that is read token by token with
// the standard library, for comparison.
func BenchmarkEncodingXML(b *testing.B) {
	page := samplePage(100)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		d := stdxml.NewDecoder(bytes.NewReader(page))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}
