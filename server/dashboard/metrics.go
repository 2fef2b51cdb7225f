package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fingerpost/bridge/store"
)

// singled is up to how many repositories each has metrics of its own. With more
// there are totals alone: the pages tell the rest.
const singled = 1000

// classes are those of failures. "" is a failure of our own.
var classes = []string{"refused", "gone", "broken", "slow", ""}

var (
	perRepository = []string{"repository"}

	repositoriesDesc = prometheus.NewDesc("fingerpost_repositories", "Repositories by state: of the newest run of each list, the one that went worst.", []string{"state"}, nil)
	failingDesc      = prometheus.NewDesc("fingerpost_failing_repositories", "Repositories whose newest runs failed, by the class of the failure: refused, gone, broken, slow, or other for one of our own.", []string{"class"}, nil)
	unharvestedDesc  = prometheus.NewDesc("fingerpost_unharvested_repositories", "Repositories that were never harvested completely.", nil, nil)
	storedDesc       = prometheus.NewDesc("fingerpost_stored", "What the store has of all repositories: objects that are published or deleted, and records in quarantine.", []string{"what"}, nil)

	stateDesc       = prometheus.NewDesc("fingerpost_run_state", "1, with the state of the repository.", []string{"repository", "state"}, nil)
	objectsDesc     = prometheus.NewDesc("fingerpost_objects", "Objects whose links are published.", perRepository, nil)
	deletedDesc     = prometheus.NewDesc("fingerpost_deleted_objects", "Objects that were deleted at the source.", perRepository, nil)
	quarantinedDesc = prometheus.NewDesc("fingerpost_quarantined_records", "Records that could not be read or mapped.", perRepository, nil)
	failuresDesc    = prometheus.NewDesc("fingerpost_failures", "Runs in a row that failed.", perRepository, nil)
	completeDesc    = prometheus.NewDesc("fingerpost_last_complete_run_timestamp_seconds", "When the repository was last harvested completely; 0 if it never was.", perRepository, nil)
	nextDesc        = prometheus.NewDesc("fingerpost_next_run_timestamp_seconds", "When the repository is looked at next, 0 for at once; absent if never.", perRepository, nil)
	pauseDesc       = prometheus.NewDesc("fingerpost_left_alone_until_timestamp_seconds", "Until when runs are postponed because the repository asked for a pause (Retry-After) or refused access; absent if they are not.", perRepository, nil)

	readableDesc = prometheus.NewDesc("fingerpost_database_readable", "1 if the database could be read for this answer.", nil, nil)
)

// metrics answers with the metrics of this process and of the store.
func (d *Dashboard) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		gauges{d}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "fingerpost_build_info", Help: "1, with the version of the program and of Go.",
			ConstLabels: prometheus.Labels{"version": d.Version, "goversion": runtime.Version()},
		}, func() float64 { return 1 }),
	)
	registry.MustRegister(d.Metrics...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: scrapeLog{d.Log}})
}

// gauges are read from the store for each answer.
type gauges struct{ *Dashboard }

// Describe implements prometheus.Collector.
func (gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{repositoriesDesc, failingDesc, unharvestedDesc, storedDesc, stateDesc, objectsDesc, deletedDesc, quarantinedDesc, failuresDesc, completeDesc, nextDesc, pauseDesc, readableDesc} {
		to <- d
	}
}

// gauge sends a value with the labels of its description.
type gauge func(d *prometheus.Desc, value float64, labels ...string)

// Collect implements prometheus.Collector.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	send := gauge(func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := g.collect(ctx, send); err != nil {
		g.Log.Error("metrics: reading the store failed; is the database file still there and readable?", "error", err)
		send(readableDesc, 0)
		return
	}
	send(readableDesc, 1)
}

// collect reads before it sends: an answer has all or nothing of the store.
func (g gauges) collect(ctx context.Context, send gauge) error {
	t, err := g.store.SourceTotals(ctx)
	if err != nil {
		return err
	}
	var single []store.Source
	if t.Sources <= singled {
		if single, _, err = g.store.Sources(ctx, store.SourceQuery{Limit: singled}); err != nil {
			return err
		}
	}
	for _, state := range states {
		send(repositoriesDesc, float64(overview{Totals: t}.InState(state)), state)
	}
	for _, class := range classes {
		send(failingDesc, float64(t.ByClass[class]), cmp.Or(class, "other"))
	}
	send(unharvestedDesc, float64(t.Unharvested))
	send(storedDesc, float64(t.Objects), "objects")
	send(storedDesc, float64(t.Deleted), "deleted objects")
	send(storedDesc, float64(t.Quarantined), "quarantined records")
	for _, s := range single {
		row{Source: s}.collect(send)
	}
	return nil
}

func (r row) collect(send gauge) {
	state := string(r.State)
	if state == "" {
		state = neverRun
	}
	send(stateDesc, 1, r.Repository, state)
	send(objectsDesc, float64(r.Objects), r.Repository)
	send(deletedDesc, float64(r.Deleted), r.Repository)
	send(quarantinedDesc, float64(r.Quarantined), r.Repository)
	send(failuresDesc, float64(r.Failures), r.Repository)
	send(completeDesc, seconds(r.Complete), r.Repository)
	if r.Never() {
		return
	}
	send(nextDesc, seconds(r.Due), r.Repository)
	if r.Why == "pause" || r.Why == "refused" {
		send(pauseDesc, seconds(r.Due), r.Repository)
	}
}

// seconds is a time as Prometheus counts it; 0 for none.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// scrapeLog writes the errors of the metrics handler into the log.
type scrapeLog struct{ *slog.Logger }

func (l scrapeLog) Println(v ...any) { l.Error("metrics: " + fmt.Sprint(v...)) }
