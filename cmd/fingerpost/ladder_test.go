package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fingerpost/config"
	"fingerpost/server/verify"
)

// What check says of a repository on each step of the ladder, and what helps.
func TestLadder(t *testing.T) {
	type world map[string]string // Link header of each path, "-" where nothing is
	const (
		page = `<file.pdf>; rel="item", <oai>; rel="describedby"`
		file = `<page>; rel="collection"`
		meta = `<page>; rel="describes"`
	)
	tests := []struct {
		name   string
		robots string
		body   string
		world  world
		want   []string
	}{
		{"not running", "", "", world{"/main/signmap.xml": "-"}, []string{`step 0 FAIL public_url`}},
		{"running", "", "", nil, []string{"step 0 ok", "step 1 FAIL Sitemap: URL/main/signmap.xml", "step 2 FAIL fingerpost snippet"}},
		{"with the line", "Sitemap: URL/main/signmap.xml", "", nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL fingerpost snippet"}},
		{"with the line, and a rule against it", "User-agent: *\nDisallow: /page\nSitemap: URL/main/signmap.xml", "", nil, []string{"step 0 ok", "step 1 warn away from URL/page", "step 2 FAIL fingerpost snippet"}},
		{"with the line, and a rule against metadata", "User-agent: *\nDisallow: /cgi\nSitemap: URL/main/signmap.xml", "", nil, []string{"step 0 ok", "step 1 warn Allow: /cgi/oai2", "step 2 FAIL fingerpost snippet"}},
		{"a bot check", "Sitemap: URL/main/signmap.xml", `<script id="anubis_challenge">`, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL Anubis"}},
		{"the page is gone", "Sitemap: URL/main/signmap.xml", "", world{"/page": "-"}, []string{"step 0 ok", "step 1 ok", "step 2 FAIL status 404"}},
		{"links on the page alone", "Sitemap: URL/main/signmap.xml", "", world{"/page": page, "/oai": meta}, []string{"step 0 ok", "step 1 ok", "step 2 FAIL URL/file.pdf"}},
		{"no links on metadata", "Sitemap: URL/main/signmap.xml", "", world{"/page": page, "/file.pdf": file}, []string{"step 0 ok", "step 1 ok", "step 2 FAIL URL/oai"}},
		{"links everywhere", "Sitemap: URL/main/signmap.xml", "", world{"/page": page, "/file.pdf": file, "/oai": meta}, []string{"step 0 ok", "step 1 ok", "step 2 ok", "step 3 warn edge.html"}},
		{"links in HTML too", "Sitemap: URL/main/signmap.xml", `<head><link rel="item" href="/file.pdf">`, world{"/page": page, "/file.pdf": file, "/oai": meta}, []string{"step 0 ok", "step 1 ok", "step 2 ok", "step 3 ok"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // a client that is polite takes its time
			site := httptest.NewServer(nil)
			defer site.Close()
			site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				link := tt.world[r.URL.Path]
				switch {
				case link == "-" || r.URL.Path == "/robots.txt" && tt.robots == "":
					w.WriteHeader(http.StatusNotFound)
				case r.URL.Path == "/robots.txt":
					fmt.Fprintln(w, strings.ReplaceAll(tt.robots, "URL", site.URL))
				default:
					w.Header().Set("Content-Type", "text/html")
					if link != "" {
						w.Header().Set("Link", link)
					}
					fmt.Fprint(w, tt.body)
				}
			})
			c := &checking{session: &session{Config: config.Config{PublicURL: site.URL, Listen: "127.0.0.1:8080"}}, repository: config.Repository{ID: "main", OAIURL: site.URL + "/cgi/oai2"}}
			c.climb(t.Context(), &verify.Client{}, site.URL+"/page", true)
			if len(c.findings) != len(tt.want) {
				t.Fatalf("want %q, got %q", tt.want, c.findings)
			}
			for i, f := range c.findings {
				want := strings.SplitN(strings.ReplaceAll(tt.want[i], "URL", site.URL), " ", 4)
				state := []string{"step", strings.TrimPrefix(f.Name, "step "), f.State}
				if !slices.Equal(want[:3], state) || len(want) > 3 && !strings.Contains(f.Text+" "+f.Fix, want[3]) {
					t.Errorf("want %q, got %+v", want, f)
				}
			}
		})
	}
}
