package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// thousands are repositories, of which main and other have objects.
func thousands(n int) []Repository {
	all := []Repository{{ID: "main", OAIURL: oaiURL}, {ID: "other", OAIURL: "https://other.example.org/oai"}}
	for i := len(all); i < n; i++ {
		all = append(all, Repository{ID: fmt.Sprintf("repository-with-a-long-name-%05d", i), OAIURL: fmt.Sprintf("https://r%d.example.net/oai", i)})
	}
	return all
}

// 30,000 repositories are found from one robots.txt of which crawlers read all,
// by way of indexes, and from one catalogue, by way of others.
func TestTensOfThousandsOfRepositories(t *testing.T) {
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories = thousands(30000) })
	get := func(path string) string {
		t.Helper()
		status, _, body := g.ask(t, "GET", path, nil)
		if status != http.StatusOK || len(body) > 1<<20 {
			t.Fatalf("%s: %d, %d bytes", path, status, len(body))
		}
		return body
	}
	robots := get("/robots.txt")
	if len(robots) > 500<<10 {
		t.Errorf("robots.txt has %d bytes", len(robots))
	}
	all, cdif, _ := strings.Cut(robots, "User-agent: CDIF1.0\n")
	for _, line := range []string{"Sitemap: https://links.example.org/signmaps-1.xml\n", "Sitemap: https://links.example.org/signmaps-60.xml\n"} {
		if !strings.Contains(all, line) {
			t.Errorf("robots.txt lacks %s", line)
		}
	}
	if !strings.Contains(cdif, "Sitemap: https://links.example.org/cdif-sitemaps-60.xml\n") || strings.Contains(robots, "-61.xml") {
		t.Errorf("robots.txt: %s", robots)
	}
	if index := get("/signmaps-1.xml"); strings.Count(index, "<sitemap>") != 1 || !strings.Contains(index, "<loc>https://links.example.org/main/signmap.xml</loc><lastmod>20") {
		t.Errorf("an index: %s", index) // main alone has objects
	}
	if index := get("/cdif-sitemaps-1.xml"); strings.Count(index, "<sitemap>") != 1 || !strings.Contains(index, "<loc>https://links.example.org/main/cdif-sitemap.xml</loc>") {
		t.Errorf("an index for CDIF: %s", index)
	}
	get("/signmaps-60.xml")
	for _, path := range []string{"/signmaps-61.xml", "/signmaps-999999.xml", "/cdif-sitemaps-61.xml", "/.well-known/api-catalog?page=61", "/.well-known/api-catalog?page=0", "/.well-known/api-catalog?page=+1"} {
		if status, _, _ := g.ask(t, "GET", path, nil); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	catalog := get("/.well-known/api-catalog")
	if !strings.Contains(catalog, `"api-catalog":[{"href":"https://links.example.org/.well-known/api-catalog?page=1","type":"application/linkset+json","profile":`) || strings.Contains(catalog, "/main/") {
		t.Errorf("the catalogue: %s", catalog)
	}
	if part := get("/.well-known/api-catalog?page=1"); !strings.Contains(part, `{"linkset":[{"anchor":"https://links.example.org/.well-known/api-catalog?page=1","item":[{"href":"`+oaiURL) {
		t.Errorf("a part of it: %.300s", part)
	}
	if page := get("/?name=name-29999"); !strings.Contains(page, "repository-with-a-long-name-29999/") {
		t.Error("a repository is not found by its name")
	}
	for _, uri := range []string{"https://repo.example.org/record/1", oaiURL + "?verb=GetRecord&metadataPrefix=oai_dc&identifier=" + identifierOf("article")} {
		if _, ok := g.Links(t.Context(), uri); !ok {
			t.Errorf("%s has no links", uri)
		}
	}
}

// No more than some repositories are in memory with all that their documents need.
func TestRepositoriesLeaveMemory(t *testing.T) {
	g := newGateway(t, func(c *Config, _ *[]store.Option) { c.Repositories = thousands(3 * mostLoaded) })
	now, err := g.repositories.current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range now.order {
		if repo, err := now.repository(t.Context(), s.ID); err != nil || repo.ID != s.ID {
			t.Fatal(s.ID, err)
		}
	}
	n := 0
	for _, s := range now.order {
		if s.whole.Load() != nil {
			n++
		}
	}
	if n > mostLoaded {
		t.Errorf("%d are in memory", n)
	}
}

// Other repositories are published without a restart: what was removed is not
// found, what stays keeps its dates.
func TestConfigure(t *testing.T) {
	g := newGateway(t, nil)
	path := withKeys("/main/$article/linkset.json")
	_, before, _ := g.ask(t, "GET", path, nil)
	const removed, page = "/other/", "https://other.example.org/page/1"
	b := store.Batch{Objects: []store.Object{{Identifier: "1", Object: bridge.Object{LandingPage: bridge.LandingPage{URL: page}}}}}
	if err := g.db.Save(t.Context(), "other", b); err != nil {
		t.Fatal(err)
	}
	g.clock.pass()
	check := func(when string, want int) {
		t.Helper()
		if status, _, _ := g.ask(t, "GET", removed, nil); status != want {
			t.Errorf("%s: got %d, want %d", when, status, want)
		}
		if _, ok := g.Links(t.Context(), page); ok != (want == http.StatusOK) {
			t.Errorf("%s: its page has links: %v", when, ok)
		}
		if _, _, robots := g.ask(t, "GET", "/robots.txt", nil); strings.Contains(robots, "/other/") != (want == http.StatusOK) {
			t.Errorf("%s: robots.txt is %s", when, robots)
		}
	}
	check("before", http.StatusOK)
	all := g.repositories.configured.Load().all
	if err := g.Configure(append(all[:1:1], Repository{ID: "third", OAIURL: "https://third.example.org/oai"})); err != nil {
		t.Fatal(err)
	}
	check("removed", http.StatusNotFound)
	if status, _, _ := g.ask(t, "GET", "/third/", nil); status != http.StatusOK {
		t.Errorf("a new one: got %d", status)
	}
	if _, after, _ := g.ask(t, "GET", path, nil); after.Get("ETag") != before.Get("ETag") || after.Get("Last-Modified") != before.Get("Last-Modified") {
		t.Errorf("what stays: got %v, want %v", after, before)
	}
	if err := g.Configure(all); err != nil {
		t.Fatal(err)
	}
	check("back", http.StatusOK)
	if err := g.Configure([]Repository{{ID: "links"}}); err == nil {
		t.Error("a reserved ID is taken")
	}
	check("after a mistake", http.StatusOK)
}
