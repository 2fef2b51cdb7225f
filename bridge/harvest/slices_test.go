package harvest_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// slow makes each request to a source take ten seconds: six are a slice.
func (s *scene) slow() harvest.Job {
	s.r.Client.MinInterval, s.r.Client.Hosts = 10*time.Second, new(oaipmh.Hosts)
	s.r.HarvestedOnly = true
	return harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)}
}

// worker is a process that works the jobs.
func (s *scene) worker(jobs ...harvest.Job) *harvest.Scheduler {
	h := *s.h
	return schedule(s.T, &harvest.Scheduler{Harvester: &h}, jobs...)
}

// slice has a process work the host once.
func (s *scene) slice(w *harvest.Scheduler) (next time.Time) {
	s.Helper()
	next, err := w.Work(s.Context(), "127.0.0.1")
	if err != nil {
		s.Fatal(err)
	}
	return next
}

// slicesUntil works the host, each time by another process, until nothing is due. It
// returns how many slices that took.
func (s *scene) slicesUntil(jobs ...harvest.Job) (n int) {
	s.Helper()
	for n = 1; ; n++ {
		if next := s.slice(s.worker(jobs...)); next.IsZero() || next.After(s.clock.Now()) {
			return n
		}
		if n == 1000 {
			s.Fatal("it does not end")
		}
	}
}

// count is how many requests had a text in them.
func (s *scene) count(text string) (n int) {
	for _, r := range s.origin.Requests() {
		if strings.Contains(r, text) {
			n++
		}
	}
	return n
}

func (s *scene) runs(id string) []store.Run {
	s.Helper()
	runs, err := s.db.Runs(s.Context(), id, 100)
	if err != nil {
		s.Fatal(err)
	}
	return runs
}

func (s *scene) row(id string) store.Source {
	s.Helper()
	row, err := s.db.Source(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return row
}

// A long harvest has a slice of time after the other, perhaps in one process after
// the other, and is one run: nothing is asked for twice.
func TestAHarvestGoesOnFromSliceToSlice(t *testing.T) {
	for _, o := range []oaitest.Options{{}, {NoListSize: true}} {
		s := newSceneWith(t, o, records(200)...)
		job := s.slow()
		first := s.worker(job)
		s.slice(first)
		if row := s.row("main"); row.State != store.Running || row.Due.After(s.clock.Now()) || row.Why != string(harvest.ForRest) || row.Objects == 0 {
			t.Errorf("after a slice the row is %+v", row)
		}
		if took := s.clock.Now().Sub(start); took > 80*time.Second {
			t.Errorf("a slice took %s", took)
		}
		if n := s.slicesUntil(job); n < 3 {
			t.Errorf("it took %d more slices", n)
		}
		runs := s.runs("main")
		if len(runs) != 1 || runs[0].State != store.Complete || runs[0].Records != 200 || runs[0].New != 200 || runs[0].Listed != 200 || !runs[0].Closed || runs[0].Pages != 20 {
			t.Fatalf("got %+v, want one run of 200 records and all that is known of its list", runs)
		}
		if n, lists, all := s.count("Identify"), s.count("ListRecords"), len(s.origin.Requests()); n != 1 || lists != 20 || runs[0].Requests > all {
			t.Errorf("asked who it is %d times, for %d pages, with %d requests of which the run counts %d", n, lists, all, runs[0].Requests)
		}
		row := s.row("main")
		if row.State != store.Complete || row.Why != string(harvest.ForSchedule) || !row.Due.Equal(time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)) ||
			row.Objects != 200 || !row.Began.Equal(runs[0].Started) || !row.Complete.Equal(runs[0].Finished) {
			t.Errorf("at the end the row is %+v", row)
		}
	}
}

// Each of several lists is read once, however the slices fall.
func TestSeveralListsGoOnFromSliceToSlice(t *testing.T) {
	list := records(120)
	for i := range list {
		list[i].Sets = []string{fmt.Sprint("s", i%3)}
	}
	s := newScene(t, list...)
	s.r.Sets = []string{"s0", "s1", "s2"}
	job := s.slow()
	s.slicesUntil(job)
	runs := s.runs("main")
	if n := s.count("ListRecords"); len(runs) != 3 || n != 12 || s.objects() != 120 {
		t.Errorf("got %d runs, %d pages and %d objects, want 3 lists of 4 pages", len(runs), n, s.objects())
	}
	for _, r := range runs {
		if r.State != store.Complete || r.Records != 40 {
			t.Errorf("got %+v, want 40 records", r)
		}
	}
}

// A process that is killed in the middle of a slice leaves a run that was not saved
// as unfinished: it is closed, and another goes on from the checkpoint.
func TestAWorkerIsKilledInASlice(t *testing.T) {
	s := newScene(t, records(200)...)
	job := s.slow()
	s.slice(s.worker(job))
	killed := s.runs("main")[0]
	killed.Pages++ // more than the slice before had left
	if err := s.db.SaveRun(t.Context(), &killed); err != nil {
		t.Fatal(err)
	}
	s.slicesUntil(job)
	runs := s.runs("main")
	if len(runs) != 2 || runs[1].State != store.Interrupted || runs[0].State != store.Complete || s.objects() != 200 {
		t.Errorf("got %+v with %d objects, want an interrupted run and a complete one", runs, s.objects())
	}
	if n := s.count("ListRecords"); n != 20 {
		t.Errorf("%d pages were asked for, want 20", n)
	}
}

// A harvest whose settings change between two slices begins again, at the checkpoint
// if that is still good.
func TestSettingsChangeBetweenSlices(t *testing.T) {
	s := newScene(t, records(200)...)
	s.slice(s.worker(s.slow()))
	moved := s.slow()
	moved.Repository.OAIURL, moved.Repository.MovedFrom = moved.Repository.OAIURL+"/moved", moved.Repository.OAIURL
	s.slicesUntil(moved)
	runs := s.runs("main")
	if n := s.count("Identify"); len(runs) != 2 || runs[0].State != store.Complete || runs[0].Records != 200 || runs[1].State != store.Interrupted || n != 2 {
		t.Errorf("after a move got %+v, and %d times Identify; want an interrupted run, and all of it from the new address", runs, n)
	}

	s = newScene(t, records(200)...)
	s.slice(s.worker(s.slow()))
	sets := s.slow()
	sets.Repository.Sets = []string{"all"}
	s.slicesUntil(sets)
	if runs := s.runs("main"); len(runs) != 2 || runs[0].Set != "all" || runs[0].State != store.Complete || runs[0].Records != 200 {
		t.Errorf("with other sets got %+v, want a run of the set", runs)
	}
}

// The sources of a host have their slices in turn, and so have hosts that share a
// worker.
func TestSlicesAreFair(t *testing.T) {
	s := newScene(t, records(300)...)
	job := s.slow()
	other := job
	other.Repository.ID = "other"
	var turns []string
	s.h.Progress = func(p harvest.Progress) {
		if len(turns) == 0 || turns[len(turns)-1] != p.Repository {
			turns = append(turns, p.Repository)
		}
	}
	s.slicesUntil(job, other)
	if len(turns) < 6 {
		t.Errorf("the turns were %v, want that they alternate", turns)
	}
	for _, id := range []string{"main", "other"} {
		if runs := s.runs(id); len(runs) != 1 || runs[0].Records != 300 {
			t.Errorf("%s has the runs %+v, want one of 300 records", id, runs)
		}
	}

	s = newScene(t, records(300)...)
	job = s.slow()
	other = s.slow()
	job.Repository.Client.Transport, other.Repository.Client.Transport = inProcess{s.origin}, inProcess{s.origin}
	other.Repository.ID, other.Repository.OAIURL = "other", "http://other.example/oai"
	turns = nil
	s.h.Progress = func(p harvest.Progress) {
		if len(turns) == 0 || turns[len(turns)-1] != p.Repository {
			turns = append(turns, p.Repository)
		}
	}
	s.h.Workers = harvest.NewWorkers(1)
	s.serveUntil(2, job, other)
	if len(turns) < 6 {
		t.Errorf("the turns of two hosts were %v, want that they alternate", turns)
	}
}

// What lies in memory alone is one turn: a sweep, and a harvest that finds out what
// is gone.
func TestWhatComparesAListIsOneTurn(t *testing.T) {
	for _, full := range []bool{false, true} {
		s := newScene(t, records(200)...)
		s.r.FullOnly = full
		s.run(harvest.Options{})
		s.origin.Vanish(identifier(7))
		s.clock.Advance(40 * 24 * time.Hour)
		job := s.slow()
		if !full {
			job.Schedule, job.Sweep = never{}, every(30*24*time.Hour)
		}
		s.slice(s.worker(job))
		if n := s.objects(); n != 199 {
			t.Errorf("full_only %t: there are %d objects, want 199", full, n)
		}
	}
}

// ticking is a clock that moves whenever it is looked at.
type ticking struct {
	*oaitest.Clock
	tick time.Duration
}

func (c ticking) Now() time.Time {
	c.Advance(c.tick)
	return c.Clock.Now()
}

func TestARemapGoesOnFromSliceToSlice(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{PageSize: 500}, records(2200)...)
	s.run(harvest.Options{})
	s.r.Settings.LandingPage = "https://repo.example.org/new/{local}"
	s.h.Clock = ticking{s.clock, 8 * time.Second}
	w := s.worker(harvest.Job{Repository: s.r, Schedule: never{}})
	n := 1
	for next := s.slice(w); !next.IsZero() && !next.After(s.clock.Now()); next = s.slice(w) {
		if n++; n > 20 {
			t.Fatal("it does not end")
		}
	}
	runs := s.runs("main")
	if len(runs) != 2 || n < 2 || runs[0].State != store.Complete || runs[0].Reason != "remap" || runs[0].Records != 2200 {
		t.Errorf("got %+v in %d slices, want one remap of 2200 records", runs, n)
	}
}

// A host that asks for a pause in the middle of a slice leaves its worker to others,
// and the run goes on when the pause is over.
func TestAPauseEndsASlice(t *testing.T) {
	s := newScene(t, records(100)...)
	job := s.slow()
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Verb: "ListRecords", Page: 3, RetryAfter: "600", Times: 1})
	s.slice(s.worker(job))
	row := s.row("main")
	if at := row.Due.Sub(start); row.Why != string(harvest.ForPause) || row.State != store.Running || at < 600*time.Second || at > 700*time.Second {
		t.Errorf("during the pause the row is %+v", row)
	}
	s.clock.Advance(row.Due.Sub(s.clock.Now()))
	s.slicesUntil(job)
	if runs := s.runs("main"); len(runs) != 1 || runs[0].State != store.Complete || s.objects() != 100 {
		t.Errorf("got %+v with %d objects, want one complete run", runs, s.objects())
	}
}

// What is configured may change while a Scheduler runs.
func TestTheConfigurationChangesWhileItRuns(t *testing.T) {
	s := newScene(t, records(5)...)
	job := harvest.Job{Repository: s.r, Schedule: every(time.Hour)}
	fresh := job
	fresh.Repository.ID, fresh.Repository.OAIURL, fresh.Repository.Client.Transport = "fresh", "http://fresh.example/oai", inProcess{s.origin}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	var order []string
	var changed time.Time
	h := *s.h
	scheduler := &harvest.Scheduler{Harvester: &h}
	scheduler.Ended = func(j harvest.Job, _ []store.Run, _ error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, j.Repository.ID)
		switch len(order) {
		case 2: // main is gone, fresh is new
			changed = s.clock.Now()
			schedule(t, scheduler, fresh)
		case 4:
			cancel()
		}
	}
	schedule(t, scheduler, job).Run(ctx)
	if !slices.Equal(order, []string{"main", "main", "fresh", "fresh"}) {
		t.Errorf("harvested were %v", order)
	}
	if runs := s.runs("fresh"); len(runs) == 0 || runs[len(runs)-1].Started.Sub(changed) > 2*time.Minute {
		t.Errorf("the new source was harvested at %+v, it was configured at %s", runs, changed)
	}
}

// Another schedule counts from the moment at which it is configured; another
// process that does not know it yet leaves the source alone.
func TestAnotherScheduleIsLookedAt(t *testing.T) {
	s := newScene(t, records(5)...)
	old := harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour), Settings: "daily"}
	before := s.worker(old)
	s.slice(before)
	hourly := harvest.Job{Repository: s.r, Schedule: every(time.Hour), Settings: "hourly"}
	after := s.worker(hourly)
	if next := s.slice(before); !next.After(s.clock.Now()) || len(s.runs("main")) != 1 {
		t.Errorf("who does not know works the host again at %s, with the runs %+v", next, s.runs("main"))
	}
	s.slice(after)
	if row := s.row("main"); !row.Due.Equal(start.Truncate(time.Hour).Add(time.Hour)) {
		t.Errorf("the row is %+v, want the next full hour", row)
	}
}

// A run by hand has its turn while a Scheduler works its host without end, and what
// is due is found out again after it.
func TestARunByHandBesideAScheduler(t *testing.T) {
	clock := oaitest.NewClock(start)
	origin := oaitest.New(oaitest.Options{PageSize: 2, Now: clock.Now}, records(2000)...)
	var asking, most atomic.Int32
	db := openStore(t, clock)
	h := &harvest.Harvester{Store: db, Clock: clock, Log: quiet()}
	repository := func(id string) harvest.Repository {
		return harvest.Repository{
			ID: id, OAIURL: "http://repo.example/oai", Prefixes: []string{"oai_dc"}, HarvestedOnly: true,
			Client: oaipmh.Options{Clock: clock, MinInterval: 5 * time.Second, Transport: counted{inProcess{origin}, &asking, &most}},
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := make(chan struct{})
	var once sync.Once
	busy := *h
	busy.Progress = func(harvest.Progress) { once.Do(func() { close(begun) }) }
	scheduler := schedule(t, &harvest.Scheduler{Harvester: &busy}, harvest.Job{Repository: repository("long"), Schedule: every(24 * time.Hour)})
	var all sync.WaitGroup
	all.Go(func() { scheduler.Run(ctx) })
	<-begun
	byHand := repository("short")
	byHand.Sets = []string{"all"}
	runs, err := h.Run(t.Context(), byHand, harvest.Options{From: start.AddDate(0, 0, -10)})
	if err != nil || len(runs) != 1 {
		t.Errorf("by hand: got %+v and error %v", runs, err)
	}
	cancel()
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d requests at a time were sent to the host", most.Load())
	}
}

// counted counts the requests that are under way at a time.
type counted struct {
	inProcess
	now, most *atomic.Int32
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	return c.inProcess.RoundTrip(r)
}
