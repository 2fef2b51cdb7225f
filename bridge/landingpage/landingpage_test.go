package landingpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"fingerpost/bridge/element"
	"fingerpost/bridge/linkset"
)

const address = "https://repo.example.edu/12"

// answer is a page as a server sends it.
func answer(body string, headers ...string) Page {
	p := Page{Asked: address, URL: address, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: strings.NewReader(body)}
	for i := 0; i < len(headers); i += 2 {
		p.Header.Set(headers[i], headers[i+1])
	}
	return p
}

// stated reads a page, and returns what its record has at places such as
// "meta/citation_doi", all of one place in one line.
func stated(t *testing.T, p Page) map[string]string {
	t.Helper()
	record, err := Read(p)
	if err != nil {
		t.Fatal(err)
	}
	return placesOf(t, record)
}

func placesOf(t *testing.T, record []byte) map[string]string {
	t.Helper()
	root, err := element.Parse(record)
	if err != nil {
		t.Fatalf("%v in\n%s", err, record)
	}
	out := map[string]string{}
	for e := range root.Descendants() {
		if leaf := e.Text(); leaf != "" && !hasChild(e) {
			path := strings.Trim(indexes.Replace(e.Path()), " ")
			out[path] = strings.TrimSpace(out[path] + " " + leaf)
		}
	}
	out["base"] = BaseOf(root)
	return out
}

// indexes are the numbers of siblings, of which these tests have few.
var indexes = strings.NewReplacer("[1]", "", "[2]", "", "[3]", "", "[4]", "")

func hasChild(e element.Element) bool {
	for range e.Children() {
		return true
	}
	return false
}

const work = `<meta name="citation_doi" content="10.99999/12">`

func TestWhatIsRead(t *testing.T) {
	for _, tt := range []struct{ name, page, place, want string }{
		{"a name in capitals", `<META NAME="Citation_DOI" CONTENT="10.99999/1">`, "meta/Citation_DOI", "10.99999/1"},
		{"a name in property", `<meta property="citation_pdf_url" content="a.pdf">`, "meta/citation_pdf_url", "a.pdf"},
		{"content misspelt", `<meta name="citation_pdf_url" contents="a.pdf">`, "meta/citation_pdf_url", "a.pdf"},
		{"a colon in the name", `<meta name="dc:identifier" content="doi:10.99999/1">`, "meta/dc.identifier", "doi:10.99999/1"},
		{"references in the value", `<meta name="citation_pdf_url" content="a?b=1&amp;c=2">`, "meta/citation_pdf_url", "a?b=1&c=2"},
		{"in the body", `</head><body><div><meta name="citation_pdf_url" content="a.pdf"></div>`, "meta/citation_pdf_url", "a.pdf"},
		{"several types of one link", work + `<link rel="Item canonical" href="a">`, "link/item", "a"},
		{"an inbox", work + `<link rel="http://www.w3.org/ns/ldp#inbox" href="/in">`, "link/inbox", "/in"},
		{"a base", work + `<base href="/files/">`, "base", "https://repo.example.edu/files/"},
		{"no references", work + `<meta name="citation_reference" content="10.99998/7">`, "meta/citation_reference", ""},
		{"no Open Graph", work + `<meta property="og:url" content="https://repo.example.edu/7">`, "meta/og.url", ""},
		{"nothing in a comment", work + `<!-- <meta name="citation_pdf_url" content="a.pdf"> -->`, "meta/citation_pdf_url", ""},
		{"nothing in a script", work + `<script>var a = '<meta name="citation_pdf_url" content="a.pdf">'</script>`, "meta/citation_pdf_url", ""},
		{"nothing in a template", work + `<template><meta name="citation_pdf_url" content="a.pdf"></template>`, "meta/citation_pdf_url", ""},
		{"what is behind a template", `<template><b></b></template><meta name="citation_pdf_url" content="a.pdf">`, "meta/citation_pdf_url", "a.pdf"},
		{"no link for a device", work + `<link rel="alternate" media="handheld" type="application/pdf" href="/m">`, "link/alternate", ""},
		{"no page in another language", work + `<link rel="alternate" hreflang="de" type="application/pdf" href="/de">`, "link/alternate", ""},
		{"no icon", work + `<link rel="alternate icon" type="image/png" href="/i">`, "link/alternate", ""},
		{"licences of the body, each once", work + `<body><a rel="license" href="/l">a</a><a rel="nofollow License" href="/l">b</a>`, "a/license", "/l"},
		{"a value as long as a page is none", work + `<meta name="citation_pdf_url" content="` + strings.Repeat("a", longestValue+1) + `">`, "meta/citation_pdf_url", ""},
		{"a name that is no name", work + `<meta name="citation_<b>" content="a">`, "meta/citation_<b>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := stated(t, answer(tt.page)); got[tt.place] != tt.want {
				t.Errorf("%s is %q, want %q, of %q", tt.place, got[tt.place], tt.want, got)
			}
		})
	}
}

func TestJSONLDIsReadLeniently(t *testing.T) {
	const article = `"@type":"ScholarlyArticle","url":"https://repo.example.edu/12"`
	for _, tt := range []struct{ name, block, place, want string }{
		{"as it should be", `{` + article + `,"license":"l"}`, "json-ld/license", "l"},
		{"with a byte order mark", "\uFEFF{" + article + "}", "json-ld/url", address},
		{"in a comment of HTML", "\n<!--\n{" + article + "}\n-->\n", "json-ld/url", address},
		{"in CDATA", "\n//<![CDATA[\n{" + article + "}\n//]]>\n", "json-ld/url", address},
		{"with line breaks in a string", "{" + article + ",\"license\":\"a\nb\"}", "json-ld/license", "a b"},
		{"with commas at the end", `{` + article + `,"author":[{"@id":"a",},],}`, "json-ld/author/id", "a"},
		{"with commas in a string", `{` + article + `,"license":"a,]",}`, "json-ld/license", "a,]"},
		{"with references in a value", `{` + article + `,"license":"?a=1&amp;b=2"}`, "json-ld/license", "?a=1&b=2"},
		{"in a list", `[{` + article + `}]`, "json-ld/url", address},
		{"in a graph", `{"@graph":[{"@type":"WebSite","url":"s"},{` + article + `}]}`, "json-ld/url", address},
		{"as the main entity", `{"@type":"WebPage","url":"p","mainEntity":{` + article + `}}`, "json-ld/url", address},
		{"with addresses for names", `{"http://schema.org/license":"l","@type":"https://schema.org/Dataset"}`, "json-ld/license", "l"},
		{"with several types", `{"@type":["Thing","Dataset"],"license":"l"}`, "json-ld/license", "l"},
		{"not what it is part of", `{` + article + `,"isPartOf":{"@type":"Book","license":"l"}}`, "json-ld/isPartOf/license", ""},
		{"not what is cited", `{` + article + `,"citation":[{"@type":"Article","url":"c"}]}`, "json-ld/citation/url", ""},
		{"a picture", `{"@type":"ImageObject","contentUrl":"c"}`, "json-ld/contentUrl", "c"},
		{"not a picture that adorns the page", `{"@graph":[{"@type":"WebPage","url":"p"},{"@type":"ImageObject","contentUrl":"c"}]}`, "json-ld/contentUrl", ""},
		{"not a site", `{"@type":"WebSite","license":"l"}`, "json-ld/license", ""},
		{"not with other quotation marks", `{'@type':'Article','license':'l'}`, "json-ld/license", ""},
		{"not what is cut off", `{` + article + `,"license":"l"`, "json-ld/license", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := stated(t, answer(work+`<script type="application/ld+json">`+tt.block+`</script>`))
			if got[tt.place] != tt.want {
				t.Errorf("%s is %q, want %q, of %q", tt.place, got[tt.place], tt.want, got)
			}
		})
	}
}

func TestCharacterSets(t *testing.T) {
	const name = "meta/DC.rights"
	page := func(s string) string { return work + `<meta name="DC.rights" content="` + s + `">` }
	for _, tt := range []struct{ name, body, contentType, want string }{
		{"by the header", page("\xe9t\xe9"), "text/html; charset=iso-8859-1", "été"},
		{"by the meta element", `<meta charset="windows-1251">` + page("\xe4\xe0"), "text/html", "да"},
		{"by the byte order mark, whatever the header says", "\uFEFF" + page("été"), "text/html; charset=iso-8859-1", "été"},
		{"in UTF-16", "\xff\xfe" + utf16(page("été")), "text/html", "été"},
		{"by the bytes, far behind the beginning", strings.Repeat(" ", 5000) + page("été"), "text/html", "été"},
		{"by nothing", page("\xe9t\xe9 \x80"), "text/html", "été €"},
		{"broken", page("a\xffb"), "text/html; charset=utf-8", "a\uFFFDb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := stated(t, answer(tt.body, "Content-Type", tt.contentType))[name]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// utf16 writes what has no character beyond the first plane, low byte first.
func utf16(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestPagesWithoutARecord(t *testing.T) {
	const text = "A page with text for people, about the works that this site has and about those who made them; none of it is for machines. "
	long := strings.Repeat(text, 20)
	elsewhere := func(url string) Page {
		p := answer(work)
		p.URL = url
		return p
	}
	status := func(code int, body string) Page {
		p := answer(body)
		p.Status = code
		return p
	}
	for _, tt := range []struct {
		name string
		page Page
		want error
	}{
		{"a PDF", answer("%PDF-1.7\n", "Content-Type", "application/pdf"), ErrNotHTML},
		{"a PDF that is said to be HTML", answer("%PDF-1.7\n" + work), ErrNotHTML},
		{"JSON", answer(`{"citation_doi":"10.99999/1"}`, "Content-Type", "application/json"), ErrNotHTML},
		{"bytes of no known type", answer("\x00\x01\x02" + work), ErrNotHTML},
		{"nothing is said, and it is text", answer("10.99999/1", "Content-Type", ""), ErrNotHTML},
		{"nothing at all", answer(""), ErrEmpty},
		{"an error text with status 200", answer("<h1>Error</h1>" + long), ErrEmpty},
		{"the site's licence alone", answer(long + `<a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC</a>`), ErrEmpty},
		{"Open Graph alone", answer(`<meta property="og:url" content="https://repo.example.edu/12">` + long), ErrEmpty},
		{"frames", answer(`<frameset cols="20%,80%"><frame src="menu.html"><frame src="12.html"></frameset>`), ErrEmpty},
		{"a shell", answer(`<div id="root"></div><script src="app.js"></script><noscript>` + long + `</noscript>`), ErrShell},
		{"a shell is empty", answer(`<ds-app></ds-app>` + long), ErrEmpty},
		{"a form for a password", answer(`<form><input type="password"></form>`), ErrLogin},
		{"a form beside text", answer(long + `<form><input type="password"></form>`), ErrEmpty},
		{"redirects to log in", elsewhere("https://repo.example.edu/password-login"), ErrLogin},
		{"redirects for cookies", elsewhere("https://repo.example.edu/12?cookieAbsent=1"), ErrLogin},
		{"redirects to the front page", elsewhere("https://repo.example.edu/"), ErrFront},
		{"two DOIs", answer(work + `<meta name="citation_doi" content="10.99999/13">`), ErrSeveral},
		{"two records of an EPrints", answer(`<meta name="eprints.eprintid" content="1"><meta name="eprints.eprintid" content="2">`), ErrSeveral},
		{"not found", status(404, work), &StatusError{404}},
		{"unavailable", status(503, work), &StatusError{503}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record, err := Read(tt.page)
			var got *StatusError
			want, isStatus := tt.want.(*StatusError)
			switch {
			case isStatus && errors.As(err, &got) && *got == *want:
			case !isStatus && errors.Is(err, tt.want):
			default:
				t.Errorf("got %v, want %v, and %s", err, tt.want, record)
			}
		})
	}
}

func TestOneWorkIsNotSeveral(t *testing.T) {
	for _, page := range []string{
		work + `<meta name="citation_doi" content="https://doi.org/10.99999/12">`,
		work + `<meta name="citation_doi" content="doi:10.99999/12"><meta name="citation_abstract_html_url" content="/a"><meta name="citation_abstract_html_url" content="/b">`,
		work + `<meta name="DC.title" content="a"><meta name="DC.title" content="b">`,
	} {
		if _, err := Read(answer(page)); err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
}

func TestWalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		page Page
		wall bool
	}{
		{"Cloudflare's header", answer(work, "Cf-Mitigated", "challenge"), true},
		{"Amazon's header", answer(work, "X-Amzn-Waf-Action", "captcha"), true},
		{"Anubis", answer(`<title>Making sure</title><meta property="og:title" content="a"><script id="anubis_challenge"></script>`), true},
		{"Anubis by its style", answer(`<title>a</title><link rel="stylesheet" href="/.within.website/x/xess.css">`), true},
		{"Cloudflare's title", answer(`<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b"></script>`), true},
		{"Cloudflare's refusal", answer(`<title>Attention Required! | Cloudflare</title><p>/cdn-cgi/`), true},
		{"Cloudflare's script without a title", answer(`<html><body><script>window.__CF$cv$params={r:'1'}</script>`), true},
		{"ALTCHA and nothing else", answer(`<title>Check</title><altcha-widget></altcha-widget>`), true},
		{"403 with a short page", Page{URL: address, Asked: address, Status: 403, Body: strings.NewReader("no")}, true},
		{"429 that does not say when", Page{URL: address, Asked: address, Status: 429, Body: strings.NewReader("no")}, true},

		{"429 that says when", Page{URL: address, Asked: address, Status: 429, Header: http.Header{"Retry-After": {"60"}}, Body: strings.NewReader("no")}, false},
		{"a page behind Cloudflare", answer(work + `<title>Tides</title><script src="/cdn-cgi/challenge-platform/x.js"></script>`), false},
		{"a page with a script of Cloudflare", answer(work + `<script>window.__CF$cv$params={r:'1'}</script>`), false},
		{"a page with a form that asks for a captcha", answer(work + `<form><div class="g-recaptcha"></div></form>`), false},
		{"a page that asks for JavaScript", answer(work + `<noscript>Please enable JavaScript</noscript>`), false},
		{"a page that search engines shall leave out", answer(work + `<meta name="robots" content="noindex">`), false},
		{"a page about Anubis", answer(work + `<p>/.within.website/`), false},
		{"a page whose server asks for patience", answer(work, "Retry-After", "6"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(tt.page)
			var wall *WallError
			if errors.As(err, &wall) != tt.wall {
				t.Errorf("got %v, want a wall: %t", err, tt.wall)
			}
		})
	}
}

func TestLinksOfHeaders(t *testing.T) {
	p := answer("<title>a</title>", "Link", `<a.pdf>; rel="item"; type="application/pdf", https://creativecommons.org/licenses/by/4.0/;rel="license", `+
		`<https://doi.org/10.99999/12>;rel="cite-as", <b.pdf>; rel="item"; anchor="https://repo.example.edu/13"`)
	got := stated(t, p)
	if got["header/item"] != "https://repo.example.edu/a.pdf" || got["header/cite-as"] != "https://doi.org/10.99999/12" {
		t.Errorf("got %q", got)
	}
}

// What this gateway, or another, adds to a page is not what the page states.
func TestLinksOfAGatewayArePassedOver(t *testing.T) {
	const set = "https://links.example.org/repo/0f/linkset"
	added := linkset.LinkSet{
		{Anchor: address, Rel: "license", Href: "https://creativecommons.org/licenses/by/4.0/"},
		{Anchor: address, Rel: "linkset", Href: set + ".json", Type: typeJSON},
		{Anchor: address, Rel: "linkset", Href: set + ".txt", Type: typeText},
	}
	got := stated(t, answer(work+`<link rel="alternate" type="application/pdf" href="a.pdf">`+string(added.HTML())+
		`<script type="application/ld+json">{"@type":"Article","license":"l"}</script>`, "Link", added.Joined()))
	for place := range got {
		switch place {
		case "meta/citation_doi", "link/alternate", "base":
		default:
			t.Errorf("%s is read: %q", place, got[place])
		}
	}
	files := linkset.LinkSet{added[0], {Anchor: address, Rel: "item", Href: set + ".json"}, {Anchor: address, Rel: "linkset", Href: set + ".txt"}}
	if got := stated(t, answer(work, "Link", files.Joined())); got["header/license"] == "" {
		t.Errorf("a file called linkset.json is taken for a gateway's link set: %q", got)
	}
	got = stated(t, answer(work, "Link", added[:2].Joined()))
	if got["header/license"] == "" {
		t.Errorf("the page's own license is not read: %q", got)
	}
}

func TestLinkSets(t *testing.T) {
	const json = `{"linkset":[{"anchor":"https://repo.example.edu/12/","item":[{"href":"https://repo.example.edu/a"}]},{"anchor":"https://repo.example.edu/13","item":[{"href":"https://repo.example.edu/b"}]}]}`
	const text = `<https://repo.example.edu/a>; rel="item"; anchor="https://repo.example.edu/12"`
	for _, tt := range []struct{ name, page, address, mediaType, sent, body, want string }{
		{"in JSON", `<link rel="linkset" type="application/linkset+json" href="/l">`, "https://repo.example.edu/l", typeJSON, typeJSON + "; charset=utf-8", json, "https://repo.example.edu/a"},
		{"in text", `<link rel="linkset" type="application/linkset" href="/l">`, "https://repo.example.edu/l", typeText, typeText, text, "https://repo.example.edu/a"},
		{"in JSON rather than text", `<link rel="linkset" type="application/linkset" href="/t"><link rel="linkset" type="application/linkset+json" href="/j">`,
			"https://repo.example.edu/j", typeJSON, "application/json", json, "https://repo.example.edu/a"},
		{"of no type", `<base href="/x/"><link rel="linkset" href="l">`, "https://repo.example.edu/x/l", typeJSON, typeJSON, json, "https://repo.example.edu/a"},
		{"of another page", `<link rel="linkset" href="/l">`, "https://repo.example.edu/l", typeJSON, typeJSON, `{"linkset":[{"anchor":"https://repo.example.edu/13","item":[{"href":"https://x.example/"}]}]}`, ""},
		{"that is none", `<link rel="linkset" href="/l">`, "https://repo.example.edu/l", typeJSON, typeJSON, `<html>`, ""},
		{"of no page", work, "", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record, err := Read(answer(tt.page))
			if err != nil {
				t.Fatal(err)
			}
			address, mediaType := LinkSetOf(record)
			if address != tt.address || mediaType != tt.mediaType {
				t.Errorf("%s %s, want %s %s", address, mediaType, tt.address, tt.mediaType)
			}
			whole, err := AddLinkSet(record, tt.sent, []byte(tt.body))
			switch {
			case tt.want == "" && !errors.Is(err, ErrNoLinks):
				t.Errorf("got %v, want ErrNoLinks", err)
			case tt.want != "" && placesOf(t, whole)["linkset/item"] != tt.want:
				t.Errorf("got %s, %v", whole, err)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	for _, tt := range []struct{ ref, want string }{
		{"a.pdf", "https://repo.example.edu/12/a.pdf"},
		{"//files.example.edu/a.pdf", "https://files.example.edu/a.pdf"},
		{"https://repo.example.edu/a b.pdf", "https://repo.example.edu/a b.pdf"}, // as the page has it
		{" http://repo.example.edu:80/a.pdf;jsessionid=0F?x=1 ", "http://repo.example.edu/a.pdf?x=1"},
		{"https://repo.example.edu:443", "https://repo.example.edu"},
		{"https://repo.example.edu/a.pdf/", "https://repo.example.edu/a.pdf"},
		{"", ""},
		{"http://[", "http://["},
		{"%zz", ""},
	} {
		if got := Resolve("https://repo.example.edu/12/", tt.ref); got != tt.want {
			t.Errorf("Resolve(%q) = %q, want %q", tt.ref, got, tt.want)
		}
	}
}

// endless is a page without an end; it counts what is read of it.
type endless struct {
	part string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.part)
	}
	e.read += n
	return n, nil
}

func TestPagesAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"hasPart":`, 5000) + "1" + strings.Repeat("}", 5000)
	for name, page := range map[string]string{
		"no end":               "<p>",
		"a tag without an end": "<meta name=",
		"tags":                 `<meta name="citation_pdf_url" content="https://repo.example.edu/a.pdf">`,
		"references":           `<meta name="citation_reference" content="a">`,
		"links":                `<link rel="item" href="a">`,
		"licences":             `<a rel="license" href="a">`,
		"a long text":          "<p>" + strings.Repeat("a", 1<<20),
		"JSON-LD":              `<script type="application/ld+json">[{"@type":"Dataset","hasPart":[{"contentUrl":"a"},{"contentUrl":"b"}]}]</script>`,
		"deep JSON-LD":         `<script type="application/ld+json">{"@type":"Dataset","hasPart":` + deep + `}</script>`,
		"open scripts":         `<script>`,
		"zeros":                "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			e := &endless{part: page}
			p := answer("")
			p.Body = e
			record, _ := Read(p)
			if e.read > MaxBytes+64<<10 || len(record) > 1<<20 {
				t.Errorf("%d bytes were read, %d written", e.read, len(record))
			}
		})
	}
}

func TestManyTagsAreCut(t *testing.T) {
	p := answer(strings.Repeat(`<meta name="citation_author" content="A">`, 10_000) + work)
	record, err := Read(p)
	if err != nil || bytes.Count(record, []byte("<citation_author>")) != mostOfName || !bytes.Contains(record, []byte("10.99999/12")) {
		t.Errorf("%d bytes, %v", len(record), err)
	}
}

var errBroken = errors.New("the connection broke")

func TestBrokenConnection(t *testing.T) {
	p := answer("")
	p.Body = io.MultiReader(strings.NewReader(work), brokenReader{})
	if _, err := Read(p); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// What a page states is a document that stands alone, whatever the page is.
func FuzzRead(f *testing.F) {
	for _, page := range pages(f, "../../testdata/pages/*.txtar") {
		f.Add(page, "text/html", `<a>; rel="item"`)
	}
	f.Add([]byte("\xff\xfe<\x00m\x00"), "text/html; charset=utf-16", "<")
	f.Fuzz(func(t *testing.T, page []byte, contentType, link string) {
		p := answer(string(page), "Content-Type", contentType, "Link", link)
		record, err := Read(p)
		if (err == nil) == (record == nil) {
			t.Fatalf("%q, %v", record, err)
		}
		if err != nil {
			return
		}
		if !utf8.Valid(record) || xml.Unmarshal(record, new(struct{})) != nil {
			t.Fatalf("not XML: %q", record)
		}
		if root, err := element.Parse(record); err != nil || root.Space() != Namespace {
			t.Fatalf("%v of %q", err, record)
		}
		_, mediaType := LinkSetOf(record)
		if whole, err := AddLinkSet(record, mediaType, page); err == nil && xml.Unmarshal(whole, new(struct{})) != nil {
			t.Fatalf("not XML: %q", whole)
		}
	})
}

// pages are files that fit a pattern.
func pages(t testing.TB, pattern string) (out [][]byte) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, name := range files {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, page)
	}
	return out
}

// BenchmarkRead reads the recorded pages, or the look-alikes without them, beside
// the tokenizer alone.
func BenchmarkRead(b *testing.B) {
	pattern := "../../testdata/pages/*.txtar"
	if folder := os.Getenv("FINGERPOST_PAGES"); folder != "" {
		pattern = folder + "/*/*.html"
	}
	all := pages(b, pattern)
	each := func(b *testing.B, read func(page []byte)) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			read(all[i%len(all)])
		}
	}
	b.Run("page", func(b *testing.B) {
		each(b, func(page []byte) {
			p := answer("")
			p.Body = bytes.NewReader(page)
			_, _ = Read(p) // of the recorded pages not all give a record
		})
	})
	b.Run("tokenizer", func(b *testing.B) {
		each(b, func(page []byte) {
			z := html.NewTokenizer(bytes.NewReader(page[:min(len(page), MaxBytes)]))
			for z.Next() != html.ErrorToken {
			}
		})
	})
}
