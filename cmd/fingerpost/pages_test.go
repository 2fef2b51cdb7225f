package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// A shownPage is a page under test. Screenshots are named by it.
type shownPage struct{ name, url string }

// shapes are the sizes and schemes in which each page is shown.
// The last one is a sheet of A4.
var shapes = []shape{{400, "light", ""}, {1280, "light", ""}, {3840, "light", ""}, {400, "dark", ""}, {1280, "dark", ""}, {3840, "dark", ""}, {700, "dark", "print"}}

// demoPages are pages of all kinds, of the demo's repositories.
func demoPages(t *testing.T) []shownPage {
	p, public := publishLookAlikes(t)
	admin := adminOf(t, p.session)
	live := exampleOf(t, p.session, func(o store.Object) int { return shows(o) })
	gone := exampleOf(t, p.session, func(o store.Object) int {
		if o.Deleted {
			return 1
		}
		return 0
	})
	rejected := exampleOf(t, p.session, func(o store.Object) int {
		w := httptest.NewRecorder()
		p.site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+o.Repository+"/"+o.Key, nil))
		return strings.Count(w.Body.String(), "Why not")
	})
	closed := unreadable(t)
	for i := range 30 {
		r := store.Run{Repository: live.Repository, Prefix: "oai_dc", State: store.Complete, Started: time.Now().Add(time.Duration(i-30) * 24 * time.Hour), Records: 1 << i, New: i}
		r.Finished = r.Started.Add(time.Duration(i) * time.Minute)
		if i%7 == 3 {
			r.State, r.Reason = store.Failed, "no route to host"
		}
		if i == 29 {
			r.State, r.Finished, r.Size, r.Read = store.Running, time.Time{}, 1000, 400
		}
		if err := p.session.db.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	g := &gateway{edges: &edges{session: p.session, log: slog.New(slog.DiscardHandler)}}
	g.lookAtAll(t.Context())
	board := admin + "/repository/"
	landingPage := httptest.NewServer(http.HandlerFunc(verifiable))
	t.Cleanup(landingPage.Close)
	return []shownPage{
		{"home", public + "/"},
		{"home-nothing", public + "/?name=nothing"},
		{"repository", public + "/" + live.Repository + "/"},
		{"object", public + "/" + live.Repository + "/" + live.Key},
		{"object-removed", public + "/" + gone.Repository + "/" + gone.Key},
		{"object-rejected", public + "/" + rejected.Repository + "/" + rejected.Key},
		{"error-404", public + "/nowhere/at/all"},
		{"error-404-found", public + "/find?q=https://nobody.example.org/"},
		{"error-400", public + "/find?q="},
		{"error-503", closed},
		{"dashboard", admin + "/"},
		{"dashboard-nothing", admin + "/?match=nothing"},
		{"dashboard-repository", board + live.Repository},
		{"dashboard-quarantine", board + "datacite/quarantine"},
		{"dashboard-lacking", board + live.Repository + "/lacking/author"},
		{"dashboard-snippet", board + live.Repository + "/snippet/nginx"},
		{"dashboard-404", board + "nobody"},
		{"dashboard-verify", admin + "/verify"},
		{"verify-file", verifiedFile(t, landingPage.URL+"/page", landingPage.URL+"/bare")},
		{"dashboard-verified", admin + "/verify?url=" + url.QueryEscape(landingPage.URL+"/bare")},
	}
}

// adminOf serves what admin_listen serves.
func adminOf(t *testing.T, s *session) string {
	t.Helper()
	e, err := newEdges(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	board := newBoard(e)
	t.Cleanup(board.Close)
	admin := httptest.NewServer(board)
	t.Cleanup(admin.Close)
	return admin.URL
}

// exampleOf is the object that is worth most.
func exampleOf(t *testing.T, s *session, worth func(store.Object) int) (best store.Object) {
	t.Helper()
	for _, r := range s.Repositories {
		for o, err := range s.db.Objects(t.Context(), r.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if worth(o) > worth(best) {
				best = o
			}
		}
	}
	if best.Key == "" {
		t.Fatal("no repository of the demo has such an object")
	}
	return best
}

// verifiedFile is what verify --html writes.
func verifiedFile(t *testing.T, urls ...string) string {
	file := filepath.Join(t.TempDir(), "report.html")
	a := &app{output: output{out: io.Discard, err: io.Discard}}
	if code := a.run(t.Context(), append([]string{"verify", "--no-targets", "--html", file}, urls...)); code != exitViolations {
		t.Fatalf("verify ends with %d", code)
	}
	return "file://" + file
}

// unreadable is a page of a gateway whose database cannot be read.
func unreadable(t *testing.T) string {
	p, public := publishServed(t, oaitest.Generated(1, oaitest.Options{}), func(origin string) []string { return []string{"FINGERPOST_OAI_URL=" + origin} })
	p.session.db.Close()
	return public + "/main/"
}

// Every page is right in a browser, narrow and wide, light and dark and printed:
// axe finds nothing against WCAG 2.2 AA, nothing scrolls sideways, nothing comes from
// another host, and the browser complains about nothing.
func TestPagesInBrowser(t *testing.T) {
	b := openBrowser(t)
	for _, page := range demoPages(t) {
		t.Run(page.name, func(t *testing.T) { b.examine(t, page) })
	}
}

func (b *browser) examine(t *testing.T, page shownPage) {
	b.t = t
	checker := axe(t)
	b.show(shapes[0])
	b.open(page.url)
	b.photograph(page.name)
	js[bool](b, checker+`;document.querySelectorAll('details').forEach(d => d.open = true), true`)
	if size := js[int](b, "performance.getEntriesByType('navigation')[0].decodedBodySize"); size > 100_000 {
		t.Errorf("it has %d bytes", size)
	}
	for _, s := range shapes {
		b.show(s)
		wrong := js[[]string](b, sideways)
		switch {
		case s.media == "print":
			wrong = append(wrong, js[[]string](b, printed)...)
		case checker != "":
			wrong = append(wrong, js[[]string](b, runAxe)...)
		}
		for _, w := range append(wrong, b.complained()...) {
			t.Errorf("%s: %s", s, w)
		}
	}
	if checker == "" {
		t.Log("WCAG was not checked: name the file axe.min.js of axe-core in FINGERPOST_AXE")
	}
}

// printed is what is wrong with a page on paper, which has neither fields nor
// dark backgrounds.
const printed = `[
	...[...document.querySelectorAll('form, nav')].filter(e => e.offsetParent).map(e => 'printed: ' + e.outerHTML.slice(0, 100)),
	...getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)' ? [] : ['the paper is ' + getComputedStyle(document.body).backgroundColor],
]`

// Everything is reached by the keyboard, in the order of the page, and what has
// the focus can be seen.
func TestKeyboardInBrowser(t *testing.T) {
	b := openBrowser(t)
	for _, page := range demoPages(t) {
		t.Run(page.name, func(t *testing.T) {
			b.t = t
			b.show(shapes[1])
			b.open(page.url)
			want := js[[]string](b, tabStops)
			var got []string
			for range len(want) + 1 {
				b.press(kb.Tab)
				at := js[string](b, focused)
				if at == "" {
					break
				}
				got = append(got, at)
			}
			if !slices.Equal(got, want) {
				t.Errorf("Tab leads to\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if js[bool](b, "document.querySelector('nav') !== null") && !strings.Contains(want[0], "#main") {
				t.Errorf("the first link is %s, want one that skips the navigation", want[0])
			}
		})
	}
}

const elementName = `e => e.tagName + ' ' + (e.getAttribute('href') || e.id || e.textContent.trim().slice(0, 80))`

// tabStops are what a person can operate.
const tabStops = `[...document.querySelectorAll('a[href], input:not([type=hidden]), select, button, summary, [tabindex="0"]')]
	.filter(e => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true})).map(` + elementName + `)`

// focused is what has the focus, and complains if that cannot be seen.
const focused = `(() => {
	const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect()
	if (e === document.body) return ''
	const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.bottom > 0 && box.top < innerHeight
	return (seen ? '' : 'not to be seen: ') + (` + elementName + `)(e)
})()`

// A person finds an object with the keyboard alone, and reads times in their own
// zone.
func TestFindInBrowser(t *testing.T) {
	b := openBrowser(t)
	p, public := publishLookAlikes(t)
	live := exampleOf(t, p.session, shows)
	b.open(public + "/")
	b.press(kb.Tab + kb.Tab + kb.Tab)
	if at := js[string](b, "document.activeElement.id"); at != "q" {
		t.Fatalf("three times Tab leads to %q, want the field", at)
	}
	b.press(live.LandingPage.URL)
	b.leave(kb.Enter)
	if at, want := js[string](b, "location.pathname"), "/"+live.Repository+"/"+live.Key; at != want {
		t.Fatalf("Enter leads to %s, want %s", at, want)
	}
	times := js[[]string](b, "[...document.querySelectorAll('time')].map(e => e.title + ' = ' + e.textContent)")
	for _, shown := range times {
		if !regexp.MustCompile(`^\d+ \w+ \d{4} \d\d:\d\d UTC = \d+ \w+ \d{4}, \d\d:\d\d GMT\+5:30$`).MatchString(shown) {
			t.Errorf("a time is shown as %q, want that in India", shown)
		}
	}
	for _, complaint := range b.complained() {
		t.Error(complaint)
	}
}

// hostileTexts are what a repository may say where a title or a name belongs.
var hostileTexts = []string{
	`<script>document.title = 'run'</script><img src=x onerror="document.title = 'run'">`,
	`"><svg onload="document.title = 'run'"></title></script><style>*{display:none}</style>`,
	"\u202eesrever\u202c \u2066isolated\u2069 \u200fmark",
	"مكتبة الجامعة: دراسة في الأدب",
	"ספרייה 1234 (ABC)",
	"👩‍👩‍👧‍👦🏳️‍🌈 family \u0301\u0301\u0301\u0301",
	strings.Repeat("w", 100_000),
	strings.Repeat("many words ", 10_000),
	`{{.Style}} ${1+1} %s \x00 ]]> &amp;amp; &lt;b&gt;`,
}

// What repositories say runs nowhere, breaks no page and is shown nowhere as
// something else.
func TestHostileTextInBrowser(t *testing.T) {
	b := openBrowser(t)
	var records []oaitest.Record
	for i, hostile := range hostileTexts {
		var text strings.Builder
		if err := xml.EscapeText(&text, []byte(hostile)); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("oai:hostile.example.org:%d", i)
		records = append(records, recordOf(id, strings.ReplaceAll(`<dc:title>T</dc:title><dc:creator>T</dc:creator><dc:type>T</dc:type><dc:rights>T</dc:rights><dc:date>T</dc:date>`, ">T<", ">"+text.String()+"<")+
			fmt.Sprintf(`<dc:identifier>https://hostile.example.org/%d</dc:identifier><dc:identifier>https://hostile.example.org/%d/%s</dc:identifier>`, i, i, text.String()[:min(text.Len(), 1000)])))
	}
	p, public := publishServed(t, oaitest.New(oaitest.Options{}, records...), func(origin string) []string {
		return []string{"FINGERPOST_OAI_URL=" + origin, "FINGERPOST_REPOSITORIES_0_NAME=" + hostileTexts[0] + hostileTexts[2] + strings.Repeat("w", 1000)}
	})
	admin := adminOf(t, p.session)
	pages := []shownPage{{"home", public + "/"}, {"repository", public + "/main/"}, {"dashboard-verify", admin + "/verify?url=" + url.QueryEscape(hostileTexts[0])}}
	for o, err := range p.session.db.Objects(t.Context(), "main", 0) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, shownPage{"object " + o.Identifier, public + "/main/" + o.Key})
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			b.examine(t, page)
			if js[bool](b, "document.title === 'run' || !document.querySelector('h1').checkVisibility()") {
				t.Error("what the repository says was run")
			}
			if n := js[int](b, "document.title.length + document.querySelector('h1').textContent.length"); n > 2000 {
				t.Errorf("title and heading have %d characters", n)
			}
			if js[bool](b, `/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.title + document.body.textContent)`) {
				t.Error("a character that changes the direction of writing is shown")
			}
		})
	}
}

// The list of repositories is as good with one as with tens of thousands.
func TestManyRepositoriesInBrowser(t *testing.T) {
	b := openBrowser(t)
	for _, n := range []int{1, 20, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			public := tabled(t, n)
			b.examine(t, shownPage{fmt.Sprintf("home-%d", n), public + "/"})
			if rows := js[int](b, "document.querySelectorAll('tbody tr').length"); rows != min(n, 50) {
				t.Errorf("%d repositories are listed", rows)
			}
			if n <= 50 {
				return
			}
			b.show(shapes[0]) // the last one was paper
			b.open(public + fmt.Sprint("/?page=", n/50))
			if js[bool](b, "document.querySelector('[rel=next]') !== null || document.querySelectorAll('tbody tr').length !== 50") {
				t.Error("the last page is another one")
			}
			b.open(public + "/")
			b.press(strings.Repeat(kb.Tab, 5))
			b.press(fmt.Sprint("number ", n-1))
			b.leave(kb.Enter)
			if got := js[string](b, "document.querySelector('tbody').innerText"); !strings.HasPrefix(got, fmt.Sprint("Repository number ", n-1)) {
				t.Errorf("%s: the one that is searched for is not listed: %q", js[string](b, "location.href"), got)
			}
		})
	}
}

// tabled is a gateway whose sources are a table.
func tabled(t *testing.T, n int) string {
	t.Helper()
	p := new(publication)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.site.ServeHTTP(w, r) }))
	t.Cleanup(gateway.Close)
	folder := t.TempDir()
	var table strings.Builder
	table.WriteString("id,name,oai_url\n")
	for i := range n {
		fmt.Fprintf(&table, "r%d,Repository number %d,https://r%d.example.org/oai\n", i, i, i)
	}
	for name, text := range map[string]string{
		"sources.csv": table.String(), "fingerpost.yaml": "sources: sources.csv\ndata: " + folder + "\npublic_url: " + gateway.URL + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{output: output{out: io.Discard, err: io.Discard}, given: given{file: filepath.Join(folder, "fingerpost.yaml")}, log: slog.New(slog.DiscardHandler)}
	s, err := a.begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	if p.site, err = newSite(s, nil, nil); err != nil {
		t.Fatal(err)
	}
	return gateway.URL
}
