package harvest_test

import (
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// When a repository is asked next, in every state that it can be in. It is
// due at each full day and swept every thirtieth; it is noon of 2 January.
func TestAgenda(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
	run := func(state store.State, hours int) store.Run {
		return store.Run{Repository: "main", Prefix: "oai_dc", State: state, Started: at(hours), Finished: at(hours)}
	}
	swept := func(hours int) store.Run { r := run(store.Complete, hours); r.Sweep = true; return r }
	mapped := store.Repository{ID: "main", OAIURL: "https://repo.example.edu/oai", MappedBy: "1", Identify: oaipmh.Identify{DeletedRecord: oaipmh.Persistent}}
	fresh := store.Repository{ID: "main", OAIURL: mapped.OAIURL}
	forgetful := mapped
	forgetful.Identify.DeletedRecord = oaipmh.No
	paused := func(r store.Repository, h store.Pause) store.Repository { r.Pause = h; return r }
	daily, monthly := harvest.Schedule(every(24*time.Hour)), harvest.Schedule(every(30*24*time.Hour))
	refusal := store.Pause{At: at(-1), Until: at(23), Refused: true, Reason: "403"}
	pause := func(hours int) store.Pause { return store.Pause{At: at(-2), Until: at(hours), Reason: "503"} }
	tests := []struct {
		name     string
		kept     store.Repository
		runs     []store.Run // in the order in which they were
		asked    *oaipmh.Restraint
		underWay bool
		schedule harvest.Schedule
		at       time.Time
		why      harvest.Why
	}{
		{name: "never harvested", schedule: daily, at: noon, why: harvest.ForFirst},
		{name: "no schedule", schedule: never{}},
		{name: "on time", kept: mapped, runs: []store.Run{run(store.Complete, -3)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "missed", kept: mapped, runs: []store.Run{run(store.Complete, -50)}, schedule: daily, at: at(-36), why: harvest.ForSchedule},
		{name: "interrupted", kept: mapped, runs: []store.Run{run(store.Interrupted, -3)}, schedule: daily, at: at(-3), why: harvest.ForRest},
		{name: "its process is gone", kept: mapped, runs: []store.Run{run(store.Running, -3)}, schedule: daily, at: at(-3), why: harvest.ForRest},
		{name: "running", kept: mapped, runs: []store.Run{run(store.Running, -3)}, underWay: true, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "the first harvest failed", kept: fresh, runs: []store.Run{run(store.Failed, 0)}, schedule: daily, at: noon.Add(10 * time.Minute), why: harvest.ForRetry},
		{name: "a later one failed", kept: mapped, runs: []store.Run{run(store.Failed, 0)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "incomplete", kept: mapped, runs: []store.Run{run(store.Incomplete, 0)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "a remap is no harvest", kept: mapped, runs: []store.Run{run(store.Complete, -50), {Repository: "main", State: store.Complete, Started: noon, Finished: noon}}, schedule: daily, at: at(-36), why: harvest.ForSchedule},
		{name: "run in the future", kept: mapped, runs: []store.Run{run(store.Complete, 100_000)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "refused", kept: paused(mapped, refusal), runs: []store.Run{run(store.Failed, -1)}, schedule: daily, at: at(23), why: harvest.ForRefusal},
		{name: "refused at first", kept: paused(fresh, refusal), runs: []store.Run{run(store.Failed, -1)}, schedule: daily, at: at(23), why: harvest.ForRefusal},
		{name: "due after the refusal", kept: paused(mapped, store.Pause{At: at(-1), Until: at(2), Refused: true}), runs: []store.Run{run(store.Failed, -1)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "cut short by a pause", kept: paused(mapped, pause(2)), runs: []store.Run{run(store.Incomplete, -1)}, schedule: daily, at: at(2), why: harvest.ForPause},
		{name: "the pause is over", kept: paused(mapped, pause(-1)), runs: []store.Run{run(store.Incomplete, -2)}, schedule: daily, at: noon.Add(-110 * time.Minute), why: harvest.ForRest},
		{name: "a pause of a minute", kept: paused(mapped, pause(0)), runs: []store.Run{run(store.Incomplete, 0)}, schedule: daily, at: noon.Add(10 * time.Minute), why: harvest.ForRest},
		{name: "the disk was full", kept: mapped, runs: []store.Run{{Repository: "main", Prefix: "oai_dc", State: store.Failed, Records: 100, Started: noon, Finished: noon}}, schedule: daily, at: noon.Add(10 * time.Minute), why: harvest.ForRest},
		{name: "nothing but a sweep was cut short", kept: paused(mapped, pause(-1)), runs: []store.Run{run(store.Complete, -2)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "refused at another address", kept: paused(store.Repository{ID: "main", OAIURL: "https://old.example.edu/", MappedBy: "1"}, refusal), runs: []store.Run{run(store.Complete, -1)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "its host asked for a pause", kept: mapped, runs: []store.Run{run(store.Complete, -1)}, asked: &oaipmh.Restraint{Host: "repo.example.edu", At: noon, Until: at(48)}, schedule: daily, at: at(48), why: harvest.ForPause},
		{name: "another host did", kept: mapped, runs: []store.Run{run(store.Complete, -1)}, asked: &oaipmh.Restraint{Host: "example.edu", At: noon, Until: at(48)}, schedule: daily, at: at(12), why: harvest.ForSchedule},
		{name: "refused, but never due", kept: paused(fresh, refusal), runs: []store.Run{run(store.Complete, -1)}, schedule: never{}},
		{name: "a sweep comes first", kept: forgetful, runs: []store.Run{swept(-29 * 24), run(store.Complete, -1)}, schedule: every(1000 * 24 * time.Hour), at: monthly.Next(at(-29 * 24)), why: harvest.ForSweep},
		{name: "a sweep without a schedule of harvests", kept: forgetful, runs: []store.Run{run(store.Complete, -1)}, schedule: never{}, at: monthly.Next(noon), why: harvest.ForSweep},
		{name: "a sweep, though deletions are said to be kept", kept: mapped, runs: []store.Run{run(store.Complete, -1)}, schedule: never{}, at: monthly.Next(noon), why: harvest.ForSweep},
		{name: "a sweep of nothing", kept: fresh, schedule: never{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			if tt.kept.ID != "" {
				if err := s.db.SaveRepository(t.Context(), tt.kept); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range tt.runs {
				if err := s.db.SaveRun(t.Context(), &r); err != nil {
					t.Fatal(err)
				}
			}
			if tt.asked != nil {
				if err := s.db.SaveRestraint(t.Context(), *tt.asked); err != nil {
					t.Fatal(err)
				}
			}
			job := harvest.Job{Repository: harvest.Repository{ID: "main", OAIURL: mapped.OAIURL}, Schedule: tt.schedule, Sweep: monthly}
			agenda := harvest.Agenda{Store: s.db}
			for range 2 { // the second time it remembers the runs
				got, err := agenda.Next(t.Context(), job, noon, tt.underWay)
				if err != nil || !got.At.Equal(tt.at) || got.Why != tt.why {
					t.Errorf("got %s %q, %v; want %s %q", got.At, got.Why, err, tt.at, tt.why)
				}
				if paused := got.Why == harvest.ForPause || got.Why == harvest.ForRefusal; paused != (got.Pause.Reason != "") {
					t.Errorf("the pause is %+v", got.Pause)
				}
			}
		})
	}
}

// What a Scheduler does is what an Agenda of another process says.
func TestASchedulerGoesByTheAgenda(t *testing.T) {
	s := newScene(t, records(5)...)
	s.run(harvest.Options{})
	s.clock.Advance(100 * time.Hour) // missed
	job := harvest.Job{Repository: s.r, Schedule: every(24 * time.Hour)}
	agenda := harvest.Agenda{Store: s.db}
	for range 3 {
		next, err := agenda.Next(t.Context(), job, s.clock.Now(), false)
		if err != nil {
			t.Fatal(err)
		}
		want := next.At
		if now := s.clock.Now(); want.Before(now) {
			want = now
		}
		if got := s.serveUntil(1, job)[0]; !got.Equal(want) {
			t.Errorf("the harvest began %v, the agenda said %v", got, want)
		}
	}
}
