package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/server/dashboard"
	"fingerpost/server/edge"
	"fingerpost/server/verify"
)

// TestManualOfMapping does what docs/mapping.md shows: each of its examples of
// rules is a configuration, a record, and what explain then prints, of which
// "…" stands for any lines.
func TestManualOfMapping(t *testing.T) {
	manual, err := os.ReadFile("../../docs/mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(manual), "\n### Example: ")[1:]
	if len(examples) < 3 {
		t.Fatalf("the manual has %d examples", len(examples))
	}
	for _, text := range examples {
		title, _, _ := strings.Cut(text, "\n")
		t.Run(title, func(t *testing.T) {
			command, printed, _ := strings.Cut(fenced(t, text, "console"), "\n")
			command, _ = strings.CutPrefix(command, "$ ")
			identifier := command[strings.LastIndexByte(command, ' ')+1:]
			fake := httptest.NewServer(oaitest.New(oaitest.Options{}, recordOf(identifier, fenced(t, text, "xml"))))
			t.Cleanup(fake.Close)
			runScript(t, txtar.Archive{
				Comment: fmt.Appendf(nil, "env FINGERPOST_REPOSITORIES_0_OAI_URL=%s/oai\nexec fingerpost harvest -c fingerpost.yaml\nexec %s -c fingerpost.yaml\nstdout '%s'\n",
					fake.URL, command, strings.ReplaceAll(lines(printed), "'", "''")),
				Files: []txtar.File{{Name: "fingerpost.yaml", Data: []byte(fenced(t, text, "yaml"))}},
			})
		})
	}
}

// TestREADMENamesCommands: what there is stands in README.md.
func TestREADMENamesCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	root := new(app).root()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if !strings.Contains(string(readme), "`"+c.Name()+"`") {
			t.Errorf("README.md does not say what %q is for", c.Name())
		}
	}
}

// TestManualOfJSON: docs/json.md names each key that --json prints, and no
// other.
func TestManualOfJSON(t *testing.T) {
	manual, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]any{
		"harvest, remap": store.Run{}, "status": dashboard.Status{}, "explain": bridge.Explanation{}, "check": finding{}, "verify": verify.Report{},
		"coverage": covered{}, "coverage --having, --missing": behind{}, "records": listed{}, "records --quarantined": quarantined{},
		"export map": edge.Exported{}, "version": built{},
	}
	chapters := strings.Split(string(manual), "\n## ")[1:]
	if len(chapters) != len(printed) {
		t.Errorf("the manual has %d chapters, want %d", len(chapters), len(printed))
	}
	for _, text := range chapters {
		title, text, _ := strings.Cut(text, "\n")
		if printed[title] == nil {
			t.Errorf("%s: there is no such command", title)
			continue
		}
		want := keys(reflect.TypeOf(printed[title]))
		for _, key := range want {
			if !strings.Contains(text, "`"+key+"`") {
				t.Errorf("%s: the manual does not name %q", title, key)
			}
		}
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(text, -1) {
			for _, key := range strings.Split(row[1], ", ") {
				if !slices.Contains(want, strings.Trim(key, "`")) {
					t.Errorf("%s: the manual names %s, which is not printed", title, key)
				}
			}
		}
	}
}

// keys are those that a type has in JSON, and the types of its fields have.
func keys(of reflect.Type) (out []string) {
	switch {
	case of.Kind() == reflect.Slice, of.Kind() == reflect.Pointer:
		return keys(of.Elem())
	case of.Kind() != reflect.Struct, of == reflect.TypeFor[time.Time]():
		return nil
	}
	for field := range of.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" {
			continue
		}
		if key != "" {
			out = append(out, key)
		}
		out = append(out, keys(field.Type)...)
	}
	return out
}

// fenced is the first block of a language.
func fenced(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("the example has no block of %s", language)
	}
	return block
}

func recordOf(identifier, elements string) oaitest.Record {
	return oaitest.Record{
		Header: oaipmh.Header{Identifier: identifier, Datestamp: "2030-01-02T03:04:05Z"},
		Formats: map[string]string{"oai_dc": `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
			elements + `</oai_dc:dc>`},
	}
}

// lines is a regular expression for what is printed.
func lines(printed string) string {
	return `(?s)^` + strings.NewReplacer("…\n", `(.*\n)?`, "\n", `\n`).Replace(regexp.QuoteMeta(printed))
}

func runScript(t *testing.T, script txtar.Archive) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txtar")
	if err := os.WriteFile(file, txtar.Format(&script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}})
}
