package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verifiable serves a page that is right, /page; one without an identifier,
// /bare; and one that would write to the terminal, /hostile.
func verifiable(w http.ResponseWriter, r *http.Request) {
	link := func(target, rel string) { w.Header().Add("Link", "<"+target+`>; rel="`+rel+`"`) }
	link("https://schema.org/AboutPage", "type")
	link("https://schema.org/Dataset", "type")
	w.Header().Add("Link", `<https://repo.example/meta>; rel="describedby"; type="application/x-bibtex"`)
	switch r.URL.Path {
	case "/page":
		link("https://doi.org/10.5555/7", "cite-as")
	case "/hostile":
		link("https://doi.org/\u009b31m/\u202e", "cite-as")
	case "/bare":
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestVerify(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(verifiable))
	t.Cleanup(server.Close)
	tests := []struct {
		name  string
		pages []string
		code  int
		want  string // in what is printed
	}{
		{"nothing is wrong", []string{"/page"}, exitOK, "Level 1: yes, Level 2: no"},
		{"no identifier", []string{"/bare"}, exitViolations, "FP-L1-CITE-AS-MISSING (FAIR Signposting Harvester: 004)"},
		{"not there", []string{"/nothing"}, exitUnreachable, "FP-PAGE-STATUS"},
		{"one is wrong, one is not there", []string{"/nothing", "/bare"}, exitViolations, "Level 1: no, Level 2: no"},
		{"one is right, one is not there", []string{"/page", "/nothing"}, exitUnreachable, "Level 1: yes"},
		{"control characters", []string{"/hostile"}, exitViolations, "FP-HEADER-TARGET"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"verify", "--no-targets"}
			for _, page := range tt.pages {
				args = append(args, server.URL+page)
			}
			var out, errs bytes.Buffer
			a := &app{output: output{out: &out, err: &errs}}
			if code := a.run(context.Background(), args); code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, errs.String())
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("want %q in\n%s", tt.want, out.String())
			}
			if strings.ContainsAny(out.String(), "\u009b\u202e") {
				t.Errorf("a control character is printed: %q", out.String())
			}
		})
	}
}

// With --json each page is a line.
func TestVerifyJSON(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(verifiable))
	t.Cleanup(server.Close)
	var out, errs bytes.Buffer
	a := &app{output: output{out: &out, err: &errs}}
	code := a.run(context.Background(), []string{"verify", "--json", "--no-targets", server.URL + "/page", server.URL + "/bare"})
	if code != exitViolations || errs.Len() > 0 {
		t.Errorf("exit code %d, want %d: %s", code, exitViolations, errs.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(lines), out.String())
	}
	for i, want := range []string{"/page", "/bare"} {
		var report struct{ URL string }
		if err := json.Unmarshal([]byte(lines[i]), &report); err != nil || report.URL != server.URL+want {
			t.Errorf("line %d is of %q, want %s: %v", i+1, report.URL, want, err)
		}
	}
}

// With --html the findings of all pages are in a file too. What is printed and
// the exit code stay.
func TestVerifyHTML(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(verifiable))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "report.html")
	var out, errs bytes.Buffer
	a := &app{output: output{out: &out, err: &errs}}
	code := a.run(context.Background(), []string{"verify", "--html", file, "--no-targets", server.URL + "/page", server.URL + "/bare", server.URL + "/hostile"})
	if code != exitViolations || !strings.Contains(out.String(), "FP-L1-CITE-AS-MISSING") {
		t.Errorf("exit code %d, want %d: %s%s", code, exitViolations, out.String(), errs.String())
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/page", "/bare", "/hostile", "FP-L1-CITE-AS-MISSING", "Level 1, not at Level 2"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	a = &app{output: output{out: &out, err: &errs}}
	if code := a.run(context.Background(), []string{"verify", "--html", t.TempDir(), "--no-targets", server.URL + "/page"}); code == exitOK {
		t.Error("a file that cannot be written is not reported")
	}
}

func TestVerifyUsage(t *testing.T) {
	for _, args := range [][]string{{"verify"}, {"verify", "repo.example/page"}, {"verify", "mailto:someone@repo.example"}, {"verify", "https://user:secret@repo.example/"}, {"verify", "--max-targets", "-1", "https://repo.example/"}} {
		var out, errs bytes.Buffer
		a := &app{output: output{out: &out, err: &errs}}
		if code := a.run(context.Background(), args); code != exitUsage {
			t.Errorf("%q: exit code %d, want %d", args, code, exitUsage)
		}
	}
}
