package vocabulary

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the platforms into the manual")

const manualFile = "../../docs/mapping.md"

// The table of platforms is written from that of the code.
func TestManualOfPlatforms(t *testing.T) {
	const told = 21 // fields of platform that platformRow puts into words
	if n := reflect.TypeFor[Platform]().NumField(); n != told {
		t.Errorf("platform has %d fields, %d of which are in the manual: put the others into platformRow", n, told)
	}
	var want strings.Builder
	for _, p := range platforms {
		want.WriteString(platformRow(p))
	}
	text, err := os.ReadFile(manualFile)
	if err != nil {
		t.Fatal(err)
	}
	manual := string(text)
	before, rest, _ := strings.Cut(manual, "| platform | recognised by | what is done otherwise |\n|---|---|---|\n")
	got, after, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatalf("%s has no table of platforms", manualFile)
	}
	if got += "\n"; got == want.String() {
		return
	}
	if *update {
		head := manual[len(before) : len(manual)-len(rest)]
		if err := os.WriteFile(manualFile, []byte(before+head+want.String()+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("go test ./bridge/vocabulary -update rewrites the platforms of %s:\nwant %s\ngot %s", manualFile, want.String(), got)
}

func platformRow(p Platform) string {
	var marks []string
	for _, m := range p.marks {
		marks = append(marks, m.words())
	}
	known := strings.Join(marks, "; ")
	if p.named != nil {
		known += " (the address alone only where records are named like `" + namedLike(p.named) + "`)"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", p.Name, known, cmp.Or(strings.Join(p.words(), "; "), "nothing"))
}

// words say by what a platform is known.
func (m mark) words() string {
	var out []string
	for _, part := range []struct{ form, value string }{
		{"`%s` in its address", m.base}, {"`%s` at the end of its address", m.end}, {"“%s” in Identify", m.toolkit},
		{"OAI identifiers `%s…`", m.identifier}, {"a set `%s…`", m.set}, {"a format of namespace `%s…`", m.format},
	} {
		if part.value != "" {
			out = append(out, fmt.Sprintf(part.form, part.value))
		}
	}
	return strings.Join(out, " and ")
}

func namedLike(form func(string) bool) string {
	for _, local := range []string{"12", "jts-12", "article/12", "20.500.1/12", "k3m9p-7xq2d", "id:12"} {
		if form(local) {
			return local
		}
	}
	return "?"
}

// words say what is done otherwise for a platform.
func (p Platform) words() []string {
	var out []string
	say := func(when bool, words string) {
		if when {
			out = append(out, words)
		}
	}
	say(p.Aggregator, "no landing page, since its pages are about other repositories' objects")
	say(p.LandingPage != "" && p.numbered == nil, "L5: `"+p.LandingPage+"`")
	say(p.LandingPage != "" && p.numbered != nil, "L5: `"+p.LandingPage+"`, where the local part is a record's number")
	say(p.FirstURL, "L2b: the first URL, on any host")
	say(len(p.Pages) > 0, "L2: pages lie under `"+strings.Join(p.Pages, "`, `")+"`, on any host")
	say(p.LocalPrefix != "", "`"+p.LocalPrefix+"` stands before the number in its addresses, so that L2b does not apply")
	say(p.OwnsDOIs, "C3: a DOI is the object's")
	say(p.RelatedDOI, "it stands in `dc:relation`")
	say(p.PublishedDOI, "C4: the publisher's DOI is cited")
	say(p.PersistentPages, "C8: the landing page is cited")
	say(p.Galleys, "I3: galleys")
	say(len(p.Files) > 0, "files lie under `"+strings.Join(p.Files, "`, `")+"`")
	say(p.FirstFile != "", "`"+p.FirstFile+"` is the first of its files")
	say(p.FilesBelow, "files lie below the page, numbered")
	say(p.LicenceIDs, "licences may be named by its ids, such as `cc_by_4`")
	say(p.Series, "`dc:source` is the collection, and may name the type of all that is in it")
	for _, w := range p.Words {
		say(true, "type `"+w.Said+"` means `"+w.Type+"`")
	}
	for _, s := range p.SetTypes {
		say(true, "set `"+s.Set+"` is of type `"+s.Type+"`")
	}
	return out
}
