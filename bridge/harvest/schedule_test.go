package harvest_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// every is a schedule that comes at every multiple of a duration.
type every time.Duration

func (e every) Next(t time.Time) time.Time {
	return t.Truncate(time.Duration(e)).Add(time.Duration(e))
}

// never is a schedule that does not come.
type never struct{}

func (never) Next(time.Time) time.Time { return time.Time{} }

// schedule tells a scheduler what is configured.
func schedule(t *testing.T, s *harvest.Scheduler, jobs ...harvest.Job) *harvest.Scheduler {
	t.Helper()
	s.Job = func(id string) (harvest.Job, bool) {
		i := slices.IndexFunc(jobs, func(j harvest.Job) bool { return j.Repository.ID == id })
		if i < 0 {
			return harvest.Job{}, false
		}
		return jobs[i], true
	}
	if err := s.Set(t.Context(), slices.Values(jobs)); err != nil {
		t.Fatal(err)
	}
	return s
}

// serveUntil runs a scheduler until its n-th harvest has ended, and returns
// when each had begun.
func (s *scene) serveUntil(n int, jobs ...harvest.Job) []time.Time {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	var begun []time.Time
	scheduler := &harvest.Scheduler{Harvester: s.h, Ended: func(_ harvest.Job, runs []store.Run, _ error) {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range runs {
			begun = append(begun, r.Started)
		}
		if len(begun) >= n {
			cancel()
		}
	}}
	schedule(s.T, scheduler, jobs...).Run(ctx)
	if len(begun) < n {
		s.Fatalf("%d runs ended in time, want %d", len(begun), n)
	}
	return begun[:n]
}

func TestARepositoryIsHarvestedAtOnceAndThenOnTime(t *testing.T) {
	s := newScene(t, records(5)...)
	got := s.serveUntil(3, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)})
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	if want := []time.Time{start, day(3), day(4)}; !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("harvests began %v, want %v", got, want)
	}
}

func TestAFirstHarvestThatFailedIsTriedAgainSoon(t *testing.T) {
	for _, tt := range []struct {
		fault oaitest.Fault
		soon  time.Duration
	}{
		{oaitest.Fault{Kind: oaitest.BadArgument, Verb: "Identify"}, 10 * time.Minute},
		{oaitest.Fault{Kind: oaitest.BadArgument, Verb: "ListRecords"}, 10 * time.Minute},
		{oaitest.Fault{Kind: oaitest.Status403, Verb: "Identify"}, 24 * time.Hour}, // but not where it was told to go
	} {
		s := newScene(t, records(5)...)
		s.origin.Inject(tt.fault)
		got := s.serveUntil(2, harvest.Job{Repository: s.r, Schedule: every(time.Hour)})
		if want := start.Add(tt.soon); !got[1].Equal(want) {
			t.Errorf("%s: the second harvest began %v, want %v", tt.fault.Kind, got[1], want)
		}
		if n := s.objects(); n != 5 {
			t.Errorf("%s: there are %d objects, want 5", tt.fault.Kind, n)
		}
	}
}

func TestJitterDelaysARunByLessThanItself(t *testing.T) {
	s := newScene(t, records(5)...)
	got := s.serveUntil(4, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour), Jitter: time.Minute})
	for day, at := range got[1:] {
		due := time.Date(2026, 1, 3+day, 0, 0, 0, 0, time.UTC)
		if late := at.Sub(due); late < 0 || late >= time.Minute {
			t.Errorf("the harvest due at %v began %v", due, at)
		}
	}
}

func TestAMissedHarvestIsCaughtUpOnce(t *testing.T) {
	s := newScene(t, records(5)...)
	s.run(harvest.Options{})
	s.clock.Advance(5 * 24 * time.Hour)
	restarted := s.clock.Now()
	got := s.serveUntil(2, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)})
	want := []time.Time{restarted, restarted.Truncate(24 * time.Hour).Add(24 * time.Hour)}
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("harvests began %v, want %v", got, want)
	}
}

func TestASweepOrARemapIsNoHarvestThatCameInTime(t *testing.T) {
	for _, other := range []func(*scene){
		func(s *scene) { s.sweep(harvest.Options{}) },
		func(s *scene) {
			if _, err := s.h.Remap(t.Context(), s.r, harvest.Options{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		s := newScene(t, records(5)...)
		s.run(harvest.Options{})
		s.clock.Advance(5 * 24 * time.Hour)
		restarted := s.clock.Now()
		other(s)
		got := s.serveUntil(1, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)})
		if !got[0].Equal(restarted) {
			t.Errorf("the harvest began %v, want %v", got[0], restarted)
		}
	}
}

func TestAMissedSweepIsCaughtUpOnce(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.clock.Advance(4 * 24 * time.Hour)
	restarted := s.clock.Now()
	rarely := every(3 * 24 * time.Hour)
	got := s.serveUntil(2, harvest.Job{Repository: s.r, Schedule: never{}, Sweep: rarely})
	if want := []time.Time{restarted, rarely.Next(restarted)}; !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("sweeps began %v, want %v", got, want)
	}
	if n := s.objects(); n != 49 {
		t.Errorf("there are %d objects, want 49", n)
	}
}

func TestAHarvestThatIsNotDueIsNotBegunAtRestart(t *testing.T) {
	s := newScene(t, records(5)...)
	s.run(harvest.Options{})
	s.clock.Advance(time.Hour)
	got := s.serveUntil(1, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)})
	if want := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC); !got[0].Equal(want) {
		t.Errorf("the harvest began %v, want %v", got[0], want)
	}
}

func TestAnInterruptedHarvestGoesOnAtOnce(t *testing.T) {
	s := newScene(t, records(50)...)
	s.stopAfterPage(2)
	got := s.serveUntil(1, harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)})
	if got[0].Sub(start) > time.Minute { // a request may have been tried twice
		t.Errorf("the harvest went on %v, want %v", got[0], start)
	}
	if n := s.objects(); n != 50 {
		t.Errorf("there are %d objects, want 50", n)
	}
}

func TestAPausedRepositoryIsDueWhenItSays(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, RetryAfter: "100000"})
	got := s.serveUntil(2, harvest.Job{Repository: s.r, Schedule: every(time.Hour)})
	if want := start.Add(100_000 * time.Second); got[1].Before(want) {
		t.Errorf("the second harvest began %v, want not before %v", got[1], want)
	}
}

func TestAHarvestThatWasCutShortByAPauseGoesOnAfterIt(t *testing.T) {
	job := func(s *scene) harvest.Job { return harvest.Job{Repository: s.r, Schedule: every(30 * 24 * time.Hour)} }
	for _, page := range []int{1, 2} {
		s := newScene(t, records(50)...)
		s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Verb: "ListRecords", Page: page, RetryAfter: "40000", Times: 1})
		got := s.serveUntil(2, job(s))
		if want := start.Add(40_000 * time.Second); got[1].Before(want) || got[1].Sub(want) > time.Minute {
			t.Errorf("page %d: the harvest went on %v, want %v", page, got[1], want)
		}
		if n := s.objects(); n != 50 {
			t.Errorf("page %d: there are %d objects, want 50", page, n)
		}
	}

	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Verb: "ListRecords", Page: 2, RetryAfter: "40000", Times: 1})
	s.serveUntil(1, job(s))
	if _, err := s.h.Lift(t.Context(), s.r); err != nil {
		t.Fatal(err)
	}
	if got, want := s.serveUntil(1, job(s))[0], start.Add(11*time.Minute); got.After(want) {
		t.Errorf("somebody ended the pause: the harvest went on %v, want before %v", got, want)
	}
}

// The process that locks it may have been killed: its lock may end at any moment.
func TestALockedSourceIsLookedAtAgainSoon(t *testing.T) {
	s := newScene(t, records(5)...)
	j := harvest.Job{Repository: s.r, Schedule: every(time.Hour)}
	scheduler := schedule(t, &harvest.Scheduler{Harvester: s.h}, j)
	unlock, err := s.db.Lock(t.Context(), s.r.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	next, err := scheduler.Work(t.Context(), j.Row().Host)
	if err != nil || next.IsZero() || next.After(s.clock.Now().Add(time.Minute)) {
		t.Errorf("got %v and error %v, want a time within a minute of %v", next, err, s.clock.Now())
	}
}

func TestWhatIsNeverDueIsNotHarvested(t *testing.T) {
	s := newScene(t, records(5)...)
	idle := s.r
	idle.ID = "idle"
	s.serveUntil(3, harvest.Job{Repository: s.r, Schedule: every(time.Hour)}, harvest.Job{Repository: idle, Schedule: never{}})
	if runs, err := s.db.Runs(t.Context(), "idle", 1); err != nil || len(runs) != 0 {
		t.Errorf("the idle repository has the runs %v, %v", runs, err)
	}
}

func TestASweepComesOnItsOwnSchedule(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.serveUntil(1, harvest.Job{Repository: s.r, Schedule: never{}, Sweep: every(24 * time.Hour)})
	if n := s.objects(); n != 49 {
		t.Errorf("there are %d objects, want 49", n)
	}
}

// patient is a clock by which nobody sleeps before something has happened.
type patient struct {
	*oaitest.Clock
	happened chan struct{}
}

func (c patient) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-c.happened:
	case <-ctx.Done():
	}
	return c.Clock.Sleep(ctx, d)
}

func TestARunThatWaitsOutAPauseLeavesItsWorkerToAnother(t *testing.T) {
	slow, good := newScene(t, records(20)...), newScene(t, records(5)...)
	slow.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Verb: "ListRecords", RetryAfter: "600", Times: 1})
	clock := patient{slow.clock, make(chan struct{})}
	slow.r.ID, slow.r.OAIURL, slow.r.Client.Transport = "slow", "http://a.example.org/oai", inProcess{slow.origin}
	good.r.ID, good.r.OAIURL, good.r.Client.Transport = "good", "http://good.example.org/oai", inProcess{good.origin}
	slow.r.Client.Clock, good.r.Client.Clock = slow.clock, slow.clock
	h := &harvest.Harvester{Store: slow.db, Clock: clock, Log: quiet(), Workers: harvest.NewWorkers(1)}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var order []string
	jobs := []harvest.Job{{Repository: slow.r, Schedule: every(1000 * 24 * time.Hour)}, {Repository: good.r, Schedule: every(1000 * 24 * time.Hour)}}
	scheduler := &harvest.Scheduler{Harvester: h,
		Ended: func(j harvest.Job, runs []store.Run, err error) {
			if order = append(order, j.Repository.ID); len(order) == 1 {
				close(clock.happened)
			} else {
				cancel()
			}
		}}
	schedule(t, scheduler, jobs...).Run(ctx)
	if !slices.Equal(order, []string{"good", "slow"}) {
		t.Errorf("the order of the ends is %v, want that the pause keeps nobody waiting", order)
	}
}
