package dashboard

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fingerpost/bridge/store"
)

// Harvests counts what the runs of this process do, of all repositories together. It
// is a prometheus.Collector.
type Harvests struct {
	began                             time.Time
	records, runs                     *prometheus.CounterVec
	pages, requests, retries, repairs prometheus.Counter

	mu      sync.Mutex
	counted map[runName]store.Run // the runs that go on, as far as they are counted
}

// runName names a run.
type runName struct {
	repository string
	id         int64
}

// NewHarvests counts from a time on.
func NewHarvests(began time.Time) *Harvests {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "fingerpost", Subsystem: "harvest", Name: name, Help: help}
	}
	h := &Harvests{
		began:    began,
		counted:  map[runName]store.Run{},
		records:  prometheus.NewCounterVec(counter("records_total", "Records that this process received, by what became of them: new, changed, unchanged, deleted or quarantined. One that is kept but cannot be mapped counts as new or changed, and as quarantined."), []string{"outcome"}),
		runs:     prometheus.NewCounterVec(counter("runs_total", "Runs of this process that ended, harvests, sweeps and remaps, by state."), []string{"state"}),
		pages:    prometheus.NewCounter(counter("pages_total", "Pages of lists that this process received.")),
		requests: prometheus.NewCounter(counter("requests_total", "Requests that harvests of this process made, whatever came of them.")),
		retries:  prometheus.NewCounter(counter("retries_total", "Of fingerpost_harvest_requests_total those for what had failed.")),
		repairs:  prometheus.NewCounter(counter("repairs_total", "Places where the answers of fingerpost_harvest_pages_total had to be mended to be XML.")),
	}
	h.add(store.Run{}, store.Run{}) // every series begins at 0: Prometheus would miss its first increase
	for _, state := range []store.State{store.Complete, store.Incomplete, store.Failed, store.Interrupted} {
		h.runs.WithLabelValues(string(state))
	}
	return h
}

// Count counts what runs did since they were last counted. What a run did before
// this process began is not counted.
func (h *Harvests) Count(runs ...store.Run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range runs {
		name := runName{r.Repository, r.ID}
		before, met := h.counted[name]
		if met || !r.Started.Before(h.began) {
			h.add(before, r)
		}
		if h.counted[name] = r; r.State != store.Running {
			h.runs.WithLabelValues(string(r.State)).Inc()
			delete(h.counted, name)
		}
	}
}

func (h *Harvests) add(before, now store.Run) {
	if now.Prefix == "" && now.State == store.Complete {
		return // a remap receives nothing
	}
	more := func(c prometheus.Counter, before, now int) { c.Add(float64(max(now-before, 0))) }
	more(h.records.WithLabelValues("new"), before.New, now.New)
	more(h.records.WithLabelValues("changed"), before.Changed, now.Changed)
	more(h.records.WithLabelValues("unchanged"), before.Unchanged, now.Unchanged)
	more(h.records.WithLabelValues("deleted"), before.Deleted, now.Deleted)
	more(h.records.WithLabelValues("quarantined"), before.Quarantined, now.Quarantined)
	more(h.pages, before.Pages, now.Pages)
	more(h.requests, before.Requests, now.Requests)
	more(h.retries, before.Retries, now.Retries)
	more(h.repairs, before.Repairs, now.Repairs)
}

func (h *Harvests) parts() []prometheus.Collector {
	return []prometheus.Collector{h.records, h.runs, h.pages, h.requests, h.retries, h.repairs}
}

// Describe implements prometheus.Collector.
func (h *Harvests) Describe(to chan<- *prometheus.Desc) {
	for _, c := range h.parts() {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (h *Harvests) Collect(to chan<- prometheus.Metric) {
	for _, c := range h.parts() {
		c.Collect(to)
	}
}
