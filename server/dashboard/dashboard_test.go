package dashboard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

// desk is a Dashboard over a store on disk, asked by HTTP.
type desk struct {
	*Dashboard
	db     *store.DB
	server *httptest.Server
	mu     sync.Mutex
	now    time.Time
}

// noon is when the tests begin.
var noon = time.Date(2031, 1, 2, 12, 0, 0, 0, time.UTC)

// newDesk has the repositories main, which is named by itself, and other.
func newDesk(t testing.TB) *desk {
	t.Helper()
	k := &desk{now: noon}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"), store.Now(k.clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	k.db = db
	k.sync(t, "main", "other")
	k.Dashboard = New(Config{
		Version: "1.0",
		Repository: func(id string) (Repository, bool) {
			page := "https://links.example.org/" + id + "/"
			r := Repository{ID: id, OAIURL: "https://repo.example.org/oai", Page: page, Signmap: page + "signmap.xml", Robots: page + "robots.txt"}
			if id == "other" {
				r.Name = "The other one"
			}
			return r, !strings.ContainsAny(id, "<>")
		},
		Snippet: func(_ context.Context, id, server string) (string, error) { return server + " <" + id + ">", nil },
		Servers: []string{"apache", "nginx"},
		Now:     k.clock,
	}, db)
	t.Cleanup(k.Close)
	k.server = httptest.NewServer(k.Dashboard)
	t.Cleanup(k.server.Close)
	return k
}

func (k *desk) clock() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// sync makes these the configured repositories.
func (k *desk) sync(t testing.TB, ids ...string) {
	t.Helper()
	var all []store.Source
	for _, id := range ids {
		all = append(all, store.Source{Repository: id, Host: "repo.example.org", Settings: "1"})
	}
	if err := k.db.SyncSources(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

// source saves what is known at a glance of a repository.
func (k *desk) source(t testing.TB, s store.Source) {
	t.Helper()
	s.Host, s.Settings = "repo.example.org", "1"
	if err := k.db.SaveSource(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

func (k *desk) save(t testing.TB, p store.Batch) {
	t.Helper()
	if err := k.db.Save(t.Context(), "main", p); err != nil {
		t.Fatal(err)
	}
}

// objects keeps n live objects.
func (k *desk) objects(t testing.TB, n int) {
	t.Helper()
	var p store.Batch
	for i := range n {
		p.Objects = append(p.Objects, store.Object{
			Identifier: fmt.Sprintf("oai:x:%d", i), Prefixes: []string{"oai_dc"},
			Object: bridge.Object{LandingPage: bridge.LandingPage{URL: fmt.Sprintf("https://repo.example.org/%d", i)}},
		})
	}
	k.save(t, p)
}

// run keeps a run of main that began at noon and took a minute unless it is
// said otherwise.
func (k *desk) run(t testing.TB, r store.Run) store.Run {
	t.Helper()
	r.Repository = "main"
	if r.Started.IsZero() {
		r.Started = noon
	}
	if r.Finished.IsZero() && r.State != store.Running {
		r.Finished = r.Started.Add(time.Minute)
	}
	if err := k.db.SaveRun(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func (k *desk) quarantine(t testing.TB, reasons ...string) {
	t.Helper()
	var p store.Batch
	for i, reason := range reasons {
		p.Quarantined = append(p.Quarantined, store.Quarantined{
			Identifier: fmt.Sprintf("oai:x:bad%d", i), Prefix: "oai_dc", Reason: reason, Bytes: []byte("<bad"),
			Page: "https://repo.example.org/oai?verb=ListRecords", At: noon.Add(time.Duration(i) * time.Hour),
		})
	}
	k.save(t, p)
}

// ask makes a request. GET is made as HEAD too, which must answer the same.
func (k *desk) ask(t testing.TB, method, target string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, k.server.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := k.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// page is the text of a page as a person reads it: a line per block, words
// parted by one space.
func (k *desk) page(t testing.TB, target string) string {
	t.Helper()
	answer, body := k.ask(t, http.MethodGet, target)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d: %s", target, answer.StatusCode, body)
	}
	return read(t, body)
}

func read(t testing.TB, body string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && (n.Parent.Data != "title" || n.Parent.Namespace == "svg"):
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && slices.Contains([]string{"h1", "h2", "p", "dt", "tr", "li", "caption", "figcaption", "form", "footer"}, n.Data):
			b.WriteString("\x00")
		case n.Type == html.ElementNode && slices.Contains([]string{"br", "progress"}, n.Data):
			b.WriteString(" ")
		case n.Type == html.ElementNode && slices.Contains([]string{"dd", "td", "th"}, n.Data):
			b.WriteString(" | ")
		}
	}
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\x00") {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

// has checks that a page has lines.
func has(t *testing.T, page string, lines ...string) {
	t.Helper()
	on := strings.Split(page, "\n")
	for _, want := range lines {
		if !slices.Contains(on, want) {
			t.Errorf("want the line\n%s\ngot\n%s", want, page)
		}
	}
}

// paths are those of all pages about main.
var paths = []string{"/", "/repository/main", "/repository/main/quarantine", "/repository/main/lacking/license", "/repository/main/having/landing_page", "/repository/main/snippet/nginx"}

func TestEveryAnswerIsGuarded(t *testing.T) {
	k := newDesk(t)
	for _, path := range append([]string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/style.css", "/page.js", "/nowhere"}, paths...) {
		answer, _ := k.ask(t, http.MethodGet, path)
		for name, want := range guards {
			if got := answer.Header.Get(name); got != want && !strings.HasPrefix(got, "public") {
				t.Errorf("GET %s: %s: got %q, want %q", path, name, got, want)
			}
		}
		want := http.StatusOK
		if path == "/nowhere" {
			want = http.StatusNotFound
		}
		if answer.StatusCode != want {
			t.Errorf("GET %s: got status %d, want %d", path, answer.StatusCode, want)
		}
		head, body := k.ask(t, http.MethodHead, path)
		if head.StatusCode != want || body != "" || head.Header.Get("Content-Type") != answer.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: got %d %q, body %q", path, head.StatusCode, head.Header.Get("Content-Type"), body)
		}
	}
	for _, path := range []string{"/", "/repository/main"} {
		if answer, _ := k.ask(t, http.MethodPost, path); answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got status %d, want 405", path, answer.StatusCode)
		}
	}
}

// Whatever a repository or a record says, the pages stay ours: no element, no
// attribute and no address on them is from there.
func TestHostileText(t *testing.T) {
	hostile := `"'><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) {{.}} ` + "\u202e\u2066\u009b\x1b[31m\xff\x00" + strings.Repeat("x", 2000)
	k := newDesk(t)
	known := store.Repository{
		ID: "main", Identify: oaipmh.Identify{RepositoryName: hostile}, Pause: store.Pause{At: noon, Until: noon.Add(time.Hour), Reason: hostile},
	}
	if err := k.db.SaveRepository(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	k.save(t, store.Batch{
		Quarantined: []store.Quarantined{{Identifier: hostile, Prefix: hostile, Reason: hostile, Page: hostile, Bytes: []byte(hostile), At: noon}},
		Objects:     []store.Object{{Identifier: hostile, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: hostile}}}},
		Checkpoint:  store.Checkpoint{Prefix: hostile, Set: hostile, Remark: hostile},
		Pages:       &store.Pages{Began: noon, Files: hostile, Pause: store.Pause{At: noon, Until: noon.Add(time.Hour), Reason: hostile}},
	})
	for range 3 {
		k.run(t, store.Run{Prefix: hostile, Set: hostile, State: store.Failed, Reason: hostile, Remark: hostile})
	}
	k.run(t, store.Run{Prefix: hostile, Set: hostile, State: store.Running, Size: 5})
	k.source(t, store.Source{Repository: "main", State: store.Failed, Reason: hostile, Why: hostile, Class: hostile, Objects: 1, Quarantined: 1})

	allowed := strings.Fields(`html head meta meta[charset] meta[name] meta[content] title link link[rel] link[href] script script[src] script[defer] noscript
		body body[class] main[id] main[tabindex] a[class] nav nav[aria-label] main h1 h2 p p[class] p[role] a a[href] a[rel] span span[class] bdi bdi[class] section section[class] section[data-live]
		dl dt dd code br div div[class] div[tabindex] div[role] div[aria-label] table table[class] caption thead tbody tr tr[class] th th[class] th[scope]
		th[aria-sort] td td[class] footer html[lang] ul ul[class] ol li details summary time time[datetime] pre pre[tabindex] pre[aria-label] mark strong
		progress progress[max] progress[value] progress[aria-label] meter meter[min] meter[max] meter[value] meter[aria-label]
		figure figure[class] figcaption figcaption[class] svg svg[class] svg[viewBox] svg[preserveAspectRatio] svg[role] svg[aria-label]
		rect rect[x] rect[y] rect[width] rect[height] rect[class] polyline polyline[points] polyline[vector-effect]
		form form[action] form[role] form[aria-label] label label[for] input input[type] input[id] input[name] input[value] select select[id] select[name]
		option option[value] option[selected] button`)
	for _, path := range append([]string{"/?match=" + url.QueryEscape("main")}, paths...) {
		for part := range anatomy(t, k, path) {
			if !slices.Contains(allowed, part) {
				t.Errorf("%s has %s", path, part)
			}
		}
	}
}

// anatomy is the set of elements and attributes of a page. Characters that
// are invisible, or that turn what follows round, must not be on it.
func anatomy(t *testing.T, k *desk, path string) map[string]bool {
	t.Helper()
	_, body := k.ask(t, http.MethodGet, path)
	if !strings.Contains(body, "alert(1)") && !strings.Contains(path, "snippet") {
		t.Errorf("%s does not show what it was to escape", path)
	}
	if strings.Contains(body, strings.Repeat("x", 1600)) {
		t.Errorf("%s shows a text in full length", path)
	}
	for _, bad := range []string{"\u202e", "\u2066", "\u009b", "\x1b", "\x00", "\xff"} {
		if strings.Contains(body, bad) {
			t.Errorf("%s shows %q", path, bad)
		}
	}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		parts[n.Data] = true
		for _, a := range n.Attr {
			parts[n.Data+"["+a.Key+"]"] = true
			if a.Key == "href" && !strings.HasPrefix(a.Val, "/") && a.Val != "#main" && !strings.HasPrefix(a.Val, "?after=") && !strings.HasPrefix(a.Val, "https://links.example.org/") {
				t.Errorf("%s links to %s", path, a.Val)
			}
		}
	}
	return parts
}

// What visitors are not told of the database, the log is.
func TestUnreadableStore(t *testing.T) {
	k := newDesk(t)
	var log strings.Builder
	k.Log = slog.New(slog.NewTextHandler(&log, nil))
	logged := func(path string) {
		if said := log.String(); strings.Count(said, "reading the store failed") != 1 || !strings.Contains(said, "sql") {
			t.Errorf("GET %s: want one line with what the database says, the log has %q", path, said)
		}
		log.Reset()
	}
	k.db.Close()
	for _, path := range paths[:4] {
		if answer, body := k.ask(t, http.MethodGet, path); answer.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "sql") {
			t.Errorf("GET %s: got %d %s, want 503 without what the database says", path, answer.StatusCode, body)
		}
		logged(path)
	}
	answer, body := k.ask(t, http.MethodGet, "/metrics")
	if answer.StatusCode != http.StatusOK || !strings.Contains(body, "\nfingerpost_database_readable 0\n") || !strings.Contains(body, "go_goroutines") {
		t.Errorf("GET /metrics: got %d\n%s", answer.StatusCode, body)
	}
	logged("/metrics")
}

func TestWhatIsNotThere(t *testing.T) {
	k := newDesk(t)
	for _, path := range []string{"/repository/%3Cb%3E", "/repository/%3Cb%3E/events", "/repository/main/lacking/%3Cb%3E", "/repository/main/snippet/%3Cb%3E", "/repository/main/nothing", "/history"} {
		answer, body := k.ask(t, http.MethodGet, path)
		if answer.StatusCode != http.StatusNotFound || strings.Contains(body, "<b>") || !strings.Contains(body, "<h1>Not Found</h1>") {
			t.Errorf("%s: got %d %s", path, answer.StatusCode, body)
		}
	}
}

// A page anywhere on the web can have a browser ask this listener under a name
// that leads here (DNS rebinding).
func TestOnlyOwnNamesAreAnswered(t *testing.T) {
	k := newDesk(t)
	k.Hosts = []string{"Gateway.example.org"}
	for host, want := range map[string]int{
		"localhost:9090": 200, "127.0.0.1": 200, "[::1]:9090": 200, "fingerpost:9090": 200, "a.localhost": 200,
		"gateway.example.org": 200, "gateway.EXAMPLE.org.:9090": 200, "": 200,
		"evil.example": 421, "gateway.example.org.evil.example:9090": 421, "127.0.0.1.evil.example": 421,
	} {
		for _, path := range []string{"/", "/metrics", "/debug/pprof/heap"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			k.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s for %q: status %d, want %d", path, host, w.Code, want)
			}
		}
	}
}
