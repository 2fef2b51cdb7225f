package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
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
