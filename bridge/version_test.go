package bridge

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestVersionChangesWithWhatMatters(t *testing.T) {
	version := func(base string, l Learned, s Settings) string {
		m, err := NewMapping(base, l, s)
		if err != nil {
			t.Fatal(err)
		}
		return m.Version()
	}
	plain := version("https://a.example.edu/oai", Learned{}, Settings{})
	if again := version("https://a.example.edu/oai", Learned{}, Settings{}); again != plain {
		t.Errorf("the same mapping has the versions %s and %s", plain, again)
	}
	for name, other := range map[string]string{
		"base URL": version("https://b.example.edu/oai", Learned{}, Settings{}),
		"platform": version("https://a.example.edu/oai", Learned{Platform: "eprints"}, Settings{}),
		"prefixes": version("https://a.example.edu/oai", Learned{OwnPrefixes: []string{"10.5555"}}, Settings{}),
		"setting":  version("https://a.example.edu/oai", Learned{}, Settings{CiteAsPublishedDOI: true}),
		"rule":     version("https://a.example.edu/oai", Learned{}, Settings{Rules: []Rule{{Field: "source", Match: ".", As: "drop"}}}),
	} {
		if other == plain {
			t.Errorf("another %s gives the same version %s", name, plain)
		}
	}
}

// Every package and every library that the mapping is made of is part of its
// version. oaipmh is not: it has no part in what becomes of a record.
func TestVersionIsOfAllCode(t *testing.T) {
	text, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	version := string(text)
	for imported, by := range importsBelow(t, ".", map[string]string{}) {
		room, own := strings.CutPrefix(imported, "fingerpost/bridge/")
		switch {
		case own && !strings.Contains(version, " "+room+".Code"):
			t.Errorf("%s imports %s, whose code is no part of the version", by, imported)
		case !own && imported != "fingerpost/oaipmh" && !containsLibrary(version, imported):
			t.Errorf("%s imports %s, whose version is no part of the mapping's", by, imported)
		}
	}
}

func containsLibrary(version, imported string) bool {
	for path := imported; path != "."; path = filepath.Dir(path) {
		if strings.Contains(version, strconv.Quote(path)) {
			return true
		}
	}
	return false
}

// importsBelow adds what the files of a folder import that is not of the
// standard library, and what is imported by the bridge's packages among that.
func importsBelow(t *testing.T, folder string, found map[string]string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			host, _, _ := strings.Cut(imported, "/")
			if _, again := found[imported]; again || !strings.Contains(host, ".") && host != "fingerpost" {
				continue
			}
			found[imported] = name
			if room, own := strings.CutPrefix(imported, "fingerpost/bridge/"); own {
				importsBelow(t, room, found)
			}
		}
	}
	return found
}
