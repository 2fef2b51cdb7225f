package harvest_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openStore(t testing.TB, clock *oaitest.Clock) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"), store.Now(clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// start is when every test begins.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// records are n records of oai_dc, each with a landing page, dated 20 days
// apart from 2020 on.
func records(n int) []oaitest.Record {
	out := make([]oaitest.Record, n)
	for i := range out {
		out[i] = record(i+1, time.Date(2020, 1, 5, 10, 0, 0, 0, time.UTC).AddDate(0, 0, 20*i))
	}
	return out
}

func record(n int, stamp time.Time) oaitest.Record {
	return oaitest.Record{
		Header: oaipmh.Header{Identifier: identifier(n), Datestamp: oaipmh.Second.Format(stamp), Sets: []string{"all"}},
		Formats: map[string]string{"oai_dc": fmt.Sprintf(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
			`<dc:title>Number %[1]d</dc:title><dc:identifier>https://repo.example.org/%[1]d/</dc:identifier><dc:type>Article</dc:type></oai_dc:dc>`, n)},
	}
}

func identifier(n int) string { return fmt.Sprintf("oai:repo.example.org:%d", n) }

// scene is a repository, the store behind the gateway, and the clock of both.
type scene struct {
	*testing.T
	clock  *oaitest.Clock
	origin *oaitest.Repository
	db     *store.DB
	h      *harvest.Harvester
	r      harvest.Repository
}

// newScene is a scene with ten records a page.
func newScene(t *testing.T, records ...oaitest.Record) *scene {
	return newSceneWith(t, oaitest.Options{}, records...)
}

func newSceneWith(t *testing.T, o oaitest.Options, records ...oaitest.Record) *scene {
	t.Helper()
	s := &scene{T: t, clock: oaitest.NewClock(start)}
	if o.PageSize == 0 {
		o.PageSize = 10
	}
	o.Now = s.clock.Now
	s.origin = oaitest.New(o, records...)
	server := httptest.NewServer(s.origin)
	t.Cleanup(server.Close)
	s.db = openStore(t, s.clock)
	s.h = &harvest.Harvester{Store: s.db, Clock: s.clock, Log: quiet()}
	s.r = harvest.Repository{
		ID: "main", OAIURL: server.URL + "/oai", Prefixes: []string{"oai_dc"},
		Client:   oaipmh.Options{Clock: s.clock, Retries: 3},
		Settings: bridge.Settings{Hosts: []string{"repo.example.org"}},
	}
	return s
}

// run harvests the one list and returns how it ended.
func (s *scene) run(o harvest.Options) store.Run {
	s.Helper()
	runs, err := s.h.Run(s.Context(), s.r, o)
	if len(runs) != 1 {
		s.Fatalf("there were %d runs, want 1: %v", len(runs), err)
	}
	return runs[0]
}

// wants checks how a run ended and how many objects live after it.
func (s *scene) wants(r store.Run, state store.State, objects int) {
	s.Helper()
	if got := s.objects(); r.State != state || got != objects {
		s.Errorf("the run ended %s (%s) with %d objects, want %s with %d", r.State, r.Reason, got, state, objects)
	}
	if r.State != store.Complete && r.Reason == "" {
		s.Errorf("the run ended %s without a reason", r.State)
	}
}

// objects is how many objects live.
func (s *scene) objects() int {
	s.Helper()
	counts, err := s.db.Counts(s.Context(), "main")
	if err != nil {
		s.Fatal(err)
	}
	return counts.Objects
}

func (s *scene) checkpoint() store.Checkpoint {
	s.Helper()
	c, err := s.db.Checkpoint(s.Context(), "main", "oai_dc", "")
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// stopWhen begins a harvest and stops it as soon as its progress is such.
func (s *scene) stopWhen(is func(harvest.Progress) bool) store.Run {
	s.Helper()
	return s.stopRun(harvest.Options{}, is)
}

func (s *scene) stopRun(o harvest.Options, is func(harvest.Progress) bool) store.Run {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	h := *s.h
	h.Progress = func(p harvest.Progress) {
		if is(p) {
			cancel()
		}
	}
	runs, err := h.Run(ctx, s.r, o)
	if err != nil || len(runs) != 1 {
		s.Fatalf("the run that was stopped ended with %+v, %v", runs, err)
	}
	return runs[0]
}
