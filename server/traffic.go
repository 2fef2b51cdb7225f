package server

import (
	"io"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// traffic counts requests by route, method and class of status. No part of a
// request becomes a label, so that no client can make new ones.
type traffic struct {
	answers  *prometheus.CounterVec
	took     *prometheus.HistogramVec
	routes   map[string]*tally // by path of the table
	no       *tally            // requests without a route
	recorder sync.Pool
}

// tally has the counters of one route, looked up once.
type tally struct {
	answers [len(methods)][len(classes)]prometheus.Counter
	took    prometheus.Observer
}

var (
	methods = [...]string{"GET", "HEAD", "other"}
	classes = [...]string{2: "2xx", 3: "3xx", 4: "4xx", 5: "5xx"} // by hundreds of the status
)

// noRoute is the label of requests without a route: unknown paths, methods that
// are not allowed, and OPTIONS.
const noRoute = "none"

func newTraffic(routes []route) *traffic {
	t := &traffic{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fingerpost_http_requests_total",
			Help: "Requests for published documents that were answered, by route (" + noRoute + " for unknown paths), method (GET, HEAD or other) and class of status.",
		}, []string{"route", "method", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "fingerpost_http_request_duration_seconds",
			Help:    "How long requests for published documents took, from their headers to the end of the answer, by route.",
			Buckets: []float64{.0001, .0005, .001, .005, .01, .05, .1, .3, 1, 5, 30},
		}, []string{"route"}),
		routes: map[string]*tally{},
	}
	t.recorder.New = func() any { return new(recorder) }
	t.no = t.tally(noRoute)
	for _, r := range routes {
		t.routes[r.path] = t.tally(r.label())
	}
	return t
}

func (t *traffic) tally(label string) *tally {
	out := &tally{took: t.took.WithLabelValues(label)}
	for m, method := range methods {
		for c := 2; c < len(classes); c++ {
			out.answers[m][c] = t.answers.WithLabelValues(label, method, classes[c])
		}
	}
	return out
}

var patterns = regexp.MustCompile(`:[^{}]*(\{[^{}]*\}[^{}]*)*`)

// label is the path without the patterns of its variable parts.
func (r route) label() string { return patterns.ReplaceAllString(r.path, "") }

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	tally  *tally
	status int
	began  time.Time
}

func (r *recorder) WriteHeader(status int) {
	if r.status < http.StatusOK { // none yet, or an informational one
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// ReadFrom lets the kernel send files, as without a recorder.
func (r *recorder) ReadFrom(from io.Reader) (int64, error) { return io.Copy(r.ResponseWriter, from) }

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (t *traffic) begin(w http.ResponseWriter) *recorder {
	r := t.recorder.Get().(*recorder)
	r.ResponseWriter, r.tally, r.status, r.began = w, t.no, 0, time.Now()
	return r
}

func (t *traffic) end(r *recorder, method string) {
	m, class := len(methods)-1, min(max(r.status/100, 2), len(classes)-1) // without WriteHeader it is 200
	switch method {
	case http.MethodGet:
		m = 0
	case http.MethodHead:
		m = 1
	}
	r.tally.answers[m][class].Inc()
	r.tally.took.Observe(time.Since(r.began).Seconds())
	r.ResponseWriter, r.tally = nil, nil
	t.recorder.Put(r)
}

// Describe implements prometheus.Collector.
func (t *traffic) Describe(to chan<- *prometheus.Desc) {
	t.answers.Describe(to)
	t.took.Describe(to)
}

// Collect implements prometheus.Collector.
func (t *traffic) Collect(to chan<- prometheus.Metric) {
	t.answers.Collect(to)
	t.took.Collect(to)
}

// Metrics counts the requests that the Server has answered.
func (s *Server) Metrics() prometheus.Collector { return s.traffic }
