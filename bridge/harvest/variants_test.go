package harvest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
)

// A case has a line for each source: its id, its address, "sets:" and its sets,
// "said:" and the address in its Identify, "has:" and its records, whose landing
// pages are on the host that follows "on:". Behind an arrow is what is found.
var variantCases = []struct{ name, text string }{
	{"different repositories", `
		a https://a.example.org/oai said:https://a.example.org/oai has:1-9
		b https://b.example.org/oai said:https://b.example.org/oai has:10-19
		c https://a.example.org/other/oai`},
	{"forms of one address", `
		b http://repo.example.org:80/oai/
		a https://repo.example.org/oai
		c https://www.repo.example.org/oai
		-> a, c and b are one repository: the addresses of b and a are forms of one: http://repo.example.org:80/oai/ and https://repo.example.org/oai; the addresses of b and c are forms of one: http://repo.example.org:80/oai/ and https://www.repo.example.org/oai | keep a and remove c and b from the configuration`},
	{"the same address twice", `
		a https://repo.example.org/oai
		b https://repo.example.org/oai
		-> a and b are one repository: b has the address of a: https://repo.example.org/oai | keep a and remove b from the configuration`},
	{"two addresses of which Identify names one", `
		a https://repo.example.org/cgi/oai2 said:https://www.example.edu/oai
		b https://www.example.edu/oai said:https://www.example.edu/oai
		-> b and a are one repository: a and b give one address in Identify: https://www.example.edu/oai | keep b and remove a from the configuration`},
	{"two addresses of which Identify names another, and the same records", `
		a https://repo.example.org/oai said:http://old.example.edu/oai has:1-9
		b https://www.example.edu/oai said:http://old.example.edu/oai has:1-9
		-> a and b are one repository: a and b give one address in Identify: http://old.example.edu/oai | keep a and remove b from the configuration`},
	{"Identify that nobody has set", `
		a https://a.example.org/oai said:http://localhost/oai
		b https://b.example.org/oai said:http://localhost/oai
		c https://c.example.org/oai said:http://127.0.0.1:8080/oai
		d https://d.example.org/oai said:http://127.0.0.1:8080/oai`},
	{"Identify that is no address", `
		a https://a.example.org/oai said:%zz
		b https://b.example.org/oai said:%zz
		e https://e.example.org/oai said:oai
		f https://f.example.org/oai said:oai
		c https://c.example.org/oai said:https://repo.example.org/` + strings.Repeat("x", 3000) + `
		d https://d.example.org/oai said:https://repo.example.org/` + strings.Repeat("x", 3000)},
	{"one name for many repositories of a server", `
		a https://repo.example.org/a/oai said:https://repo.example.org/oai has:1-9
		b https://repo.example.org/b/oai said:https://repo.example.org/oai has:10-19`},
	{"a set of another source", `
		part https://repo.example.org/oai sets:com_1
		whole http://repo.example.org/oai
		-> whole and part are one repository: part harvests a part of whole: the set com_1 of https://repo.example.org/oai | keep whole and remove part from the configuration`},
	{"a set below that of another source", `
		a https://repo.example.org/oai sets:com,open
		b https://repo.example.org/oai sets:com:1:2
		-> a and b are one repository: b and a both harvest the set com:1:2 of https://repo.example.org/oai | name each set in one source only`},
	{"a source for each set", `
		a https://repo.example.org/oai sets:com_1
		b https://repo.example.org/oai sets:com_2
		c https://repo.example.org/oai sets:com`},
	{"a set under another name", `
		a https://repo.example.org/oai said:https://repo.example.org/oai
		b https://portal.example.edu/oai sets:x,y said:https://repo.example.org/oai
		-> a and b are one repository: a and b give one address in Identify, of which b harvests the sets x and y: https://repo.example.org/oai | keep a and remove b from the configuration`},
	{"the same records", `
		a https://repo.example.org/oai has:1-40
		b https://www.example.edu/oai2 has:1-40
		-> a and b are one repository: a and b have the same records: 16 of 16 that were looked at | keep a and remove b from the configuration`},
	{"a portal that harvests a repository", `
		portal https://portal.example.net/oai has:1-900
		repo https://repo.example.org/oai has:1-40
		-> portal and repo have the same records: portal has the records of repo: 8 of 8 that were looked at | if both are wanted, nothing has to be done: docs/aggregator.md says which object is published; otherwise remove one from the configuration`},
	{"some records in common", `
		a https://a.example.org/oai has:1-40
		b https://b.example.org/oai has:31-70`},
	{"the same numbers for different records", `
		a https://a.example.org/oai has:1-40 on:a.example.org
		b https://b.example.org/oai has:1-40 on:b.example.org`},
}

func TestVariants(t *testing.T) {
	for _, tt := range variantCases {
		t.Run(tt.name, func(t *testing.T) {
			db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var configured []harvest.Repository
			var want, got string
			for line := range strings.Lines(strings.TrimSpace(tt.text)) {
				line = strings.TrimSpace(line)
				if finding, ok := strings.CutPrefix(line, "-> "); ok {
					want += finding + "\n"
					continue
				}
				configured = append(configured, variantSource(t, db, strings.Fields(line)))
			}
			found, err := harvest.FindVariants(t.Context(), db, configured)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found {
				got += v.Sentence() + " | " + v.Remedy + "\n"
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// variantSource saves what a line says of a source.
func variantSource(t *testing.T, db *store.DB, words []string) harvest.Repository {
	t.Helper()
	r, has, on := harvest.Repository{ID: words[0], OAIURL: words[1]}, "", "repo.example.org"
	saved := store.Repository{ID: r.ID, OAIURL: r.OAIURL}
	for _, word := range words[2:] {
		switch what, value, _ := strings.Cut(word, ":"); what {
		case "sets":
			r.Sets = strings.Split(value, ",")
		case "said":
			saved.Identify = oaipmh.Identify{BaseURL: value}
		case "has":
			has = value
		case "on":
			on = value
		}
	}
	if err := db.SaveRepository(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	var from, to int
	if fmt.Sscanf(has, "%d-%d", &from, &to); to > 0 {
		for i := from; i <= to; i++ {
			id := fmt.Sprint("oai:repo:", i)
			b.Records = append(b.Records, store.Record{Identifier: id, Prefix: "oai_dc", Metadata: []byte("<a/>")})
			b.Objects = append(b.Objects, store.Object{Identifier: id, Prefixes: []string{"oai_dc"}, Object: bridge.Object{
				LandingPage: bridge.LandingPage{URL: fmt.Sprintf("https://%s/%d", on, i)},
			}})
		}
	}
	if err := db.Save(t.Context(), r.ID, b); err != nil {
		t.Fatal(err)
	}
	return r
}

// Thousands of sources that say the same of themselves are one sentence.
func TestManyVariants(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var configured []harvest.Repository
	for i := range 5000 {
		configured = append(configured, harvest.Repository{ID: fmt.Sprintf("s%04d", i), OAIURL: "https://repo.example.org/oai", Sets: []string{fmt.Sprint("com:", i), "all"}})
	}
	found, err := harvest.FindVariants(t.Context(), db, configured)
	if err != nil || len(found) != 1 || len(found[0].Sources) != 5000 {
		t.Fatalf("got %d groups and %v", len(found), err)
	}
	if s := found[0].Sentence(); len(s) > 2000 || !strings.HasPrefix(s, "s0000, s0001, ") || !strings.Contains(s, " and 4990 others are one repository: ") {
		t.Errorf("it says %q", s)
	}
}
