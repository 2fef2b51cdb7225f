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
	"fingerpost/bridge/description"
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
		"harvest, remap, probe": store.Run{}, "status": dashboard.Status{}, "explain": bridge.Explanation{}, "explain --document": description.Explanation{}, "check": finding{}, "verify": verify.Report{},
		"coverage": covered{}, "coverage --having, --missing": behind{}, "records": listed{}, "records --quarantined": quarantined{},
		"export map": edge.Exported{}, "move": moved{}, "version": built{},
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

// commandLine is a call of fingerpost in the code of a document.
var commandLine = regexp.MustCompile("(?:^|[\\s`(])fingerpost ([a-z][^`\n|&#;>]*)")

// TestDocumentsCallFingerpostRightly: each command line in the documents names
// a command, flags that it has, and as many arguments as it takes.
func TestDocumentsCallFingerpostRightly(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range codeIn(string(text)) {
			for _, call := range commandLine.FindAllStringSubmatch(code, -1) {
				lines++
				if err := parses(call[1]); err != nil {
					t.Errorf("%s: fingerpost %s: %v", filepath.Base(file), call[1], err)
				}
			}
		}
	}
	if lines < 50 {
		t.Errorf("only %d command lines were found", lines)
	}
}

var (
	fence       = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	spanOrBlock = regexp.MustCompile("`[^`]+`|(?m)^    .*$")
)

// codeIn returns the blocks of shell commands in a document, and its spans.
func codeIn(text string) (out []string) {
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		if block[1] == "" || block[1] == "sh" || block[1] == "console" {
			out = append(out, block[2])
		}
	}
	return append(out, spanOrBlock.FindAllString(fence.ReplaceAllString(text, ""), -1)...)
}

// parses checks a command line without running it.
func parses(line string) error {
	root := new(app).root()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpFlag()
	args := strings.Fields(substitution.ReplaceAllString(strings.ReplaceAll(line, `"`, ""), "X"))
	if len(args) > 0 && args[0] == "fingerpost" { // docker exec fingerpost fingerpost
		args = args[1:]
	}
	command, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	command.InitDefaultHelpFlag()
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	if !command.Runnable() || len(rest) == 0 { // prose names the command alone
		return nil
	}
	return command.ValidateArgs(command.Flags().Args())
}

// substitution is the output of another command.
var substitution = regexp.MustCompile(`\$\([^)]*\)`)

// TestGoVersionIsTheSameEverywhere: whoever builds is told the version that
// go.mod asks for.
func TestGoVersionIsTheSameEverywhere(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	for file, sentence := range map[string]string{
		"README.md": "Go " + version + " or newer", "CONTRIBUTING.md": "Go " + version + " or newer",
		"Dockerfile": "golang:" + version + "-", ".github/workflows/ci.yml": "golang:" + version + "-",
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), sentence) {
			t.Errorf("%s does not have %q", file, sentence)
		}
	}
}
