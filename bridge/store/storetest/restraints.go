package storetest

import (
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

var restraintTests = []test{
	{"what hosts ask for comes back whole, by name, the newest of each host", func(t *testing.T, s *store.DB) {
		equal(t, "none", must[[]oaipmh.Restraint](t)(s.Restraints(t.Context())), []oaipmh.Restraint(nil))
		a := oaipmh.Restraint{Host: "a.example", At: day(1), Until: day(2), Pace: 3 * time.Second, PaceUntil: day(4)}
		b := oaipmh.Restraint{Host: "b.example", At: day(1)}
		for _, r := range []oaipmh.Restraint{b, {Host: "a.example", At: day(9), Until: day(9)}, a} {
			if err := s.SaveRestraint(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, "both", must[[]oaipmh.Restraint](t)(s.Restraints(t.Context())), []oaipmh.Restraint{a, b})
	}},
	{"a pause lasts for its time, unless the clock was wrong", func(t *testing.T, s *store.DB) {
		pause := store.Pause{At: day(3), Until: day(5), Reason: "x", Refused: true}
		if err := s.SaveRepository(t.Context(), store.Repository{ID: repo, Pause: pause}); err != nil {
			t.Fatal(err)
		}
		equal(t, "pause", must[store.Repository](t)(s.Repository(t.Context(), repo)).Pause, pause)
		for _, c := range []struct {
			now  time.Time
			want bool
		}{{day(2), false}, {day(3), true}, {day(5).Add(-1), true}, {day(5), false}} {
			equal(t, c.now.String(), pause.Active(c.now), c.want)
		}
		equal(t, "none", store.Pause{}.Active(day(1)), false)
	}},
}
