package linkset

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the cases in testdata")

// A case of testdata/written has links, one a line: anchor, rel, href, type
// and profile. "-" stands for none; a field in double quotes is read as in Go.
// All forms of them follow; header, joined and HTML are those of the first
// anchor's page.
func TestWritten(t *testing.T) {
	eachCase(t, "testdata/written/*.txtar", func(t *testing.T, in map[string]string) []txtar.File {
		s := readLinks(t, in["links"])
		page := s.From(s[0].Anchor)
		kept, dropped := page.Fit(Budget{})
		var indented bytes.Buffer
		if err := json.Indent(&indented, s.JSON(), "", "  "); err != nil {
			t.Fatalf("want JSON, got %q: %v", s.JSON(), err)
		}
		return []txtar.File{
			file("check", checks(s)),
			file("header", strings.Join(page.Header(), "\n")),
			file("fit", fmt.Sprintf("%d of %d bytes, dropped %q", kept.HeaderBytes(), page.HeaderBytes(), dropped)),
			file("joined", page.Joined()),
			file("head.html", string(page.HTML())),
			file("linkset.txt", string(s.Text())),
			file("linkset.json", indented.String()),
		}
	})
}

// A case of testdata/read has a header (a field value a line), a linkset.txt,
// a linkset.json or a page.html, as found at https://repo.example/page/7. The
// links that are read and the faults follow.
func TestRead(t *testing.T) {
	const base = "https://repo.example/page/7"
	eachCase(t, "testdata/read/*.txtar", func(t *testing.T, in map[string]string) []txtar.File {
		var s LinkSet
		var err error
		if header, ok := in["header"]; ok {
			s, err = ParseHeader(strings.Split(strings.TrimSpace(header), "\n"), base)
		} else if text, ok := in["linkset.txt"]; ok {
			s, err = ParseText([]byte(text))
		} else if doc, ok := in["linkset.json"]; ok {
			s, err = ParseJSON([]byte(doc))
		} else if page, ok := in["page.html"]; ok {
			s, err = ParseHTML(strings.NewReader(page), base)
		} else {
			t.Fatal("want a header, linkset.txt, linkset.json or page.html, got none")
		}
		faults := ""
		if err != nil {
			faults = err.Error()
		}
		return []txtar.File{file("links", printLinks(s)), file("faults", faults)}
	})
}

// eachCase runs f on each case, and compares what it returns with the parts of
// the case that have the same names.
func eachCase(t *testing.T, glob string, f func(*testing.T, map[string]string) []txtar.File) {
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("want cases in %s, got none: %v", glob, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := make(map[string]string)
			for _, part := range a.Files {
				in[part.Name] = string(part.Data)
			}
			out := f(t, in)
			for _, part := range out {
				if diff := cmp.Diff(in[part.Name], string(part.Data)); diff != "" && !*update {
					t.Errorf("%s (-want +got):\n%s", part.Name, diff)
				}
			}
			if *update {
				rewrite(t, name, a, out)
			}
		})
	}
}

// rewrite replaces the parts of a case that are expected.
func rewrite(t *testing.T, name string, a *txtar.Archive, out []txtar.File) {
	expected := make(map[string]bool)
	for _, part := range out {
		expected[part.Name] = true
	}
	var parts []txtar.File
	for _, part := range a.Files {
		if !expected[part.Name] {
			parts = append(parts, part)
		}
	}
	a.Files = append(parts, out...)
	if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func file(name, data string) txtar.File {
	if data != "" && !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	return txtar.File{Name: name, Data: []byte(data)}
}

func checks(s LinkSet) string {
	var errs []error
	for i, l := range s {
		if err := Check(l); err != nil {
			errs = append(errs, fmt.Errorf("link %d: %w", i+1, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err.Error()
	}
	return "all legal"
}

func readLinks(t *testing.T, text string) LinkSet {
	var s LinkSet
	for line := range strings.Lines(text) {
		var field [5]string
		for i := range field {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, `"`) {
				quoted, err := strconv.QuotedPrefix(line)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				field[i], _ = strconv.Unquote(quoted)
				line = line[len(quoted):]
				continue
			}
			field[i], line, _ = strings.Cut(line, " ")
			if field[i] == "-" {
				field[i] = ""
			}
		}
		s = append(s, Link{field[0], field[1], field[2], field[3], field[4]})
	}
	if len(s) == 0 {
		t.Fatal("want links, got none")
	}
	return s
}

func printLinks(s LinkSet) string {
	var b strings.Builder
	for _, l := range s {
		for i, field := range []string{l.Anchor, l.Rel, l.Href, l.Type, l.Profile} {
			switch {
			case field == "":
				field = "-"
			case strings.ContainsAny(field, space+`"`):
				field = strconv.Quote(field)
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(field)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
