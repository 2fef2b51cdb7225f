package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

// The table of docs/verify.md has every rule, and ends it.
func TestManual(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "verify.md")
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const line = "\n|---|---|---|---|---|---|\n"
	prose, _, _ := strings.Cut(string(kept), line)
	var b strings.Builder
	b.WriteString(prose + line)
	for _, r := range rules {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.code, r.severity, [...]string{level1: "1", level2: "2", both: "1, 2"}[r.breaks], r.ruby, cell(r.means), cell(r.remedy))
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(kept), b.String()); diff != "" {
		t.Errorf("go test ./server/verify -update rewrites %s; -kept +made:\n%s", file, diff)
	}
}

// cell keeps a sentence from ending its cell, or from being taken for HTML.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(s)
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		switch {
		case seen[r.code]:
			t.Errorf("%s stands twice", r.code)
		case !slices.Contains([]Severity{Fail, Warn, Info}, r.severity) || r.means == "" || r.remedy == "" || !strings.HasPrefix(r.code, "FP-"):
			t.Errorf("%+v is not complete", r)
		case r.ruby != "" && (r.ruby < "001" || r.ruby > "015"):
			t.Errorf("%s: the harvester has no %s", r.code, r.ruby)
		}
		seen[r.code] = true
	}
}

// The form of --json is a promise.
func TestReportAsJSON(t *testing.T) {
	w := newWorld(t, readArchive(t, "testdata/good.txtar"))
	report, err := Page(context.Background(), w.client(), "https://repo.example/page/7", Options{NoTargets: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		URL      string `json:"url"`
		Final    string `json:"final_url"`
		Level1   bool   `json:"level1"`
		Level2   bool   `json:"level2"`
		Findings []map[string]string
		Links    []struct {
			Anchor, Rel, Href, Type string
			In                      []string
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.URL != "https://repo.example/page/7" || got.Final != got.URL || !got.Level1 || !got.Level2 {
		t.Errorf("got %s", text)
	}
	if f := got.Findings[0]; f["code"] == "" || f["severity"] != "info" || f["message"] == "" || f["remedy"] == "" {
		t.Errorf("a finding is %v", f)
	}
	first := got.Links[0]
	if want := []string{"head", "header", "html", "linkset+json", "linkset"}; first.Rel != "cite-as" || !cmp.Equal(first.In, want) {
		t.Errorf("the first link is %+v, want cite-as in %q", first, want)
	}
	if len(got.Links) != 11 {
		t.Errorf("%d links, want 11: ten of the page, one of its file", len(got.Links))
	}
}

func TestLandingPage(t *testing.T) {
	w := newWorld(t, readArchive(t, "testdata/good.txtar"))
	p, err := LandingPage(context.Background(), w.client(), "https://doi.org/10.5555/7")
	if err != nil {
		t.Fatal(err)
	}
	if p.FinalURL != "https://repo.example/page/7" || p.Status != 200 || len(p.Head) != 10 || len(p.Header) != 10 || len(p.HTML.Rel("item")) != 1 {
		t.Errorf("got %+v", p)
	}
	_, err = LandingPage(context.Background(), w.client(), "https://nowhere.invalid/")
	var failed *UnreachableError
	if !errors.As(err, &failed) || failed.URL != "https://nowhere.invalid/" {
		t.Errorf("got %v, want an UnreachableError", err)
	}
}

func TestRobots(t *testing.T) {
	w := newWorld(t, readArchive(t, "testdata/good.txtar"))
	r, err := Robots(context.Background(), w.client(), "https://repo.example/page/7?a=b#c")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Found || !r.Allows("https://repo.example/page/7?a=b#c") || !r.Allows("https://other.example/admin/7") || !r.Names("https://links.example/signmap.xml") || r.Names("https://links.example/signmap") {
		t.Errorf("got %+v", r)
	}
	if r, err = Robots(context.Background(), w.client(), "https://repo.example/admin/7"); err != nil || r.Allows("https://repo.example/admin/7") {
		t.Errorf("got %+v, %v; want /admin to be kept from crawlers", r, err)
	}
	if r, err = Robots(context.Background(), w.client(), "https://links.example/"); err != nil || r.Found || !r.Allows("https://links.example/") {
		t.Errorf("got %+v, %v; want no robots.txt", r, err)
	}
}

// What fingerpost itself writes has nothing wrong in it, also where a header
// has no room for all.
func TestOwnFormsAreRight(t *testing.T) {
	const landing = "https://repo.example/page/7?a=1;b=2,3"
	for _, files := range []int{1, 300} {
		links := linkset.LinkSet{
			{Anchor: landing, Rel: "cite-as", Href: "https://doi.org/10.1002/(SICI)1097-0258(19980815)17:15%3C1661::AID-SIM968%3E3.0.CO%3B2-2"},
			{Anchor: landing, Rel: "type", Href: "https://schema.org/ScholarlyArticle"},
			{Anchor: landing, Rel: "type", Href: "https://schema.org/AboutPage"},
			{Anchor: landing, Rel: "license", Href: "https://creativecommons.org/licenses/by/4.0/"},
			{Anchor: landing, Rel: "describedby", Href: "https://repo.example/oai?verb=GetRecord&id=7", Type: "text/xml", Profile: "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		}
		for i := range files {
			file := fmt.Sprintf("https://repo.example/file/%d%%2C%%20final.pdf", i)
			links = append(links, linkset.Link{Anchor: landing, Rel: "item", Href: file, Type: "application/pdf"},
				linkset.Link{Anchor: file, Rel: "collection", Href: landing, Type: "text/html"})
		}
		sets := linkset.LinkSet{
			{Anchor: landing, Rel: "linkset", Href: "https://links.example/linkset.json", Type: "application/linkset+json"},
			{Anchor: landing, Rel: "linkset", Href: "https://links.example/linkset.txt", Type: "application/linkset"},
		}
		own := append(links.From(landing), sets...)
		kept, _ := own.Fit(linkset.Budget{})
		w := newWorld(t)
		w.pages["GET "+landing] = answered{200, http.Header{"Content-Type": {"text/html"}, "Link": kept.Header()}, "<html><head>" + string(own.HTML()) + "</head></html>"}
		w.pages["GET "+sets[0].Href] = answered{200, http.Header{"Content-Type": {sets[0].Type}}, string(links.JSON())}
		w.pages["GET "+sets[1].Href] = answered{200, http.Header{"Content-Type": {sets[1].Type}}, string(links.Text())}
		report, err := Page(context.Background(), w.client(), landing, Options{NoTargets: true})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"FP-COAR-INBOX-MISSING", "FP-ROBOTS-MISSING", "FP-COAR-METADATA"}
		if got := codes(report); !cmp.Equal(got, want) || !report.Level1 || !report.Level2 {
			t.Errorf("with %d files: %q\n%s", files, got, asText(report))
		}
	}
}
