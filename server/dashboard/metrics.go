package dashboard

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"fingerpost/bridge/store"
)

// counters count what harvests did since this process began, its own and those of
// commands beside it. Their labels are the configured repositories and fixed
// words, so that a repository cannot add series. A prometheus.CounterVec would
// take 6 kB for a repository.
type counters struct {
	mu sync.Mutex
	of map[string]*tally // by repository: every series starts at 0, or Prometheus would miss its first increase
}

// tally is what there is to count of a repository.
type tally struct {
	did   [len(series)]int
	ended [len(endings)]int // runs, by state
}

var (
	recordsDesc   = counterDesc("records_total", "Records received since this process began, by harvests of any process, by what became of them: new, changed, unchanged, deleted or quarantined. One that is kept but cannot be mapped counts as new or changed, and as quarantined.", "outcome")
	listPagesDesc = counterDesc("pages_total", "Pages of lists received since this process began, by harvests of any process.")
	requestsDesc  = counterDesc("requests_total", "Requests that harvests of any process have made since this process began, whatever came of them.")
	retriesDesc   = counterDesc("retries_total", "Of fingerpost_harvest_requests_total those for what had failed.")
	repairsDesc   = counterDesc("repairs_total", "Places where the answers of fingerpost_harvest_pages_total had to be mended to be XML.")
	runsDesc      = counterDesc("runs_total", "Runs that ended since this process began, harvests, sweeps and remaps of any process, by state: complete, incomplete, failed or interrupted.", "state")
)

func counterDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("fingerpost_harvest_"+name, help, append([]string{"repository"}, labels...), nil)
}

// series are those of a repository, but for its runs.
var series = [...]struct {
	desc  *prometheus.Desc
	of    func(store.Run) int
	label []string
}{
	{recordsDesc, func(r store.Run) int { return r.New }, []string{"new"}},
	{recordsDesc, func(r store.Run) int { return r.Changed }, []string{"changed"}},
	{recordsDesc, func(r store.Run) int { return r.Unchanged }, []string{"unchanged"}},
	{recordsDesc, func(r store.Run) int { return r.Deleted }, []string{"deleted"}},
	{recordsDesc, func(r store.Run) int { return r.Quarantined }, []string{"quarantined"}},
	{listPagesDesc, func(r store.Run) int { return r.Pages }, nil},
	{requestsDesc, func(r store.Run) int { return r.Requests }, nil},
	{retriesDesc, func(r store.Run) int { return r.Retries }, nil},
	{repairsDesc, func(r store.Run) int { return r.Repairs }, nil},
}

// endings are the states in which runs end.
var endings = [...]store.State{store.Complete, store.Incomplete, store.Failed, store.Interrupted}

func newCounters(repositories []Repository) *counters {
	c := &counters{of: make(map[string]*tally, len(repositories))}
	for _, r := range repositories {
		c.of[r.ID] = new(tally)
	}
	return c
}

// add counts what a run did since before.
func (c *counters) add(before, now store.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range series {
		c.of[now.Repository].did[i] += max(s.of(now)-s.of(before), 0)
	}
}

// end counts a run that has ended.
func (c *counters) end(run store.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(endings[:], run.State); i >= 0 {
		c.of[run.Repository].ended[i]++
	}
}

// Describe implements prometheus.Collector.
func (c *counters) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{recordsDesc, listPagesDesc, requestsDesc, retriesDesc, repairsDesc, runsDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *counters) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	send := func(d *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	for id, t := range c.of {
		for i, s := range series {
			send(s.desc, t.did[i], append([]string{id}, s.label...)...)
		}
		for i, state := range endings {
			send(runsDesc, t.ended[i], id, string(state))
		}
	}
}

var (
	perRepository = []string{"repository"}

	stateDesc       = prometheus.NewDesc("fingerpost_run_state", "1 for the state of the repository: of the newest run of each list, the one that went worst; 0 for all others.", []string{"repository", "state"}, nil)
	objectsDesc     = prometheus.NewDesc("fingerpost_objects", "Objects whose links are published.", perRepository, nil)
	deletedDesc     = prometheus.NewDesc("fingerpost_deleted_objects", "Objects that were deleted at the source.", perRepository, nil)
	quarantinedDesc = prometheus.NewDesc("fingerpost_quarantined_records", "Records that could not be read or mapped.", perRepository, nil)
	completeDesc    = prometheus.NewDesc("fingerpost_last_complete_run_timestamp_seconds", "When the list that has waited longest was last harvested completely; 0 if a list was not lately.", perRepository, nil)
	nextDesc        = prometheus.NewDesc("fingerpost_next_run_timestamp_seconds", "When the next run of the repository is, by the schedule, a retry, a sweep, or at the end of a pause that it asked for; absent if never.", perRepository, nil)
	pauseDesc       = prometheus.NewDesc("fingerpost_left_alone_until_timestamp_seconds", "Until when runs are postponed because the repository asked for a pause (Retry-After) or refused access; absent if they are not.", perRepository, nil)
	lagDesc         = prometheus.NewDesc("fingerpost_harvest_lag_seconds", "Age of the watermark of the list that is furthest behind; absent before the first complete harvest.", perRepository, nil)
	pagesDesc       = prometheus.NewDesc("fingerpost_landing_pages", "Landing pages by state: due in the pass under way or the last one, asked for in it, and read, which are different pages that ever stated something; absent if none was asked for.", []string{"repository", "state"}, nil)
	gainedDesc      = prometheus.NewDesc("fingerpost_landing_pages_gained_objects", "Objects that have a link from their landing page alone, by relation.", []string{"repository", "rel"}, nil)
	pagesLeftDesc   = prometheus.NewDesc("fingerpost_landing_pages_left_seconds", "How long it takes to ask for the landing pages that are due; 0 if none is.", perRepository, nil)
	pagesUntilDesc  = prometheus.NewDesc("fingerpost_landing_pages_left_alone_until_timestamp_seconds", "Until when no landing page is asked for, because the server refused or failed, or the day allows no more; absent if they are.", perRepository, nil)
	readableDesc    = prometheus.NewDesc("fingerpost_database_readable", "1 if the database could be read for this answer.", nil, nil)
)

// gauges are read from the store for each answer.
type gauges struct{ *Dashboard }

func registerGauges(registry *prometheus.Registry, d *Dashboard) {
	registry.MustRegister(
		gauges{d}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "fingerpost_build_info", Help: "1, with the version of the program and of Go.",
			ConstLabels: prometheus.Labels{"version": d.Version, "goversion": runtime.Version()},
		}, func() float64 { return 1 }),
	)
}

// Describe implements prometheus.Collector.
func (gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{stateDesc, objectsDesc, deletedDesc, quarantinedDesc, completeDesc, nextDesc, pauseDesc, lagDesc, pagesDesc, gainedDesc, pagesLeftDesc, pagesUntilDesc, readableDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector. If the store cannot be read,
// the counters are still reported.
func (g gauges) Collect(to chan<- prometheus.Metric) {
	all, err := g.summaries(context.Background(), g.Repositories)
	if err != nil {
		g.Log.Error("metrics: reading the store failed; is the database file still there and readable?", "error", err)
		to <- prometheus.MustNewConstMetric(readableDesc, prometheus.GaugeValue, 0)
		return
	}
	to <- prometheus.MustNewConstMetric(readableDesc, prometheus.GaugeValue, 1)
	for _, s := range all {
		s.collect(to, g.Now())
	}
}

func (s summary) collect(to chan<- prometheus.Metric, now time.Time) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{s.ID}, labels...)...)
	}
	for _, state := range []string{string(store.Complete), string(store.Incomplete), string(store.Failed), string(store.Interrupted), string(store.Running), neverRun} {
		gauge(stateDesc, oneIf(s.Status.State == state), state)
	}
	gauge(objectsDesc, float64(s.Status.Objects))
	gauge(deletedDesc, float64(s.Status.Deleted))
	gauge(quarantinedDesc, float64(s.Status.Quarantined))
	gauge(completeDesc, seconds(s.Complete))
	if next := s.Status.NextRun; next != nil {
		gauge(nextDesc, seconds(*next))
		if s.Status.Pause != "" {
			gauge(pauseDesc, seconds(*next))
		}
	}
	if !s.Watermark.IsZero() {
		gauge(lagDesc, max(now.Sub(s.Watermark).Seconds(), 0))
	}
	p := s.Status.Pages
	if p == nil {
		return
	}
	gauge(pagesDesc, float64(p.Due), "due")
	gauge(pagesDesc, float64(p.Asked), "asked")
	gauge(pagesDesc, float64(p.Read), "read")
	gauge(gainedDesc, float64(p.Gained.Item), "item")
	gauge(gainedDesc, float64(p.Gained.CiteAs), "cite-as")
	gauge(gainedDesc, float64(p.Gained.License), "license")
	gauge(gainedDesc, float64(p.Gained.Author), "author")
	gauge(pagesLeftDesc, float64(p.Left))
	if p.Until != nil {
		gauge(pagesUntilDesc, seconds(*p.Until))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
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
