package server

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fingerpost/oaipmh/oaitest"
)

// A script is a conversation with the gateway as text, in testdata/*.txt:
//
//	# why this must hold
//	GET /main/$article/linkset
//	Accept: application/linkset
//	status == 200
//	header Content-Type == application/linkset
//	body contains rel="cite-as"
//
// Steps are parted by an empty line. After the request line come request
// headers, then the body ("send BODY"), then checks: status, header NAME or body; ==, contains or
// !contains; and the value. "header NAME absent" is a check too. A body of
// several lines follows "body ==", each line behind a tab. $name is the key of
// an object, see objects_test.go. Every GET is made as HEAD too, and must have
// the same status and the same headers.
type step struct {
	line   int
	method string
	target string
	header http.Header
	body   string
	checks []check
}

type check struct {
	line                 int
	what, verb, expected string
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			g := newGateway(t, gatewayFor(file))
			if filepath.Base(file) == "cdif.txt" {
				saveDescribed(t, g, described, enough, false)
			}
			for _, s := range readScript(t, file) {
				s.run(t, g, file)
			}
		})
	}
}

func (s step) run(t *testing.T, g *gateway, file string) {
	status, header, body := g.send(t, s.method, s.target, s.header, s.body)
	for _, c := range s.checks {
		if problem := c.test(status, header, body); problem != "" {
			t.Errorf("%s:%d: %s %s: %s", file, c.line, s.method, s.target, problem)
		}
	}
	if status == http.StatusOK && strings.Contains(s.target, "/oai?") && header.Get("Content-Encoding") == "" {
		if err := oaitest.Check([]byte(body)); err != nil {
			t.Errorf("%s:%d: %s %s: %v", file, s.line, s.method, s.target, err)
		}
	}
	if s.method != http.MethodGet {
		return
	}
	headStatus, headHeader, headBody := g.ask(t, http.MethodHead, s.target, s.header)
	if headStatus != status || headBody != "" || !maps.EqualFunc(header, headHeader, slices.Equal) {
		t.Errorf("%s:%d: HEAD %s differs from GET:\nHEAD %d %v %q\nGET  %d %v", file, s.line, s.target, headStatus, headHeader, headBody, status, header)
	}
}

func (c check) test(status int, header http.Header, body string) string {
	got := ""
	switch name, isHeader := strings.CutPrefix(c.what, "header "); {
	case isHeader && c.verb == "absent":
		if values, ok := header[http.CanonicalHeaderKey(name)]; ok {
			return fmt.Sprintf("got %s: %q, want none", name, values)
		}
		return ""
	case isHeader:
		got = strings.Join(header.Values(name), "\n")
	case c.what == "status":
		got = fmt.Sprint(status)
	case c.what == "body":
		got = body
	default:
		return "unknown check: " + c.what
	}
	ok := false
	switch c.verb {
	case "==":
		ok = got == c.expected || got == c.expected+"\n"
	case "contains":
		ok = strings.Contains(got, c.expected)
	case "!contains":
		ok = !strings.Contains(got, c.expected)
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%s: got\n%s\nwant %s\n%s", c.what, got, c.verb, c.expected)
}

// readScript reads the steps of a file, with the names of objects replaced.
func readScript(t *testing.T, file string) []step {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var steps []step
	lines, inStep := bufio.NewScanner(f), false
	for n := 1; lines.Scan(); n++ {
		line := withKeys(lines.Text())
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			inStep = false
		case !inStep:
			method, target, _ := strings.Cut(line, " ")
			steps = append(steps, step{line: n, method: method, target: target, header: http.Header{}})
			inStep = true
		default:
			if err := steps[len(steps)-1].read(n, line); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
		}
	}
	return steps
}

// read reads a line below the request line.
func (s *step) read(n int, line string) error {
	if text, ok := strings.CutPrefix(line, "\t"); ok && len(s.checks) > 0 {
		c := &s.checks[len(s.checks)-1]
		c.expected = strings.TrimPrefix(c.expected+"\n"+text, "\n")
		return nil
	}
	word := strings.Fields(line)
	if name, value, ok := strings.Cut(line, ": "); ok && !strings.Contains(name, " ") {
		s.header.Add(name, value)
		return nil
	}
	if word[0] == "send" {
		s.body = strings.TrimPrefix(line, "send ")
		return nil
	}
	c := check{line: n, what: word[0]}
	rest := strings.TrimPrefix(line, word[0]+" ")
	if c.what == "header" && len(word) > 2 {
		c.what += " " + word[1]
		rest = strings.TrimPrefix(rest, word[1]+" ")
	}
	c.verb, c.expected, _ = strings.Cut(rest, " ")
	if !slices.Contains([]string{"==", "contains", "!contains", "absent"}, c.verb) {
		return fmt.Errorf("not a check: %s", line)
	}
	s.checks = append(s.checks, c)
	return nil
}

// ask makes a request as it stands in a script: the target is sent as it is,
// redirects are not followed, nothing is decompressed.
func (g *gateway) ask(t testing.TB, method, target string, header http.Header) (int, http.Header, string) {
	t.Helper()
	return g.send(t, method, target, header, "")
}

func (g *gateway) send(t testing.TB, method, target string, header http.Header, sent string) (int, http.Header, string) {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	host := strings.TrimPrefix(g.server.URL, "http://")
	r := &http.Request{Method: method, Host: "attacker.example", Header: header.Clone(),
		URL: &url.URL{Scheme: "http", Host: host, Opaque: "//" + host + path, RawQuery: query}}
	if header == nil {
		r.Header = http.Header{}
	}
	if sent != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(sent)), int64(len(sent))
	}
	answer, err := g.client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	answer.Header.Del("Date")
	return answer.StatusCode, answer.Header, string(body)
}
