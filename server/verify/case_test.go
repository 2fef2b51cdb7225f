package verify

import (
	"bufio"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fingerpost/oaipmh/outbound"
)

var update = flag.Bool("update", false, "rewrite the findings of testdata/*.txtar, and docs/verify.md")

// A case is a small web as text, in testdata/*.txtar:
//
//	What the case shows.
//	-- verify --
//	https://repo.example/page/7 no-targets
//	-- https://repo.example/page/7 --
//	200
//	Content-Type: text/html
//
//	<!doctype html>…
//	-- report --
//	Level 1: yes, Level 2: no
//	fail FP-… What was found.
//
// A file of the archive is what its URL answers; "HEAD URL" is what it answers
// to HEAD, where that is another thing. All that is not there is answered with
// 404, and a host that ends in ".invalid" does not exist. Each case begins
// with what good.txtar has, and only says what is different: "-- without --"
// lists URLs that are not there, and "-- edit URL --" has lines to take out
// ("-line") and lines to put in their place ("+line"). A line that ends in
// "…×N" stands for N of it, one that begins with "&" is the rest of the line
// before it.
type world struct {
	http  *httptest.Server
	https *httptest.Server
	pages map[string]answered // by "GET URL" or "HEAD URL"
	asked []string
}

type answered struct {
	status int
	header http.Header
	body   string
}

func TestCases(t *testing.T) {
	good := readArchive(t, "testdata/good.txtar")
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 2 {
		t.Fatalf("no cases: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			runCase(t, file, good, seen)
		})
	}
	for _, rule := range rules {
		if !seen[rule.code] && !shownElsewhere[rule.code] {
			t.Errorf("no case shows %s", rule.code)
		}
	}
}

// shownElsewhere are the codes that need more than text: limits_test.go, encoding_test.go.
var shownElsewhere = map[string]bool{"FP-HTML-UTF-16": true, "FP-PAGE-CUT": true, "FP-STOPPED": true, "FP-SIGNMAP-BOUND": true, "FP-TARGETS-BOUND": true}

func runCase(t *testing.T, file string, good *txtar.Archive, seen map[string]bool) {
	own := readArchive(t, file)
	w := newWorld(t, good, own)
	words := strings.Fields(section(own, "verify"))
	if len(words) == 0 {
		words = strings.Fields(section(good, "verify"))
	}
	report, err := Page(context.Background(), w.client(), words[0], Options{NoTargets: slices.Contains(words, "no-targets")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		seen[f.Code] = true
		if f.Remedy == "" || f.Message == "" {
			t.Errorf("%s has no message or no remedy", f.Code)
		}
	}
	got, want := asText(report), section(own, "report")
	if *update && got != want {
		rewrite(t, file, own, got)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got (go test ./server/verify -update rewrites %s):\n%s", file, diff)
	}
}

func asText(r Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Level 1: %s, Level 2: %s\n", yes(r.Level1), yes(r.Level2))
	if r.Unreachable {
		b.WriteString("unreachable\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s %s\n", f.Severity, f.Code, f.Message)
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func readArchive(t *testing.T, file string) *txtar.Archive {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data)
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func rewrite(t *testing.T, file string, a *txtar.Archive, report string) {
	t.Helper()
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "report" })
	a.Files = append(a.Files, txtar.File{Name: "report", Data: []byte(report)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, archives ...*txtar.Archive) *world {
	t.Helper()
	w := &world{pages: map[string]answered{}}
	texts := map[string]string{}
	for _, a := range archives {
		for _, name := range strings.Fields(section(a, "without")) {
			delete(w.pages, "GET "+name)
			delete(w.pages, "HEAD "+name)
		}
		for _, f := range a.Files {
			name, text := f.Name, string(f.Data)
			if of, ok := strings.CutPrefix(name, "edit "); ok {
				name, text = of, edited(t, texts[of], text)
			}
			if !strings.Contains(name, "://") {
				continue
			}
			texts[name] = text
			if !strings.HasPrefix(name, "HEAD ") {
				name = "GET " + name
			}
			w.pages[name] = readAnswer(t, text)
		}
	}
	w.serve(t, w)
	return w
}

// serve starts the servers that every host of the world is on.
func (w *world) serve(t *testing.T, h http.Handler) {
	w.http, w.https = httptest.NewServer(h), httptest.NewTLSServer(h)
	t.Cleanup(w.http.Close)
	t.Cleanup(w.https.Close)
}

// readAnswer reads a status, headers, and a body.
func readAnswer(t *testing.T, text string) answered {
	t.Helper()
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(repeated(text) + "\n\n")))
	line, err := r.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	a := answered{header: http.Header{}}
	if a.status, err = strconv.Atoi(line); err != nil {
		t.Fatalf("not a status: %q", line)
	}
	for line, err = r.ReadLine(); line != "" && err == nil; line, err = r.ReadLine() {
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("not a header: %q", line)
		}
		a.header.Add(name, value)
	}
	_, a.body, _ = strings.Cut(repeated(text), "\n\n")
	return a
}

// edited takes lines out of text and puts others in their place.
func edited(t *testing.T, text, edits string) string {
	t.Helper()
	lines := strings.Split(text, "\n")
	at := 0
	for edit := range strings.Lines(edits) {
		edit = strings.TrimSuffix(edit, "\n")
		if line, ok := strings.CutPrefix(edit, "-"); ok {
			if at = slices.Index(lines, line); at < 0 {
				t.Fatalf("there is no line to take out:\n%s", line)
			}
			lines = slices.Delete(lines, at, at+1)
		} else if line, ok := strings.CutPrefix(edit, "+"); ok {
			lines = slices.Insert(lines, at, line)
			at++
		} else {
			t.Fatalf("not an edit: %s", edit)
		}
	}
	return strings.Join(lines, "\n")
}

// repeated writes lines out that end in …×N, and joins those that begin with &.
func repeated(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before, n, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "…×")
		if times, err := strconv.Atoi(n); ok && err == nil {
			if rest, ok := strings.CutPrefix(before, "&"); ok {
				line = "&" + strings.Repeat(rest, times) + "\n"
			} else {
				line = strings.Repeat(before+"\n", times)
			}
		}
		if rest, ok := strings.CutPrefix(line, "&"); ok {
			whole := strings.TrimSuffix(b.String(), "\n")
			b.Reset()
			b.WriteString(whole)
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	url := scheme + r.Host + r.RequestURI
	w.asked = append(w.asked, r.Method+" "+url)
	a, ok := w.pages[r.Method+" "+url]
	if !ok {
		a, ok = w.pages["GET "+url]
	}
	if !ok {
		http.NotFound(rw, r)
		return
	}
	for name, values := range a.header {
		rw.Header()[name] = values
	}
	if a.header.Get("Content-Type") == "" {
		rw.Header()["Content-Type"] = nil // else the server guesses
	}
	if a.header.Get("Content-Length") == "" && a.status != http.StatusNoContent {
		rw.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	rw.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(rw, a.body)
	}
}

// client is one for which all hosts are in this world, at public addresses.
func (w *world) client() *Client {
	c := &Client{Clock: &fakeClock{now: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)}, TLS: &tls.Config{InsecureSkipVerify: true}}
	c.dial = func(ctx context.Context, network, address string, check func(string) error) (net.Conn, error) {
		name, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".invalid") {
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		resolved := "203.0.113.7:" + port
		if outbound.IsPrivateName(name) || strings.HasPrefix(name, "intranet.") {
			resolved = "10.1.2.3:" + port
		}
		if err := check(resolved); err != nil {
			return nil, err
		}
		server := w.http
		if port == "443" {
			server = w.https
		}
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}
	return c
}

// A fakeClock stands still but for sleeps, which take no time.
type fakeClock struct {
	now   time.Time
	slept []time.Duration
}

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}
