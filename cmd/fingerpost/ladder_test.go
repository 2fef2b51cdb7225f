package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fingerpost/bridge/linkset"
	"fingerpost/config"
	"fingerpost/server/verify"
)

// check reports each step of the ladder, and the remedy for it.
func TestLadder(t *testing.T) {
	type world map[string]string // Link header of each path, "-" where nothing is
	const (
		page    = `<file.pdf>; rel="item", <oai>; rel="describedby", <https://doi.org/10.5072/1>; rel="cite-as", </gate/main/1/linkset>; rel="linkset"`
		file    = `<page>; rel="collection"`
		meta    = `<page>; rel="describes"`
		own     = `<https://doi.org/10.5072/1>; rel="cite-as", <own.txt>; rel="describedby", </style.css>; rel="preload"`
		omitted = `<file.pdf>; rel="item", </gate/main/1/linkset>; rel="linkset"` // ours without those
		line    = "Sitemap: URL/gate/main/signmap.xml"
	)
	all := world{"/page": page, "/file.pdf": file, "/oai": meta}
	tests := []struct {
		name   string
		robots string
		body   string
		world  world
		omit   []string
		want   []string
	}{
		{"not running", "", "", world{"/gate/main/signmap.xml": "-"}, nil, []string{`step 0 FAIL public_url`}},
		{"running", "", "", nil, nil, []string{"step 0 ok", "step 1 FAIL Sitemap: URL/gate/main/signmap.xml", "step 2 FAIL fingerpost snippet"}},
		{"with the line", line, "", nil, nil, []string{"step 0 ok", "step 1 ok beside the entry page", "step 2 FAIL that ends TLS"}},
		{"with the line, and a rule against it", "User-agent: *\nDisallow: /page\n" + line, "", nil, nil, []string{"step 0 ok", "step 1 warn away from URL/page", "step 2 FAIL fingerpost snippet"}},
		{"with the line, and a rule against metadata", "User-agent: *\nDisallow: /cgi\n" + line, "", nil, nil, []string{"step 0 ok", "step 1 warn Allow: /cgi/oai2", "step 2 FAIL fingerpost snippet"}},
		{"a bot check", line, `<script id="anubis_challenge">`, nil, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL Anubis"}},
		{"the page is gone", line, "", world{"/page": "-"}, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL status 404"}},
		{"links on the page alone", line, "", world{"/page": page, "/oai": meta}, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL URL/file.pdf"}},
		{"no links on metadata", line, "", world{"/page": page, "/file.pdf": file}, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL URL/oai"}},
		{"links of others on metadata", line, "", world{"/page": page, "/file.pdf": file, "/oai": `<other>; rel="describes"`}, nil, []string{"step 0 ok", "step 1 ok", "step 2 FAIL URL/oai"}},
		{"links everywhere", line, "", all, nil, []string{"step 0 ok", "step 1 ok", "step 2 ok", "step 3 warn edge.html"}},
		{"links in HTML too", line, `<head><link rel="linkset" href="/gate/main/1/linkset">`, all, nil, []string{"step 0 ok", "step 1 ok", "step 2 ok", "step 3 ok"}},

		{"the repository's own links", line, "", world{"/page": own}, nil, []string{"step 0 ok", "step 1 ok", "pages warn set edge.omit: [cite-as, describedby];", "step 2 FAIL none of our links"}},
		{"the repository's own links in HTML", line, `<head><link rel="describedby" href="/own.txt">`, nil, nil, []string{"step 0 ok", "step 1 ok", "pages warn set edge.omit: [describedby];", "step 2 FAIL none of our links"}},
		{"the repository's own links beside ours", line, "", world{"/page": own + ", " + page, "/file.pdf": file, "/oai": meta}, nil, []string{"step 0 ok", "step 1 ok", "pages warn set edge.omit: [cite-as, describedby];", "step 2 ok", "step 3 warn"}},
		{"with the setting", line, "", world{"/page": own + ", " + omitted, "/file.pdf": file}, []string{"cite-as", "describedby"}, []string{"step 0 ok", "step 1 ok", "step 2 ok", "step 3 warn edge.html"}},
		{"with half of the setting", line, "", world{"/page": own + `, <https://doi.org/10.5072/1>; rel="cite-as", ` + omitted, "/file.pdf": file}, []string{"describedby"}, []string{"step 0 ok", "step 1 ok", "pages warn set edge.omit: [cite-as, describedby];", "step 2 ok", "step 3 warn edge.html"}},
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
			links := func(_ context.Context, uri string) (linkset.LinkSet, bool) {
				links, _ := linkset.ParseHeader([]string{map[string]string{site.URL + "/page": page, site.URL + "/file.pdf": file, site.URL + "/oai": meta}[uri]}, uri)
				if uri == site.URL+"/page" {
					links = slices.DeleteFunc(links, func(l linkset.Link) bool { return slices.Contains(tt.omit, l.Rel) })
				}
				return links, len(links) > 0
			}
			c := &checking{session: &session{Config: config.Config{Listen: "127.0.0.1:8080", PublicURL: site.URL + "/gate"}}, repository: config.Repository{ID: "main", OAIURL: site.URL + "/cgi/oai2", Edge: config.Edge{Omit: tt.omit}}}
			(&ladder{checking: c, Client: &verify.Client{}, links: links}).climb(t.Context(), site.URL+"/page", true)
			if len(c.findings) != len(tt.want) {
				t.Fatalf("want %q, got %q", tt.want, c.findings)
			}
			for i, f := range c.findings {
				want, rest := strings.ReplaceAll(tt.want[i], "URL", site.URL), ""
				for _, part := range []string{f.Name, f.State} {
					if rest, _ = strings.CutPrefix(want, part); rest == want {
						t.Fatalf("want %q, got %+v", tt.want[i], f)
					}
					want = strings.TrimPrefix(rest, " ")
				}
				if !strings.Contains(f.Text+" "+f.Fix, want) {
					t.Errorf("want %q, got %+v", want, f)
				}
			}
		})
	}
}
