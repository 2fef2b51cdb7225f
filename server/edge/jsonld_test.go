package edge

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fingerpost/bridge/linkset"
)

// theirs is what a gateway says of the object of the legacy site's page. Its title
// is hostile, and escaped.
func theirs() Description {
	names := []string{public + landing, "https://doi.org/10.5072/20", "10.5072/20", "https://hdl.handle.net/1/20"}
	return Description{
		JSON:    []byte(`{"@id": "https://doi.org/10.5072/20", "schema:name": "\u003c/script\u003e\u003c!-- \u2028"}` + "\n"),
		Profile: "CDIF1.0",
		Names:   func(id string) bool { return slices.Contains(names, id) },
	}
}

func describing(d Description) func(*Config) {
	return func(c *Config) {
		c.HTML = true
		c.Describe = func(_ context.Context, uri string) (Description, bool) { return d, uri == public+landing }
	}
}

// pageOf answers with a page in HTML.
func pageOf(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Etag", `"v1"`)
		http.ServeContent(w, r, "", legacyDate, strings.NewReader(body))
	}
}

const scriptTag = `<script type="application/ld+json" profile="CDIF1.0">` + "\n"

// CDIF, metadata publication, option 1: a script element in the head with exactly
// this type and this profile.
func TestJSONLDIsWrittenIntoTheHead(t *testing.T) {
	proxy := front(t, legacySite(), lookupIn(known()), describing(theirs()))
	a := ask(t, proxy.URL, "GET", landing)
	want := strings.Replace(legacyPage, "<head>", "<head>\n"+string(known()[public+landing].HTML())+scriptTag+string(theirs().JSON)+"</script>\n", 1)
	if a.body != want || a.Header.Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("got %s bytes of\n%s\nwant %d of\n%s", a.Header.Get("Content-Length"), a.body, len(want), want)
	}
	sameHeader(t, a, ask(t, proxy.URL, "HEAD", landing))
	if other := ask(t, proxy.URL, "GET", queryLanding); strings.Contains(other.body, "<script") || !strings.Contains(other.body, "<link") {
		t.Errorf("a page that nothing is known of: got\n%s", other.body)
	}
	bare := theirs()
	bare.Profile = ""
	if a := ask(t, front(t, legacySite(), lookupIn(known()), describing(bare)).URL, "GET", landing); !strings.Contains(a.body, `<script type="application/ld+json">`+"\n{") {
		t.Errorf("without a profile: got\n%s", a.body)
	}
}

// The entity tag is that of links and JSON-LD: with other JSON-LD the page is
// another.
func TestJSONLDIsInTheEntityTag(t *testing.T) {
	proxy := front(t, legacySite(), lookupIn(known()), describing(theirs()))
	tag := ask(t, proxy.URL, "GET", landing).Header.Get("Etag")
	if a := ask(t, proxy.URL, "GET", landing, "If-None-Match: "+tag); a.StatusCode != 304 || a.Header.Get("Etag") != tag || a.body != "" {
		t.Errorf("want 304 with %s, got %d with %s", tag, a.StatusCode, a.Header.Get("Etag"))
	}
	changed := theirs()
	changed.JSON = []byte(`{"schema:name": "changed"}`)
	for name, change := range map[string]func(*Config){"other JSON-LD": describing(changed), "none": withHTML} {
		a := ask(t, front(t, legacySite(), lookupIn(known()), change).URL, "GET", landing, "If-None-Match: "+tag)
		if a.StatusCode != 200 || a.Header.Get("Etag") == tag {
			t.Errorf("%s: want 200 and another tag, got %d with %s", name, a.StatusCode, a.Header.Get("Etag"))
		}
	}
}

func TestPagesThatDescribeThemselves(t *testing.T) {
	const own, ours = true, false
	script := func(json string) string { return `<script type="application/ld+json">` + json + `</script>` }
	tests := []struct {
		name, html string
		own        bool
	}{
		{"none", "", ours},
		{"an article", script(`{"@context":"https://schema.org/","@type":"ScholarlyArticle","name":"x"}`), own},
		{"a data set by its full name", script(`{"@type":["http://schema.org/Dataset"]}`), own},
		{"a thesis with a prefix", script(`{"@type":"schema:Thesis"}`), own},
		{"the page's address", script(`{"@type":"Thing","url":"` + public + landing + `"}`), own},
		{"the DOI as @id", script(`{"@id":"https://doi.org/10.5072/20"}`), own},
		{"the DOI as a PropertyValue", script(`{"@type":"Thing","identifier":[{"@type":"PropertyValue","propertyID":"DOI","value":"10.5072/20"}]}`), own},
		{"an alias", script(`{"@type":"Thing","schema:identifier":"https://hdl.handle.net/1/20"}`), own},
		{"a graph", script(`{"@graph":[{"@type":"WebSite"},{"@type":"Book"}]}`), own},
		{"a list", script(`[{"@type":"Organization"},{"@type":"Book"}]`), own},
		{"the main entity of a page", script(`{"@type":"WebPage","mainEntity":{"@type":"Dataset"}}`), own},
		{"in the body, at its end", "</head><body>" + strings.Repeat("<p>text</p>", 20_000) + script(`{"@type":"Dataset"}`), own},
		{"in capitals", `<SCRIPT TYPE='Application/LD+JSON; charset=utf-8'>{"@type":"Dataset"}</SCRIPT>`, own},
		{"with a reference", `<script type="application/ld&#43;json">{"@type":"Dataset"}</script>`, own},
		{"within an HTML comment of old", script("<!--\n" + `{"@type":"Dataset"}` + "\n-->"), own},
		{"two, the second of the object", script(`{"@type":"Organization"}`) + script(`{"@type":"Dataset"}`), own},

		{"an organization", script(`{"@type":"Organization","url":"` + public + `/"}`), ours},
		{"the site", script(`{"@type":"WebSite","url":"` + public + landing + `"}`), ours},
		{"the way to the page", script(`{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","item":{"@id":"` + public + landing + `","@type":"Book"}}]}`), ours},
		{"the site, the organization and the way", script(`{"@graph":[{"@type":"WebSite"},{"@type":"Organization"},{"@type":"BreadcrumbList"}]}`), ours},
		{"a work that a person has written", script(`{"@type":"Person","subjectOf":{"@type":"Book"}}`), ours},
		{"a page about something else", script(`{"@type":"WebPage","url":"` + public + `/about"}`), ours},
		{"nothing", script(``), ours},
		{"text", script(`Dataset`), ours},
		{"another type of script", `<script type="application/json">{"@type":"Dataset"}</script> ld+json`, ours},
		{"in a comment", `<!-- ` + script(`{"@type":"Dataset"}`) + ` -->`, ours},
		{"in a script", `<script>var x = '<script type="application/ld+json">{"@type":"Dataset"}<\/script>'</script>`, ours},

		{"broken, of a data set", script(`{"@type":"Dataset","name":"a` + "\n" + `b",}`), own},
		{"broken, with the page's address", script(`{"@type":"Thing","url":"` + strings.ReplaceAll(public+landing, "/", `\/`) + `",}`), own},
		{"broken, of an organization", script(`{"@type":"Organization","name":"a` + "\n" + `b",}`), ours},
		{"cut off", script(`{"@type":"Data`), ours},
		{"nested without end", script(strings.Repeat(`{"@graph":[`, 1000) + strings.Repeat(`]}`, 1000)), ours},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := "<html><head>" + tt.html + "</html>"
			a := ask(t, front(t, pageOf(body), lookupIn(known()), describing(theirs())).URL, "GET", landing)
			if got := !strings.Contains(a.body, scriptTag); got != tt.own {
				t.Errorf("ours is left out: %v, want %v", got, tt.own)
			}
			if !strings.Contains(a.body, "<link") || !strings.HasSuffix(a.body, tt.html+"</html>") || a.Header.Get("Content-Length") != strconv.Itoa(len(a.body)) {
				t.Errorf("got %s of %d bytes: %s", a.Header.Get("Content-Length"), len(a.body), head(a.body))
			}
		})
	}
}

// Only a page that was read to its end is known to have no JSON-LD.
func TestPagesThatAreNotReadWhole(t *testing.T) {
	large := "<html><head></head><body>" + strings.Repeat("x", maxPage) + "</body></html>"
	medium := "<html><head></head><body>" + strings.Repeat("x", maxPage/2) + "</body></html>"
	chunked := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for part := range slices.Chunk([]byte(body), 1+len(body)/3) {
				_, _ = w.Write(part)
				_ = http.NewResponseController(w).Flush()
			}
		}
	}
	for _, tt := range []struct {
		name   string
		origin http.HandlerFunc
		body   string
		want   bool
	}{
		{"with a length", pageOf(medium), medium, true},
		{"in parts", chunked(medium), medium, true},
		{"too large", pageOf(large), large, false},
		{"too large, in parts", chunked(large), large, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := ask(t, front(t, tt.origin, lookupIn(known()), describing(theirs())).URL, "GET", landing)
			d := theirs()
			added := "\n" + string(known()[public+landing].HTML())
			if tt.want {
				added += string(d.script())
			}
			if want := strings.Replace(tt.body, "<head>", "<head>"+added, 1); a.body != want {
				t.Errorf("got %d bytes, want %d: %s", len(a.body), len(want), head(a.body))
			}
		})
	}
}

// A slow page is not waited for: what has come of it streams.
func TestASlowPageStreams(t *testing.T) {
	b := &startedBody{ReadCloser: io.NopCloser(strings.NewReader("and the rest")), pool: new(buffers), buffer: make([]byte, bufferSize)}
	if b.readWhole(time.Now().Add(-time.Second)) || b.filled > 0 {
		t.Errorf("%d bytes were waited for", b.filled)
	}
	if got, err := io.ReadAll(b); err != nil || string(got) != "and the rest" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A page that breaks off is passed on as far as it came.
func TestABrokenPageGetsNoJSONLD(t *testing.T) {
	origin := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "<html><head></head><body>")
	})
	a, err := try(front(t, origin, lookupIn(known()), describing(theirs())).URL, "GET", landing)
	if err == nil || strings.Contains(a.body, "<script") || !strings.HasSuffix(a.body, "<body>") {
		t.Errorf("got %v and %s", err, a.body)
	}
}

// Whatever becomes of the description, the page comes with its links.
func TestABrokenDescriptionCostsThePageNothing(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	var asked atomic.Int32
	unsafe := theirs()
	unsafe.JSON = []byte(`{"name":"</script>"}`)
	accented := theirs()
	accented.JSON = []byte(`{"name":"größer"}`)
	for name, describe := range map[string]Describe{
		"panics": func(context.Context, string) (Description, bool) { panic("broken") },
		"hangs":  func(context.Context, string) (Description, bool) { <-release; return Description{}, true },
		"has none": func(context.Context, string) (Description, bool) {
			asked.Add(1)
			return theirs(), false
		},
		"could end its element": func(context.Context, string) (Description, bool) { return unsafe, true },
		"is not in ASCII":       func(context.Context, string) (Description, bool) { return accented, true },
	} {
		proxy := front(t, legacySite(), lookupIn(known()), func(c *Config) { c.HTML, c.Describe = true, describe })
		a := ask(t, proxy.URL, "GET", landing)
		if a.StatusCode != 200 || strings.Contains(a.body, "<script") || !strings.Contains(a.body, "<link") || len(a.links()) == 0 {
			t.Errorf("%s: got status %d, links %q, body %q", name, a.StatusCode, a.links(), a.body)
		}
		for _, path := range []string{file, aboutPage, metadata} {
			ask(t, proxy.URL, "GET", path)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once: for the landing page", n)
	}
}

// Many large pages at the same time do not take more memory than is meant for
// them: the others come without JSON-LD.
func TestLargePagesAreBounded(t *testing.T) {
	b := new(buffers)
	d := theirs()
	p := newPage(linkset.LinkSet{{Anchor: public + landing, Rel: "type", Href: "https://schema.org/AboutPage"}}, &d)
	body := "<head></head>" + strings.Repeat("x", 2*bufferSize)
	var open []*http.Response
	for i := range maxLarge + 2 {
		res := &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
		p.write(res, b, true)
		if written := res.ContentLength > int64(len(body)+len(p.elements)); written != (i < maxLarge) {
			t.Errorf("page %d: JSON-LD is written: %v", i, written)
		}
		open = append(open, res)
	}
	for i, res := range open {
		if got, err := io.ReadAll(res.Body); err != nil || int64(len(got)) != res.ContentLength || !strings.HasSuffix(string(got), "xx") {
			t.Errorf("page %d: got %d bytes and error %v, want %d", i, len(got), err, res.ContentLength)
		}
		_, _ = res.Body.Close(), res.Body.Close()
	}
	if n := b.large.Load(); n != 0 {
		t.Errorf("%d pages are held", n)
	}
}

func TestLocalNames(t *testing.T) {
	for term, want := range map[string]string{"@type": "@type", "schema:name": "name", "http://schema.org/Book": "Book", "http://www.w3.org/ns/dcat#Dataset": "Dataset", "": ""} {
		if got := localName(term); got != want {
			t.Errorf("%s: got %s, want %s", term, got, want)
		}
	}
	for _, class := range []string{"", " ", "Article Book", "WebSite", "article"} {
		if isWork(class) {
			t.Errorf("%q is no work", class)
		}
	}
}
