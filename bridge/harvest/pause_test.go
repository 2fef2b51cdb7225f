package harvest_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// anew is the scene for another process: nothing is known but what is kept.
func (s *scene) anew() {
	s.r.Client.Hosts = new(oaipmh.Hosts)
	s.origin.Forget()
}

// heldBack checks that a run does not ask before a time, and that nothing is
// kept of it but what was.
func (s *scene) heldBack(until time.Time) {
	s.Helper()
	s.anew()
	before, _ := s.db.Runs(s.Context(), s.r.ID, 100)
	runs, err := s.h.Run(s.Context(), s.r, harvest.Options{})
	var paused *harvest.PauseError
	if !errors.As(err, &paused) || !paused.Until.Equal(until) || !strings.Contains(err.Error(), "for a pause until "+until.Local().Format("Mon 2 Jan 2006 15:04 MST")) {
		s.Errorf("got error %v, want a *PauseError until %s", err, until)
	}
	if n := len(s.origin.Requests()); n > 0 {
		s.Errorf("%d requests were made", n)
	}
	if len(runs) != 1 || runs[0].State != store.Failed || runs[0].Reason != err.Error() || runs[0].ID != 0 {
		s.Errorf("got the runs %+v, want one that failed", runs)
	}
	after, _ := s.db.Runs(s.Context(), s.r.ID, 100)
	if diff := cmp.Diff(before, after); diff != "" {
		s.Errorf("the runs that are kept (-before +after):\n%s", diff)
	}
}

func TestQuirk03_APausedRepositoryIsLeftAloneByEveryProcess(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, RetryAfter: "86400"})
	s.wants(s.run(harvest.Options{}), store.Incomplete, 10)
	s.heldBack(start.Add(24 * time.Hour))
	s.clock.Advance(24*time.Hour - time.Second)
	s.heldBack(start.Add(24 * time.Hour))
	s.clock.Advance(time.Second)
	s.anew()
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk10_ARefusalIsObeyedForADay(t *testing.T) {
	for _, verb := range []string{"Identify", "ListRecords"} {
		s := newScene(t, records(50)...)
		s.origin.Inject(oaitest.Fault{Kind: oaitest.Status403, Verb: verb})
		if run := s.run(harvest.Options{}); run.State != store.Failed || run.ID == 0 {
			t.Errorf("%s: the run that was refused is %+v", verb, run)
		}
		s.notScheduledBefore(start.Add(24 * time.Hour))
		s.anew()
		s.wants(s.run(harvest.Options{}), store.Complete, 50) // by hand
		s.notScheduledBefore(start.Truncate(time.Hour).Add(time.Hour))
	}
}

// notScheduledBefore checks when a Scheduler asks next that has nothing to do
// with the process which was told to leave the repository alone.
func (s *scene) notScheduledBefore(want time.Time) {
	s.Helper()
	agenda := harvest.Agenda{Store: s.db}
	next, err := agenda.Next(s.Context(), harvest.Job{Repository: s.r, Schedule: every(time.Hour)}, s.clock.Now(), false)
	if err != nil || !next.At.Equal(want) {
		s.Errorf("a Scheduler asks next at %+v, %v; want %s", next, err, want)
	}
}

func TestARefusalIsOfOneAddress(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status403, Verb: "Identify"})
	s.run(harvest.Options{})
	s.r.OAIURL += "/moved"
	s.wants(s.run(harvest.Options{}), store.Complete, 5)
}

func TestASweepIsPausedAsAHarvestIs(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status403, Verb: "ListIdentifiers"})
	if _, err := s.h.Sweep(t.Context(), s.r, harvest.Options{}); err == nil {
		t.Error("a sweep that was refused returned no error")
	}
	s.notScheduledBefore(start.Add(24 * time.Hour))
}

// A host asks everybody for a pause who asks it, whatever for.
func TestAPausedHostIsLeftAloneForEveryRepository(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, RetryAfter: "86400"})
	s.run(harvest.Options{})
	s.r.ID = "other"
	s.heldBack(start.Add(24 * time.Hour))
}

func TestQuirk04_AShortPauseAndASlowPaceOutliveTheProcess(t *testing.T) {
	s := newScene(t, records(50)...)
	address, err := url.Parse(s.r.OAIURL)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r oaipmh.Restraint) {
		t.Helper()
		r.Host = address.Hostname()
		if err := s.db.SaveRestraint(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	took := func() time.Duration {
		t.Helper()
		s.anew()
		began := s.clock.Now()
		s.wants(s.run(harvest.Options{Full: true}), store.Complete, 50)
		return s.clock.Now().Sub(began)
	}
	ask(oaipmh.Restraint{At: start, Until: start.Add(10 * time.Minute)})
	if got := took(); got != 10*time.Minute {
		t.Errorf("a run took %s, want the ten minutes that the host asked for", got)
	}
	now := s.clock.Now()
	ask(oaipmh.Restraint{At: now, Pace: 2 * time.Second, PaceUntil: now.Add(time.Hour)})
	if got := took(); got < 6*2*time.Second {
		t.Errorf("seven requests took %s, want at least 12 s", got)
	}
	s.clock.Advance(time.Hour)
	if got := took(); got != 0 {
		t.Errorf("when the slow pace is forgotten, a run took %s", got)
	}
	ask(oaipmh.Restraint{At: s.clock.Now().Add(1000 * time.Hour), Until: s.clock.Now().Add(2000 * time.Hour)})
	if got := took(); got != 0 {
		t.Errorf("a run waited for %s since the clock was wrong once", got)
	}
}

func TestWhatAHostAsksForIsKeptAtOnce(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status429, Page: 2, RetryAfter: "60"})
	s.run(harvest.Options{})
	got, err := s.db.Restraints(t.Context())
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if r := got[0]; !r.At.Equal(start) || !r.Until.Equal(start.Add(time.Minute)) || r.Pace != time.Second || !r.PaceUntil.Equal(start.Add(24*time.Hour)) {
		t.Errorf("kept is %+v", r)
	}
}

// Somebody who asks all the same, and is answered, ends the wait.
func TestLift(t *testing.T) {
	for _, fault := range []oaitest.Fault{{Kind: oaitest.Status403, Page: 2}, {Kind: oaitest.Status503, Page: 2, RetryAfter: "86400"}} {
		s := newScene(t, records(50)...)
		if pause, err := s.h.Lift(t.Context(), s.r); err != nil || pause.Reason != "" {
			t.Errorf("nothing to lift: got %+v, %v", pause, err)
		}
		s.origin.Inject(fault)
		s.run(harvest.Options{})
		s.anew()
		if _, err := s.h.Survey(t.Context(), s.r); err != nil {
			t.Fatal(err)
		}
		pause, err := s.h.Lift(t.Context(), s.r)
		if err != nil || !pause.Until.Equal(start.Add(24*time.Hour)) || pause.Refused != (fault.Kind == oaitest.Status403) {
			t.Errorf("got %+v, %v", pause, err)
		}
		s.anew()
		s.wants(s.run(harvest.Options{}), store.Complete, 50)
	}
}
