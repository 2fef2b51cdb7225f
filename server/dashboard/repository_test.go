package dashboard

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

func TestRepositoryThatWasNeverHarvested(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/repository/main"),
		"main", "never run", "Objects published | 0", "Last complete | never", "Next run | as soon as possible", "Harvested from | https://repo.example.org/oai",
		"It was never harvested.", "Nothing that is known here.", "No object is published.", "Never run.",
		"Next: Harvest all of it: not done. The first complete harvest makes the links.",
		"Step 1: robots.txt leads to the Signmap: not known here. Add the line Sitemap: https://links.example.org/main/signmap.xml",
		"Steps 1 to 3 are seen only from outside: fingerpost check main looks, and names the next one.",
		"Configuration for the web server of the repository: apache nginx")
	k.sync(t) // not even written down
	has(t, k.page(t, "/repository/main"), "never run", "Next run | none is scheduled")
}

func TestRunsAreShownAndCharted(t *testing.T) {
	k := newDesk(t)
	k.run(t, store.Run{State: store.Failed, Reason: "no route to host", Started: noon.Add(-48 * time.Hour)})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Records: 1500, New: 1, Changed: 2, Unchanged: 3, Deleted: 4, Pages: 6, Requests: 7, Retries: 1, Repairs: 8})
	page := k.page(t, "/repository/main")
	rows := []string{
		"| 2 Jan 2031 12:00 UTC 1 min 0 s | oai_dc: complete | 1,500 records: 1 new, 2 changed, 3 unchanged, 4 deleted 6 pages, 7 requests, 1 of these again, 8 repairs",
		"| 31 Dec 2030 12:00 UTC 1 min 0 s | none was begun: failed no route to host | 0 records: nothing new",
	}
	if !strings.Contains(page, strings.Join(rows, "\n")) {
		t.Errorf("want the newest first:\n%s", page)
	}
	has(t, page, "| From | Runs | Records | Duration | Not complete",
		"| 31 Dec 2030 12:00 UTC | 1 | 0 | 1 min 0 s | 1", "| 2 Jan 2031 11:12 UTC | 1 | 1,500 | 1 min 0 s | 0")
	_, body := k.ask(t, http.MethodGet, "/repository/main")
	for _, want := range []string{
		`aria-label="Records of the runs over time, at most 1,500 records"><rect x="59" y="0" width="0.9" height="100"><title>2 Jan 2031 11:12 UTC: 1,500 records</title></rect></svg>`,
		`<rect x="0" y="0" width="0.9" height="100" class="bad"><title>31 Dec 2030 12:00 UTC: 1 min 0 s</title></rect>`,
		`<title>31 Dec 2030 12:00 UTC: 1 run not complete</title>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in\n%s", want, body)
		}
	}
}

func TestLinksAndTheirCourse(t *testing.T) {
	k := newDesk(t)
	full := bridge.Object{
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/a"}, CiteAs: "https://doi.org/10.1234/a",
		License: "https://creativecommons.org/licenses/by/4.0/", Authors: []string{"https://orcid.org/0000-0002-1825-0097"},
		Type: "https://schema.org/Dataset", Items: []bridge.ContentResource{{URL: "https://repo.example.org/a.csv", MediaType: "text/csv"}},
	}
	k.save(t, store.Batch{Objects: []store.Object{{Identifier: "oai:x:a", Object: full}}})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Started: noon.Add(-24 * time.Hour)})
	k.objects(t, 3)
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
	has(t, k.page(t, "/repository/main"),
		"| Link | Share | With it | Without it | Course",
		"| landing page | 100 % 100 % | 4 | none | from 100 % 100 % on 1 Jan 2031 12:01 UTC, 100 % on 2 Jan 2031 12:01 UTC",
		"| licence | 25.0 % 25.0 % | 1 | 3 | from 100 % 100 % on 1 Jan 2031 12:01 UTC, 25.0 % on 2 Jan 2031 12:01 UTC",
		"| media type of every file | 100 % 100 % | 1 | none | from 100 % 100 % on 1 Jan 2031 12:01 UTC, 100 % on 2 Jan 2031 12:01 UTC")
	_, body := k.ask(t, http.MethodGet, "/repository/main")
	if want := `<a href="/repository/main/lacking/license">3</a>`; !strings.Contains(body, want) || !strings.Contains(body, `points="0,0 100,75"`) {
		t.Errorf("want %s and a line down to a quarter, got\n%s", want, body)
	}
	has(t, k.page(t, "/repository/main/lacking/license"), "main: objects without licence", "oai:x:0", "oai:x:1", "oai:x:2",
		"All of them, as CSV: fingerpost coverage main --missing license --format csv")
	_, body = k.ask(t, http.MethodGet, "/repository/main/lacking/license")
	if want := `<a href="https://links.example.org/main/` + store.KeyOf("oai:x:0") + `">`; !strings.Contains(body, want) {
		t.Errorf("want a link to the object's page, %s, in\n%s", want, body)
	}
	has(t, k.page(t, "/repository/main/having/license"), "main: objects with licence", "oai:x:a",
		"All of them, as CSV: fingerpost coverage main --having license --format csv")
	has(t, k.page(t, "/repository/main/lacking/landing_page"), "There are no more.")
}

func TestObjectsWithoutALinkArePaged(t *testing.T) {
	k := newDesk(t)
	k.objects(t, 120)
	seen := map[string]bool{}
	for path := "/repository/main/lacking/license"; path != ""; {
		_, body := k.ask(t, http.MethodGet, path)
		found := strings.Split(body, `<bdi>oai:x:`)[1:]
		if len(found) > shown {
			t.Errorf("%s has %d objects", path, len(found))
		}
		for _, f := range found {
			seen[f[:strings.Index(f, "<")]] = true
		}
		_, link, more := strings.Cut(body, `<p class="pager"><a href="`)
		if path = ""; more {
			path = "/repository/main/lacking/license" + link[:strings.Index(link, `"`)]
		}
	}
	if len(seen) != 120 {
		t.Errorf("got %d objects, want 120", len(seen))
	}
}

func TestProblemsHaveRemedies(t *testing.T) {
	const check = "fingerpost check main examines it from inside and outside."
	for _, tt := range []struct {
		name   string
		made   func(*desk)
		source store.Source
		want   []string
	}{
		{"all is well", func(k *desk) {
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
			k.save(t, store.Batch{Objects: []store.Object{{Identifier: "oai:x:a", Object: bridge.Object{
				LandingPage: bridge.LandingPage{URL: "https://repo.example.org/a"}, License: "https://creativecommons.org/licenses/by/4.0/",
				Items: []bridge.ContentResource{{URL: "https://repo.example.org/a.csv"}},
			}}}})
		}, store.Source{}, []string{"Nothing that is known here."}},
		{"nothing came of it", func(k *desk) { k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete}) }, store.Source{}, []string{"No object is published. " + check}},
		{"no file, no licence", func(k *desk) { k.objects(t, 1) }, store.Source{}, []string{
			"No object has this link: licence. Ask the repository to put the address of a licence into dc:rights, or let the gateway read landing pages (probe: pages). The objects",
			"No object has this link: files (item). Let the gateway read landing pages (probe: pages). The objects",
		}},
		{"failed", func(k *desk) {
			for range 3 {
				k.run(t, store.Run{State: store.Failed, Class: store.Gone, Reason: "no route to host"})
			}
		}, store.Source{}, []string{
			"none was begun: failed: no route to host (3 failures in a row) See whether its address has changed, and set oai_url; fingerpost check main tries it.",
			"No harvest is known that read all of it.",
		}},
		{"broken off", func(k *desk) {
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
			k.run(t, store.Run{Prefix: "oai_dc", Set: "a", State: store.Complete})
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Incomplete, Reason: "the list ended early"})
		}, store.Source{}, []string{"oai_dc: incomplete: the list ended early " + check, "All of it was last harvested completely 2 Jan 2031 12:01 UTC."}},
		{"failed, and tried again", func(k *desk) {
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Failed, Reason: "503"})
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Running})
		}, store.Source{}, []string{"before this run: oai_dc: failed: 503 " + check}},
		{"refused", func(k *desk) {
			if err := k.db.SaveRepository(t.Context(), store.Repository{ID: "main", Pause: store.Pause{Reason: "it refused access"}}); err != nil {
				t.Fatal(err)
			}
		}, store.Source{Why: "refused", Due: noon.Add(time.Hour)}, []string{
			"it refused access: it is left alone until 2 Jan 2031 13:00 UTC. If its administrators let the gateway's requests through, fingerpost check main asks now, and an answer ends the wait.",
		}},
		{"overdue", func(*desk) {}, store.Source{Due: noon.Add(-2 * time.Hour)}, []string{
			"Its next run is overdue since 2 Jan 2031 10:00 UTC. Is fingerpost serve or fingerpost work running? More workers ask more hosts at the same time.",
		}},
		{"doubtful", func(k *desk) {
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
			k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Remark: "half of it is missing"}})
		}, store.Source{}, []string{"Doubtful: oai_dc: half of it is missing"}},
		{"in quarantine", func(k *desk) { k.quarantine(t, "bad XML") }, store.Source{}, []string{
			"1 record could not be read or mapped: 100 % of all. Tell its administrators what is wrong with them. A record leaves quarantine when it comes again without an error. The records and their bytes",
		}},
		{"a wrong clock", func(k *desk) {
			k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Started: noon.Add(time.Hour)})
		}, store.Source{}, []string{
			"Its newest run is dated in the future; the clock of a machine was wrong then, or is now: 2 Jan 2031 13:00 UTC.",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newDesk(t)
			tt.made(k)
			tt.source.Repository = "main"
			if tt.source.Due.IsZero() {
				tt.source.Due = noon.Add(time.Hour)
			}
			k.source(t, tt.source)
			has(t, k.page(t, "/repository/main"), tt.want...)
		})
	}
}

func TestQuarantine(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/repository/main/quarantine"), "main: quarantine", "Nothing is in quarantine.")
	k.objects(t, 1)
	k.save(t, store.Batch{Quarantined: []store.Quarantined{
		{Identifier: "oai:x:0", Prefix: "oai_dc", Reason: "line 3: a", Bytes: []byte("<a>\n<b>one & two</b>\n</a>"), Page: "https://repo.example.org/oai?verb=ListRecords", At: noon},
		{Prefix: "oai_dc", Reason: "no header", Bytes: []byte("<a/>"), At: noon},
	}})
	page := k.page(t, "/repository/main/quarantine")
	has(t, page, "| 1 | line 3: a", "oai:x:0", "line 3: a", "Format | oai_dc", "Received | 2 Jan 2031 12:00 UTC, 25 bytes",
		"From | https://repo.example.org/oai?verb=ListRecords", "Without an identifier")
	_, body := k.ask(t, http.MethodGet, "/repository/main/quarantine")
	for _, want := range []string{
		`<h2><a href="https://links.example.org/main/` + store.KeyOf("oai:x:0") + `"><bdi>oai:x:0</bdi></a></h2>`,
		"&lt;a&gt;\n&lt;b&gt;<mark>one &amp;</mark> two",
		"<dd>in line 2 of the record, where it is marked</dd>",
		`aria-label="As it was received">&lt;a/&gt;</pre>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in\n%s", want, body)
		}
	}
}

// However many records are in quarantine, and however large, a page has some.
func TestQuarantineIsBounded(t *testing.T) {
	k := newDesk(t)
	var b store.Batch
	for i := range 35 {
		b.Quarantined = append(b.Quarantined, store.Quarantined{
			Identifier: fmt.Sprint("oai:x:", i), Prefix: "oai_dc", Reason: fmt.Sprintf("line %d: %s", i, strings.Repeat("x", i%30)), At: noon,
			Bytes: []byte(strings.Repeat("<a>some text</a> ", 1000)),
		})
	}
	k.save(t, b)
	pages, records := 0, 0
	for path := "/repository/main/quarantine"; path != ""; pages++ {
		_, body := k.ask(t, http.MethodGet, path)
		if len(body) > 100_000 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
		records += strings.Count(body, "<section")
		_, link, more := strings.Cut(body, `<p class="pager"><a href="`)
		if path = ""; more {
			path = "/repository/main/quarantine" + link[:strings.Index(link, `"`)]
		}
	}
	if pages != 4 || records != 35 {
		t.Errorf("got %d records on %d pages, want 35 on 4", records, pages)
	}
	has(t, k.page(t, "/repository/main/quarantine"), "Reasons of the oldest 35, numbers and quoted words aside", "| 2 | line 0:")
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("<a>", excerptRead)
	for name, tt := range map[string]struct {
		received       string
		before, broken string
		line           int
	}{
		"nothing":            {"", "", "", 0},
		"well formed":        {"<a>b</a>", "<a>b</a>", "", 0},
		"a character":        {"<a>b\x01</a>", "<a>", "b\uFFFD", 1},
		"it ends":            {"<a>\n<b/>", "<a>\n<b/>", "(here it ends)", 2},
		"another end":        {"<a>\n<b></a>", "<a>\n<b>", "</a>", 2},
		"longer than looked": {long, long[:excerptBefore+excerptAfter], "", 0},
	} {
		if e := excerptOf([]byte(tt.received)); e.Before != tt.before || e.Broken != tt.broken || e.Line != tt.line || e.Size != len(tt.received) {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("<a>&nbsp;<b></a>"))
	f.Fuzz(func(t *testing.T, received []byte) {
		if e := excerptOf(received); len(e.Before)+len(e.Broken)+len(e.After) > 4*(excerptBefore+excerptAfter) {
			t.Errorf("%d bytes are shown", len(e.Before)+len(e.Broken)+len(e.After))
		}
	})
}

func TestSnippet(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/repository/main/snippet/nginx"), "main: links in nginx", "Other web servers: apache nginx")
	if _, body := k.ask(t, http.MethodGet, "/repository/main/snippet/nginx"); !strings.Contains(body, "nginx &lt;main&gt;</pre>") {
		t.Errorf("got %s", body)
	}
}

// deskOfLarge has a repository of as many objects as FINGERPOST_BENCH_RECORDS says,
// of which one in a thousand lacks a licence, with a history and a quarantine.
func deskOfLarge(b *testing.B) *desk {
	b.Helper()
	n, err := strconv.Atoi(os.Getenv("FINGERPOST_BENCH_RECORDS"))
	if err != nil {
		n = 20_000
	}
	k := newDesk(b)
	for first := 0; first < n; first += 1000 {
		var batch store.Batch
		for i := range 1000 {
			o := store.Object{Identifier: fmt.Sprint("oai:x:", first+i), Prefixes: []string{"oai_dc"}}
			o.LandingPage.URL = fmt.Sprint("https://repo.example.org/", first+i)
			if o.License = "https://creativecommons.org/licenses/by/4.0/"; i == 0 {
				o.License = ""
			}
			batch.Objects = append(batch.Objects, o)
		}
		k.save(b, batch)
	}
	for range 2 * history {
		k.run(b, store.Run{Prefix: "oai_dc", State: store.Complete, Reason: strings.Repeat("long ", 100), Started: noon.Add(-time.Hour)})
	}
	k.quarantine(b, make([]string, 2000)...)
	return k
}

func BenchmarkLarge(b *testing.B) {
	k := deskOfLarge(b)
	for _, path := range []string{"", "/lacking/license", "/lacking/author", "/quarantine"} {
		b.Run("page"+path, func(b *testing.B) { benchmark(b, k, "/repository/main"+path) })
	}
}
