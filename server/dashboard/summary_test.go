package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/server/look"
)

func TestStateWords(t *testing.T) {
	dc := func(s store.State, reason string) store.Run {
		return store.Run{Prefix: "oai_dc", State: s, Reason: reason, Records: 10, New: 10}
	}
	tests := []struct {
		name        string
		runs        []store.Run // in the order in which they were
		objects     int
		quarantined int
		words, why  string
		tone        string
	}{
		{"nothing was ever done", nil, 0, 0, "never run", "", "none"},
		{"all is well", []store.Run{dc(store.Complete, "")}, 2, 0, "complete", "", "good"},
		{"some were left out", []store.Run{dc(store.Complete, "")}, 2, 3, "complete, 3 quarantined", "", "warn"},
		{"nothing came of it", []store.Run{dc(store.Complete, "")}, 0, 0, "complete, but no object is published", "", "warn"},
		{"all were left out", []store.Run{dc(store.Complete, "")}, 0, 3, "complete, but no object is published, 3 quarantined", "", "warn"},
		{"broken off", []store.Run{dc(store.Incomplete, "the list ended early")}, 2, 0, "incomplete", "oai_dc: the list ended early", "warn"},
		{"refused", []store.Run{{State: store.Failed, Reason: "no route to host"}}, 0, 0, "failed", "no route to host", "bad"},
		{"failed without a word", []store.Run{dc(store.Failed, "")}, 2, 0, "failed", "oai_dc: no reason was kept; see the log", "bad"},
		{"stopped", []store.Run{dc(store.Interrupted, "stopped")}, 2, 0, "interrupted, goes on at 3 Jan 2031 03:00 UTC", "oai_dc: stopped", "warn"},
		{"under way", []store.Run{dc(store.Running, "")}, 0, 0, "running", "", "busy"},
		{"one list of two failed", []store.Run{
			dc(store.Failed, "503"),
			{Prefix: "datacite", State: store.Complete},
		}, 2, 0, "failed", "oai_dc: 503", "bad"},
		{"one set failed", []store.Run{
			{Prefix: "oai_dc", Set: "theses", State: store.Failed, Reason: "noSetHierarchy"},
			dc(store.Complete, ""),
		}, 2, 0, "failed", "oai_dc, set theses: noSetHierarchy", "bad"},
		{"two lists failed", []store.Run{
			dc(store.Failed, "503"),
			{Prefix: "datacite", State: store.Failed, Reason: "404"},
		}, 2, 0, "failed", "datacite: 404", "bad"},
		{"what failed has been mended", []store.Run{dc(store.Failed, "503"), dc(store.Complete, "")}, 2, 0, "complete", "", "good"},
		{"refused once, then well", []store.Run{{State: store.Failed, Reason: "403"}, dc(store.Complete, "")}, 2, 0, "complete", "", "good"},
		{"well once, then refused", []store.Run{dc(store.Complete, ""), {State: store.Failed, Reason: "403"}}, 2, 0, "failed", "403", "bad"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := newDesk(t)
			k.held = true
			k.Repositories[0].Sets = []string{"", "theses"}
			if tt.objects > 0 {
				k.objects(t, tt.objects)
			}
			if tt.quarantined > 0 {
				k.quarantine(t, make([]string, tt.quarantined)...)
			}
			for _, r := range tt.runs {
				k.run(t, r)
			}
			all, err := k.summaries(t.Context(), k.Repositories)
			if err != nil {
				t.Fatal(err)
			}
			if s := all[0]; s.Words() != tt.words || s.Why() != tt.why || s.Tone() != tt.tone {
				t.Errorf("got  %q, why %q, %s\nwant %q, why %q, %s", s.Words(), s.Why(), s.Tone(), tt.words, tt.why, tt.tone)
			}
		})
	}
}

// The state of each list is shown if they differ.
func TestLists(t *testing.T) {
	const failed = "oai_dc, set theses failed"
	tests := []struct {
		name string
		run  store.Run
		want []string
	}{
		{"one", store.Run{Prefix: "oai_dc", Set: "theses", State: store.Failed}, nil},
		{"not alike", store.Run{Prefix: "datacite", State: store.Complete}, []string{"datacite complete", failed}},
		{"a sweep too", store.Run{Prefix: "oai_dc", Sweep: true, State: store.Complete},
			[]string{"sweep of oai_dc complete", "datacite complete", failed}},
		{"alike again", store.Run{Prefix: "oai_dc", Set: "theses", State: store.Complete}, nil},
	}
	k := newDesk(t)
	k.Repositories[0].Sets = []string{"", "theses"}
	for _, tt := range tests {
		k.pass()
		k.run(t, tt.run)
		all, err := k.Statuses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range all[0].Lists {
			got = append(got, l.String())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A set that was mistyped once, or is no longer configured, is forgotten with its
// failure.
func TestListsThatAreNotConfiguredDoNotCount(t *testing.T) {
	k := newDesk(t)
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
	k.pass()
	k.run(t, store.Run{Prefix: "oai_dc", Set: "typo", State: store.Incomplete, Reason: "no such set"})
	all, err := k.Statuses(t.Context())
	if err != nil || all[0].State != "complete" || len(all[0].Lists) != 0 {
		t.Errorf("got %+v, %v; want it complete", all[0], err)
	}
	k.Repositories[0].Prefixes = []string{"oai_dc"}
	k.pass()
	k.run(t, store.Run{Prefix: "datacite", State: store.Failed, Reason: "no such format"})
	if all, err = k.Statuses(t.Context()); err != nil || all[0].State != "complete" {
		t.Errorf("got %+v, %v; want it complete", all[0], err)
	}
}

// A complete sweep finds the records that are gone. It does not read what a
// harvest could not read.
func TestASweepSettlesAFullHarvest(t *testing.T) {
	for name, tt := range map[string]struct {
		harvest store.Run
		want    string
	}{
		"read to its end": {store.Run{Prefix: "oai_dc", State: store.Incomplete, Listed: 7, Reason: "run it again with --allow-shrink"}, "complete"},
		"read in part":    {store.Run{Prefix: "oai_dc", State: store.Incomplete, Reason: "could not be read: page 3"}, "incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newDesk(t)
			for _, r := range []store.Run{tt.harvest, {Prefix: "datacite", Sweep: true, State: store.Complete}, {Prefix: "oai_dc", Sweep: true, State: store.Incomplete}} {
				k.pass()
				k.run(t, r)
			}
			if all, err := k.Statuses(t.Context()); err != nil || all[0].State != "incomplete" {
				t.Errorf("before: got %+v, %v", all[0], err)
			}
			k.pass()
			k.run(t, store.Run{Prefix: "oai_dc", Sweep: true, State: store.Complete})
			all, err := k.Statuses(t.Context())
			if err != nil || all[0].State != tt.want || (all[0].Reason == "") != (tt.want == "complete") {
				t.Errorf("after: got %+v, %v; want it %s", all[0], err, tt.want)
			}
		})
	}
}

// A run that waits out a pause is not called running.
func TestAPauseIsSeen(t *testing.T) {
	k := newDesk(t)
	until := noon.Add(10 * time.Minute)
	k.Dashboard.Config.Next = func(context.Context, string, bool) (Next, error) {
		return Next{At: until, Why: "pause", Pause: "repo.example.org asked by Retry-After to be left alone"}, nil
	}
	k.held = true
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running})
	all, err := k.Statuses(t.Context())
	if err != nil || all[0].State != "paused" || !strings.Contains(all[0].Reason, "paused until "+look.When(until)+", asked by the repository with Retry-After") {
		t.Errorf("got %+v, %v", all[0], err)
	}
}

func TestOverview(t *testing.T) {
	k := newDesk(t)
	k.objects(t, 1234)
	k.quarantine(t, "bad XML", "bad XML")
	k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Watermark: noon.Add(-50 * time.Hour)}})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Records: 1236, New: 1234, Quarantined: 2})
	page := k.page(t, "/")
	has(t, page,
		"main", "complete, 2 quarantined",
		"Objects published | 1,234", "Deleted at the source | 0", "Quarantined records | 2", "Harvested from | https://repo.example.org/oai",
		"Last run | 2 Jan 2031 12:00 UTC, oai_dc, took 1 min 0 s: complete, 2 quarantined; 1,234 new, 0 changed, 0 unchanged, 0 deleted, 2 quarantined",
		"Next run | 3 Jan 2031 03:00 UTC, on schedule", "Lag | 2 d 2 h behind the repository",
		"other The other one", "never run", "Next run | none is scheduled", "Lag | never harvested completely")
	_, body := k.ask(t, http.MethodGet, "/")
	for _, want := range []string{`href="https://links.example.org/main/signmap.xml"`, `href="/quarantine?repository=main"`} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s, got\n%s", want, body)
		}
	}
	if strings.Contains(body, "http-equiv") {
		t.Error("the overview reloads itself")
	}
}

// A repository that fails each day must not look well while it is tried.
func TestWhatWasBefore(t *testing.T) {
	k := newDesk(t)
	k.held = true
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Failed, Reason: "503"})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running})
	has(t, k.page(t, "/"), "running", "Before this one: failed: oai_dc: 503")
}

// What serve should have begun and has not is said, whatever else is.
func TestOverdue(t *testing.T) {
	k := newDesk(t)
	k.held = true
	due := noon.Add(24 * time.Hour)
	k.Dashboard.Next = func(_ context.Context, _ string, underWay bool) (Next, error) {
		if underWay {
			return Next{At: k.now.Add(time.Hour), Why: "schedule"}, nil
		}
		return Next{At: due, Why: "schedule"}, nil
	}
	k.objects(t, 1)
	status := func() Status {
		t.Helper()
		k.pass()
		all, err := k.Statuses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete})
	if s := status(); s.Overdue != nil {
		t.Errorf("in time: got overdue since %v", s.Overdue)
	}
	k.now = k.now.Add(48 * time.Hour)
	if s := status(); s.Overdue == nil || !s.Overdue.Equal(due) || !s.NextRun.Equal(k.now) || s.State != "complete" {
		t.Errorf("two days later: got %+v, want overdue since a day after noon", s)
	}
	has(t, k.page(t, "/"), "complete, overdue since 3 Jan 2031 12:00 UTC")
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Incomplete, Reason: "cut off", Started: noon.Add(time.Hour)})
	if s := status(); s.Complete == nil || !s.Complete.Equal(noon.Add(time.Minute)) {
		t.Errorf("incomplete: got %+v, want when it was last complete", s)
	}
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, Records: 1200, Started: noon.Add(2 * time.Hour)})
	if s := status(); s.Overdue != nil || s.Reason != "reading oai_dc: 1,200 records so far" {
		t.Errorf("running: got %+v, want how far it is", s)
	}
}

func TestStatusJSON(t *testing.T) {
	k := newDesk(t)
	k.objects(t, 2)
	k.quarantine(t, "bad XML")
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Incomplete, Reason: "a <b> & c"})
	answer, body := k.ask(t, http.MethodGet, "/status.json")
	want := `[{"repository":"main","objects":2,"deleted":0,"quarantined":1,"state":"incomplete","reason":"a \u003cb\u003e \u0026 c","last_run":"2031-01-02T12:00:00Z","next_run":"2031-01-03T03:00:00Z","next_run_reason":"schedule"},` +
		`{"repository":"other","objects":0,"deleted":0,"quarantined":0,"state":"never run","last_run":null,"next_run":null}]` + "\n"
	if body != want || answer.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s\n%s\nwant\n%s", answer.Header.Get("Content-Type"), body, want)
	}
}

// However often a page is asked for, the store is read again only after a
// while.
func TestFreshness(t *testing.T) {
	k := newDesk(t)
	k.page(t, "/")
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Failed, Reason: "503"})
	if page := k.page(t, "/"); strings.Contains(page, "503") {
		t.Error("the store was read again at once")
	}
	k.pass()
	has(t, k.page(t, "/"), "oai_dc: 503")

	k.held = true
	run := k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, Pages: 1})
	k.pass()
	has(t, k.page(t, "/running"), "Page | 1")
	run.Pages = 2
	k.run(t, run)
	k.save(t, store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Watermark: noon.Add(-time.Hour)}})
	k.pass()
	has(t, k.page(t, "/running"), "Page | 2")
	has(t, k.page(t, "/"), "Lag | 1 h 0 min behind the repository")
}

// A process that was killed could not say that its run has ended.
func TestAbandonedRun(t *testing.T) {
	const why = "oai_dc: the process ended before the run did; the next run goes on from its checkpoint"
	k := newDesk(t)
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running})
	k.held = true
	has(t, k.page(t, "/"), "running")
	k.pass()
	k.held = false
	has(t, k.page(t, "/"), "interrupted, goes on at 3 Jan 2031 03:00 UTC", why)
	has(t, k.page(t, "/running"), "No harvest is under way. The next ones are on the page of repositories.")
	asked := k.asked
	k.pass()
	has(t, k.page(t, "/"), why)
	if k.asked != asked {
		t.Errorf("asked %d times more who holds a repository that is known to be free", k.asked-asked)
	}
	// The next run of the same list, in this process: the lock is not tried.
	run := k.run(t, store.Run{Prefix: "oai_dc", State: store.Running})
	k.Progress(Progress{Run: run, Total: -1})
	k.pass()
	has(t, k.page(t, "/"), "running", "Before this one: interrupted: "+why)
	if k.asked != asked {
		t.Error("asked who holds a repository that is harvested here")
	}
}

func TestAllComplete(t *testing.T) {
	at := func(hour int) time.Time { return noon.Add(time.Duration(hour) * time.Hour) }
	run := func(prefix string, s store.State, hour int) store.Run {
		return store.Run{Prefix: prefix, State: s, Finished: at(hour)}
	}
	tests := []struct {
		name string
		runs []store.Run // newest first
		want time.Time
	}{
		{"one list", []store.Run{run("a", store.Complete, 1)}, at(1)},
		{"the list that has waited longest", []store.Run{run("a", store.Complete, 3), run("b", store.Complete, 2), run("a", store.Complete, 1)}, at(2)},
		{"a failure since does not count", []store.Run{run("a", store.Failed, 3), run("a", store.Complete, 1)}, at(1)},
		{"nor does a refusal", []store.Run{run("", store.Failed, 3), run("a", store.Complete, 1)}, at(1)},
		{"one list never was", []store.Run{run("a", store.Complete, 3), run("b", store.Failed, 2)}, time.Time{}},
		{"refused from the first", []store.Run{run("", store.Failed, 3)}, time.Time{}},
	}
	for _, tt := range tests {
		if got := allComplete(tt.runs); !got.Equal(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
