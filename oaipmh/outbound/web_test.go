package outbound

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
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
