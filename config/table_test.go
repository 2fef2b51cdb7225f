package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withTable loads a configuration whose folder has a table, which stands in FILE.
func withTable(t testing.TB, yaml, table string) (c Config, file string, err error) {
	t.Helper()
	config := write(t, "fingerpost.yaml", yaml)
	file = filepath.Join(filepath.Dir(config), "sources.csv")
	if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err = Load(config, nil)
	return c, file, err
}

const onlyTable = "sources: sources.csv\n"

// A column is a key of a repository, and an empty cell its default. Excel begins
// a file with a BOM and ends lines with CRLF.
func TestTable(t *testing.T) {
	c, _, err := withTable(t, onlyTable+small+"    id: main\n", "\ufeffid,oai_url, schedule,politeness.min_interval,formats,mapping.cite_as,describedby.copies,header.bytes,name,probe\r\n"+
		"a,https://a.example.edu/oai,30 4 * * *,2s,\"oai_dc, mods\",landing_page,false,8KiB,\"Dépôt \"\"A\"\", Paris\",pages\r\n"+
		"\r\n"+
		"b, https://b.example.edu/oai ,,,,,,,,\r\n")
	if bad, _ := c.Bad(); err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	a, b := newRepository(), newRepository()
	a.ID, a.OAIURL, a.Schedule, a.Formats, a.Name = "a", "https://a.example.edu/oai", "30 4 * * *", []string{"oai_dc", "mods"}, `Dépôt "A", Paris`
	a.Politeness.MinInterval, a.Mapping.CiteAs, a.DescribedBy.Copies, a.Header.Bytes, a.Probe = minute/30, "landing_page", false, 8<<10, Probes{"pages"}
	b.ID, b.OAIURL, b.Schedule = "b", "https://b.example.edu/oai", daily("b")
	if diff := cmp.Diff([]Repository{c.Repositories[0], a, b}, slices.Collect(c.All())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got, ok := c.Repository("a")
	if diff := cmp.Diff(a, got); !ok || diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, ok := c.Repository("c"); ok || c.Len() != 3 {
		t.Errorf("%d repositories, and c is one: %v", c.Len(), ok)
	}
}

// A row that is wrong is named, and the others stay.
func TestBadRows(t *testing.T) {
	for _, tt := range []struct{ row, want string }{
		{"b,ftp://b.example.edu,", `FILE:3: oai_url "ftp://b.example.edu" is not a web address: write it with http:// or https://, such as https://repo.example.edu/oai`},
		{"b,,", `FILE:3: oai_url is missing: give the address that answers ?verb=Identify`},
		{",https://b.example.edu/oai,", `FILE:3: id is missing: give each repository a short name for its URLs, such as main`},
		{"oai,https://b.example.edu/oai,", `FILE:3: id "oai" is a name that the gateway itself needs: choose another`},
		{"a,https://b.example.edu/oai,", `FILE:3: id "a" is the id of a row above: give each its own`},
		{"main,https://b.example.edu/oai,", `FILE:3: id "main" is also under repositories: remove it from one of the two`},
		{"b,https://b.example.edu/oai,daily", `FILE:3: schedule "daily" has 1 fields instead of five (minute, hour, day of month, month, day of week): write "30 4 * * *" for every day at 4:30`},
		{"b,https://b.example.edu/oai", `FILE:3: the row has 2 cells, and the first line names 3 columns: put quotes around a cell with commas, and one comma between cells`},
		{"b,https://b.example.edu/oai,\"30 4", `FILE:3: the row has a quote that is not in a pair (column 34): put quotes around a whole cell, in one line, and write "" for a quote in it`},
		{"b,https://b.example.edu/oai,\xff", `FILE:3: the row is not in UTF-8: save the table in UTF-8`},
		{"b,https://b.example.edu/oai," + strings.Repeat("x", maxRow), `FILE:3: the row is longer than 65536 bytes: shorten it`},
	} {
		c, file, err := withTable(t, onlyTable+small+"    id: main\n", "id,oai_url,schedule\na,https://a.example.edu/oai,\n"+tt.row+"\nc,https://c.example.edu/oai,\n")
		if err != nil {
			t.Errorf("%.40s: %v", tt.row, err)
			continue
		}
		bad, n := c.Bad()
		if c.Len() != 3 || n != 1 || len(bad) != 1 {
			t.Errorf("%.40s: %d repositories, %d rows left out: %v", tt.row, c.Len(), n, bad)
			continue
		}
		if got := strings.ReplaceAll(bad[0].Error(), file, "FILE"); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// A table that cannot be read as one is refused.
func TestBadTable(t *testing.T) {
	for _, tt := range []struct{ table, want string }{
		{"", "FILE is empty: its first line names the columns, such as id,oai_url"},
		{"id,oai_url\na,https://a.exa", "FILE may be half written, since its last line has no end: add a line break"},
		{"id,oai_url,shedule\n", `FILE:1: there is no column "shedule": the nearest is "schedule"`},
		{"id;oai_url\n", "FILE:1: has no comma between the columns: save the table with commas"},
		{"id,oai_url,id\n", "FILE:1: the column id is here twice: remove column 3"},
		{"id,name\n", "FILE:1: there is no column oai_url: add it"},
		{"id,oai_url,politeness.password\n", "FILE:1: politeness.password cannot be a column: it is a secret: use politeness.password_file, or list the source under repositories"},
		{"id,oai_url,politeness.headers\n", "FILE:1: politeness.headers cannot be a column: it may hold secrets: list the source under repositories"},
		{"id,oai_url,edge.listen\n", "FILE:1: edge.listen cannot be a column: it is of a proxy, which opens when fingerpost starts: list the source under repositories"},
		{"id,oai_url,mapping.rules\n", `FILE:1: there is no column "mapping.rules": the nearest is "mapping.hosts"`},
	} {
		_, file, err := withTable(t, onlyTable, tt.table)
		if err == nil {
			t.Errorf("%q is read", tt.table)
			continue
		}
		_, text, _ := strings.Cut(err.Error(), ": sources ")
		if got := strings.ReplaceAll(text, file, "FILE"); got != tt.want {
			t.Errorf("%q\ngot  %s\nwant %s", tt.table, err, tt.want)
		}
	}
}

func TestNoTable(t *testing.T) {
	_, err := ForURL("", []string{"FINGERPOST_SOURCES=nowhere.csv"})
	want := "FINGERPOST_SOURCES: sources cannot be read (open nowhere.csv: no such file or directory): name a CSV file that fingerpost's user may read"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A table that cannot be read again stays as it was.
func TestReread(t *testing.T) {
	c, file, err := withTable(t, onlyTable, "id,oai_url\na,https://a.example.edu/oai\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ table, want string }{
		{"id,oai_url\nb,https://b.example.edu/oai\nc,https://c.example.edu/oai\n", "b c"},
		{"id,oai_url\nb,https://b.exam", "b c"},
		{"oai_url,id\nhttps://d.example.edu/oai,d\nftp://e.example.edu,e\n", "d"},
		{"id,oai_url\n", ""},
	} {
		if err := os.WriteFile(file, []byte(tt.table), 0o600); err != nil {
			t.Fatal(err)
		}
		err := c.Table.Reread()
		var ids []string
		for r := range c.All() {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want || (err != nil) != strings.HasSuffix(tt.table, "exam") {
			t.Errorf("%q: got %q, %v; want %q", tt.table, got, err, tt.want)
		}
	}
}

// Whatever a table is, it is read or refused, and all sources are valid.
func FuzzTable(f *testing.F) {
	f.Add("id,oai_url\na,https://a.example.edu/oai\n")
	f.Add("\ufeffid,oai_url,formats\r\na,https://a.example.edu/oai,\"oai_dc,\"\"x\"\r\nb,,\r\n")
	f.Add("id,oai_url,politeness.timeout,header.lines,edge.omit\na,https://a.example.edu/oai,1s,7,\"item,author\"\n")
	file := filepath.Join(f.TempDir(), "sources.csv")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := newTable(file, nil)
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for r := range (Config{Table: table}).All() {
			var p problems
			if r.check(&p, ""); p != nil || ids[r.ID] {
				t.Errorf("%q: %v", r.ID, p)
			}
			ids[r.ID] = true
		}
	})
}

// 30,000 sources are read, with a schedule and a time zone of their own.
func BenchmarkTable(b *testing.B) {
	var text strings.Builder
	text.WriteString("id,oai_url,name,schedule,timezone\n")
	for i := range 30000 {
		fmt.Fprintf(&text, "source-%d,https://repository-%d.example.edu/server/oai/request,Repository number %d,%d %d * * *,Europe/Berlin\n", i, i, i, i%60, i%24)
	}
	file := write(b, "sources.csv", text.String())
	for b.Loop() {
		if t, err := newTable(file, nil); err != nil || len(t.rows.Load().sources) != 30000 {
			b.Fatal(err)
		}
	}
}
