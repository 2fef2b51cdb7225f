package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net"
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

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/testdata"
)

// A shownPage is a page under test. Screenshots are named by it.
type shownPage struct{ name, url string }

// shapes are the sizes and schemes in which each page is shown.
// The last one is a sheet of A4.
var shapes = []shape{{400, "light", ""}, {1280, "light", ""}, {3840, "light", ""}, {400, "dark", ""}, {1280, "dark", ""}, {3840, "dark", ""}, {700, "dark", "print"}}

// served is a gateway that serves, and harvests what a handler answers.
type served struct {
	*session
	public, admin string
}

// serveAll serves repositories as serve does; env is their configuration, of the
// handler's address. ready is closed when all are harvested.
func serveAll(t *testing.T, repositories http.Handler, env func(origin string) []string) (g served, ready <-chan struct{}) {
	t.Helper()
	origin := httptest.NewServer(repositories)
	t.Cleanup(origin.Close)
	public, admin := freeAddress(t), freeAddress(t)
	c, err := config.ForURL("", append([]string{"FINGERPOST_DATA=" + t.TempDir(), "FINGERPOST_LISTEN=" + public, "FINGERPOST_ADMIN_LISTEN=" + admin}, env(origin.URL)...))
	if err != nil {
		t.Fatal(err)
	}
	db, err := open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	g = served{&session{Config: c, db: db}, "http://" + public, "http://" + admin}
	all, ended := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- serve(ctx, g.session, slog.New(slog.DiscardHandler), serving{whenReady: func() { close(all) }})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		db.Close()
	})
	return g, all
}

// freeAddress is one on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serveDemo serves what the demo serves.
func serveDemo(t *testing.T) served {
	t.Helper()
	alike, err := testdata.LookAlikes()
	if err != nil {
		t.Fatal(err)
	}
	g, ready := serveAll(t, lookAlikes(alike), func(origin string) []string { return demoEnvironment(alike, origin) })
	<-ready
	return g
}

// demoPages are pages of all kinds, of the demo's repositories.
func demoPages(t *testing.T) []shownPage {
	g := serveDemo(t)
	live := exampleOf(t, g.session, shows)
	gone := exampleOf(t, g.session, func(o store.Object) int {
		if o.Deleted {
			return 1
		}
		return 0
	})
	rejected := exampleOf(t, g.session, func(o store.Object) int {
		return strings.Count(body(t, g.public+"/"+o.Repository+"/"+o.Key), "Why not")
	})
	landingPage := httptest.NewServer(http.HandlerFunc(verifiable))
	t.Cleanup(landingPage.Close)
	saveCourse(t, g.session, live.Repository)
	repository := g.admin + "/repository/" + live.Repository
	return []shownPage{
		{"home", g.public + "/"},
		{"home-nothing", g.public + "/?name=nothing"},
		{"repository", g.public + "/" + live.Repository + "/"},
		{"object", g.public + "/" + live.Repository + "/" + live.Key},
		{"object-removed", g.public + "/" + gone.Repository + "/" + gone.Key},
		{"object-rejected", g.public + "/" + rejected.Repository + "/" + rejected.Key},
		{"error-404", g.public + "/nowhere/at/all"},
		{"error-404-found", g.public + "/find?q=https://nobody.example.org/"},
		{"error-400", g.public + "/find?q="},
		{"error-503", unreadable(t)},
		{"dashboard", g.admin + "/"},
		{"dashboard-sorted", g.admin + "/?sort=objects&state=complete"},
		{"dashboard-nothing", g.admin + "/?match=nothing"},
		{"dashboard-repository", repository},
		{"dashboard-quarantine", g.admin + "/repository/datacite/quarantine"},
		{"dashboard-lacking", repository + "/lacking/license"},
		{"dashboard-snippet", repository + "/snippet/nginx"},
		{"dashboard-404", g.admin + "/nowhere"},
		{"dashboard-verify", g.admin + "/verify"},
		{"dashboard-verified", g.admin + "/verify?url=" + url.QueryEscape(landingPage.URL+"/bare")},
		{"verify-file", verifiedFile(t, landingPage.URL+"/page", landingPage.URL+"/bare")},
	}
}

// saveCourse saves a month of runs, some of which failed, of which the last goes on.
func saveCourse(t *testing.T, s *session, repository string) {
	t.Helper()
	for i := range 30 {
		r := store.Run{Repository: repository, Prefix: "oai_dc", State: store.Complete, Started: time.Now().Add(time.Duration(i-30) * 24 * time.Hour), Records: 1 << i, New: i}
		r.Finished = r.Started.Add(time.Duration(i) * time.Minute)
		if i%7 == 3 {
			r.State, r.Reason = store.Failed, "no route to host"
		}
		if i == 29 {
			r.State, r.Finished, r.Size, r.Read = store.Running, time.Time{}, 1000, 400
		}
		if err := s.db.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
}

// body is what is answered to GET.
func body(t testing.TB, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
	g := serveDemo(t)
	live := exampleOf(t, g.session, shows)
	b.open(g.public + "/")
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
	called(b, "scripts", func() error {
		_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	for _, address := range []string{g.public + "/" + live.Repository + "/" + live.Key, g.admin + "/repository/" + live.Repository} {
		b.open(address)
		if at := js[string](b, "document.querySelector('time').textContent"); !strings.HasSuffix(at, " UTC") {
			t.Errorf("%s: without scripts a time is shown as %q", address, at)
		}
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
	g, ready := serveAll(t, oaitest.New(oaitest.Options{}, records...), func(origin string) []string {
		return []string{"FINGERPOST_OAI_URL=" + origin, "FINGERPOST_REPOSITORIES_0_NAME=" + hostileTexts[0] + hostileTexts[2] + strings.Repeat("w", 1000)}
	})
	<-ready
	pages := []shownPage{
		{"home", g.public + "/"}, {"repository", g.public + "/main/"}, {"dashboard", g.admin + "/"}, {"dashboard-repository", g.admin + "/repository/main"},
		{"dashboard-lacking", g.admin + "/repository/main/lacking/license"},
		{"dashboard-verify", g.admin + "/verify?url=" + url.QueryEscape(hostileTexts[0])},
	}
	for o, err := range g.db.Objects(t.Context(), "main", 0) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, shownPage{"object " + o.Identifier, g.public + "/main/" + o.Key})
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

// The lists of repositories are as good with one as with tens of thousands.
func TestManyRepositoriesInBrowser(t *testing.T) {
	b := openBrowser(t)
	for _, n := range []int{1, 20, 30_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			g := tabled(t, n)
			for _, page := range []shownPage{{fmt.Sprintf("home-%d", n), g.public + "/"}, {fmt.Sprintf("dashboard-%d", n), g.admin + "/?sort=objects"}} {
				b.examine(t, page)
				if rows := js[int](b, "document.querySelectorAll('tbody tr').length"); rows != min(n, 50) {
					t.Errorf("%s: %d repositories are listed", page.name, rows)
				}
			}
			if n <= 50 {
				return
			}
			b.show(shapes[0]) // the last one was paper
			b.open(g.public + fmt.Sprint("/?page=", n/50))
			if js[bool](b, "document.querySelector('[rel=next]') !== null || document.querySelectorAll('tbody tr').length !== 50") {
				t.Error("the last page is another one")
			}
			b.open(g.public + "/")
			b.press(strings.Repeat(kb.Tab, 5))
			b.press(fmt.Sprint("number ", n-1))
			b.leave(kb.Enter)
			if got := js[string](b, "document.querySelector('tbody').innerText"); !strings.HasPrefix(got, fmt.Sprint("Repository number ", n-1)) {
				t.Errorf("%s: the one that is searched for is not listed: %q", js[string](b, "location.href"), got)
			}
		})
	}
}

// tabled is a gateway whose sources are a table. Nothing is harvested.
func tabled(t testing.TB, n int) served {
	t.Helper()
	var site http.Handler
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { site.ServeHTTP(w, r) }))
	t.Cleanup(gateway.Close)
	folder := t.TempDir()
	var table strings.Builder
	table.WriteString("id,name,oai_url\n")
	var all []store.Source
	for i := range n {
		id := fmt.Sprint("r", i)
		fmt.Fprintf(&table, "%s,Repository number %d,https://%s.example.org/oai\n", id, i, id)
		all = append(all, store.Source{Repository: id, Host: id + ".example.org"})
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
	if err := s.db.SyncSources(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if site, err = newSite(s, nil, nil); err != nil {
		t.Fatal(err)
	}
	e, err := newEdges(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	board := newBoard(e)
	t.Cleanup(board.Close)
	admin := httptest.NewServer(board)
	t.Cleanup(admin.Close)
	return served{s, gateway.URL, admin.URL}
}

// A page shows a run as it goes on, without a reload: how far it is, how it ended,
// and when the connection is lost.
func TestRunInBrowser(t *testing.T) {
	b := openBrowser(t)
	source := oaitest.Generated(30, oaitest.Options{PageSize: 10})
	asked, goOn := make(chan struct{}), make(chan struct{})
	g, ready := serveAll(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("resumptionToken") != "" {
			select {
			case asked <- struct{}{}:
			case <-r.Context().Done():
			}
			select {
			case <-goOn:
			case <-r.Context().Done():
			}
		}
		source.ServeHTTP(w, r)
	}), func(origin string) []string {
		return []string{"FINGERPOST_OAI_URL=" + origin, "FINGERPOST_REPOSITORIES_0_FORMATS=oai_dc"}
	})
	<-asked
	b.open(g.admin + "/repository/main")
	b.waitFor(`document.querySelector('.live').textContent === 'Live.' && document.querySelector('progress').value === 10`)
	js[bool](b, `window.sameDocument = true`)
	goOn <- struct{}{}
	<-asked
	b.waitFor(`document.querySelector('progress').value === 20`)
	goOn <- struct{}{}
	<-ready
	b.waitFor(`document.querySelector('.now').innerText.includes('ended complete') && document.querySelector('.now a') !== null`)
	if !js[bool](b, `window.sameDocument === true && document.querySelector('.now time').title.endsWith('UTC')`) {
		t.Error("the page was loaded again, or has a time that is not the reader's")
	}
	for _, complaint := range b.complained() {
		t.Error(complaint)
	}
	b.open(g.admin + "/repository/main")
	b.waitFor(`document.querySelector('.live').textContent === 'Live.'`)
	if js[bool](b, `document.querySelector('.now a') !== null`) {
		t.Error("a page with the newest figures asks to be read again")
	}
}

// A harvest that fails is seen at once, with the reason.
func TestFailedRunInBrowser(t *testing.T) {
	b := openBrowser(t)
	asked := make(chan struct{}, 1)
	g, _ := serveAll(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NotFound(w, r)
		select {
		case asked <- struct{}{}:
		default:
		}
	}), func(origin string) []string {
		return []string{"FINGERPOST_OAI_URL=" + origin + "/oai", "FINGERPOST_REPOSITORIES_0_POLITENESS_RETRIES=0"}
	})
	<-asked
	b.open(g.admin + "/repository/main")
	b.waitFor(`document.querySelector('.now').innerText.includes('failed')`)
	for _, page := range []shownPage{{"dashboard-failed", g.admin + "/"}, {"dashboard-repository-failed", g.admin + "/repository/main"}, {"repository-failed", g.public + "/main/"}} {
		b.examine(t, page)
		if page.url != g.public+"/main/" && !js[bool](b, `document.querySelector('.bad').innerText.includes('failed') && document.body.innerText.includes('404')`) {
			t.Errorf("%s does not say that and why it failed: %s", page.name, js[string](b, "document.body.innerText"))
		}
	}
}
