package oaipmh_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// page reads an answer as it would come from a server.
func page(t *testing.T, body string) oaipmh.Page {
	t.Helper()
	p, err := oaipmh.ReadPage([]byte(body), "text/xml")
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return p
}

// titled is a ListRecords of one record with the title given.
func titled(title string) string {
	return oai("<ListRecords><record>" + header("a") + `<metadata><oai_dc:dc xmlns:oai_dc="o" xmlns:dc="d"><dc:title>` +
		title + "</dc:title></oai_dc:dc></metadata></record></ListRecords>")
}

// wantTitle checks the title of the one record, and the count of repairs.
func wantTitle(t *testing.T, body, title string, repairs int) {
	t.Helper()
	p := page(t, body)
	if len(p.Records) != 1 {
		t.Fatalf("%d records, %v bad; want 1 of %q", len(p.Records), p.Bad, body)
	}
	_, rest, _ := strings.Cut(string(p.Records[0].Metadata), "<dc:title>")
	got, _, _ := strings.Cut(rest, "</dc:title>")
	if got != title || p.Repairs != repairs {
		t.Errorf("got title %q with %d repairs, want %q with %d", got, p.Repairs, title, repairs)
	}
}

func TestQuirk22_ControlCharacters(t *testing.T) {
	wantTitle(t, titled("a\x0Bb\x1Ac\x03\td"), "abc\td", 3)
	wantTitle(t, titled("a\uFFFEb\uFFFFc"), "abc", 2)
	wantTitle(t, titled("Ⅻ\u0085\u007F é"), "Ⅻ\u0085\u007F é", 0)
}

func TestQuirk23_IllegalCharacterReferences(t *testing.T) {
	wantTitle(t, titled("a&#x1;b&#11;c&#xfffe;d&#xFFFFFFFFFF;e"), "abcde", 4)
	wantTitle(t, titled("&#55349;&#56320;&#55349;."), "𝐀.", 2)
	wantTitle(t, titled("&#233;&#xE9;&#x1F600;"), "&#233;&#xE9;&#x1F600;", 0)
}

func TestQuirk24_InvalidUTF8(t *testing.T) {
	wantTitle(t, titled("caf\u00e9 \xE2\x82 end"), "café \uFFFD end", 1)
	wantTitle(t, titled("\x81\x8D"), "\uFFFD", 1)
}

func TestQuirk25_Windows1252DeclaredUTF8(t *testing.T) {
	wantTitle(t, titled("caf\xE9 \x96 \x93na\xEFve\x94"), "café – “naïve”", 1)
	other := strings.Replace(titled("\xDCber"), "</ListRecords>", record("ç")+"</ListRecords>", 1)
	p := page(t, other)
	if !strings.Contains(string(p.Records[0].Metadata), "Über") || p.Records[1].Identifier != "ç" {
		t.Errorf("a field in Windows-1252 spoils the others: %s, %s", p.Records[0].Metadata, p.Records[1].Identifier)
	}
}

func utf16(s string, order func(uint16) (byte, byte)) string {
	var b strings.Builder
	for _, r := range s {
		x, y := order(uint16(r))
		b.WriteByte(x)
		b.WriteByte(y)
	}
	return b.String()
}

func TestQuirk26_Encodings(t *testing.T) {
	little := func(u uint16) (byte, byte) { return byte(u), byte(u >> 8) }
	big := func(u uint16) (byte, byte) { return byte(u >> 8), byte(u) }
	declared := func(encoding, title string) string {
		return strings.Replace(titled(title), "UTF-8", encoding, 1)
	}
	undeclared := func(title string) string {
		_, after, _ := strings.Cut(titled(title), "?>")
		return after
	}
	for _, c := range []struct{ name, contentType, body, want string }{
		{"UTF-8 with BOM", "", "\xEF\xBB\xBF" + titled("é"), "é"},
		{"BOM before the prolog's word", "", "\xEF\xBB\xBF" + declared("ISO-8859-1", "é"), "é"},
		{"Latin-1 declared", "", declared("ISO-8859-1", "\xE9"), "é"},
		{"Latin-1 declared, UTF-8 sent", "", declared("iso-8859-1", "é"), "é"},
		{"Latin-2 declared", "", declared("ISO-8859-2", "\xB1"), "ą"},
		{"prolog before header", "text/xml; charset=utf-8", declared("windows-1251", "\xE9"), "й"},
		{"header alone", "text/xml; charset=windows-1251", undeclared("\xE9"), "й"},
		{"header wrong", "text/xml; charset=ISO-8859-1", undeclared("é"), "é"},
		{"Latin-2 declared, UTF-8 sent", "", declared("ISO-8859-2", "ą"), "ą"},
		{"header wrong, beyond Latin", "text/xml; charset=windows-1251", undeclared("й"), "й"},
		{"UTF-8 by chance, in two bytes a letter", "", declared("GBK", "\xC2\xAA"), "陋"},
		{"unknown name", "text/xml; charset=binary", undeclared("é"), "é"},
		{"UTF-16 LE", "", "\xFF\xFE" + utf16(declared("UTF-16", "é"), little), "é"},
		{"UTF-16 BE", "", "\xFE\xFF" + utf16(declared("UTF-16", "é"), big), "é"},
		{"UTF-16 without mark", "", utf16(declared("UTF-16", "é"), big), "é"},
		{"UTF-16 declared, UTF-8 sent", "", declared("UTF-16", "é"), "é"},
	} {
		p, err := oaipmh.ReadPage([]byte(c.body), c.contentType)
		if err != nil || len(p.Records) != 1 {
			t.Errorf("%s: %d records, %v", c.name, len(p.Records), err)
			continue
		}
		if !strings.Contains(string(p.Records[0].Metadata), "<dc:title>"+c.want+"<") || p.Repairs != 0 {
			t.Errorf("%s: got %s with %d repairs, want the title %s with none", c.name, p.Records[0].Metadata, p.Repairs, c.want)
		}
	}
}

func TestQuirk27_JunkBeforeTheDocument(t *testing.T) {
	for junk, repairs := range map[string]int{
		"":           0,
		"\uFEFF":     0,
		"\n\n  ":     1,
		"\uFEFF\r\n": 1,
		"<br />\n<b>Notice</b>: Undefined index in <b>/var/www/oai.php</b><br />\n": 1,
		"Warning: 2 < 3 & OAI-PMH\n": 1,
	} {
		wantTitle(t, junk+titled("x"), "x", repairs)
	}
	_, undeclared, _ := strings.Cut(titled("x"), "?>")
	wantTitle(t, `<!-- made by <OAI-PMH> 1 --><?xml-stylesheet href="a.xsl"?><!DOCTYPE OAI-PMH [<!ENTITY a "<b>">]>`+undeclared, "x", 0)
}

func TestQuirk28_TrailingHTML(t *testing.T) {
	wantTitle(t, titled("x")+"\n<!-- 0.3 s -->\n", "x", 0)
	wantTitle(t, titled("x")+"<div>0.3 s<br></div></body></html>", "x", 1)
}

func TestQuirk29_HTMLPageWithStatus200(t *testing.T) {
	for body, got := range map[string]string{
		"<!DOCTYPE html><html><head><title>Down &amp; out</title></head></html>": `an HTML page titled "Down & out"`,
		"<html><body>OAI-PMH is <b>off</b></body></html>":                        "an HTML page",
		`<?xml version="1.0"?><rss version="2.0"/>`:                              "an XML document whose root is <rss>",
		"Fatal error: out of memory\nin line 1":                                  `text that begins "Fatal error: out of memory"`,
		" \n":                                                                    "an empty body",
	} {
		r := script(list(token("t"), "a"), xml(body))
		d := drain(serve(t, r, oaipmh.Options{}), oaipmh.List{})
		e := wantError[*oaipmh.NotOAIError](t, d.err)
		if e.Got != got || strings.Contains(e.Error(), "usual addresses") || len(d.identifiers) != 1 || len(r.requests) != 7 {
			t.Errorf("got %q after %d requests, want %q after 7", e.Got, len(r.requests), got)
		}
	}
	r := script(xml("<html></html>"))
	_, err := serve(t, r, oaipmh.Options{}).Identify(context.Background())
	if e := wantError[*oaipmh.NotOAIError](t, err); !strings.Contains(e.Error(), "/cgi/oai2 (EPrints)") {
		t.Errorf("%s does not name the usual addresses", e)
	}
	if len(r.requests) != 3 {
		t.Errorf("an address that never answered OAI-PMH was asked %d times, want 3", len(r.requests))
	}
}

func TestQuirk30_PrologInsideRecords(t *testing.T) {
	body := oai("<ListRecords><?xml version='1.0'?><record>" + header("a") + `<metadata><?xml version="1.0" encoding="ISO-8859-1"?>
<!-- <record> --><d xmlns="d"><record><header/></record><![CDATA[</record>]]></d></metadata></record>` + record("b") + "</ListRecords>")
	p := page(t, body)
	if len(p.Records) != 2 || len(p.Bad) != 0 || p.Repairs != 0 {
		t.Fatalf("got %d records, %d bad, %d repairs; want 2, 0, 0", len(p.Records), len(p.Bad), p.Repairs)
	}
	want := `<d xmlns="d"><record><header/></record><![CDATA[</record>]]></d>`
	if got := string(p.Records[0].Metadata); got != want {
		t.Errorf("got metadata %s, want %s", got, want)
	}
}

func TestQuirk31_BareAmpersands(t *testing.T) {
	wantTitle(t, titled("Mud & Sand&nbsp;&eacute;&unknown; AT&T"), "Mud &amp; Sand\u00a0é&amp;unknown; AT&amp;T", 5)
	wantTitle(t, titled("p < 5 & q<.1"), "p &lt; 5 &amp; q&lt;.1", 3)
	wantTitle(t, titled("<![CDATA[a & b &nbsp;]]><!-- & -->&amp;"), "<![CDATA[a & b &nbsp;]]><!-- & -->&amp;", 0)
	wantTitle(t, titled("a <i>b</i> c"), "a <i>b</i> c", 0)
}

func TestQuirk32_OneBrokenRecord(t *testing.T) {
	for name, broken := range map[string]string{
		"unclosed element":   "<record>" + header("x") + "<metadata><d>a<br>b</d></metadata></record>",
		"crossed elements":   "<record>" + header("x") + "<metadata><d><a><b></a></b></d></metadata></record>",
		"no end tag":         "<record>" + header("x") + "<metadata><d/></metadata>",
		"record inside":      "<record>" + header("x") + "<metadata><d><br><record>1</record><record>2</record></d></metadata></record>",
		"open quote":         "<record>" + header("x") + `<metadata><d a="1>2</d></metadata></record>`,
		"open comment":       "<record>" + header("x") + `<metadata><d><!-- </d></metadata></record>`,
		"open CDATA":         "<record>" + header("x") + `<metadata><d><![CDATA[ </d></metadata></record>`,
		"no metadata":        "<record>" + header("x") + "</record>",
		"text as metadata":   "<record>" + header("x") + "<metadata>nothing</metadata></record>",
		"no identifier":      "<record><header><datestamp>2026-01-01</datestamp></header><metadata><d/></metadata></record>",
		"nested very deeply": "<record>" + header("x") + "<metadata>" + strings.Repeat("<d>", 300) + strings.Repeat("</d>", 300) + "</metadata></record>",
	} {
		for _, between := range []string{"", "\n  ", "<!-- next -->"} {
			body := oai("<ListRecords>" + record("a") + between + broken + between + record("b") + record("c") + token("t") + "</ListRecords>")
			p := page(t, body)
			var ids []string
			for _, r := range p.Records {
				ids = append(ids, r.Identifier)
			}
			if got := strings.Join(ids, " "); got != "a b c" || len(p.Bad) != 1 || p.Token.Value != "t" {
				t.Errorf("%s: got records %q, %d bad, token %q; want a b c, 1, t", name, got, len(p.Bad), p.Token.Value)
				continue
			}
			bad := p.Bad[0]
			if !strings.HasPrefix(string(bad.Bytes), broken) || bad.Err == nil || bad.Identifier != "x" && name != "no identifier" {
				t.Errorf("%s: bad record %q (%v) is %q", name, bad.Identifier, bad.Err, bad.Bytes)
			}
		}
	}
}

func TestQuirk32_ABrokenRecordOnAMendedPageIsKeptAsItCame(t *testing.T) {
	broken := func(id, text string) string {
		return "<record>" + header(id) + "<metadata><d>" + text + "<br></d></metadata></record>"
	}
	fine := strings.Replace(record("a"), "<d", "<!-- caf\xE9 \x01 --><d", 1)
	x, y := broken("x", "\x0Bcaf\xE9 \xC3\xA9\xE9 & \x01"), broken("y", "\uFFFF")
	p := page(t, oai("<ListRecords>"+fine+x+"\n "+fine+y+"\n"+token("t")+"</ListRecords>"))
	if len(p.Records) != 2 || len(p.Bad) != 2 || p.Repairs == 0 {
		t.Fatalf("got %d records, %d bad, %d repairs; want 2, 2 and some", len(p.Records), len(p.Bad), p.Repairs)
	}
	for i, want := range []string{x, y} {
		if got := string(p.Bad[i].Bytes); got != want {
			t.Errorf("kept are the bytes %q, want %q", got, want)
		}
	}
}

func TestQuirk32_OnlyOneRecordAndItIsBroken(t *testing.T) {
	p := page(t, oai("<ListRecords><record>"+header("x")+"<metadata><d><br></d></metadata></record>"+token("t")+"</ListRecords>"))
	if len(p.Records) != 0 || len(p.Bad) != 1 || p.Token.Value != "t" {
		t.Errorf("got %d records, %d bad, token %q; want 0, 1, t", len(p.Records), len(p.Bad), p.Token.Value)
	}
	p = page(t, oai("<ListRecords>"+record("a")+"</div>garbage"+record("b")+"</ListRecords>"))
	if len(p.Records) != 2 || len(p.Bad) != 1 || string(p.Bad[0].Bytes) != "</div>garbage" {
		t.Errorf("got %d records and bad %v, want 2 and the garbage between them", len(p.Records), p.Bad)
	}
}

func TestQuirk33_Truncated(t *testing.T) {
	r := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	r.Inject(oaitest.Fault{Kind: oaitest.Trunc, Page: 2, Times: 2})
	drain(serve(t, r, oaipmh.Options{}), oaipmh.List{}).wantAll(t, 30)
	whole := titled("x")
	root := strings.Index(whole, "<OAI-PMH") + len(`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">`)
	for n := root; n < len(whole); n++ {
		if _, err := oaipmh.ReadPage([]byte(whole[:n]), ""); err == nil {
			t.Errorf("cut after %d of %d bytes: no error", n, len(whole))
		}
	}
	_, err := oaipmh.ReadPage([]byte(whole[:len(whole)-20]), "")
	wantError[*oaipmh.TruncatedError](t, err)
}

func TestQuirk34_InheritedNamespaces(t *testing.T) {
	const root = `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="i" xmlns:far='f"f' xmlns:dc="outer">`
	for _, c := range []struct{ record, metadata, inside, want string }{
		{``, ``, `<dc:a/>`, `<dc:a xmlns:dc="outer"/>`},
		{``, ``, `<dc:a xmlns:dc="own"/>`, `<dc:a xmlns:dc="own"/>`},
		{` xmlns:dc="nearer"`, ``, `<dc:a/>`, `<dc:a xmlns:dc="nearer"/>`},
		{` xmlns:dc="nearer"`, ` xmlns:dc = 'nearest'`, `<dc:a/>`, `<dc:a xmlns:dc = 'nearest'/>`},
		{``, ` xmlns:o="o"`, `<o:a xsi:type="far:b"/>`, `<o:a xmlns:far='f"f' xmlns:o="o" xmlns:xsi="i" xsi:type="far:b"/>`},
		{``, ``, `<a/>`, `<a xmlns="http://www.openarchives.org/OAI/2.0/"/>`},
		{``, ` xmlns=""`, `<a/>`, `<a/>`},
		{``, ``, `<dc:title>A</dc:title> <!-- --><dc:type>B</dc:type>`, `<oai_dc:dc xmlns:dc="outer" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"><dc:title>A</dc:title> <!-- --><dc:type>B</dc:type></oai_dc:dc>`},
		{``, ``, `<dc:title xmlns:dc="own">A</dc:title>`, `<oai_dc:dc xmlns:dc="outer" xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"><dc:title xmlns:dc="own">A</dc:title></oai_dc:dc>`},
		{``, ``, `<o:a xmlns:o="o"/><o:title/>`, `<o:a xmlns:o="o"/>`},
		{``, ``, `<a xmlns="own"><b/></a>`, `<a xmlns="own"><b/></a>`},
		{``, ``, `<a xmlns=""/>`, `<a xmlns=""/>`},
		{``, ``, `<o:a xmlns:o="o"><b/></o:a>`, `<o:a xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:o="o"><b/></o:a>`},
		{``, ``, `<o:a xmlns:o="o">dcx</o:a>`, `<o:a xmlns:o="o">dcx</o:a>`},
	} {
		body := root + "<ListRecords><record" + c.record + ">" + header("a") + "<metadata" + c.metadata + ">" + c.inside +
			"</metadata></record></ListRecords></OAI-PMH>"
		p := page(t, body)
		if len(p.Records) != 1 || string(p.Records[0].Metadata) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.inside, p.Records[0].Metadata, p.Bad, c.want)
		}
	}
}

func TestQuirk35_OddNamespaces(t *testing.T) {
	plain := oai("<ListRecords>" + record("a") + token("t") + "</ListRecords>")
	for name, body := range map[string]string{
		"no namespace":    strings.Replace(plain, ` xmlns="http://www.openarchives.org/OAI/2.0/"`, "", 1),
		"wrong namespace": strings.Replace(plain, "OAI/2.0", "OAI/1.1", 1),
		"prefix": `<o:OAI-PMH xmlns:o="http://www.openarchives.org/OAI/2.0/"><o:responseDate>2026-03-01T12:00:00Z</o:responseDate><o:request/>
<o:ListRecords><o:record><o:header><o:identifier>a</o:identifier><o:datestamp>2026-01-01</o:datestamp></o:header>
<o:metadata><d:d xmlns:d="d"/></o:metadata></o:record><o:resumptionToken>t</o:resumptionToken></o:ListRecords></o:OAI-PMH>`,
	} {
		p := page(t, body)
		if len(p.Records) != 1 || p.Token.Value != "t" || !p.ResponseDate.Equal(noon) {
			t.Errorf("%s: got %d records, token %q, date %s", name, len(p.Records), p.Token.Value, p.ResponseDate)
		}
	}
}

func TestQuirk37_HugePages(t *testing.T) {
	r := oaitest.Generated(1000, oaitest.Options{PageSize: 1000})
	d := drain(serve(t, r, oaipmh.Options{MaxBytes: 1 << 20}), oaipmh.List{})
	e := wantError[*oaipmh.TooLargeError](t, d.err)
	if e.Limit != 1<<20 || len(r.Requests()) != 1 {
		t.Errorf("limit %d after %d requests, want %d after 1", e.Limit, len(r.Requests()), 1<<20)
	}
	drain(serve(t, r, oaipmh.Options{}), oaipmh.List{}).wantAll(t, 1000)
}

func TestQuirk74_RecordWithoutHeader(t *testing.T) {
	body := oai("<ListRecords><record><metadata><d/></metadata></record>" + record("a") +
		"<record><header><identifier>b</identifier></header><metadata><d/></metadata></record></ListRecords>")
	p := page(t, body)
	if len(p.Records) != 2 || len(p.Bad) != 1 || p.Records[1].Identifier != "b" || p.Records[1].Datestamp != "" {
		t.Errorf("got %v and bad %v; want a and b, and one bad", p.Records, p.Bad)
	}
}

func TestQuirk70_StatusDecides(t *testing.T) {
	deleted := `<record><header status=" Deleted"><identifier>d</identifier><datestamp>2026-01-01</datestamp></header>
<metadata><d/></metadata></record>`
	p := page(t, oai("<ListRecords>"+deleted+"<record>"+header("live")+"</record></ListRecords>"))
	if len(p.Records) != 1 || !p.Records[0].Deleted || p.Records[0].Metadata != nil {
		t.Errorf("got %+v, want a tombstone without metadata", p.Records)
	}
	if len(p.Bad) != 1 || p.Bad[0].Identifier != "live" {
		t.Errorf("got bad %v, want the live record without metadata", p.Bad)
	}
}

func TestQuirk75_OpaqueIdentifiers(t *testing.T) {
	for in, want := range map[string]string{
		"theses/oai:x:1":      "theses/oai:x:1",
		" \n oai:x:1 \n":      "oai:x:1",
		"oai:x:a b&amp;c":     "oai:x:a b&c",
		"Ünïcode/文 &#x1F600;": "Ünïcode/文 😀",
		"<![CDATA[<a&b>]]>":   "<a&b>",
		"oai:x:<!-- no -->1":  "oai:x:1",
		"//evil/../%2F?a#b":   "//evil/../%2F?a#b",
	} {
		p := page(t, oai("<ListIdentifiers>"+header(in)+"</ListIdentifiers>"))
		if len(p.Records) != 1 || p.Records[0].Identifier != want {
			t.Errorf("%q: got %v, want %q", in, p.Records, want)
		}
	}
	s := script(xml(oai("<GetRecord>" + record("a b&amp;c/ü+%") + "</GetRecord>")))
	rec, err := serve(t, s, oaipmh.Options{}).GetRecord(context.Background(), "a b&c/ü+%", "oai_dc")
	if err != nil || rec.Identifier != "a b&c/ü+%" {
		t.Errorf("got %q, %v", rec.Identifier, err)
	}
	if got := s.requests[0].Form.Get("identifier"); got != "a b&c/ü+%" {
		t.Errorf("asked for %q", got)
	}
}

func TestReadPageNeverFailsOnARecord(t *testing.T) {
	whole := titled("x&amp;y")
	begin := strings.Index(whole, "<record>")
	end := strings.Index(whole, "</ListRecords>")
	for i := begin; i < end; i++ {
		for _, damage := range []string{"", "<", "&", ">", `"`, "</", "<!--", "\x00", "\xFF"} {
			body := whole[:i] + damage + whole[i+1:]
			p, err := oaipmh.ReadPage([]byte(body), "")
			if err != nil {
				t.Fatalf("%q for byte %d: %v", damage, i, err)
			}
			for _, r := range p.Records {
				if !utf8.Valid(r.Metadata) {
					t.Fatalf("%q for byte %d: metadata is not UTF-8", damage, i)
				}
			}
		}
	}
}

func TestGetRecordThatIsBroken(t *testing.T) {
	s := script(xml(oai("<GetRecord><record>" + header("x") + "<metadata><a><b></a></metadata></record></GetRecord>")))
	_, err := serve(t, s, oaipmh.Options{}).GetRecord(context.Background(), "x", "oai_dc")
	bad := wantError[*oaipmh.BadRecord](t, fmt.Errorf("wrapped: %w", err))
	if bad.Identifier != "x" || len(bad.Bytes) == 0 {
		t.Errorf("got %+v", bad)
	}
}
