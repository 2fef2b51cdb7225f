package crosswalk

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is stated into the cases")

// TestStatements reads the record of each case and compares what it states: a
// line for each statement with its kind, which of its kind it is in brackets,
// its scheme, its language, its place, and its value. What is said of one
// person, funder, place or file stands together.
func TestStatements(t *testing.T) {
	for _, name := range caseFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			record, want := readCase(t, name)
			said, err := Read(record, All)
			if err != nil {
				t.Fatal(err)
			}
			got := written(said)
			if *update {
				archive := &txtar.Archive{Files: []txtar.File{{Name: "record.xml", Data: record}, {Name: "statements", Data: []byte(got)}}}
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("want (-) and got (+) differ; -update rewrites the case:\n%s", diff)
			}
			for _, path := range unreadIn(record) {
				t.Errorf("the text of %s is neither stated nor passed over on purpose", path)
			}
		})
	}
}

// For links nothing is read that All does not have, in whatever order.
func TestLinksArePartOfAll(t *testing.T) {
	for _, name := range caseFiles(t) {
		record, _ := readCase(t, name)
		all, err := Read(record, All)
		if err != nil {
			t.Fatal(err)
		}
		links, err := Read(record, Links)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			if l.Kind > lastOfLinks {
				t.Errorf("%s: %s is no kind of links", name, l.Kind)
			}
			same := func(st Statement) bool {
				return st.Kind == l.Kind && strings.HasPrefix(l.At.Path(), st.At.Path()) && strings.HasPrefix(st.Attr, l.Attr)
			}
			if !slices.ContainsFunc(all, same) && l.Kind != Related {
				t.Errorf("%s: %s at %s is read for links alone", name, l.Kind, l.At.Path())
			}
		}
	}
}

// What links are made of is read for them as for all. Where a format says
// itself what the files are, its sources and formats are no part of that.
func TestLinksHaveTheirKinds(t *testing.T) {
	for _, name := range caseFiles(t) {
		record, _ := readCase(t, name)
		all, err := Read(record, All)
		if err != nil {
			t.Fatal(err)
		}
		links, err := Read(record, Links)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range all {
			same := func(l Statement) bool {
				return l.Kind == st.Kind && strings.HasPrefix(l.At.Path(), st.At.Path()) && strings.HasPrefix(l.Attr, st.Attr)
			}
			switch {
			case st.Kind > lastOfLinks, st.Kind == Related, st.Kind == Source, st.Kind == Format, st.Kind == Title && st.Qualifier != "":
			case !slices.ContainsFunc(links, same):
				t.Errorf("%s: %s at %s is not read for links", name, st.Kind, st.At.Path())
			}
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	for k := range Kind(kinds) {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
}

func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return files
}

func readCase(t *testing.T, name string) (record []byte, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "record.xml":
			record = f.Data
		case "statements":
			want = string(f.Data)
		default:
			t.Fatalf("%s has a file %s, which has no meaning in a case", name, f.Name)
		}
	}
	return record, want
}

// written writes statements for people.
func written(said []Statement) string {
	var b strings.Builder
	for i, st := range said {
		if i > 0 && st.Group != said[i-1].Group {
			b.WriteString("\n")
		}
		b.WriteString(st.Kind.String())
		for _, part := range []struct{ form, value string }{
			{" (%s)", st.Qualifier}, {" [%s]", st.Scheme}, {" {%s}", st.Lang}, {" media %s", st.Media}, {" licence %s", st.Licence},
		} {
			if part.value != "" {
				fmt.Fprintf(&b, part.form, part.value)
			}
		}
		place := st.At.Path()
		if st.Attr != "" {
			place += "/@" + st.Attr
		}
		fmt.Fprintf(&b, "\n  %s = %s\n", place, st.Value)
	}
	return b.String()
}

// What a record costs is by its length, however often one part refers to
// another. The sizes are such that anything quadratic would take minutes.
func TestHostileRecordsAreBounded(t *testing.T) {
	copies := func(n int, form string) string {
		return strings.ReplaceAll(strings.Repeat(form, n), "N", "n")
	}
	for name, record := range map[string]string{
		"affiliations": `<article><front><article-meta><contrib-group><contrib>` + copies(60_000, `<xref rid="a"/>`) +
			`</contrib><aff id="a">` + copies(60_000, `<x/>`) + `</aff></contrib-group></article-meta></front></article>`,
		"institutions": `<article><front><article-meta><contrib-group><contrib>` + copies(60_000, `<xref rid="a"/>`) +
			`</contrib><aff id="a">` + copies(60_000, `<institution>N</institution>`) + `</aff></contrib-group></article-meta></front></article>`,
		"aggregations": `<r xmlns="http://www.isotc211.org/2005/gmd"><identificationInfo><d><aggregationInfo>` + copies(150_000, `<code>N</code>`) + `</aggregationInfo></d></identificationInfo></r>`,
		"languages":    `<mods xmlns="http://www.loc.gov/mods/v3">` + copies(90_000, `<abstract>N</abstract>`) + `</mods>`,
		"keywords":     `<metadata><idinfo><keywords><theme>` + copies(150_000, `<themekey>N</themekey>`) + `</theme></keywords></idinfo></metadata>`,
		"terms":        `<dc xmlns="http://purl.org/dc/elements/1.1/">` + copies(150_000, `<any.thing>N</any.thing>`) + `</dc>`,
	} {
		said, err := Read([]byte(record), All)
		if err != nil || len(said) > kinds*MostOfKind {
			t.Errorf("%s: %d statements, %v", name, len(said), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"datacite", "mods", "jats", "marcxml", "xoai", "landing-page"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		for _, scope := range []Scope{Links, All} {
			said, err := Read(record, scope)
			for _, st := range said {
				if err != nil || st.Value == "" || !st.At.Valid() || st.Kind >= kinds || scope == Links && st.Kind > lastOfLinks {
					t.Errorf("%+v, %v", st, err)
				}
			}
		}
	})
}
