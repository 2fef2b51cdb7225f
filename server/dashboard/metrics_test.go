package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"fingerpost/bridge/store"
)

func TestMetricsAreWellNamed(t *testing.T) {
	k := newDesk(t)
	k.objects(t, 2)
	k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Watermark: noon}})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
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
	k.objects(t, 3)
	k.save(t, store.Batch{Objects: []store.Object{{Identifier: "oai:x:0", Deleted: true}}})
	k.quarantine(t, "bad XML")
	k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Watermark: noon.Add(-time.Hour)}})
	k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "datacite", Watermark: noon.Add(-2 * time.Hour)}})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Started: noon.Add(-time.Hour)})
	k.run(t, store.Run{Prefix: "datacite", State: store.Complete, Started: noon.Add(-2 * time.Hour)})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Incomplete, Reason: "cut off"})
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body,
		`fingerpost_run_state{repository="main",state="incomplete"} 1`,
		`fingerpost_run_state{repository="main",state="complete"} 0`,
		`fingerpost_run_state{repository="main",state="never run"} 0`,
		`fingerpost_run_state{repository="other",state="never run"} 1`,
		`fingerpost_objects{repository="main"} 2`,
		`fingerpost_deleted_objects{repository="main"} 1`,
		`fingerpost_quarantined_records{repository="main"} 1`,
		`fingerpost_harvest_lag_seconds{repository="main"} 7200`,
		`fingerpost_last_complete_run_timestamp_seconds{repository="main"} 1.92511446e+09`,
		`fingerpost_last_complete_run_timestamp_seconds{repository="other"} 0`,
		`fingerpost_next_run_timestamp_seconds{repository="main"} 1.9251756e+09`,
		`fingerpost_database_readable 1`,
	)
	for _, absent := range []string{
		`fingerpost_harvest_lag_seconds{repository="other"}`,
		`fingerpost_next_run_timestamp_seconds{repository="other"}`,
		`fingerpost_left_alone_until_timestamp_seconds{`,
	} {
		if strings.Contains(body, absent) {
			t.Errorf("%s is there although there is none", absent)
		}
	}
	if !strings.Contains(body, `fingerpost_build_info{goversion="go`) || !strings.Contains(body, "process_resident_memory_bytes ") {
		t.Error("the program does not tell of itself")
	}
}

// A pause that a repository asked for is seen, and until when.
func TestGaugeOfAPause(t *testing.T) {
	k := newDesk(t)
	k.Dashboard.Next = func(context.Context, string, bool) (Next, error) {
		return Next{At: noon.Add(time.Hour), Why: "pause", Pause: "it asked to be left alone"}, nil
	}
	_, body := k.ask(t, http.MethodGet, "/metrics")
	has(t, body,
		`fingerpost_next_run_timestamp_seconds{repository="main"} 1.9251252e+09`,
		`fingerpost_left_alone_until_timestamp_seconds{repository="main"} 1.9251252e+09`)
}

// A scrape of a repository with a long history, read from the store anew.
func BenchmarkScrape(b *testing.B) {
	k := newDesk(b)
	k.objects(b, 2)
	for range lookBack {
		k.run(b, store.Run{Prefix: "oai_dc", State: store.Complete})
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/metrics", nil)
	b.ReportAllocs()
	for b.Loop() {
		k.pass()
		k.ServeHTTP(w, r)
		w.Body.Reset()
	}
}
