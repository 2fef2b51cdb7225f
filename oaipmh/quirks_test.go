package oaipmh_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// quirks is how many there are.
const quirks = 81

// TestQuirkRegister compares quirks.md with the tests: every quirk is in the
// table, in order, with tests that exist, and every test named after a quirk is in
// its row.
func TestQuirkRegister(t *testing.T) {
	tests := testsOfModule(t)
	rows := register(t)
	if len(rows) != quirks {
		t.Fatalf("%d rows, want %d", len(rows), quirks)
	}
	named := map[string]int{}
	for i, row := range rows {
		if row[0] != strconv.Itoa(i+1) || row[1] == "" || row[2] == "" || row[3] == "" {
			t.Fatalf("row %d is %q, want number, what is sent, what we do, tests", i+1, row)
		}
		for name := range strings.SplitSeq(row[3], ", ") {
			folder, test, ok := strings.Cut(name, " ")
			if !ok {
				folder, test = "oaipmh", name
			}
			if !tests[folder+" "+test] {
				t.Errorf("quirk %d: there is no %s in %s", i+1, test, folder)
			}
			named[folder+" "+test] = i + 1
		}
	}
	numbered := regexp.MustCompile(` TestQuirk(\d\d)_`)
	for test := range tests {
		m := numbered.FindStringSubmatch(test)
		if m == nil {
			continue
		}
		if n, _ := strconv.Atoi(m[1]); named[test] != n {
			t.Errorf("%s is not in row %d", test, n)
		}
	}
}

// register is the rows of the table, cell by cell.
func register(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("quirks.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "| ")
		if !ok || strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		if len(cells) != 4 {
			t.Fatalf("%d cells in %q, want 4", len(cells), line)
		}
		rows = append(rows, cells)
	}
	return rows
}

// testsOfModule are the tests of the module as "folder Name".
func testsOfModule(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	tests := map[string]bool{}
	root := filepath.Dir(mustAbs(t, "."))
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(os.DirFS(root), name)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			tests[path.Dir(name)+" "+string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
