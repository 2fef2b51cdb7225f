package edge

import (
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fingerpost/bridge/linkset"
	_ "fingerpost/bridge/store/sqlite" // the driver "sqlite3"
)

var repoHosts = []string{"repo.example.edu"}

func each(pages ...Page) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for _, p := range pages {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// knownPages are the pages of the legacy site.
func knownPages() []Page {
	var pages []Page
	all := known()
	for _, uri := range slices.Sorted(maps.Keys(all)) {
		pages = append(pages, Page{uri, all[uri]})
	}
	return pages
}

func export(t *testing.T, pages ...Page) (dir string, e Exported) {
	t.Helper()
	dir = t.TempDir()
	e, err := Export(t.Context(), dir, repoHosts, each(pages...))
	if err != nil {
		t.Fatal(err)
	}
	return dir, e
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExport(t *testing.T) {
	link := func(href string) linkset.LinkSet { return linkset.LinkSet{{Rel: "item", Href: href}} }
	dir, e := export(t,
		Page{public + "/b?x=1&y=2", link("https://repo.example.edu/it's/$1")},
		Page{public + "/a%20b#part", link("https://repo.example.edu/1")},
		Page{"http://REPO.example.edu:80", link("https://repo.example.edu/2")},
		Page{public + "/b?x=1&y=2", link("https://repo.example.edu/another")},
		Page{"https://files.example.org/b", link("https://repo.example.edu/3")},
		Page{"urn:isbn:1", link("https://repo.example.edu/4")},
		Page{public + "/no-links", nil},
		Page{public + "/c//", link("https://repo.example.edu/5")},
		Page{public + "/c", link("https://repo.example.edu/another")},
		Page{public + "/d/e.PDF", link("https://repo.example.edu/6")},
		Page{public + "/D/E.pdf", link("https://repo.example.edu/7")},
		Page{public + "/f/?q=%C3%A4%2c(1)#x", link("https://repo.example.edu/8")},
		Page{public + "/f?q=%C3%A4,(1)", link("https://repo.example.edu/8")}, // the same links: no matter which
		Page{public + "/g/h", link("https://repo.example.edu/9")},
		Page{public + "/g%2Fh", link("https://repo.example.edu/10")}, // another page, which decodes to the same
	)
	if want := (Exported{Pages: 7, Foreign: 1, Refused: 2}); e != want {
		t.Errorf("want %+v, got %+v", want, e)
	}
	wantMap := "/ <https://repo.example.edu/2>;rel=\"item\"\n" +
		"/D/E.pdf <https://repo.example.edu/7>;rel=\"item\"\n" +
		"/a%20b <https://repo.example.edu/1>;rel=\"item\"\n" +
		"/b?x=1&y=2 <https://repo.example.edu/it's/$1>;rel=\"item\"\n" +
		"/c <https://repo.example.edu/5>;rel=\"item\"\n" +
		"/d/e.PDF <https://repo.example.edu/6>;rel=\"item\"\n" +
		"/f?q=ä,(1) <https://repo.example.edu/8>;rel=\"item\"\n"
	if diff := cmp.Diff(wantMap, read(t, dir, MapFile)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", MapFile, diff)
	}
	wantNginx := `"/" '/\t<https://repo.example.edu/2>;rel="item"';
"/a b" '/a b\t<https://repo.example.edu/1>;rel="item"';
"/b?x=1&y=2" '/b?x=1&y=2\t<https://repo.example.edu/it\'s/${fingerpost_dollar}1>;rel="item"';
"/c" '/c\t<https://repo.example.edu/5>;rel="item"';
"/d/e.pdf" '/D/E.pdf\t<https://repo.example.edu/7>;rel="item"\t/d/e.PDF\t<https://repo.example.edu/6>;rel="item"';
"/f?q=%c3%a4%2c%281%29" '/f?q=%C3%A4%2C%281%29\t/f?q=%c3%a4%2c%281%29\t<https://repo.example.edu/8>;rel="item"';
"/f?q=%c3%a4%2c(1)" '/f?q=%C3%A4%2c(1)\t/f?q=%C3%A4%2C(1)\t/f?q=%c3%a4%2c(1)\t<https://repo.example.edu/8>;rel="item"';
"/f?q=%c3%a4,(1)" '/f?q=%C3%A4,(1)\t/f?q=%c3%a4,(1)\t<https://repo.example.edu/8>;rel="item"';
`
	if diff := cmp.Diff(wantNginx, read(t, dir, NginxFile)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", NginxFile, diff)
	}
	if diff := cmp.Diff([]string{MapFile, NginxFile}, filesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: want it readable by all, got %v, %v", e.Name(), info.Mode(), err)
		}
	}
	return names
}

func TestTheSamePagesGiveTheSameFiles(t *testing.T) {
	first, _ := export(t, knownPages()...)
	second, _ := export(t, knownPages()...)
	for _, name := range []string{MapFile, NginxFile} {
		if read(t, first, name) != read(t, second, name) {
			t.Errorf("%s differs", name)
		}
	}
}

// An export waits until another one to the same folder has ended.
func TestOneProcessExportsAtATime(t *testing.T) {
	dir := t.TempDir()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Export(t.Context(), dir, repoHosts, func(yield func(Page, error) bool) {
		if _, err := Export(ended, dir, repoHosts, each()); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "wait for another export") {
			t.Errorf("want it to wait until %v, got %v", context.Canceled, err)
		}
		yield(knownPages()[0], nil)
	})
	if err != nil || read(t, dir, MapFile) == "" {
		t.Errorf("want the first export undisturbed, got %v", err)
	}
}

// An export that fails leaves the files before it, and nothing else.
func TestAFailedExportLeavesTheFilesAsTheyWere(t *testing.T) {
	dir, _ := export(t, knownPages()...)
	before := read(t, dir, MapFile)
	if err := os.Mkdir(filepath.Join(dir, scratchName+"killed"), 0o755); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the store is gone")
	_, err := Export(t.Context(), dir, repoHosts, func(yield func(Page, error) bool) {
		_ = yield(knownPages()[0], nil) && yield(Page{}, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("want %v, got %v", broken, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Export(ended, dir, repoHosts, each()); !errors.Is(err, context.Canceled) {
		t.Errorf("want %v, got %v", context.Canceled, err)
	}
	blocked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(blocked, NginxFile, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{filepath.Join(dir, MapFile): "make the folder", blocked: "export links to " + blocked} {
		if _, err := Export(t.Context(), place, repoHosts, each()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: want an error that begins with %q, got %v", place, want, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(blocked, scratchName+"*")); err != nil || len(left) > 0 {
		t.Errorf("want no scratch files, got %q, %v", left, err)
	}
	if read(t, dir, MapFile) != before {
		t.Error("the map has changed")
	}
	if diff := cmp.Diff([]string{MapFile, NginxFile}, filesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestHostileMetadataStaysInItsLine(t *testing.T) {
	hostile := "https://repo.example.edu/x\n/evil <https://evil.example/>;rel=\"cite-as\"\r\n';}\t\"$fp \\ ${x}"
	for _, page := range []Page{
		{public + "/x", linkset.LinkSet{{Rel: "item", Href: hostile, Type: hostile, Profile: hostile}, {Rel: hostile, Href: hostile}}},
		{hostile, linkset.LinkSet{{Rel: "item", Href: "https://repo.example.edu/y"}}},
		{public + "/x\n/evil", linkset.LinkSet{{Rel: "item", Href: "https://repo.example.edu/y"}}},
		{public + "/x y", linkset.LinkSet{{Rel: "item", Href: "https://repo.example.edu/y"}}},
		{public + `/x"y\`, linkset.LinkSet{{Rel: "item", Href: "https://repo.example.edu/y"}}},
	} {
		dir, e := export(t, page)
		checkLines(t, read(t, dir, MapFile), read(t, dir, NginxFile), e.Pages)
	}
}

// checkLines holds the two text files to their form.
func checkLines(t *testing.T, text, nginx string, pages int) {
	t.Helper()
	if got := strings.Count(text, "\n"); got != pages {
		t.Errorf("%s: want %d lines, got %q", MapFile, pages, text)
	}
	for line := range strings.Lines(text) {
		path, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.HasPrefix(path, "/") || !strings.HasPrefix(value, "<") || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%s: %q", MapFile, line)
		}
	}
	checkNginx(t, nginx)
}

// nginxLine is what nginx makes of a line: it takes the words as they are, in
// quotes, but for a backslash before some characters, and variables in the
// second.
var nginxLine = regexp.MustCompile(`^"((?:[^"\\]|\\["\\])*)" '((?:[^'\\$]|\\['\\t]|\$\{fingerpost_dollar\})*)';\n$`)

// checkNginx holds a map to what nginx reads: each address stands once, and in
// a value are addresses that differ from it in case alone, and their links.
func checkNginx(t testing.TB, text string) {
	t.Helper()
	unescape := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\t`, "\t", `${fingerpost_dollar}`, "$")
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		words := nginxLine.FindStringSubmatch(line)
		if words == nil {
			t.Fatalf("%s: %q", NginxFile, line)
		}
		address, value := unescape.Replace(words[1]), unescape.Replace(words[2])
		if seen[address] || lower(address) != address || len(words[1]) > maxNginxWord || len(words[2]) > maxNginxWord {
			t.Fatalf("%s stands twice, in capital letters or is too long: %s", address, text)
		}
		seen[address] = true
		parts := strings.Split(value, "\t")
		for i, part := range parts {
			isAddress := lower(part) == address
			last := i == len(parts)-1
			if !isAddress && (i == 0 || !strings.HasPrefix(part, "<") || strings.Contains(part, " ")) || isAddress && last {
				t.Fatalf("%s: %q", NginxFile, line)
			}
		}
	}
}

// nginx refuses a file in which an address stands twice, whatever its case.
func TestAddressesStandOnceForNginx(t *testing.T) {
	path := rapid.StringMatching(`(/|//|a|A|b|,|;|:|%2[CcFf]|%4[1Aa]|%6[1Aa]|%25|20|3f|41|%3f|%c3%a9|%C3%89|%[cC]9|%zz|\?|&|=|\+| |\$|'|%22|%5c){1,8}`)
	rapid.Check(t, func(rt *rapid.T) {
		var pages []Page
		for _, p := range rapid.SliceOfN(path, 1, 12).Draw(rt, "paths") {
			pages = append(pages, Page{public + "/" + p, linkset.LinkSet{{Rel: "item", Href: public + "/f"}}})
		}
		dir, err := os.MkdirTemp("", "fingerpost-edge-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if _, err := Export(context.Background(), dir, repoHosts, each(pages...)); err != nil {
			t.Fatal(err)
		}
		checkNginx(t, read(t, dir, NginxFile))
		keys := map[string]bool{}
		for line := range strings.Lines(read(t, dir, MapFile)) {
			key, _, _ := strings.Cut(line, " ")
			if keys[key] {
				t.Fatalf("%s: %s stands twice", MapFile, key)
			}
			keys[key] = true
		}
	})
}

// Each server has its own limit. Links that do not fit are left out by relation, so
// that no client takes some of the items for all.
func TestLongValuesFallBackToLess(t *testing.T) {
	page := landingLinks(public+landing, 60)
	all, short, least := page.Joined(), page.Except("item").Joined(), page.Rel("linkset").Joined()
	long := "/" + strings.Repeat("x", 1000)
	dir, e := export(t, Page{public + "/a", page}, Page{public + long, page})
	if e.Pages != 2 {
		t.Errorf("want 2 pages, got %+v", e)
	}
	want := "/a " + all + "\n" + long + " " + all + "\n"
	if diff := cmp.Diff(want, read(t, dir, MapFile)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", MapFile, diff)
	}
	if got := read(t, dir, NginxFile); strings.Count(got, `\t`+short+"'") != 2 {
		t.Errorf("%s: want no items, got %s", NginxFile, got)
	}
	huge := append(linkset.LinkSet{{Rel: "cite-as", Href: "https://doi.org/" + strings.Repeat("x", maxValue)}}, page.Rel("linkset")...)
	if got := valuesOf(huge); got != least {
		t.Errorf("want the link set alone, got %d bytes", len(got))
	}
	if got := valuesOf(huge[:1]); got != "" {
		t.Errorf("want nothing, got %d bytes", len(got))
	}
}

// Pages that are the same to nginx share one word. Those for which there is no room
// get no links, and none of other pages.
func TestPagesThatAreTheSameToNginxShareTheRoom(t *testing.T) {
	spellings := func(n int, tail string) (pages []Page) {
		for i := range n {
			path := []byte("/aaaaaaaaaaaaaaaaaaaa" + tail)
			path[1+i] = 'A'
			pages = append(pages, Page{public + string(path), landingLinks(public+string(path), 9)})
		}
		return pages
	}
	tests := []struct {
		name  string
		pages []Page
		found int
	}{
		{"two", spellings(2, ""), 2},
		{"more than have room", spellings(maxSame+3, ""), maxSame},
		{"two with long addresses", spellings(2, strings.Repeat("x", 1900)), 0},
		{"one with the longest", spellings(1, strings.Repeat("'", 2000)), 0},
	}
	for _, tt := range tests {
		dir, _ := export(t, tt.pages...)
		text := read(t, dir, NginxFile)
		checkNginx(t, text)
		if got := strings.Count(text, `;rel="linkset"`); got != tt.found {
			t.Errorf("%s: want %d, got %d in %s", tt.name, tt.found, got, text)
		}
	}
}

func FuzzExportedLines(f *testing.F) {
	f.Add(public+landing, "https://repo.example.edu/x", "item", uint16(0))
	f.Add(public+"/x?$y='", "https://repo.example.edu/x\n/y <z>", "a b", uint16(900))
	e := exporter{hosts: map[string]bool{"repo.example.edu": true}}
	f.Fuzz(func(t *testing.T, uri, href, rel string, length uint16) {
		links := linkset.LinkSet{{Rel: rel, Href: href + strings.Repeat("'", int(length%9000))}, {Rel: "linkset", Href: href}}
		values := strings.Split(e.valuesFor(Page{uri, links}), "\n")
		if values[0] == "" {
			return
		}
		key := keyOf(afterHost(uri))
		checkLines(t, key.String()+" "+values[0]+"\n", nginxLines([]nginxPage{{key.raw, values}}), 1)
	})
}
