package edge

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Traffic counts what becomes of requests to proxies, by repository. It is a
// prometheus.Collector.
type Traffic struct {
	answers *prometheus.CounterVec
	took    *prometheus.HistogramVec
}

// Tally counts for one repository. A nil one counts nothing.
type Tally struct {
	answers [len(outcomes)][len(classes)]prometheus.Counter
	took    prometheus.Observer
}

// outcome is what became of a request.
type outcome int

const (
	linked  outcome = iota // the origin answered, and links were added
	passed                 // the origin answered, and nothing was added
	failed                 // the origin did not answer, or too late, or not in HTTP
	gone                   // the client left before the origin answered
	refused                // only an open proxy would pass it on, or the client's body was broken
	own                    // the gateway answered itself
)

var (
	outcomes = [...]string{linked: "links_added", passed: "passed_through", failed: "origin_failed", gone: "client_gone", refused: "refused", own: "answered_here"}
	classes  = [...]string{1: "1xx", 2: "2xx", 3: "3xx", 4: "4xx", 5: "5xx"} // by hundreds of the status
)

// NewTraffic returns a Traffic that has counted nothing.
func NewTraffic() *Traffic {
	return &Traffic{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fingerpost_edge_requests_total",
			Help: "Requests to the proxy in front of a repository, by what became of them (links_added to the header of the origin's answer, passed_through as it was, origin_failed, client_gone, refused, answered_here: by the gateway itself) and class of status.",
		}, []string{"repository", "outcome", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "fingerpost_edge_origin_duration_seconds",
			Help:    "How long requests to the proxy in front of a repository took until the origin's answer began to be passed on, its links looked up.",
			Buckets: []float64{.001, .005, .01, .05, .1, .3, 1, 5, 30, 60},
		}, []string{"repository"}),
	}
}

// Of returns the Tally of a repository, all at 0.
func (t *Traffic) Of(repository string) *Tally {
	out := &Tally{took: t.took.WithLabelValues(repository)}
	for o, what := range outcomes {
		for c := 1; c < len(classes); c++ {
			if could(outcome(o), c) {
				out.answers[o][c] = t.answers.WithLabelValues(repository, what, classes[c])
			}
		}
	}
	return out
}

// could reports whether an outcome can have a class of status. The others would be
// series that are always 0.
func could(o outcome, class int) bool {
	switch o {
	case linked:
		return class == 2 || class == 3 || class == 4
	case passed:
		return true
	case own:
		return class == 2
	case refused:
		return class == 4 || class == 5
	}
	return class == 5
}

// count counts a request that began at this time; the zero time if the origin has
// not answered it.
func (t *Tally) count(o outcome, status int, began time.Time) {
	if t == nil {
		return
	}
	if c := t.answers[o][min(max(status/100, 1), len(classes)-1)]; c != nil {
		c.Inc()
	}
	if !began.IsZero() {
		t.took.Observe(time.Since(began).Seconds())
	}
}

// Describe implements prometheus.Collector.
func (t *Traffic) Describe(to chan<- *prometheus.Desc) {
	t.answers.Describe(to)
	t.took.Describe(to)
}

// Collect implements prometheus.Collector.
func (t *Traffic) Collect(to chan<- prometheus.Metric) {
	t.answers.Collect(to)
	t.took.Collect(to)
}
