package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
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
	d, err := newBoard(s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a, s, d
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

// What the admin listener says of a harvest is what `status --json` says.
func TestAdmin(t *testing.T) {
	a, s, d := operated(t)
	sources, err := sourcesOf(s.Config, s.Repositories)
	if err != nil {
		t.Fatal(err)
	}
	h := &harvest.Harvester{
		Store: s.db, Clock: outbound.WallClock(), Log: slog.New(slog.DiscardHandler),
		Progress: func(p harvest.Progress) { d.Progress(dashboard.Progress(p)) },
	}
	runs, err := h.Run(t.Context(), sources[0], harvest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Ended("main", runs, err)

	out := new(bytes.Buffer)
	again := &app{output: output{out: out, err: io.Discard}, given: given{env: a.env}}
	if code := again.run(t.Context(), []string{"status", "--json", "--data", a.data}); code != 0 {
		t.Fatalf("status: exit %d", code)
	}
	if got, want := get(t, d, "/status.json"), out.String(); got != want {
		t.Errorf("/status.json:\ngot  %swant %s", got, want)
	}
	metrics := get(t, d, "/metrics")
	for _, want := range []string{
		`fingerpost_harvest_records_total{outcome="new",repository="main"} 25`,
		`fingerpost_harvest_pages_total{repository="main"} 3`,
		`fingerpost_harvest_runs_total{repository="main",state="complete"} 1`,
		`fingerpost_run_state{repository="main",state="complete"} 1`,
		`fingerpost_objects{repository="main"} 25`,
	} {
		if !strings.Contains(metrics, want+"\n") {
			t.Errorf("want %s in\n%s", want, metrics)
		}
	}
	page := get(t, d, "/")
	for _, want := range []string{"https://links.example.org/fp/main/", "https://links.example.org/fp/main/signmap.xml", "https://links.example.org/fp/main/robots.txt"} {
		if !strings.Contains(page, `href="`+want+`"`) {
			t.Errorf("the overview does not link to %s", want)
		}
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
	d, err := newBoard(s, log, site.Metrics(), traffic)
	if err != nil {
		t.Fatal(err)
	}
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

// Only who holds the repository runs, whatever the store says.
func TestHeld(t *testing.T) {
	_, s, d := operated(t)
	run := store.Run{Repository: "main", Prefix: "oai_dc", State: store.Running, Started: time.Now()}
	if err := s.db.SaveRun(t.Context(), &run); err != nil {
		t.Fatal(err)
	}
	unlock, err := s.db.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, d, "/status.json"); !strings.Contains(page, `"state":"running"`) {
		t.Errorf("while a run holds the repository: %s", page)
	}
	unlock()
	fresh, err := newBoard(s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, fresh, "/status.json"); !strings.Contains(page, `"state":"interrupted"`) {
		t.Errorf("when nobody holds the repository: %s", page)
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
