package outbound

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLocation(t *testing.T) {
	const from = "https://r.example.org/a/b?c=d"
	for _, tt := range []struct {
		status         int
		location, want string
		fails          bool
	}{
		{302, "/x", "https://r.example.org/x", false},
		{301, "y?z#part", "https://r.example.org/a/y?z", false},
		{308, "http://Other.example.org/A,%2cB?#f", "http://Other.example.org/A,%2cB?", false},
		{302, "https://user:secret@o.example.org/", "https://o.example.org/", false},
		{302, "//o.example.org/", "https://o.example.org/", false},
		{200, "/x", "", false},
		{302, "", "", false},
		{302, "file:///etc/passwd", "", true},
		{302, "http:///x", "", true},
		{302, "http://[::1/", "", true},
	} {
		got, err := Location(from, tt.status, http.Header{"Location": {tt.location}})
		if tt.fails != (err != nil) || !tt.fails && got != tt.want {
			t.Errorf("%d to %s: got %s, %v; want %s", tt.status, tt.location, got, err, tt.want)
		}
	}
}

func TestSitemaps(t *testing.T) {
	got := Sitemaps("\uFEFFsitemap:https://a.example/1\r\nUser-agent: *\rSITEMAP :  https://a.example/2#x # ours\nSitemap:\n# Sitemap: https://a.example/3\nDisallow: /Sitemap: 4")
	if want := []string{"https://a.example/1", "https://a.example/2#x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRobots(t *testing.T) {
	const text = "\uFEFFUser-agent: *\r\nDisallow: /cgi/\nSitemap: https://a/1 # one\nsitemap : https://a/2#x\n\nUser-agent: fingerpost\nDisallow: /private\n"
	r := ReadRobots(200, []byte(text))
	if want := []string{"https://a/1", "https://a/2#x"}; !slices.Equal(r.Sitemaps, want) {
		t.Errorf("got sitemaps %q, want %q", r.Sitemaps, want)
	}
	for _, tt := range []struct {
		robots Robots
		agent  string
		path   string
		want   bool
	}{
		{r, "other", "/cgi/oai2?verb=Identify", false},
		{r, "other", "/1/", true},
		{r, Product, "/cgi/oai2", true},
		{r, Product, "/private/a", false},
		{ReadRobots(404, nil), "other", "/cgi/", true},
		{ReadRobots(403, nil), "other", "/cgi/", true},
		{ReadRobots(503, nil), "other", "/", false},
	} {
		if got := tt.robots.Allow(&url.URL{Scheme: "https", Host: "a", Path: tt.path}, tt.agent); got != tt.want {
			t.Errorf("%s for %s: got %v", tt.path, tt.agent, got)
		}
	}
}

// The cases are those of RFC 9309, and of what repositories have: DSpace names
// "Fetch" and "libwww", which are not us, and InvenioRDM asks for ten seconds.
func TestRobotsByRFC9309(t *testing.T) {
	for _, tt := range []struct {
		name, text, allowed, forbidden string // paths, separated by spaces
		delay                          time.Duration
	}{
		{"a part of our name is somebody else", "User-agent: finger\nUser-agent: post\nDisallow: /", "/a", "", 0},
		{"a longer name is somebody else", "User-agent: fingerpost-fast\nDisallow: /", "/a", "", 0},
		{"the case of a name, and a version", "User-Agent: FingerPost/2.1\nDisallow: /a", "/b", "/a", 0},
		{"everybody, unless we are named", "User-agent: *\nDisallow: /\nUser-agent: fingerpost\nDisallow: /a", "/b", "/a", 0},
		{"all groups with our name", "User-agent: fingerpost\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\n\nUser-agent: x\nUser-agent: fingerpost\nDisallow: /b", "/c", "/a /b", 0},
		{"the longest wins", "User-agent: *\nDisallow: /cgi/\nAllow: /cgi/oai2", "/cgi/oai2?verb=Identify", "/cgi/search /cgi/", 0},
		{"Allow wins ties", "User-agent: *\nDisallow: /page\nAllow: /page", "/page/1", "", 0},
		{"Allow wins ties in any order", "User-agent: *\nAllow: /page\nDisallow: /page", "/page/1", "", 0},
		{"stars", "User-agent: *\nDisallow: /*/edit\nDisallow: /*locale=", "/edit", "/a/edit/1 /a/b/edit /x?a=b&locale=de", 0},
		{"a pattern begins at the beginning", "User-agent: *\nDisallow: /b*c", "/a/bxc", "/bxc", 0},
		{"ends", "User-agent: *\nDisallow: /*.pdf$\nDisallow: /only$", "/a.pdf?x=1 /only/1 /a.pdfx", "/a.pdf /a.pdf.pdf /only", 0},
		{"percent-encoding", "User-agent: *\nDisallow: /%7Ea/\nDisallow: /caf\u00e9\nDisallow: /a%2fb", "/a/b", "/~a/1 /caf%C3%A9 /a%2Fb", 0},
		{"an empty rule", "User-agent: *\nDisallow:", "/", "", 0},
		{"a line that means nothing", "Disallow: /x\nUser-agent: *\nNoindex: /\nCrawl-delay: soon\nDisallow: /a", "/b /x", "/a", 0},
		{"a delay", "User-agent: *\nCrawl-delay: 10\n", "/", "", 10 * time.Second},
		{"our delay", "User-agent: fingerpost\nCrawl-delay: 1.5\nUser-agent: *\nCrawl-delay: 10", "/", "", 1500 * time.Millisecond},
		{"a delay that nobody can mean", "User-agent: *\nCrawl-delay: 1e99", "/", "", time.Minute},
		{"a page in its place", "<!DOCTYPE html><p>Disallow: /</p>", "/", "", 0},
	} {
		r := ReadRobots(200, []byte(tt.text))
		for want, paths := range map[bool]string{true: tt.allowed, false: tt.forbidden} {
			for path := range strings.FieldsSeq(paths) {
				u, err := url.Parse("https://a" + path)
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Allow(u, Product); got != want {
					t.Errorf("%s: %s: got %v, want %v", tt.name, path, got, want)
				}
			}
		}
		if got := r.Delay(Product); got != tt.delay {
			t.Errorf("%s: got a delay of %v, want %v", tt.name, got, tt.delay)
		}
	}
}

// The marks are those of pages that were really sent.
func TestBotCheck(t *testing.T) {
	for _, tt := range []struct {
		status int
		header http.Header
		body   string
		want   string
	}{
		{200, nil, `<html><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.min.css"><script id="anubis_challenge" type="application/json">`, "Anubis"},
		{403, nil, `<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x">`, "Cloudflare"},
		{200, nil, `<script>window.__CF$cv$params={}</script>`, "Cloudflare"},
		{200, nil, `<title>An article</title><script>window.__CF$cv$params={}</script>`, ""},
		{200, nil, `<body><altcha-widget challengeurl="/x"></altcha-widget>`, "ALTCHA"},
		{200, nil, `<meta name="citation_title" content="A"><altcha-widget>`, ""},
		{200, nil, `<title>Just a moment in time</title>`, ""},
		{403, http.Header{"Cf-Mitigated": {"challenge"}}, "", "Cloudflare"},
		{403, http.Header{"Server": {"cloudflare"}}, "", "Cloudflare"},
		{200, http.Header{"Server": {"cloudflare"}}, "<p>", ""},
	} {
		if got := BotCheck(tt.status, tt.header, []byte(tt.body)); got != tt.want {
			t.Errorf("%d %v %s: got %q, want %q", tt.status, tt.header, tt.body, got, tt.want)
		}
	}
}

// A pattern means what a regular expression made of it means.
func FuzzRobots(f *testing.F) {
	f.Add("/*.pdf$", "/a.pdf.pdf")
	f.Add("/a*b*c", "/axbxbxc/d")
	f.Add("$", "")
	f.Add("/*$*$", "/$")
	f.Add("/%7e%E9", "/~\xE9")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		body, end := strings.CutSuffix(comparablePath(pattern), "$")
		expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(body), `\*`, "(?s:.*)")
		if end {
			expression += "$"
		}
		if got, want := matches(comparablePath(pattern), comparablePath(path)), regexp.MustCompile(expression).MatchString(comparablePath(path)); got != want {
			t.Errorf("%q and %q: got %v, want %v", pattern, path, got, want)
		}
		r := ReadRobots(200, []byte("User-agent: *\nDisallow: "+pattern+"\nCrawl-delay: "+path))
		if d := r.Delay(Product); d < 0 || d > LongestDelay {
			t.Errorf("got a delay of %v", d)
		}
		r.Allow(&url.URL{Scheme: "https", Host: "a", Path: path}, Product)
	})
}
