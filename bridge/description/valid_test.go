package description

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// shapes is the folder that FINGERPOST_SHAPES names, with the shapes that JSON-LD
// must meet. They are not ours to publish.
func shapes(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("FINGERPOST_SHAPES")
	if folder == "" {
		t.Skip("FINGERPOST_SHAPES names no folder of shapes: .ci/run sets it and prepares the tools")
	}
	return folder
}

// tool runs a script of the folder that FINGERPOST_TOOLS names. .ci/run prepares it.
func tool(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	folder := os.Getenv("FINGERPOST_TOOLS")
	if folder == "" {
		t.Fatal("FINGERPOST_TOOLS names no folder with jsonld-check and documents, as .ci/run prepares it")
	}
	var stderr bytes.Buffer
	command := exec.Command("node", append([]string{filepath.Join(folder, script)}, args...)...)
	command.Stderr = &stderr
	out, err := command.Output()
	if len(out) == 0 {
		t.Fatalf("%s: %v\n%.2000s", script, err, stderr.String())
	}
	return out
}

// Every document that claims CDIF meets its shapes, and those of
// science-on-schema.org and of Ocean InfoHub; so does a copy that is typed
// Dataset, since SHACL looks at data sets alone. Google wants a description of 50
// to 5,000 characters: where it is stated, the copy meets Google's shape too.
func TestShapes(t *testing.T) {
	folder := shapes(t)
	t.Parallel()
	var cdif, google []dataset
	for _, s := range sources(t) {
		d := describe(t, s)
		doc, _ := Named("cdif.jsonld")
		body, ok := d.Render(doc)
		if !ok {
			continue
		}
		typed := bytes.Replace(body, []byte(`"schema:`+classOf(&d.Object)+`"`), []byte(`"schema:Dataset"`), 1)
		cdif = append(cdif, dataset{idOf(&d.Object), typed})
		if n := utf8.RuneCountInString(first(d.Descriptions).Text); len(d.Descriptions) == 1 && n >= 50 && n <= 5000 {
			google = append(google, dataset{idOf(&d.Object), typed})
		}
	}
	t.Run("CDIF", func(t *testing.T) {
		t.Parallel()
		checkShapes(t, folder, cdif, "CDIF-Discovery-Shapes.ttl", "soso_common_v1.3.0.ttl", "oih_dataset.ttl")
	})
	t.Run("Google", func(t *testing.T) {
		t.Parallel()
		checkShapes(t, folder, google, "googleRequired.ttl")
	})
	t.Run("JSON Schema", func(t *testing.T) {
		t.Parallel()
		var files []string
		for i, d := range cdif {
			files = append(files, write(t, fmt.Sprintf("%d.jsonld", i), d.body))
		}
		report(t, tool(t, "jsonld-check/check.mjs", append([]string{filepath.Join(folder, "CDIFDiscoverySchema.json")}, files...)...), len(files))
	})
}

type dataset struct {
	id   string
	body []byte
}

// checkShapes checks many data sets as one graph, for the engine takes most of its
// time to begin. Data sets of one name stand in different graphs.
func checkShapes(t *testing.T, folder string, list []dataset, shapes ...string) {
	const most = 200
	for i, s := range shapes {
		shapes[i] = filepath.Join(folder, s)
	}
	var graphs [][]string
	last := map[string]int{} // the graph after the last that has a data set of this name
	for i, d := range list {
		at := max(last[d.id], i/most)
		for len(graphs) <= at {
			graphs = append(graphs, nil)
		}
		graphs[at] = append(graphs[at], string(d.body))
		last[d.id] = at + 1
	}
	var files []string
	for i, g := range graphs {
		files = append(files, write(t, fmt.Sprintf("graph-%d.jsonld", i), []byte("["+strings.Join(g, ",")+"]")))
	}
	report(t, tool(t, "jsonld-check/check.mjs", append([]string{strings.Join(shapes, ",")}, files...)...), len(files)*len(shapes))
	t.Logf("%d data sets in %d graphs", len(list), len(graphs))
}

// report fails unless every check that was asked for is "ok".
func report(t *testing.T, out []byte, checks int) {
	t.Helper()
	passed := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "ok ") {
			passed++
		} else {
			t.Errorf("%.300s", strings.TrimRight(line, "\n"))
		}
	}
	if passed != checks {
		t.Errorf("%d of %d checks passed", passed, checks)
	}
}

func write(t *testing.T, name string, body []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// reference is what citation-js reads of BibTeX and RIS.
type reference struct {
	Type      string           `json:"type"`
	Title     string           `json:"title"`
	Author    []map[string]any `json:"author"`
	Container string           `json:"container-title"`
	Volume    string           `json:"volume"`
	Issue     string           `json:"issue"`
	Page      string           `json:"page"`
	Publisher string           `json:"publisher"`
	Abstract  string           `json:"abstract"`
	Keyword   string           `json:"keyword"`
	DOI       string           `json:"DOI"`
	URL       string           `json:"URL"`
	Issued    struct {
		Parts [][]int `json:"date-parts"`
	} `json:"issued"`
}

// citation-js reads from BibTeX and RIS what CSL-JSON says.
func TestReferencesAreReadBack(t *testing.T) {
	shapes(t)
	t.Parallel()
	for _, name := range []string{"citation.bib", "citation.ris"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, _ := Named(name)
			var texts []string
			var of []*Description
			for _, s := range append(sources(t), hostileSources(t)...) {
				d := describe(t, s)
				if body, ok := d.Render(doc); ok {
					texts, of = append(texts, string(body)), append(of, d)
				}
			}
			list, err := json.Marshal(texts)
			if err != nil {
				t.Fatal(err)
			}
			var read []json.RawMessage
			if err := json.Unmarshal(tool(t, "documents/read.mjs", write(t, "texts.json", list)), &read); err != nil || len(read) != len(of) {
				t.Fatalf("%d references were read of %d: %v", len(read), len(of), err)
			}
			for i, d := range of {
				var got []reference
				if err := json.Unmarshal(read[i], &got); err != nil || len(got) != 1 {
					t.Errorf("%s: %.300s (%v) of\n%s", d.Identifier, read[i], err, texts[i])
					continue
				}
				for _, wrong := range differences(d, got[0], name) {
					t.Errorf("%s: %s", d.Identifier, wrong)
				}
			}
			t.Logf("%d references", len(of))
		})
	}
}

// risFields are the types for which citation-js reads a field of RIS that it does
// not read for all.
var risFields = map[string][]string{
	"publisher": strings.Fields("BOOK CHAP COMP CPAPER DATA FIGURE GEN MAP RPRT SLIDE SOUND THES VIDEO"),
	"issue":     {"JOUR"},
	"container": strings.Fields("JOUR CHAP GEN THES"),
}

func differences(d *Description, got reference, name string) (out []string) {
	check := func(what, got, want string) {
		if got == "" && (name == "citation.ris" && risFields[what] != nil && !slices.Contains(risFields[what], d.Type.ris) || what == "issue" && d.Type.bibTeX != "article") {
			return
		}
		if !sameText(got, want) {
			out = append(out, fmt.Sprintf("%s is %.300q, want %.300q", what, got, want))
		}
	}
	var names, want []string
	for _, a := range got.Author {
		names = append(names, fmt.Sprint(orNone(a["family"]), orNone(a["given"]), orNone(a["literal"]), orNone(a["non-dropping-particle"]), orNone(a["dropping-particle"]), orNone(a["suffix"])))
	}
	for _, a := range named(d.Creators) {
		if name == "citation.bib" && a.Family.Text != "" {
			want = append(want, a.Family.Text+a.Given.Text)
		} else {
			want = append(want, a.Name.Text)
		}
	}
	if len(names) != len(want) {
		out = append(out, fmt.Sprintf("authors are %q, want %q", names, want))
	} else {
		for i := range names {
			check("an author", names[i], want[i])
		}
	}
	check("title", got.Title, first(d.Titles).Text)
	check("DOI", got.DOI, doiOf(&d.Object))
	check("URL", strings.ReplaceAll(got.URL, "%25", "%"), d.Object.LandingPage.URL)
	check("publisher", got.Publisher, first(d.Publishers).Text)
	check("abstract", got.Abstract, abstract(d.Descriptions).Text)
	check("keyword", got.Keyword, keywords("", d.Subjects).Text)
	check("volume", got.Volume, d.Container.Volume.Text)
	check("issue", got.Issue, d.Container.Issue.Text)
	check("page", got.Page, pages(&d.Container, "-").Text)
	check("container", got.Container, d.Container.Title.Text)
	year := ""
	if len(got.Issued.Parts) > 0 {
		year = fmt.Sprintf("%04d", got.Issued.Parts[0][0])
	}
	check("year", year, yearOf(d.Issued).Text)
	return out
}

func orNone(v any) any {
	if v == nil {
		return ""
	}
	return v
}

// sameText compares letters and digits: readers fold white space, and part names
// at commas.
func sameText(a, b string) bool { return letters(a) == letters(b) }

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == ',' {
			return -1
		}
		return r
	}, s)
}

// BibTeX reads every entry, and as many names in it as there are.
func TestBibTeXIsRead(t *testing.T) {
	shapes(t)
	t.Parallel()
	var entries bytes.Buffer
	want := map[string]string{}
	doc, _ := Named("citation.bib")
	for i, s := range append(sources(t), hostileSources(t)...) {
		s.Identifier += fmt.Sprint("-", i)
		d := describe(t, s)
		key := bibTeXKey(d.Identifier)
		body, ok := d.Render(doc)
		if !ok || want[key] != "" {
			continue
		}
		entries.Write(body)
		want[key] = fmt.Sprint(d.Type.bibTeX, " ", len(named(d.Creators)), " ", len(named(editors(d.Contributors))))
	}
	got := runBibTeX(t, entries.Bytes())
	for key, w := range want {
		if got[key] != w {
			t.Errorf("%s: BibTeX reads %q, want %q", key, got[key], w)
		}
	}
	t.Logf("%d entries", len(want))
}

// runBibTeX returns what our style says of each entry.
func runBibTeX(t *testing.T, entries []byte) map[string]string {
	t.Helper()
	folder := t.TempDir()
	style, err := os.ReadFile("testdata/fields.bst")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"all.bib": entries, "fields.bst": style, "all.aux": []byte("\\relax\n\\citation{*}\n\\bibstyle{fields}\n\\bibdata{all}\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("bibtex", "all")
	command.Dir = folder
	command.Env = append(os.Environ(), "BSTINPUTS=.:", "BIBINPUTS=.:", "max_strings=300000")
	if out, err := command.CombinedOutput(); err != nil || bytes.Contains(out, []byte("Warning")) {
		t.Fatalf("bibtex: %v\n%.2000s", err, out)
	}
	said, err := os.ReadFile(filepath.Join(folder, "all.bbl"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	words := strings.Fields(string(said)) // long lines are broken at blanks
	for ; len(words) >= 4; words = words[4:] {
		out[words[0]] = strings.Join(words[1:4], " ")
	}
	return out
}
