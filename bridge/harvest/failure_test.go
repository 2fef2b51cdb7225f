package harvest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// When a source is asked that fails from the first day on, in hours or days since
// then.
func TestASourceThatFailsIsAskedLessAndLess(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	for _, tt := range []struct {
		class    store.Class
		schedule time.Duration
		unit     time.Duration
		want     string
	}{
		{store.Slow, day, day, "0 1 2 4 6 8 10 12"},
		{store.Broken, day, day, "0 1 2 4 8 15 22 29"},
		{store.Refused, day, day, "0 1 2 4 8 16 30 44"},
		{store.Gone, day, day, "0 1 2 4 8 16 32 62"},
		{"", day, day, "0 1 2 3 4 5 6 7"}, // the fault is ours
		{store.Gone, hour, hour, "0 1 2 4 8 16 32 64"},
		{store.Slow, hour, hour, "0 1 2 4 8 16 32 64 112 160"},
		{store.Slow, 7 * day, day, "0 7 14 21 28 35 42 49"}, // never more often than its schedule
		{store.Gone, 7 * day, day, "0 7 14 28 56 84 112"},
		{store.Gone, 60 * day, day, "0 60 120 180"},
	} {
		s := newScene(t)
		if err := s.db.SaveRepository(t.Context(), store.Repository{ID: "main", OAIURL: s.r.OAIURL, MappedBy: "1"}); err != nil {
			t.Fatal(err)
		}
		first := start.Truncate(tt.schedule)
		got := failures(t, s, tt.class, tt.schedule, first, tt.unit, strings.Count(tt.want, " ")+1)
		if got != tt.want {
			t.Errorf("%q each %s: asked at %s, want %s", tt.class, tt.schedule, got, tt.want)
		}
	}
}

// A first harvest is tried again in ten minutes, and then less and less.
func TestAFirstHarvestThatFailsIsTriedLessAndLess(t *testing.T) {
	s := newScene(t)
	got := failures(t, s, store.Gone, 24*time.Hour, start.Truncate(24*time.Hour), time.Minute, 13)
	const want = "0 10 20 40 80 160 320 640 1280 1440 2880 5760 11520" // from the second day on by its schedule
	if got != want {
		t.Errorf("asked at %s, want %s", got, want)
	}
}

// failures saves failed runs at the times at which the source is asked, and
// returns these.
func failures(t *testing.T, s *scene, class store.Class, schedule time.Duration, at time.Time, unit time.Duration, n int) string {
	t.Helper()
	job, first := harvest.Job{Repository: s.r, Schedule: every(schedule)}, at
	var times []string
	for range n {
		times = append(times, fmt.Sprint(int(at.Sub(first)/unit)))
		run := store.Run{Repository: "main", State: store.Failed, Class: class, Started: at, Finished: at}
		if err := s.db.SaveRun(t.Context(), &run); err != nil {
			t.Fatal(err)
		}
		next, err := (&harvest.Agenda{Store: s.db}).Next(t.Context(), job, at, false)
		if err != nil {
			t.Fatal(err)
		}
		if long := next.At.Sub(at) > schedule; long != (next.Why == harvest.ForFailing) {
			t.Errorf("after %s it is asked %s for %q", at, next.At, next.Why)
		}
		at = next.At
	}
	return strings.Join(times, " ")
}

// transport answers instead of the network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Nights of a source that works, then fails for two months, and then works again.
func TestNightsOfASourceThatFails(t *testing.T) {
	const day = 24 * time.Hour
	fault := func(kind oaitest.Kind) func(*scene) {
		return func(s *scene) {
			s.origin.Inject(oaitest.Fault{Kind: kind, Verb: "Identify", Times: -1, RetryAfter: "-"})
			s.origin.Inject(oaitest.Fault{Kind: kind, Times: -1, RetryAfter: "-"})
		}
	}
	for name, tt := range map[string]struct {
		class store.Class
		fails func(*scene)
		net   error // that takes the place of answers
		days  string
	}{
		"refused":              {class: store.Refused, fails: fault(oaitest.Status403), days: "0 1 2 4 8 16 30 44 58"},
		"no such host":         {class: store.Gone, net: &net.DNSError{Err: "no such host", Name: "repo.example.org", IsNotFound: true}, days: "0 1 2 4 8 16 32"},
		"nothing listens":      {class: store.Gone, net: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, days: "0 1 2 4 8 16 32"},
		"errors of the server": {class: store.Broken, fails: fault(oaitest.Status500), days: "0 1 2 4 8 15 22 29 36 43 50 57"},
		"no OAI-PMH":           {class: store.Broken, fails: fault(oaitest.HTML), days: "0 1 2 4 8 15 22 29 36 43 50 57"},
		"no list": {class: store.Broken, days: "0 1 2 4 8 15 22 29 36 43 50 57", fails: func(s *scene) {
			s.origin.Inject(oaitest.Fault{Kind: oaitest.BadArgument, Times: -1})
		}},
		"no answer in time": {class: store.Slow, net: context.DeadlineExceeded, days: "0 1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58"},
		"no name server":    {class: store.Slow, net: &net.DNSError{Err: "server misbehaving", IsTemporary: true}, days: "0 1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, records(5)...)
			failing := false
			s.r.Client.Transport = transport(func(r *http.Request) (*http.Response, error) {
				if failing && tt.net != nil {
					return nil, tt.net
				}
				return http.DefaultTransport.RoundTrip(r)
			})
			job := harvest.Job{Repository: s.r, Schedule: every(day)}
			s.serveUntil(1, job)
			if failing = true; tt.fails != nil {
				tt.fails(s)
			}
			from := start.Truncate(day).Add(day)
			var days []string
			for range strings.Count(tt.days, " ") + 1 {
				at := s.serveUntil(1, job)[0]
				days = append(days, fmt.Sprint(int(at.Sub(from)/day)))
				if run := s.newest(); run.Class != tt.class || run.State != store.Failed {
					t.Fatalf("the run is %s, %q: %s", run.State, run.Class, run.Reason)
				}
			}
			if got := strings.Join(days, " "); got != tt.days {
				t.Errorf("asked on the days %s, want %s", got, tt.days)
			}
			last := s.clock.Now()
			failing = false
			s.origin.Heal()
			at := s.serveUntil(1, job)[0]
			if ceiling := 31 * day; at.Sub(last) > ceiling || s.newest().State != store.Complete {
				t.Errorf("it was asked again %s later, and the run is %+v", at.Sub(last), s.newest())
			}
			if next := s.serveUntil(1, job)[0]; next.Sub(at) > day {
				t.Errorf("it answers, and was asked again %s later", next.Sub(at))
			}
		})
	}
}

func (s *scene) newest() store.Run {
	s.Helper()
	runs, err := s.db.Runs(s.Context(), "main", 1)
	if err != nil || len(runs) == 0 {
		s.Fatal(err)
	}
	return runs[0]
}

// A harvest by hand that succeeds puts the source back into order. One that fails
// changes nothing.
func TestAHarvestByHandEndsTheWait(t *testing.T) {
	const day = 24 * time.Hour
	s := newScene(t, records(5)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "Identify", Times: -1})
	job := harvest.Job{Repository: s.r, Schedule: every(day)}
	s.serveUntil(5, job)
	next := func() harvest.Next {
		t.Helper()
		n, err := (&harvest.Agenda{Store: s.db}).Next(t.Context(), job, s.clock.Now(), false)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := next()
	if left := before.At.Sub(s.clock.Now()); before.Why != harvest.ForFailing || left < 6*day {
		t.Fatalf("it is asked %s for %q", before.At, before.Why)
	}
	var failed *oaipmh.StatusError
	for range 3 {
		if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); !errors.As(err, &failed) {
			t.Fatal(err)
		}
	}
	if after := next(); after.At.After(before.At) {
		t.Errorf("after trying by hand it is asked %s, before %s", after.At, before.At)
	}
	s.origin.Heal()
	s.run(harvest.Options{})
	if after := next(); after.Why != harvest.ForSchedule || after.At.Sub(s.clock.Now()) > day {
		t.Errorf("it answers, and is asked %s for %q", after.At, after.Why)
	}
}

// A sweep does not ask what is left alone.
func TestASweepWaitsForASourceThatFails(t *testing.T) {
	const day = 24 * time.Hour
	s := newScene(t, records(5)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "Identify", Times: -1})
	begun := s.serveUntil(8, harvest.Job{Repository: s.r, Schedule: every(day), Sweep: every(5 * day)})
	if gap := begun[7].Sub(begun[6]); gap < 7*day {
		t.Errorf("asked at %v", begun)
	}
	if !slices.IsSortedFunc(begun, time.Time.Compare) {
		t.Errorf("asked at %v", begun)
	}
}
