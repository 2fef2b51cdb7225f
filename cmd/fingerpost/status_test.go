package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/server/dashboard"
)

// What stands below the table, in every state that a repository can be in.
func TestRemarks(t *testing.T) {
	at := time.Date(2031, 1, 2, 12, 0, 0, 0, time.Local)
	was := func(state string, more func(*dashboard.Status)) dashboard.Status {
		s := dashboard.Status{Repository: "main", State: state, Objects: 2, LastRun: &at}
		if more != nil {
			more(&s)
		}
		return s
	}
	noon := at.Format("Mon 2 Jan 2006 15:04 MST")
	const asked = "repo.example.edu asked with Retry-After for a pause until Fri 3 Jan 2031 00:00 UTC"
	nobody := "nobody asks before " + noon + ", `fingerpost harvest` neither; if its administrators agree, `fingerpost check` asks now, and an answer ends the wait"
	for _, tt := range []struct {
		name string
		s    dashboard.Status
		want []string
	}{
		{"never run", dashboard.Status{State: "never run"}, []string{"nothing was harvested yet: `fingerpost serve` and `fingerpost harvest` do"}},
		{"complete", was("complete", nil), nil},
		{"nothing came of it", was("complete", func(s *dashboard.Status) { s.Objects = 0 }), []string{"no object is published"}},
		{"some in quarantine", was("complete", func(s *dashboard.Status) { s.Quarantined = 3 }), []string{"`fingerpost records --quarantined` says why records are in quarantine"}},
		{"running", was("running", func(s *dashboard.Status) { s.Reason = "reading oai_dc: 7 records so far" }), []string{"reading oai_dc: 7 records so far"}},
		{"interrupted at first", was("interrupted", func(s *dashboard.Status) { s.Reason = "stopped; the next run goes on from the checkpoint" }),
			[]string{"stopped; the next run goes on from the checkpoint", "no harvest is known that read all of it"}},
		{"paused", was("incomplete", func(s *dashboard.Status) { s.Reason, s.Pause, s.NextRun, s.Complete = asked, asked, &at, &at }),
			[]string{asked, nobody, "all of it was last harvested completely at " + noon}},
		{"its host is paused", was("complete", func(s *dashboard.Status) { s.Pause, s.NextRun = asked, &at }), []string{asked, nobody}},
		{"a run waits", was("paused", func(s *dashboard.Status) {
			s.Reason, s.Pause, s.NextRun = "paused until 2 Jan 2031 11:00 UTC, asked by the repository with Retry-After", asked, &at
		}), []string{"paused until " + noon + ", asked by the repository with Retry-After"}},
		{"failed, and nobody tries again", was("failed", func(s *dashboard.Status) { s.Reason, s.Complete, s.Overdue = "no route to host", &at, &at }),
			[]string{"no route to host", "all of it was last harvested completely at " + noon, "overdue: a run should have begun at " + noon + "; is `fingerpost serve` running?"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, remarks(tt.s, false)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	waiting := remarks(dashboard.Status{State: "never run", Overdue: &at}, true)
	for _, sentence := range waiting {
		if strings.Contains(sentence, "`fingerpost serve`") || !strings.Contains(sentence, "it waits for a worker") {
			t.Errorf("while the gateway runs: %q", sentence)
		}
	}
	for _, tt := range []struct {
		s      dashboard.Status
		served bool
		want   string
	}{
		{dashboard.Status{}, false, "none scheduled"},
		{dashboard.Status{NextRun: &at, NextWhy: "schedule"}, false, noon + " (on schedule)"},
		{dashboard.Status{NextRun: &at, NextWhy: "sweep"}, false, noon + " (sweep)"},
		{dashboard.Status{NextRun: &at, NextWhy: "retry"}, false, noon + " (retry of the first harvest)"},
		{dashboard.Status{NextRun: &at, NextWhy: "pause"}, false, noon + " (paused until then, asked by the repository with Retry-After)"},
		{dashboard.Status{NextRun: &at, NextWhy: "refused"}, false, noon + " (access refused, left alone until then)"},
		{dashboard.Status{NextRun: &at, NextWhy: "first harvest", Due: true}, false, "as soon as `fingerpost serve` runs (first harvest)"},
		{dashboard.Status{NextRun: &at, NextWhy: "go on", Due: true}, false, "as soon as `fingerpost serve` runs (to go on where it was stopped)"},
		{dashboard.Status{NextRun: &at, NextWhy: "first harvest", Due: true}, true, "as soon as a worker is free (first harvest)"},
	} {
		if got := nextRun(tt.s, tt.served); got != tt.want {
			t.Errorf("next run: got %q, want %q", got, tt.want)
		}
	}
	if got := when(nil, "none scheduled"); got != "none scheduled" || strings.Contains(when(&at, ""), "none") {
		t.Errorf("got %q for no time", got)
	}
}
