package store_test

import (
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

// A run is its hour, its list ("-" if nothing answered), its state, and its class.
func TestFailingOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		runs string // newest first
		want string // class, times, since and last
	}{
		{"never run", "", "  0 - -"},
		{"well", "3 dc complete", "  0 - -"},
		{"once", "3 - failed gone", "gone 1 3 3"},
		{"a list once", "3 dc failed slow, 2 dc complete", "slow 1 3 3"},
		{"in a row", "5 - failed gone, 4 - failed slow, 3 dc failed slow, 2 dc complete", "gone 3 3 5"},
		{"two lists of a harvest", "3 mods failed broken, 3 dc failed broken, 2 mods failed broken, 2 dc failed broken", "broken 2 2 3"},
		{"one list of two", "3 mods failed broken, 3 dc complete", "broken 1 3 3"},
		{"no list, then two", "4 mods failed broken, 4 dc failed broken, 3 - failed gone", "broken 2 3 4"},
		{"it answered in part", "4 dc failed slow, 3 dc incomplete, 2 dc failed slow", "slow 1 4 4"},
		{"back", "4 dc complete, 3 - failed gone", "  0 - -"},
		{"back in part", "4 dc incomplete, 3 - failed gone", "  0 - -"},
		{"stopped meanwhile", "4 dc running, 3 dc interrupted, 2 - failed gone, 1 - failed gone", "gone 2 1 2"},
		{"mapped again and swept meanwhile", "4 - complete, 3 dc/sweep complete, 2 - failed gone", "gone 1 2 2"},
	} {
		hour := func(text string) time.Time {
			d, err := time.ParseDuration(text + "h")
			if err != nil {
				t.Fatal(err)
			}
			return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
		}
		var runs []store.Run
		for text := range strings.SplitSeq(tt.runs, ", ") {
			if words := append(strings.Fields(text), "", ""); len(words) > 4 && tt.runs != "" {
				prefix, sweep := strings.CutSuffix(strings.TrimPrefix(words[1], "-"), "/sweep")
				runs = append(runs, store.Run{Prefix: prefix, Sweep: sweep, State: store.State(words[2]), Class: store.Class(words[3]), Started: hour(words[0]), Finished: hour(words[0])})
			}
		}
		var want store.Failing
		if words := strings.Fields(tt.want); len(words) == 4 {
			want = store.Failing{Class: store.Class(words[0]), Times: int(words[1][0] - '0'), Since: hour(words[2]), Last: hour(words[3])}
		}
		if got := store.FailingOf(runs); got != want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, want)
		}
	}
}
