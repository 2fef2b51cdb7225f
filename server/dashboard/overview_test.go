package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fingerpost/bridge/store"
)

func TestOverview(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/"), "2 in all", "2 never run", "| main | never run | 0 | never | as soon as possible | none")
	k.source(t, store.Source{
		Repository: "main", State: store.Complete, Due: noon.Add(15 * time.Hour), Why: "schedule", Complete: noon, Began: noon,
		Objects: 1234, Deleted: 5, Quarantined: 2,
	})
	k.source(t, store.Source{Repository: "other", State: store.Failed, Reason: "no route to host", Failures: 3, Class: "gone", Due: noon.Add(time.Hour), Why: "retry", Began: noon})
	page := k.page(t, "/")
	rows := []string{
		"| other The other one | failed no route to host | 0 | never | 2 Jan 2031 13:00 UTC retry of the first harvest | none",
		"| main | complete | 1,234 | 2 Jan 2031 12:00 UTC | 3 Jan 2031 03:00 UTC | 0.1 %",
	}
	has(t, page, "2 in all", "1 failed", "1 complete", "1 failing: 1 gone", "1,234 objects published", "2 records in quarantine (0.1 %)", "1 to 2 of 2")
	if !strings.Contains(page, strings.Join(rows, "\n")) {
		t.Errorf("want trouble first:\n%s", page)
	}
	k.source(t, store.Source{Repository: "other", State: store.Running, Why: "first harvest", Due: noon, Began: noon})
	has(t, k.page(t, "/"), "| other The other one | running | 0 | never | after the one under way | none")
	k.now = noon.Add(17 * time.Hour)
	has(t, k.page(t, "/"), "| main | complete, overdue | 1,234 | 2 Jan 2031 12:00 UTC | as soon as possible | 0.1 %")
}

// Filter, order and page are in the address, and lead from one page to the next.
func TestOverviewIsFilteredSortedAndPaged(t *testing.T) {
	k := newDesk(t)
	var ids []string
	for i := range 120 {
		ids = append(ids, fmt.Sprintf("r%03d", i))
	}
	k.sync(t, ids...)
	for i, id := range ids {
		state := store.Complete
		if i%60 == 59 {
			state = store.Incomplete
		}
		failures := 0
		if i == 7 {
			failures = 2
		}
		k.source(t, store.Source{Repository: id, State: state, Objects: i, Failures: failures})
	}
	for _, tt := range []struct{ query, first, caption, previous, next string }{
		{"", "r059", "1 to 50 of 120", "", "/?page=2"},
		{"?sort=name", "r000", "1 to 50 of 120", "", "/?page=2&amp;sort=name"},
		{"?sort=objects&page=3", "r019", "101 to 120 of 120", "/?page=2&amp;sort=objects", ""},
		{"?state=incomplete", "r059", "1 to 2 of 2", "", ""},
		{"?state=failing&sort=name", "r007", "1 to 1 of 1", "", ""},
		{"?match=R11&sort=name", "r110", "1 to 10 of 10", "", ""},
		{"?sort=name;DROP&page=-7&state=none", "r059", "1 to 50 of 120", "", "/?page=2"},
		{"?page=99", "", "", "/?page=3", ""},
	} {
		_, body := k.ask(t, http.MethodGet, "/"+tt.query)
		_, row, _ := strings.Cut(body, `<th scope="row"><a href="/repository/`)
		if tt.first != "" && !strings.HasPrefix(row, tt.first) || !strings.Contains(body, "<caption>"+tt.caption) && tt.caption != "" {
			t.Errorf("%s: want %s and %s first, got\n%s", tt.query, tt.first, tt.caption, body)
		}
		for rel, want := range map[string]string{"prev": tt.previous, "next": tt.next} {
			if link := `<a href="` + want + `" rel="` + rel + `">`; strings.Contains(body, link) != (want != "") {
				t.Errorf("%s: want the link %s", tt.query, link)
			}
		}
	}
	has(t, k.page(t, "/?match=nobody"), "No repository is like that. Show all.")
	k.sync(t)
	has(t, k.page(t, "/"), "No repository is known yet: a gateway that harvests writes down which are configured.")
}

// deskOfMany has 30,000 repositories with long names, reasons and hosts.
func deskOfMany(t testing.TB) *desk {
	t.Helper()
	k := newDesk(t)
	const n = 30_000
	all := make([]store.Source, n)
	for i := range all {
		all[i] = store.Source{
			Repository: fmt.Sprintf("repository-with-a-long-name-%05d", i), Host: fmt.Sprintf("repository%05d.library.university.example.org", i), Settings: "1",
			State: store.Complete, Due: noon.Add(time.Hour), Why: "schedule", Complete: noon, Objects: i,
		}
		if i%10 == 0 {
			all[i].State, all[i].Failures, all[i].Reason = store.Failed, i%7, strings.Repeat("a reason that is not short ", 15)
		}
	}
	if err := k.db.SyncSources(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if i%10 == 0 || i%97 == 0 {
			if err := k.db.SaveSource(t.Context(), all[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return k
}

// No page grows with the number of repositories.
func TestPagesOfManyRepositoriesAreShort(t *testing.T) {
	k := deskOfMany(t)
	for _, path := range []string{"/", "/?sort=name&page=300", "/?match=name-0001", "/metrics"} {
		if _, page := k.ask(t, http.MethodGet, path); len(page) > 100_000 || len(page) < 5000 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
}

func BenchmarkOverviewOfMany(b *testing.B) { benchmark(b, deskOfMany(b), "/") }
func BenchmarkFilterOfMany(b *testing.B) {
	benchmark(b, deskOfMany(b), "/?match=name-0001&sort=objects")
}
func BenchmarkScrapeOfMany(b *testing.B) { benchmark(b, deskOfMany(b), "/metrics") }

// benchmark makes a page again and again, and reports its size and its time of CPU,
// that of the database included.
func benchmark(b *testing.B, k *desk, path string) {
	b.Helper()
	size, before := 0, cpu(b)
	for b.Loop() {
		w := httptest.NewRecorder()
		k.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost"+path, nil))
		if size = w.Body.Len(); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// cpu is the time of CPU that this process has taken.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The address of a view leads to it.
func TestAViewIsItsAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := url.Values{}
		for _, name := range []string{"match", "state", "sort", "page"} {
			query.Set(name, rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"3", "objects", "trouble", failing, neverRun})).Draw(t, name))
		}
		v := viewOf(query)
		address, err := url.Parse(v.URL())
		if err != nil {
			t.Fatal(err)
		}
		if again := viewOf(address.Query()); again != v || address.Path != "/" {
			t.Fatalf("%v: got %+v, then %+v", query, v, again)
		}
	})
}
