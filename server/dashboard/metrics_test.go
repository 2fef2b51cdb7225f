package dashboard

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"fingerpost/bridge/store"
)

func TestMetricsAreWellNamed(t *testing.T) {
	k := newDesk(t)
	k.Metrics = append(k.Metrics, NewHarvests(noon))
	k.handler = k.routes()
	k.source(t, store.Source{Repository: "main", State: store.Complete, Why: "pause", Due: noon})
	_, body := k.ask(t, http.MethodGet, "/metrics")
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	for line := range strings.Lines(body) {
		name, _, _ := strings.Cut(line, "_")
		if !strings.HasPrefix(line, "#") && name != "fingerpost" && name != "go" && name != "process" {
			t.Errorf("whose is %s", line)
		}
	}
}

func TestGauges(t *testing.T) {
	k := newDesk(t)
	k.source(t, store.Source{
		Repository: "main", State: store.Incomplete, Failures: 2, Class: "gone", Due: noon.Add(time.Hour), Why: "schedule", Complete: noon,
		Objects: 2, Deleted: 1, Quarantined: 3,
	})
	k.source(t, store.Source{Repository: "other", Due: store.Never})
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body,
		`fingerpost_repositories{state="incomplete"} 1`,
		`fingerpost_repositories{state="complete"} 0`,
		`fingerpost_repositories{state="never run"} 1`,
		`fingerpost_failing_repositories{class="gone"} 1`,
		`fingerpost_failing_repositories{class="other"} 0`,
		`fingerpost_unharvested_repositories 1`,
		`fingerpost_stored{what="objects"} 2`,
		`fingerpost_stored{what="deleted objects"} 1`,
		`fingerpost_stored{what="quarantined records"} 3`,
		`fingerpost_run_state{repository="main",state="incomplete"} 1`,
		`fingerpost_run_state{repository="other",state="never run"} 1`,
		`fingerpost_objects{repository="main"} 2`,
		`fingerpost_deleted_objects{repository="main"} 1`,
		`fingerpost_quarantined_records{repository="main"} 3`,
		`fingerpost_failures{repository="main"} 2`,
		`fingerpost_last_complete_run_timestamp_seconds{repository="main"} 1.9251216e+09`,
		`fingerpost_last_complete_run_timestamp_seconds{repository="other"} 0`,
		`fingerpost_next_run_timestamp_seconds{repository="main"} 1.9251252e+09`,
		`fingerpost_database_readable 1`,
	)
	for _, absent := range []string{`fingerpost_next_run_timestamp_seconds{repository="other"}`, `fingerpost_left_alone_until_timestamp_seconds{`, `state="complete"} 1`} {
		if strings.Contains(body, absent) {
			t.Errorf("%s is there although there is none", absent)
		}
	}
	if !strings.Contains(body, `fingerpost_build_info{goversion="go`) || !strings.Contains(body, "process_resident_memory_bytes ") {
		t.Error("the program does not tell of itself")
	}
	k.source(t, store.Source{Repository: "main", Due: noon.Add(time.Hour), Why: "refused"})
	_, body = k.ask(t, http.MethodGet, "/metrics")
	has(t, body, `fingerpost_left_alone_until_timestamp_seconds{repository="main"} 1.9251252e+09`)
}

// So many repositories have metrics of their own; of more there are totals.
func TestMetricsOfManyAreTotals(t *testing.T) {
	k := newDesk(t)
	var ids []string
	for i := range singled + 1 {
		ids = append(ids, fmt.Sprint("r", i))
	}
	k.sync(t, ids[1:]...)
	if _, body := k.ask(t, http.MethodGet, "/metrics"); strings.Count(body, "\nfingerpost_run_state{") != singled {
		t.Errorf("got the states of %d repositories, want %d", strings.Count(body, "\nfingerpost_run_state{"), singled)
	}
	k.sync(t, ids...)
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body, fmt.Sprintf(`fingerpost_repositories{state="never run"} %d`, singled+1))
	if strings.Contains(body, "{repository=") {
		t.Error("repositories have metrics of their own")
	}
}

// A run is counted once, in parts as it goes on, from the time at which the process
// began.
func TestHarvests(t *testing.T) {
	h := NewHarvests(noon)
	k := newDesk(t)
	k.Metrics = append(k.Metrics, h)
	k.handler = k.routes()
	run := store.Run{
		ID: 1, Repository: "main", Prefix: "oai_dc", State: store.Running, Started: noon, New: 5, Changed: 1, Unchanged: 2, Deleted: 3, Quarantined: 4,
		Pages: 2, Requests: 3, Retries: 1, Repairs: 7,
	}
	h.Count(run)
	h.Count(run)
	run.New, run.State = 9, store.Complete
	h.Count(run)
	earlier := store.Run{ID: 2, Repository: "main", Prefix: "oai_dc", State: store.Running, Started: noon.Add(-time.Hour), New: 100}
	h.Count(earlier)
	earlier.New, earlier.State = 101, store.Failed
	h.Count(earlier, store.Run{ID: 3, Repository: "main", State: store.Complete, Started: noon, Changed: 50}) // a remap
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body,
		`fingerpost_harvest_records_total{outcome="new"} 10`,
		`fingerpost_harvest_records_total{outcome="changed"} 1`,
		`fingerpost_harvest_records_total{outcome="unchanged"} 2`,
		`fingerpost_harvest_records_total{outcome="deleted"} 3`,
		`fingerpost_harvest_records_total{outcome="quarantined"} 4`,
		`fingerpost_harvest_pages_total 2`,
		`fingerpost_harvest_requests_total 3`,
		`fingerpost_harvest_retries_total 1`,
		`fingerpost_harvest_repairs_total 7`,
		`fingerpost_harvest_runs_total{state="complete"} 2`,
		`fingerpost_harvest_runs_total{state="failed"} 1`,
		`fingerpost_harvest_runs_total{state="interrupted"} 0`,
	)
	if len(h.counted) != 0 {
		t.Errorf("%d runs that have ended are remembered", len(h.counted))
	}
}
