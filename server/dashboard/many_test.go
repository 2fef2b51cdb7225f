package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

// manyRepositories is how many an aggregator has.
const manyRepositories = 1000

// newDeskOfMany has a run of each of many repositories.
func newDeskOfMany(t testing.TB) *desk {
	t.Helper()
	k := newDesk(t)
	var all []Repository
	for i := range manyRepositories {
		id := fmt.Sprintf("r%d", i)
		all = append(all, Repository{ID: id, Name: strings.Repeat("The long name of a repository ", 3), OAIURL: "https://repo.example.org/oai/" + id, Page: "https://links.example.org/" + id + "/"})
		r := store.Run{Repository: id, Prefix: "oai_dc", State: store.Incomplete, Reason: strings.Repeat("a reason that is not short ", 10), Started: noon, Finished: noon, Records: i}
		if i%100 == 99 {
			r.State = store.Running
		}
		if err := k.db.SaveRun(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	c := k.Config
	c.Repositories = all
	k.Dashboard = New(c, k.db)
	k.server.Config.Handler = k.Dashboard
	k.held = true
	return k
}

// No page grows with the number of repositories.
func TestPagesOfManyRepositoriesAreShort(t *testing.T) {
	k := newDeskOfMany(t)
	for _, path := range []string{"/", "/running", "/history", "/coverage", "/quarantine"} {
		if _, page := k.ask(t, http.MethodGet, path); len(page) > 100_000 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
	_, first := k.ask(t, http.MethodGet, "/")
	_, last := k.ask(t, http.MethodGet, "/?from=951")
	if !strings.Contains(first, `id="r0"`) || strings.Contains(first, `id="r50"`) || !strings.Contains(first, `href="?from=51"`) {
		t.Errorf("the first page is %s", first)
	}
	if !strings.Contains(last, `id="r999"`) || strings.Contains(last, `id="r949"`) || !strings.Contains(last, `href="?from=901"`) {
		t.Errorf("the last page is %s", last)
	}
	if _, page := k.ask(t, http.MethodGet, "/running"); strings.Count(page, "<section") != 10 {
		t.Errorf("%d runs are under way, want 10", strings.Count(page, "<section"))
	}
}

func BenchmarkOverviewOfMany(b *testing.B) {
	k := newDeskOfMany(b)
	for b.Loop() {
		k.pass()
		k.ask(b, http.MethodGet, "/")
	}
}

// A page anywhere on the web can have a browser ask this listener under a name
// that leads here (DNS rebinding).
func TestOnlyOwnNamesAreAnswered(t *testing.T) {
	k := newDesk(t)
	k.Hosts = []string{"Gateway.example.org"}
	for host, want := range map[string]int{
		"localhost:9090": 200, "127.0.0.1": 200, "[::1]:9090": 200, "fingerpost:9090": 200, "a.localhost": 200,
		"gateway.example.org": 200, "gateway.EXAMPLE.org.:9090": 200, "": 200,
		"evil.example": 421, "gateway.example.org.evil.example:9090": 421, "127.0.0.1.evil.example": 421,
	} {
		for _, path := range []string{"/", "/metrics", "/status.json", "/debug/pprof/heap"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			k.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s for %q: status %d, want %d", path, host, w.Code, want)
			}
		}
	}
}
