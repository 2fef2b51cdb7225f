// Package fingerpost_test keeps the rooms of the project apart.
package fingerpost_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// mayImport says which of the project's packages each package may import.
// Imports point one way: from the command to the bridge, never back. A new
// package needs a row here; uri and text are leaves for everybody. The server
// names oaipmh for the types that the store's contract is written in.
var mayImport = map[string][]string{
	"oaipmh":                    {"oaipmh/outbound", "bridge/uri", "bridge/text"},
	"oaipmh/outbound":           {},
	"oaipmh/oaitest":            {"oaipmh", "bridge/text"},
	"oaipmh/oaitest/recorded":   {},
	"bridge/uri":                {},
	"bridge/text":               {},
	"bridge/element":            {"bridge/text"},
	"bridge/linkset":            {"bridge/uri"},
	"bridge/identifier":         {"bridge/uri", "bridge/text"},
	"bridge/vocabulary":         {"bridge/uri", "bridge/text", "bridge/identifier"},
	"bridge/landingpage":        {"bridge/linkset", "bridge/uri", "bridge/element", "bridge/vocabulary"},
	"bridge/crosswalk":          {"bridge/uri", "bridge/text", "bridge/identifier", "bridge/vocabulary", "bridge/element", "bridge/landingpage"},
	"bridge":                    {"oaipmh", "bridge/uri", "bridge/text", "bridge/identifier", "bridge/vocabulary", "bridge/element", "bridge/crosswalk", "bridge/linkset", "bridge/landingpage"},
	"bridge/description":        {"bridge", "bridge/text", "bridge/identifier", "bridge/vocabulary", "bridge/crosswalk", "bridge/element"},
	"bridge/store":              {"oaipmh", "bridge", "bridge/store/engine"},
	"bridge/store/engine":       {},
	"bridge/store/storetest":    {"oaipmh", "bridge", "bridge/store", "bridge/store/engine"},
	"bridge/store/sqlite":       {"bridge/store", "bridge/store/engine"},
	"bridge/store/postgres":     {"bridge/store", "bridge/store/engine"},
	"bridge/store/pgtest":       {},
	"bridge/harvest":            {"oaipmh", "oaipmh/outbound", "bridge", "bridge/landingpage", "bridge/store"},
	"bridge/harvest/riverqueue": {"bridge/harvest"},
	"server":                    {"oaipmh", "oaipmh/outbound", "bridge", "bridge/description", "bridge/identifier", "bridge/linkset", "bridge/store", "server/provider", "server/look"},
	"server/edge":               {"oaipmh/outbound", "bridge/linkset", "bridge/uri", "bridge/vocabulary"},
	"server/provider":           {"oaipmh", "bridge/element", "bridge/store", "bridge/text"},
	"server/verify":             {"oaipmh/outbound", "bridge/linkset", "server/look"},
	"server/look":               {},
	"server/dashboard":          {"server/look", "bridge", "bridge/store"},
	"config":                    {},
	"testdata":                  {"oaipmh", "oaipmh/oaitest"},
	"cmd/fingerpost": {"config", "oaipmh", "oaipmh/outbound", "oaipmh/oaitest", "bridge", "bridge/description", "bridge/linkset", "bridge/store",
		"bridge/identifier", "bridge/landingpage", "bridge/store/sqlite", "bridge/store/postgres", "bridge/harvest", "bridge/harvest/riverqueue", "testdata", "server", "server/edge", "server/verify", "server/dashboard"},
}

// testsMayImport is what any package's tests may import besides: the fakes
// and what fills them.
var testsMayImport = []string{"oaipmh", "oaipmh/oaitest", "oaipmh/oaitest/recorded", "bridge", "bridge/element", "bridge/linkset",
	"bridge/store", "bridge/store/engine", "bridge/store/storetest", "bridge/store/sqlite", "bridge/store/postgres", "bridge/store/pgtest", "testdata"}

// homes are the only packages that import a library, so that it can be
// replaced in one place. A name that ends in _test is a package's tests alone,
// and anyTest is the tests of every package.
var homes = map[string][]string{
	"github.com/beevik/etree":                            {"bridge/element", "bridge/harvest_test"},
	"github.com/cespare/xxhash/v2":                       {"bridge/harvest"},
	"github.com/chromedp/cdproto":                        {"cmd/fingerpost_test"},
	"github.com/chromedp/chromedp":                       {"cmd/fingerpost_test"},
	"github.com/goccy/go-yaml":                           {"config"},
	"github.com/google/go-cmp":                           {anyTest, "bridge/store/storetest"},
	"github.com/gorilla/mux":                             {"server"},
	"github.com/invopop/jsonschema":                      {"config"},
	"github.com/jackc/pgx/v5":                            {"bridge/store/postgres", "bridge/store/pgtest", "bridge/harvest/riverqueue"},
	"github.com/klauspost/compress":                      {"bridge/store", "oaipmh", "server/verify"},
	"github.com/mattn/go-sqlite3":                        {"bridge/store/sqlite"},
	"github.com/piprate/json-gold":                       {"cmd/fingerpost_test"},
	"github.com/prometheus/client_golang":                {"cmd/fingerpost", "server", "server/dashboard", "server/edge"},
	"github.com/riverqueue/river":                        {"bridge/harvest/riverqueue"},
	"github.com/riverqueue/river/riverdriver/riverpgxv5": {"bridge/harvest/riverqueue"},
	"github.com/riverqueue/river/rivertype":              {"bridge/harvest/riverqueue"},
	"github.com/robfig/cron/v3":                          {"config"},
	"github.com/rogpeppe/go-internal":                    {anyTest},
	"github.com/spf13/cobra":                             {"cmd/fingerpost"},
	"github.com/vbauerster/mpb/v8":                       {"cmd/fingerpost"},
	"golang.org/x/net":                                   {"bridge", "bridge/element", "bridge/landingpage", "bridge/linkset", "config", "oaipmh", "server/dashboard_test", "server/edge", "server/verify"},
	"golang.org/x/sync":                                  {"cmd/fingerpost", "server"},
	"golang.org/x/text":                                  {"bridge/text", "oaipmh", "server/edge", "server/verify"},
	"pgregory.net/rapid":                                 {anyTest},
}

const anyTest = "any_test"

const module = "fingerpost/"

func TestImportsPointOneWay(t *testing.T) {
	complaints, files, err := check(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range complaints {
		t.Error(c)
	}
	if files < 20 {
		t.Errorf("only %d files were looked at", files)
	}
}

// A guard that never cries is no guard.
func TestForbiddenImportsAreSeen(t *testing.T) {
	tests := []struct{ file, imports, want string }{
		{"bridge/a.go", "fingerpost/bridge/store", `bridge/a.go: bridge may not import fingerpost/bridge/store`},
		{"bridge/a_test.go", "fingerpost/bridge/store", ``},
		{"server/a.go", "fingerpost/config", `server/a.go: server may not import fingerpost/config`},
		{"server/a_test.go", "fingerpost/config", `server/a_test.go: server may not import fingerpost/config`},
		{"server/a.go", "fingerpost/bridge/harvest", `server/a.go: server may not import fingerpost/bridge/harvest`},
		{"bridge/harvest/a_test.go", "fingerpost/server", `bridge/harvest/a_test.go: bridge/harvest may not import fingerpost/server`},
		{"server/edge/a.go", "github.com/gorilla/mux", `server/edge/a.go: github.com/gorilla/mux belongs to server alone`},
		{"bridge/a.go", "github.com/goccy/go-yaml/ast", `bridge/a.go: github.com/goccy/go-yaml belongs to config alone`},
		{"util/a.go", "strings", `util/a.go: util has no row in imports_test.go: say what it may import`},
		{"cmd/fingerpost/a.go", "fingerpost/config", ``},
		{"bridge/testdata/a.go", "fingerpost/config", ``},
		{"testdata/a.go", "fingerpost/config", `testdata/a.go: testdata may not import fingerpost/config`},
		{"bridge/harvest/a.go", "github.com/beevik/etree", `bridge/harvest/a.go: github.com/beevik/etree belongs to bridge/element and bridge/harvest_test alone`},
		{"bridge/harvest/a_test.go", "github.com/beevik/etree", ``},
		{"bridge/a.go", "pgregory.net/rapid", `bridge/a.go: pgregory.net/rapid belongs to any_test alone`},
		{"bridge/a_test.go", "pgregory.net/rapid", ``},
	}
	for _, tt := range tests {
		source := "package p\nimport _ " + strconv.Quote(tt.imports) + "\n"
		got, _, err := check(fstest.MapFS{tt.file: {Data: []byte(source)}})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%s importing %s:\ngot  %q\nwant %q", tt.file, tt.imports, got, tt.want)
		}
	}
}

// required is a line of go.mod that names a library which the code imports.
var required = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)

func TestEveryLibraryHasAHome(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var libraries []string
	for _, line := range required.FindAllStringSubmatch(string(mod), -1) {
		libraries = append(libraries, line[1])
	}
	slices.Sort(libraries)
	if with := slices.Sorted(maps.Keys(homes)); !slices.Equal(libraries, with) {
		t.Errorf("libraries in go.mod and in the table of homes differ:\n%q\n%q", libraries, with)
	}
}

// A home that does not import its library is no home.
func TestEveryHomeImportsItsLibrary(t *testing.T) {
	imported := map[[2]string]bool{} // by library and package
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && notBuilt(file):
			return fs.SkipDir
		case path.Ext(file) != ".go":
			return nil
		}
		pkg, imports, err := importsOf(os.DirFS("."), file)
		for _, i := range imports {
			imported[[2]string{libraryOf(i), pkg}] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for library, packages := range homes {
		for _, pkg := range packages {
			if pkg != anyTest && !imported[[2]string{library, pkg}] {
				t.Errorf("%s does not import %s: remove it from the table of homes", pkg, library)
			}
		}
	}
}

// Every library has to be kept current: README.md says why it is worth that.
func TestREADMESaysWhyEachLibraryIsThere(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n## Dependencies\n")
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*/[^|]*) \|`).FindAllStringSubmatch(table, -1) {
		got = append(got, strings.Split(row[1], ", ")...)
	}
	want := []string{"honnef.co/go/tools"} // a tool, which nothing imports
	for library := range homes {
		want = append(want, shortName(library))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the table of dependencies differs from go.mod:\n%q\n%q", got, want)
	}
}

// shortName leaves out of a module's path what README.md leaves out: the host
// that serves it and the number of its major version.
func shortName(library string) string {
	name := majorVersion.ReplaceAllString(library, "")
	return strings.TrimPrefix(strings.TrimPrefix(name, "github.com/"), "golang.org/")
}

var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// check reads the imports of every Go file below root. It returns what is
// wrong with them and how many files there were.
func check(root fs.FS) (complaints []string, files int, err error) {
	err = fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && notBuilt(file) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(file) != ".go" || path.Dir(file) == "." {
			return nil
		}
		files++
		more, err := checkFile(root, filepath.ToSlash(file))
		complaints = append(complaints, more...)
		return err
	})
	return complaints, files, err
}

// notBuilt reports whether a folder holds nothing that is linked into the
// binary. The folder testdata at the top is: the demo shows its repositories.
func notBuilt(folder string) bool {
	name := path.Base(folder)
	return name == "testdata" && folder != "testdata" || name != "." && strings.HasPrefix(name, ".")
}

func checkFile(root fs.FS, file string) ([]string, error) {
	pkg, imports, err := importsOf(root, file)
	if err != nil {
		return nil, err
	}
	pkg, test := strings.CutSuffix(pkg, "_test")
	allowed, listed := mayImport[pkg]
	if !listed {
		return []string{file + ": " + pkg + " has no row in imports_test.go: say what it may import"}, nil
	}
	if test {
		allowed = append(slices.Clone(testsMayImport), append(allowed, pkg)...)
	}
	var complaints []string
	for _, imported := range imports {
		if own, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(allowed, own) {
			complaints = append(complaints, file+": "+pkg+" may not import "+imported)
		}
		if library := homeless(pkg, imported, test); library != "" {
			complaints = append(complaints, file+": "+library+" belongs to "+strings.Join(homes[library], " and ")+" alone")
		}
	}
	return complaints, nil
}

// importsOf returns the package of a file, with _test after it if it is one of
// its tests, and what it imports.
func importsOf(root fs.FS, file string) (pkg string, imports []string, err error) {
	source, err := fs.ReadFile(root, file)
	if err != nil {
		return "", nil, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
	if err != nil {
		return "", nil, err
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", nil, err
		}
		imports = append(imports, imported)
	}
	pkg = path.Dir(file)
	if strings.HasSuffix(file, "_test.go") {
		pkg += "_test"
	}
	return pkg, imports, nil
}

// homeless returns the library that is imported outside its homes, if any.
func homeless(pkg, imported string, test bool) string {
	library := libraryOf(imported)
	packages := homes[library]
	if slices.Contains(packages, pkg) || test && (slices.Contains(packages, pkg+"_test") || slices.Contains(packages, anyTest)) {
		return ""
	}
	return library
}

// libraryOf returns the library that a package is part of; "" if it is none of
// the table.
func libraryOf(imported string) (longest string) {
	for library := range homes {
		if len(library) > len(longest) && (imported == library || strings.HasPrefix(imported, library+"/")) {
			longest = library
		}
	}
	return longest
}

// README.md has a map of the packages.
func TestREADMENamesEveryPackage(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, inside, _ := strings.Cut(string(readme), "\n## Inside\n")
	inside, _, _ = strings.Cut(inside, "\n## ")
	for pkg := range mayImport {
		if name := path.Base(pkg); !regexp.MustCompile(`\b` + name + `\b`).MatchString(inside) {
			t.Errorf("the map of packages does not name %s", pkg)
		}
	}
}
