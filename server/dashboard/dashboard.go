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
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fingerpost/server/look"
)

// Config is what a Dashboard shows.
type Config struct {
	Version string // of the program

	// Repository returns one that is configured. Nil: none is.
	Repository func(id string) (Repository, bool)

	// Snippet is the configuration of a web server, one of Servers, for the pages of a
	// repository. Nil: no page shows it.
	Snippet func(ctx context.Context, id, server string) (string, error)
	Servers []string

	// Unreachable says why nobody on another machine can follow the links, and what to
	// do; "" if they can.
	Unreachable string

	// Hosts are the host names that requests may have, besides IP addresses and
	// names without a dot. With any other name a web page could have its visitors'
	// browsers read this listener (DNS rebinding).
	Hosts []string

	// Metrics are at /metrics beside those of the store.
	Metrics []prometheus.Collector

	// Verify answers at /verify. Nil: nothing is there.
	Verify http.Handler

	Log *slog.Logger     // nil logs nothing
	Now func() time.Time // nil is time.Now
}

// Repository is one that the gateway stands in front of.
type Repository struct {
	ID     string // the store's name for it
	Name   string // for people; "" takes that of Identify
	OAIURL string

	// The configured formats and sets: runs of other lists do not count. None: the
	// formats that were found, the whole repository.
	Prefixes, Sets []string

	// Where its published documents are; the pages of its objects are below Page.
	Page, Signmap, Robots string
}

// Dashboard is an http.Handler. To make one costs the same however many
// repositories there are.
type Dashboard struct {
	Config
	store   Store
	handler http.Handler
	events  *events
}

// New makes a Dashboard that reads from r, until it is closed.
func New(c Config, r Store) *Dashboard {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Repository == nil {
		c.Repository = func(string) (Repository, bool) { return Repository{}, false }
	}
	d := &Dashboard{Config: c, store: r, events: newEvents()}
	d.handler = d.routes()
	return d
}

// Close ends the answers that follow a run: no other takes long.
func (d *Dashboard) Close() { d.events.end() }

func (d *Dashboard) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.serveOverview)
	for path, serve := range map[string]func(http.ResponseWriter, *http.Request, Repository){
		"": d.serveRepository, "/events": d.serveEvents, "/quarantine": d.serveQuarantine,
		"/having/{link}": d.serveHaving, "/lacking/{link}": d.serveLacking, "/snippet/{server}": d.serveSnippet,
	} {
		mux.HandleFunc("GET /repository/{id}"+path, d.ofRepository(serve))
	}
	mux.HandleFunc("GET "+look.StylePath, func(w http.ResponseWriter, _ *http.Request) { look.ServeStyle(w) })
	mux.HandleFunc("GET "+look.ScriptPath, func(w http.ResponseWriter, _ *http.Request) { look.ServeScript(w) })
	if d.Verify != nil {
		mux.Handle("GET /verify", d.Verify)
	}
	mux.Handle("GET /metrics", d.metrics())
	mux.HandleFunc("GET /debug/pprof/{$}", serveProfiles)
	mux.HandleFunc("GET /debug/pprof/profile", serveCPUProfile)
	mux.HandleFunc("GET /debug/pprof/trace", serveTrace)
	mux.HandleFunc("GET /debug/pprof/{name}", serveProfile)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		d.refuse(w, http.StatusNotFound, "There is no such page.")
	})
	return mux
}

// ofRepository answers with what there is about the repository in the path.
func (d *Dashboard) ofRepository(serve func(http.ResponseWriter, *http.Request, Repository)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		repository, ok := d.Repository(r.PathValue("id"))
		if !ok {
			d.refuse(w, http.StatusNotFound, "There is no such repository.")
			return
		}
		serve(w, r, repository)
	}
}

// guards are in every answer. The pages show what strangers wrote: no browser may
// run any of it, load anything from another host, or tell another host that this
// listener exists.
var guards = map[string]string{
	"Content-Security-Policy":      look.Policy + "; connect-src 'self'",
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
