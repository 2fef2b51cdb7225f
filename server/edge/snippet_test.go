package edge

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	many := func(formats ...string) []string {
		var urls []string
		for i := range 200 {
			for _, f := range formats {
				urls = append(urls, fmt.Sprintf(public+f, i*7))
			}
		}
		return urls
	}
	tests := []struct {
		name string
		urls []string
		want string
	}{
		{"DSpace", many("/handle/1234/%d", "/bitstream/handle/1234/%d/a.pdf?sequence=1"), "^/(bitstream/handle/|handle/)"},
		{"DSpace in a folder", many("/xmlui/handle/1234/%d", "/xmlui/bitstream/1234/%d/a.pdf"), "^/(xmlui/bitstream/|xmlui/handle/)"},
		{"DSpace 7", many("/items/a%d-uuid", "/bitstreams/b%d-uuid/download", "/server/oai/request?verb=GetRecord&identifier=%d"), "^/(bitstreams/|items/|server/oai/request[?])"},
		{"EPrints", many("/%d/", "/%d/1/paper.pdf", "/id/eprint/%d", "/cgi/oai2?verb=GetRecord&identifier=%d"), "^/([0-9]+|cgi/oai2[?]|id/eprint/)"},
		{"OJS", many("/index.php/journal/article/view/%d", "/index.php/journal/article/download/%d/7"), "^/(index[.]php/journal/article/download/|index[.]php/journal/article/view/)"},
		{"a script with a query", many("/record.php?id=%d"), "^/(record[.]php[?])"},
		{"Dataverse", many("/dataset.xhtml?persistentId=doi:10.5072/%d", "/api/access/datafile/%d"), "^/(api/access/datafile/|dataset[.]xhtml[?])"},
		{"many folders", many("/dept%d/1", "/dept%d/2", "/dept%d/3"), Everything},
		{"pages of all names", many("/paper-%d"), Everything},
		{"a few pages beside", append(many("/handle/1234/%d"), public+"/about.html", public+"/view.php?id=7", public+"/press/1"), "^/(about[.]html|handle/|press/|view[.]php[?])"},
		{"pages of all names, with many files", append(many("/files/%d", "/files/%d/a", "/files/%d/b", "/files/%d/c", "/files/%d/d"), many("/paper-%d")[:9]...), Everything},
		{"a page beside whose name cannot be written", append(many("/handle/1234/%d"), public+"/a%22b"), Everything},
		{"two pages", many("/handle/1234/%d")[:2], Everything},
		{"none", nil, Everything},
		{"no URLs", []string{"", "urn:x", "%", "/a/b", "ftp://x.example/"}, Everything},
		{"names that would break out", many("/a'\"; }\n#{${x}(.*)|/%d", "/a$b/%d", "/a%%22b/%d"), Everything},
		{"such names in a folder", many("/ok/a'\"; }/%d"), "^/(ok/)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Pattern(tt.urls)
			if got != tt.want {
				t.Errorf("want %s, got %s", tt.want, got)
			}
			covers(t, got, tt.urls)
		})
	}
}

// covers checks that a pattern can be used and misses none of the addresses.
func covers(t *testing.T, pattern string, urls []string) {
	t.Helper()
	r, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if !sitePattern.MatchString(pattern) {
		t.Errorf("%s cannot stand in a configuration", pattern)
	}
	for _, raw := range urls {
		asked := "/" + strings.TrimPrefix(afterHost(raw), "/")
		if (&exporter{hosts: map[string]bool{"repo.example.edu": true}}).valuesFor(Page{raw, landingLinks(raw, 1)}) != "" && !r.MatchString(asked) {
			t.Errorf("%s misses %s", pattern, raw)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("handle/1/", "a b'\"$;{}", uint8(9))
	f.Add("record.php?id=", "", uint8(3))
	f.Fuzz(func(t *testing.T, folder, name string, n uint8) {
		var urls []string
		for i := range int(n) {
			urls = append(urls, fmt.Sprintf("%s/%s%d%s", public, folder, i, name))
		}
		covers(t, Pattern(urls), urls)
	})
}

func TestBase(t *testing.T) {
	urls := []string{"https://files.example.org/1", public + "/1", "https://REPO.example.edu/2", "urn:x", "http://repo.example.edu/3"}
	if got := Base(urls); got != public {
		t.Errorf("want %s, got %s", public, got)
	}
	if got := Base(nil); got != "" {
		t.Errorf("want none, got %s", got)
	}
	if got, want := Base([]string{"https://bücher.example.edu/1"}), "https://xn--bcher-kva.example.edu"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func goodSite() Site {
	return Site{ID: "main", Base: public, Pattern: "^/(handle/|record[.]php[?])", Gateway: "127.0.0.1:8080", Origin: "127.0.0.1:8000", Dir: "/var/lib/fingerpost/edge", Signmap: "https://links.example.edu/main/signmap.xml"}
}

func TestSnippetsForAllServers(t *testing.T) {
	for _, server := range Servers() {
		for _, mode := range []string{"", LookupMode, MapMode} {
			text, err := Snippet(server, mode, goodSite())
			if able := mode == "" || strings.Contains(strings.Join(modes[server], " "), mode); !able {
				if err == nil || !strings.Contains(err.Error(), "use --mode "+modes[server][0]) {
					t.Errorf("%s, %s: want what can be used instead, got %v", server, mode, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", server, mode, err)
			}
			if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") || !strings.Contains(text, public) {
				t.Errorf("%s, %s: got\n%s", server, mode, text)
			}
		}
	}
	if _, err := Snippet("iis", "", goodSite()); err == nil || !strings.Contains(err.Error(), "nginx") {
		t.Errorf("want the servers that can be chosen, got %v", err)
	}
}

// Each snippet says what it does not do: TLS and robots.txt.
func TestSnippetsSayWhatElseIsNeeded(t *testing.T) {
	for server, able := range modes {
		for _, mode := range able {
			text, err := Snippet(server, mode, goodSite())
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"TLS ends", "Sitemap: https://links.example.edu/main/signmap.xml", public + "/robots.txt", public + "/home/robots.txt"}
			if mode == MapMode {
				want = append(want, `"fingerpost serve" renews it`)
			}
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%s, %s: does not say %q", server, mode, w)
				}
			}
		}
	}
}

// A server that cannot start without the gateway's name does not fail open.
func TestNamesOfGatewaysAreWarnedOf(t *testing.T) {
	for gateway, named := range map[string]bool{"127.0.0.1:8080": false, "[::1]:8080": false, "localhost:8080": false, "gateway.internal:8080": true} {
		for _, server := range []string{"nginx", "varnish"} {
			site := goodSite()
			site.Gateway = gateway
			text, err := Snippet(server, LookupMode, site)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text, "Write the gateway's IP address"); got != named {
				t.Errorf("%s, %s: want a warning %t, got %t", server, gateway, named, got)
			}
		}
	}
}

func TestNoValueBreaksOutOfASnippet(t *testing.T) {
	hostile := []string{" ", "\n", "\r", "\t", ";", "'", `"`, "{", "}", "$", "#", `\`, "`", "\x00", "é", "%", "<", ">", "*", ",", "&", "="}
	fields := map[string]func(*Site, string){
		"ID":      func(s *Site, v string) { s.ID = "main" + strings.ReplaceAll(v, "_", "-") },
		"Base":    func(s *Site, v string) { s.Base = "https://repo" + v + ".example.edu" },
		"Hosts":   func(s *Site, v string) { s.Hosts = []string{"www" + v + ".example.edu"} },
		"Pattern": func(s *Site, v string) { s.Pattern = "^/(a|b)" + v },
		"Gateway": func(s *Site, v string) { s.Gateway = "gateway" + v + ":8080" },
		"Origin":  func(s *Site, v string) { s.Origin = "origin" + v + ":8000" },
		"Dir":     func(s *Site, v string) { s.Dir = "/var/lib" + v + "/edge" },
		"Signmap": func(s *Site, v string) { s.Signmap = "https://links.example.edu/a" + v + "/signmap.xml" },
	}
	for name, set := range fields {
		for _, v := range []string{"", "_1"} {
			site := goodSite()
			if set(&site, v); site.check() != nil {
				t.Errorf("%s: %v", name, site.check())
			}
		}
	}
	for name, set := range fields {
		for _, v := range hostile {
			site := goodSite()
			set(&site, v)
			for _, server := range Servers() {
				if text, err := Snippet(server, "", site); err == nil {
					t.Errorf("%s %q: want an error for %s, got\n%s", name, v, server, text)
				}
			}
		}
	}
}
