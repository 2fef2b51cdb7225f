package main

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// A shownPage is a page under test. Screenshots are named by it.
type shownPage struct{ name, url string }

// shapes are the sizes and schemes in which each page is shown.
var shapes = []shape{{400, "light", ""}, {1280, "light", ""}, {3840, "light", ""}, {400, "dark", ""}, {1280, "dark", ""}, {3840, "dark", ""}, {800, "dark", "print"}}

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
		{"dashboard-verify", admin + "/verify"},
		{"dashboard-verified", admin + "/verify?url=" + url.QueryEscape(landingPage.URL+"/bare")},
	}
}

// adminOf serves what admin_listen serves.
func adminOf(t *testing.T, s *session) string {
	t.Helper()
	board, err := newBoard(s, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	js[bool](b, checker+`;document.querySelectorAll('details').forEach(d => d.open = true), true`)
	for _, s := range shapes {
		b.show(s)
		var wrong []string
		if s.media == "" {
			wrong = js[[]string](b, sideways)
			if checker != "" {
				wrong = append(wrong, js[[]string](b, runAxe)...)
			}
		} else {
			wrong = js[[]string](b, printed)
		}
		for _, w := range append(wrong, b.complained()...) {
			t.Errorf("%s: %s", s, w)
		}
		b.screenshot(page.name + "-" + s.String())
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
			if skip := cmp.Or(append(want, "")...); !strings.Contains(skip, "#main") {
				t.Errorf("the first link is %s, want one that skips the navigation", skip)
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
