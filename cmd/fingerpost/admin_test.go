package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/oaipmh/outbound"
	"fingerpost/server/dashboard"
	"fingerpost/server/edge"
)

// operated is a gateway before a fake repository of 25 records, as the admin
// listener shows it.
func operated(t *testing.T) (*app, *session, *dashboard.Dashboard) {
	t.Helper()
	source := httptest.NewServer(oaitest.Generated(25, oaitest.Options{PageSize: 10}))
	t.Cleanup(source.Close)
	a := &app{output: output{out: new(bytes.Buffer), err: io.Discard, json: true}, given: given{data: t.TempDir(), env: []string{
		"FINGERPOST_OAI_URL=" + source.URL, "FINGERPOST_REPOSITORIES_0_FORMATS=oai_dc", "FINGERPOST_PUBLIC_URL=https://links.example.org/fp/",
	}}}
	s, err := a.begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	return a, s, boardOf(t, s)
}

// boardOf is the dashboard of a session.
func boardOf(t *testing.T, s *session, metrics ...prometheus.Collector) *dashboard.Dashboard {
	t.Helper()
	e, err := newEdges(s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	d := newBoard(e, metrics...)
	t.Cleanup(d.Close)
	return d
}

func get(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// What the admin listener shows of a harvest while nothing but the store tells of it.
func TestAdmin(t *testing.T) {
	_, s, d := operated(t)
	r, _ := s.Repository("main")
	source, err := sourceOf(s.Config, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &harvest.Harvester{Store: s.db, Clock: outbound.WallClock(), Log: slog.New(slog.DiscardHandler)}
	if _, err := h.Run(t.Context(), source, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	page := get(t, d, "/repository/main")
	for _, want := range []string{
		">complete</h2>", "<dd>25</dd>", `href="https://links.example.org/fp/main/"`, `href="https://links.example.org/fp/main/signmap.xml"`,
		`href="https://links.example.org/fp/main/robots.txt"`, `href="/repository/main/snippet/nginx"`, "Add the line Sitemap: https://links.example.org/fp/main/signmap.xml",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("want %s in\n%s", want, page)
		}
	}
	if page := get(t, d, "/repository/main/snippet/nginx"); !strings.Contains(page, "location") {
		t.Errorf("no snippet in %s", page)
	}
}

// The requests of the public, and those to a proxy, are counted at /metrics.
func TestAdminCountsRequests(t *testing.T) {
	_, s, _ := operated(t)
	log := slog.New(slog.DiscardHandler)
	site, err := newSite(s, func() (bool, string) { return true, "" }, log)
	if err != nil {
		t.Fatal(err)
	}
	traffic := edge.NewTraffic()
	traffic.Of("main")
	d := boardOf(t, s, site.Metrics(), traffic)
	get(t, site, "/healthz")
	metrics := get(t, d, "/metrics")
	for _, want := range []string{
		`fingerpost_http_requests_total{method="GET",route="/healthz",status="2xx"} 1`,
		`fingerpost_http_request_duration_seconds_count{route="/healthz"} 1`,
		`fingerpost_edge_requests_total{outcome="links_added",repository="main",status="2xx"} 0`,
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("want %s in\n%s", want, metrics)
		}
	}
}

// Only who has locked the repository runs, whatever the store says.
func TestStatusOfAbandonedRun(t *testing.T) {
	_, s, _ := operated(t)
	run := store.Run{Repository: "main", Prefix: "oai_dc", State: store.Running, Started: time.Now()}
	if err := s.db.SaveRun(t.Context(), &run); err != nil {
		t.Fatal(err)
	}
	status := func() string {
		all, err := s.statuses(t.Context(), slices.Collect(s.All()))
		if err != nil {
			t.Fatal(err)
		}
		return all[0].State
	}
	unlock, err := s.db.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if got := status(); got != "running" {
		t.Errorf("while a run has locked the repository: %s", got)
	}
	unlock()
	if got := status(); got != "interrupted" {
		t.Errorf("when nobody has locked the repository: %s", got)
	}
}

// Of many repositories status prints what the processes that harvest have saved.
func TestStatusOfMany(t *testing.T) {
	_, s, _ := operated(t)
	source := store.Source{Repository: "main", Host: "repo.example.org", Settings: "1"}
	if err := s.db.SyncSources(t.Context(), []store.Source{source}); err != nil {
		t.Fatal(err)
	}
	source.State, source.Objects, source.Began, source.Due = store.Running, 7, time.Now(), store.Never
	if err := s.db.SaveSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	var chosen []config.Repository
	for i := range detailed {
		chosen = append(chosen, config.Repository{ID: fmt.Sprint("new", i)})
	}
	all, err := s.statuses(t.Context(), append(chosen, slices.Collect(s.All())...))
	if err != nil {
		t.Fatal(err)
	}
	if got := all[0]; got.Repository != "new0" || got.State != "never run" || got.LastRun != nil {
		t.Errorf("nothing is known: got %+v", got)
	}
	if got := all[detailed]; got.Repository != "main" || got.State != "running" || got.Objects != 7 || got.Reason != "" || got.NextRun != nil {
		t.Errorf("got %+v", got)
	}
}

// Without admin_listen there is no listener; with it there is one until the
// program is stopped.
func TestServeAdmin(t *testing.T) {
	_, s, d := operated(t)
	log := slog.New(slog.DiscardHandler)
	if err := serveAdmin(t.Context(), s.AdminListen, d, log); err != nil {
		t.Errorf("without an address: %v", err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s.AdminListen = taken.Addr().String()
	if err := serveAdmin(t.Context(), s.AdminListen, d, log); err == nil || !strings.Contains(err.Error(), "admin_listen") {
		t.Errorf("with an address that is taken: got %v, want an error that names admin_listen", err)
	}
	s.AdminListen = "127.0.0.1:0"
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := serveAdmin(ctx, s.AdminListen, d, log); err != nil {
		t.Errorf("stopped: %v", err)
	}
}
