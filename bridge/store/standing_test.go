package store_test

import (
	"slices"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

func TestStanding(t *testing.T) {
	dc := func(s store.State) store.Run { return store.Run{Prefix: "oai_dc", State: s} }
	datacite := func(s store.State) store.Run { return store.Run{Prefix: "datacite", State: s} }
	theses := func(s store.State) store.Run { return store.Run{Prefix: "oai_dc", Set: "theses", State: s} }
	none := func(s store.State) store.Run { return store.Run{State: s} }
	sweep := func(prefix string, s store.State) store.Run { return store.Run{Prefix: prefix, Sweep: true, State: s} }
	shrunk := store.Run{Prefix: "oai_dc", State: store.Incomplete, Listed: 7}
	for _, tt := range []struct {
		name     string
		runs     []store.Run // newest first
		worst    store.State
		of       string // the list that it is of
		failures int
		before   store.State
	}{
		{"never run", nil, "", "", 0, ""},
		{"all is well", []store.Run{dc(store.Complete)}, store.Complete, "oai_dc", 0, ""},
		{"nothing was reached", []store.Run{none(store.Failed)}, store.Failed, "", 1, ""},
		{"one list of two failed", []store.Run{datacite(store.Complete), dc(store.Failed)}, store.Failed, "oai_dc", 0, ""},
		{"one set failed", []store.Run{dc(store.Complete), theses(store.Failed)}, store.Failed, "oai_dc", 0, ""},
		{"two lists failed", []store.Run{datacite(store.Failed), dc(store.Failed)}, store.Failed, "datacite", 1, ""},
		{"mended", []store.Run{dc(store.Complete), dc(store.Failed)}, store.Complete, "oai_dc", 0, ""},
		{"refused once, then well", []store.Run{dc(store.Complete), none(store.Failed)}, store.Complete, "oai_dc", 0, ""},
		{"well once, then refused", []store.Run{none(store.Failed), dc(store.Complete)}, store.Failed, "", 1, ""},
		{"refused again and again", []store.Run{none(store.Failed), none(store.Failed), none(store.Interrupted), none(store.Failed), dc(store.Complete)}, store.Failed, "", 3, ""},
		{"a remap says nothing", []store.Run{none(store.Complete), dc(store.Incomplete)}, store.Incomplete, "oai_dc", 0, ""},
		{"remaps alone", []store.Run{none(store.Complete), none(store.Complete)}, store.Complete, "", 0, ""},
		{"tried again", []store.Run{dc(store.Running), dc(store.Failed)}, store.Running, "oai_dc", 1, store.Failed},
		{"a set that is not configured", []store.Run{{Prefix: "oai_dc", Set: "typo", State: store.Failed}, dc(store.Complete)}, store.Complete, "oai_dc", 0, ""},
		{"a format that is not configured", []store.Run{{Prefix: "mods", State: store.Failed}, dc(store.Complete)}, store.Complete, "oai_dc", 0, ""},
		{"none that is configured", []store.Run{{Prefix: "mods", State: store.Failed}}, store.Failed, "mods", 1, ""},
		{"read to its end, and swept later", []store.Run{sweep("oai_dc", store.Complete), shrunk}, store.Complete, "oai_dc", 0, ""},
		{"swept in another format", []store.Run{sweep("datacite", store.Complete), shrunk}, store.Incomplete, "oai_dc", 0, ""},
		{"swept in part", []store.Run{sweep("oai_dc", store.Incomplete), shrunk}, store.Incomplete, "oai_dc", 0, ""},
		{"read in part, and swept later", []store.Run{sweep("oai_dc", store.Complete), dc(store.Incomplete)}, store.Incomplete, "oai_dc", 0, ""},
	} {
		s := store.StandingOf(tt.runs, []string{"oai_dc", "datacite"}, []string{"", "theses"})
		if s.Worst.State != tt.worst || s.Worst.Prefix != tt.of || s.Failures != tt.failures || s.Before.State != tt.before {
			t.Errorf("%s: got %s of %q, %d failures, before %q; want %s of %q, %d, %q",
				tt.name, s.Worst.State, s.Worst.Prefix, s.Failures, s.Before.State, tt.worst, tt.of, tt.failures, tt.before)
		}
	}
}

func TestStandingOfLists(t *testing.T) {
	run := func(prefix string, s store.State) store.Run { return store.Run{Prefix: prefix, State: s} }
	s := store.StandingOf([]store.Run{run("", store.Complete), run("b", store.Complete), run("a", store.Failed), run("b", store.Failed)}, nil, nil)
	if want := []store.Run{run("b", store.Complete), run("a", store.Failed)}; !slices.Equal(s.Lists, want) {
		t.Errorf("got %+v, want %+v", s.Lists, want)
	}
}

func TestCompleteIsThatOfTheListThatHasWaitedLongest(t *testing.T) {
	noon := time.Date(2031, 1, 2, 12, 0, 0, 0, time.UTC)
	at := func(hour int) time.Time { return noon.Add(time.Duration(hour) * time.Hour) }
	run := func(prefix string, s store.State, hour int) store.Run {
		return store.Run{Prefix: prefix, State: s, Finished: at(hour)}
	}
	for _, tt := range []struct {
		name string
		runs []store.Run // newest first
		want time.Time
	}{
		{"one list", []store.Run{run("a", store.Complete, 1)}, at(1)},
		{"two lists", []store.Run{run("a", store.Complete, 3), run("b", store.Complete, 2), run("a", store.Complete, 1)}, at(2)},
		{"a failure since does not count", []store.Run{run("a", store.Failed, 3), run("a", store.Complete, 1)}, at(1)},
		{"nor does a refusal", []store.Run{run("", store.Failed, 3), run("a", store.Complete, 1)}, at(1)},
		{"one list never was", []store.Run{run("a", store.Complete, 3), run("b", store.Failed, 2)}, time.Time{}},
		{"refused from the first", []store.Run{run("", store.Failed, 3)}, time.Time{}},
	} {
		if got := store.StandingOf(tt.runs, nil, nil).Complete; !got.Equal(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
