package verify

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// serving is a world in which h answers for every host, on every URL.
func serving(t *testing.T, h http.HandlerFunc) (*world, *Client) {
	w := &world{}
	w.serve(t, h)
	return w, w.client()
}

func codes(r Report) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Code)
	}
	return out
}

// has fails the test unless the report has the code.
func has(t *testing.T, r Report, code string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("no %s among %q", code, codes(r))
	return Finding{}
}

const page = "http://repo.example/page/7"

// Servers that mean ill end in a report, not in memory or in time without end.
func TestHostileServers(t *testing.T) {
	for _, tt := range hostileServers() {
		t.Run(tt.name, func(t *testing.T) {
			_, client := serving(t, tt.serve)
			client.Timeout = 5 * time.Second
			if strings.Contains(tt.want, "UNREACHABLE") {
				client.Timeout = 100 * time.Millisecond
			}
			report, err := Page(context.Background(), client, page, Options{})
			if err != nil {
				t.Fatal(err)
			}
			has(t, report, tt.want)
		})
	}
}

// hostile is a server that means ill, and the finding that says so.
type hostile struct {
	name, want string
	serve      http.HandlerFunc
}

func hostileServers() []hostile {
	endless := func(w http.ResponseWriter, r *http.Request, start, more string) {
		_, _ = io.WriteString(w, start)
		for r.Method == http.MethodGet && r.Context().Err() == nil {
			if _, err := io.WriteString(w, more); err != nil {
				return
			}
		}
	}
	filler := strings.Repeat("<p>and so on</p>\n", 4096)
	return []hostile{
		{"a page without end", "FP-PAGE-CUT", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/page/7" {
				endless(w, r, "<html>", filler)
			}
		}},
		{"compressed pages without end", "FP-PAGE-CUT", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			if r.Method == http.MethodGet && r.URL.Path == "/page/7" {
				z := gzip.NewWriter(w)
				_, _ = z.Write(bytes.Repeat([]byte(" "), 100<<20))
				_ = z.Close()
			}
		}},
		{"a header of 10 MB", "FP-PAGE-UNREACHABLE", func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 {
				w.Header().Add("Link", "<https://repo.example/"+strings.Repeat("a", 10<<10)+`>; rel="item"`)
			}
		}},
		{"redirects to ever new pages", "FP-PAGE-UNREACHABLE", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"0", http.StatusFound)
		}},
		{"no answer", "FP-PAGE-UNREACHABLE", func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}},
		{"a page that stops in its middle", "FP-PAGE-UNREACHABLE", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "<html>")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		{"a length that is a lie", "FP-PAGE-UNREACHABLE", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<html>")
		}},
		{"files that lead to files", "FP-COAR-METADATA-NONE", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+r.URL.Path+`0>; rel="collection"`)
		}},
		{"a link set without end", "FP-LINKSET-FORM", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `<http://repo.example/set>; rel="linkset"; type="application/linkset"`)
			w.Header().Set("Content-Type", "application/linkset")
			if r.URL.Path == "/set" {
				endless(w, r, "", strings.Repeat(`<http://repo.example/a> ; rel="item" ; anchor="http://repo.example/page/7" , `, 999))
			}
		}},
		{"a robots.txt without end", "FP-ROBOTS-SITEMAP", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				endless(w, r, "User-agent: *\n", strings.Repeat("Disallow: /a\n", 999))
			}
		}},
		{"a sitemap without end", "FP-SIGNMAP-UNREADABLE", func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				_, _ = io.WriteString(w, "Sitemap: http://repo.example/map\n")
			case "/map":
				endless(w, r, `<urlset xmlns="`+sitemapSpace+`">`, strings.Repeat("<url><loc>http://repo.example/page/8</loc></url>\n", 999))
			}
		}},
		{"sitemaps of sitemaps", "FP-SIGNMAP-BOUND", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				_, _ = io.WriteString(w, "Sitemap: http://repo.example/map/\n")
			} else if strings.HasPrefix(r.URL.Path, "/map/") {
				_, _ = fmt.Fprintf(w, `<sitemapindex xmlns="%s"><sitemap><loc>http://repo.example%s0</loc></sitemap></sitemapindex>`, sitemapSpace, r.URL.Path)
			}
		}},
	}
}

// What a sitemap may be made of to cost more than it weighs.
func TestHostileSitemaps(t *testing.T) {
	head := `<urlset xmlns="` + sitemapSpace + `">`
	tests := []struct {
		name, text string
		want       error
	}{
		{"deep", head + strings.Repeat("<a>", maxDepth+2), errDeep},
		{"deep in url", head + "<url>" + strings.Repeat("<a>", maxDepth+2), errDeep},
		{"a text without end", head + "<url><loc>" + strings.Repeat("a", 3<<20), errBigToken},
		{"a tag without end", head + "<url " + strings.Repeat(`a="" `, 1<<20), errBigToken},
		{"a comment without end", "<!--" + strings.Repeat(" ", 3<<20), errBigToken},
		{"another root", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">`, errNotSitemap},
	}
	for _, tt := range tests {
		m := &sitemap{page: page}
		if err := m.parse(strings.NewReader(tt.text)); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// The bounds of a tag and a text are none of a file.
func TestLongSitemap(t *testing.T) {
	m := &sitemap{page: page}
	others := strings.Repeat("<url><loc>http://repo.example/page/8</loc></url>\n", 2*maxToken/40)
	err := m.parse(strings.NewReader(`<urlset xmlns="` + sitemapSpace + `">` + others + `<url><loc>` + page + `</loc></url></urlset>`))
	if err != nil || !m.found {
		t.Errorf("found %v, error %v", m.found, err)
	}
}

// A Signmap may be large, and takes longer.
func TestTimeouts(t *testing.T) {
	v := &visit{Client: &Client{Timeout: time.Second}}
	if got, want := v.timeout(request{accept: acceptPage}), time.Second; got != want {
		t.Errorf("of a page: got %v, want %v", got, want)
	}
	err := v.explain(request{accept: acceptSitemap}, context.DeadlineExceeded)
	if got, want := err.Error(), "no whole answer within 4s: "; !strings.HasPrefix(got, want) {
		t.Errorf("of a Signmap: got %q, want %q", got, want)
	}
}

// Sitemaps are read compressed as well, and no further than to the page.
func TestCompressedSitemap(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, `<urlset xmlns="%s"><url><loc>%s</loc></url> and this is no XML <<<`, sitemapSpace, page)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	m := &sitemap{page: page}
	if err := m.parse(&b); err != nil || !m.found {
		t.Errorf("found %v, error %v", m.found, err)
	}
}

// The links of a public page do not lead into the network of verify, neither by
// a redirect nor by a link. What the user names may be anywhere.
func TestPrivateAddresses(t *testing.T) {
	leads := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/page/7" {
				http.Redirect(w, r, to, http.StatusFound)
			}
		}
	}
	tests := []struct {
		given, to string
		forbidden bool
	}{
		{"http://repo.example/page/7", "http://127.0.0.1/admin", true},
		{"http://repo.example/page/7", "http://[::1]/admin", true},
		{"http://repo.example/page/7", "http://localhost/admin", true},
		{"http://repo.example/page/7", "http://169.254.169.254/latest/meta-data/", true},
		{"http://repo.example/page/7", "http://intranet.example/admin", true},
		{"http://repo.example/page/7", "file:///etc/passwd", true},
		{"http://repo.example/page/7", "http://other.example/page", false},
		{"http://127.0.0.1/page/7", "http://localhost/admin", false},
		{"http://intranet.example/page/7", "http://10.0.0.9/admin", false},
	}
	for _, tt := range tests {
		_, client := serving(t, leads(tt.to))
		report, err := Page(context.Background(), client, tt.given, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Unreachable != tt.forbidden {
			t.Errorf("%s to %s: unreachable is %v, want %v: %q", tt.given, tt.to, report.Unreachable, tt.forbidden, report.Findings)
		}
	}
	_, client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `<http://10.0.0.9/meta>; rel="describedby"; type="text/xml"`)
	})
	report, err := Page(context.Background(), client, page, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := has(t, report, "FP-DESCRIBEDBY-DEAD"); !strings.Contains(f.Message, "an address inside this network") {
		t.Errorf("got %q", f.Message)
	}
}

// A page with many files: most of them are left alone, and the others are
// asked for one after the other, at a pace.
func TestTargetsAreBoundAndPaced(t *testing.T) {
	w := newWorld(t)
	many := answered{status: 200, header: http.Header{"Content-Type": {"text/plain"}}}
	for i := range 90 {
		many.header.Add("Link", fmt.Sprintf(`<http://repo.example/file/%d>; rel="item"`, i))
	}
	w.pages["GET "+page] = many
	client := w.client()
	report, err := Page(context.Background(), client, page, Options{MaxTargets: 7})
	if err != nil {
		t.Fatal(err)
	}
	has(t, report, "FP-TARGETS-BOUND")
	files := 0
	for _, asked := range w.asked {
		if strings.HasPrefix(asked, "HEAD ") && strings.Contains(asked, "/file/") {
			files++
		}
	}
	if files != 7 {
		t.Errorf("%d files were asked for, want 7", files)
	}
	clock := client.Clock.(*fakeClock)
	if want := len(w.asked) - 1; len(clock.slept) != want {
		t.Errorf("%d pauses between %d requests to one host, want %d", len(clock.slept), len(w.asked), want)
	}
	has(t, report, "FP-ITEM-DEAD")
}

// A busy server is asked again when it says, and left alone if that is long.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		retryAfter string
		asked      int // times that the page is asked for by GET
		slept      time.Duration
	}{
		{"20", 2, 20 * time.Second},
		{"Mon, 06 May 2024 07:08:19 GMT", 2, 10 * time.Second},
		{"3600", 1, 0},
		{"soon", 1, 0},
		{"", 1, 0},
	}
	for _, tt := range tests {
		asked := 0
		_, client := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Path == "/page/7" {
				asked++
			}
			w.Header().Set("Date", "Mon, 06 May 2024 07:08:09 GMT")
			w.Header().Set("Retry-After", tt.retryAfter)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		if _, err := LandingPage(context.Background(), client, page); err != nil {
			t.Fatal(err)
		}
		slept := client.Clock.(*fakeClock).slept
		if asked != tt.asked || tt.slept > 0 && !slices.Contains(slept, tt.slept) {
			t.Errorf("Retry-After %q: asked %d times with pauses %v, want %d times and %v", tt.retryAfter, asked, slept, tt.asked, tt.slept)
		}
	}
}

// When time is up, what was found so far is reported.
func TestDeadline(t *testing.T) {
	_, client := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<http://slow.example/meta>; rel="describedby"; type="text/xml"`)
		if strings.HasPrefix(r.Host, "slow.") {
			<-r.Context().Done()
		}
	})
	client.Deadline = 300 * time.Millisecond
	report, err := Page(context.Background(), client, page, Options{})
	if err != nil {
		t.Fatal(err)
	}
	has(t, report, "FP-STOPPED")
	has(t, report, "FP-L1-CITE-AS-MISSING")
}

// Who gives up gets no report for it.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, client := serving(t, func(http.ResponseWriter, *http.Request) { cancel() })
	if _, err := Page(ctx, client, page, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A code that is found often is reported a few times, and counted.
func TestMostAlike(t *testing.T) {
	var f findings
	for range 12 {
		f.add("FP-ITEM-DEAD", "The file %s is dead.", "x")
	}
	all := f.all()
	if len(all) != maxRepeats+1 || all[maxRepeats].Message != "The same was found 7 more times." {
		t.Errorf("got %q", all)
	}
}

// FuzzSitemap: whatever is in a sitemap, reading it ends, and what is found
// is of the page.
func FuzzSitemap(f *testing.F) {
	f.Add([]byte(`<urlset xmlns="` + sitemapSpace + `" xmlns:rs="` + termsSpace + `"><url><loc>` + page + `</loc><rs:ln rel="item" href="http://a/"/></url></urlset>`))
	f.Add([]byte(`<sitemapindex xmlns="` + sitemapSpace + `"><sitemap><loc>http://a/</loc></sitemap></sitemapindex>`))
	f.Add([]byte("\x1F\x8B"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := &sitemap{page: page}
		err := m.parse(bytes.NewReader(text))
		if m.found && err != nil {
			t.Errorf("found, with error %v", err)
		}
		for _, l := range m.links {
			if l.Anchor != page || l.Rel == "" || l.Href == "" {
				t.Errorf("link %+v", l)
			}
		}
		if len(m.faults) > maxRepeats {
			t.Errorf("%d faults", len(m.faults))
		}
	})
}
