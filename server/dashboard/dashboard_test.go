package dashboard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
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
	now    time.Time
	held   bool
	asked  int // how often Locked was
}

// noon is when the tests begin.
var noon = time.Date(2031, 1, 2, 12, 0, 0, 0, time.UTC)

// newDesk has the repositories main, which is named by itself, and other.
func newDesk(t testing.TB) *desk {
	t.Helper()
	k := &desk{now: noon}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"), store.Now(func() time.Time { return k.now }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	k.db = db
	k.Dashboard = New(Config{
		Version: "1.0",
		Repositories: []Repository{
			{ID: "main", OAIURL: "https://repo.example.org/oai", Page: "https://links.example.org/main/", Signmap: "https://links.example.org/main/signmap.xml", Robots: "https://links.example.org/main/robots.txt"},
			{ID: "other", Name: "The other one"},
		},
		Next: func(_ context.Context, id string, _ bool) (Next, error) {
			if id == "main" {
				return Next{At: noon.Add(15 * time.Hour), Why: "schedule"}, nil
			}
			return Next{}, nil
		},
		Locked: func(context.Context, string) bool { k.asked++; return k.held },
		Now:    func() time.Time { return k.now },
	}, db)
	k.server = httptest.NewServer(k.Dashboard)
	t.Cleanup(k.server.Close)
	return k
}

// pass lets so much time go by that the store is read again.
func (k *desk) pass() { k.now = k.now.Add(freshness) }

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
		case n.Type == html.TextNode && n.Parent.Data != "title":
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && slices.Contains([]string{"h1", "h2", "p", "dt", "tr", "footer"}, n.Data):
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

func TestEveryAnswerIsGuarded(t *testing.T) {
	k := newDesk(t)
	for _, path := range []string{"/", "/running", "/history", "/quarantine", "/coverage", "/status.json", "/metrics", "/debug/pprof/", "/debug/pprof/heap", "/nowhere"} {
		answer, _ := k.ask(t, http.MethodGet, path)
		for name, want := range guards {
			if got := answer.Header.Get(name); got != want {
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
	if answer, _ := k.ask(t, http.MethodPost, "/"); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /: got status %d, want 405", answer.StatusCode)
	}
}

// Whatever a repository or a record says, the pages stay ours: no element, no
// attribute and no address on them is from there.
func TestHostileText(t *testing.T) {
	const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) {{.}} ` + "\u202e\u2066\u009b\x1b[31m\xff\x00"
	k := newDesk(t)
	err := k.db.SaveRepository(t.Context(), store.Repository{ID: "main", OAIURL: "https://repo.example.org/oai", Identify: oaipmh.Identify{RepositoryName: hostile}})
	if err != nil {
		t.Fatal(err)
	}
	k.save(t, store.Batch{Quarantined: []store.Quarantined{{Identifier: hostile, Prefix: hostile, Reason: hostile, Page: hostile, Bytes: []byte(hostile), At: noon}}})
	k.run(t, store.Run{Prefix: hostile, Set: hostile, State: store.Failed, Reason: hostile})
	pages := []string{"/", "/history", "/quarantine", "/coverage"}
	want := map[string]map[string]bool{}
	for _, path := range pages {
		want[path] = anatomy(t, k, path)
	}
	k.pass()
	k.run(t, store.Run{Prefix: hostile, Set: hostile, State: store.Running, Reason: hostile})
	k.held = true
	want["/running"] = anatomy(t, k, "/running")

	allowed := strings.Fields(`html head meta meta[charset] meta[name] meta[content] meta[http-equiv] title link link[rel] link[href] body
		nav nav[aria-label] main h1 h2 p p[class] a a[href] span span[class] bdi section section[id] section[class] dl dt dd code small br
		div div[class] table thead tbody tr tr[class] th td footer html[lang]`)
	for path, parts := range want {
		for part := range maps.Keys(parts) {
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
	if !strings.Contains(body, "alert(1)") && path != "/coverage" {
		t.Errorf("%s does not show what it was to escape", path)
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
			if a.Key == "href" && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "https://links.example.org/") {
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
	for _, path := range []string{"/", "/running", "/history", "/quarantine", "/coverage", "/status.json"} {
		if answer, body := k.ask(t, http.MethodGet, path); answer.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, "sql") {
			t.Errorf("GET %s: got %d %s, want 503 without what the database says", path, answer.StatusCode, body)
		}
		logged(path)
	}
	answer, body := k.ask(t, http.MethodGet, "/metrics")
	if answer.StatusCode != http.StatusOK || !strings.Contains(body, "\nfingerpost_database_readable 0\n") || !strings.Contains(body, "fingerpost_harvest_runs_total{") {
		t.Errorf("GET /metrics: got %d\n%s", answer.StatusCode, body)
	}
	logged("/metrics")
}

func TestUnknownRepository(t *testing.T) {
	k := newDesk(t)
	for _, path := range []string{"/history", "/quarantine", "/coverage"} {
		answer, body := k.ask(t, http.MethodGet, path+"?repository=%3Cb%3E")
		if answer.StatusCode != http.StatusNotFound || strings.Contains(body, "<b>") {
			t.Errorf("%s: got %d %s", path, answer.StatusCode, body)
		}
	}
}
