// Package dashboard is for the people who run a gateway: pages with the state of
// each repository, metrics for Prometheus, and profiles. It reads the
// store and changes nothing.
//
// It belongs on a listener of its own that the public does not reach: it shows
// what every repository answered.
package dashboard

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fingerpost/server/look"
)

// Config is what a Dashboard shows. Only Repositories is required.
type Config struct {
	Version      string // of the program
	Repositories []Repository

	// Next says when the next run of a repository is, after the one under way if
	// there is one. Nil is never.
	Next func(ctx context.Context, id string, underWay bool) (Next, error)

	// Locked reports whether a run has locked a repository, in this process or
	// another. It is called only about runs of other processes: one that was killed
	// is still recorded as running. Nil takes all of them for running.
	Locked func(ctx context.Context, id string) bool

	// Hosts are the host names that requests may have, besides IP addresses and
	// names without a dot. With any other name a web page could have its visitors'
	// browsers read this listener (DNS rebinding).
	Hosts []string

	// Metrics are at /metrics beside those of harvests.
	Metrics []prometheus.Collector

	// Verify answers at /verify. Nil: nothing is there.
	Verify http.Handler

	Log *slog.Logger     // nil logs nothing
	Now func() time.Time // nil is time.Now
}

// Next is when the next run of a repository is, and why then.
type Next struct {
	At    time.Time // may have passed: as soon as the gateway serves. The zero time: never.
	Why   string    // first harvest, go on, retry, schedule, sweep, pause or refused
	Pause string    // a sentence that says why there is no request before; "" if there may be
}

// Repository is one that the gateway stands in front of.
type Repository struct {
	ID     string // the store's name for it
	Name   string // for people; "" takes that of Identify
	OAIURL string

	// The configured formats and sets: runs of other lists do not count. None:
	// the formats that were found, the whole repository.
	Prefixes, Sets []string

	// Where its published documents are; "" shows no link.
	Page, Signmap, Robots string
}

// Dashboard is an http.Handler. Harvests report to it by Progress and Ended;
// Run does its work in the background.
type Dashboard struct {
	Config
	store    Store
	handler  http.Handler
	byID     map[string]Repository
	live     live
	counters *counters
	began    time.Time

	mu       sync.Mutex         // of latest and verdicts
	latest   map[string]summary // by repository, as last read
	verdicts map[string]*verdict
}

// New makes a Dashboard that reads from r.
func New(c Config, r Store) *Dashboard {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Next == nil {
		c.Next = func(context.Context, string, bool) (Next, error) { return Next{}, nil }
	}
	d := &Dashboard{Config: c, store: r, byID: map[string]Repository{}, latest: map[string]summary{}, verdicts: map[string]*verdict{}}
	for _, repo := range c.Repositories {
		d.byID[repo.ID] = repo
	}
	d.began = c.Now()
	d.live = newLive()
	registry := prometheus.NewRegistry()
	d.counters = newCounters(c.Repositories)
	registry.MustRegister(d.counters)
	registerGauges(registry, d)
	registry.MustRegister(c.Metrics...)
	d.handler = d.routes(promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: scrapeLog{c.Log}}))
	return d
}

// Run reads the runs from before, which metrics do not count.
func (d *Dashboard) Run(ctx context.Context) {
	if _, err := d.summaries(ctx, d.Repositories); err != nil && ctx.Err() == nil {
		d.Log.Error("dashboard: reading the store failed; is the database file still there and readable?", "error", err)
	}
}

func (d *Dashboard) routes(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.serveOverview)
	mux.HandleFunc("GET /running", d.serveRunning)
	mux.HandleFunc("GET /history", d.serveHistory)
	mux.HandleFunc("GET /quarantine", d.serveQuarantine)
	mux.HandleFunc("GET /coverage", d.serveCoverage)
	mux.HandleFunc("GET /status.json", d.serveStatus)
	mux.HandleFunc("GET "+look.StylePath, func(w http.ResponseWriter, _ *http.Request) { look.ServeStyle(w) })
	mux.HandleFunc("GET "+look.ScriptPath, func(w http.ResponseWriter, _ *http.Request) { look.ServeScript(w) })
	if d.Verify != nil {
		mux.Handle("GET /verify", d.Verify)
	}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		_, _ = d.summaries(r.Context(), d.Repositories) // updates the counters; the gauges report an error
		metrics.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /debug/pprof/{$}", serveProfiles)
	mux.HandleFunc("GET /debug/pprof/profile", serveCPUProfile)
	mux.HandleFunc("GET /debug/pprof/trace", serveTrace)
	mux.HandleFunc("GET /debug/pprof/{name}", serveProfile)
	return mux
}

// guards are in every answer. The pages show what strangers wrote: no browser may
// run any of it, load anything from another host, or tell another host that this
// listener exists.
var guards = map[string]string{
	"Content-Security-Policy":      look.Policy,
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"Cache-Control":                "no-store",
}

func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range guards {
		w.Header().Set(name, value)
	}
	if !d.answersFor(r.Host) {
		http.Error(w, "This address serves the dashboard under its IP address, as localhost, and under the names in admin_hosts.", http.StatusMisdirectedRequest)
		return
	}
	d.handler.ServeHTTP(w, r)
}

// answersFor reports whether a Host header names this listener. Public DNS cannot
// lead a name without a dot here, or an address.
func (d *Dashboard) answersFor(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || !strings.Contains(host, ".") {
		return true
	}
	return strings.HasSuffix(host, ".localhost") || slices.ContainsFunc(d.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}
