package harvest_test

import (
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// EPrints declares that it keeps its deleted records, and destroys some without
// a trace.
func TestAFullRunMarksWhatIsNoLongerListed(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.clock.Advance(48 * time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	run := s.run(harvest.Options{Full: true})
	s.wants(run, store.Complete, 49)
	if run.Deleted != 1 || !s.object(identifier(7)).Deleted {
		t.Errorf("%d were deleted, want %s alone", run.Deleted, identifier(7))
	}
}

func TestAFullRunDoesNotDropATenthUnasked(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{})
	for n := 1; n <= 6; n++ {
		s.origin.Vanish(identifier(n))
	}
	run := s.run(harvest.Options{Full: true})
	s.wants(run, store.Incomplete, 50)
	if !strings.Contains(run.Reason, "--allow-shrink") {
		t.Errorf("the reason is %q", run.Reason)
	}
	s.wants(s.run(harvest.Options{Full: true, AllowShrink: true}), store.Complete, 44)
}

func TestAFullRunOfSetsMarksWhatIsInNone(t *testing.T) {
	list := records(40)
	for i := range list {
		list[i].Sets = []string{[]string{"a", "b"}[i%2]}
	}
	s := newScene(t, list...)
	s.r.Sets = []string{"a", "b"}
	both := func(o harvest.Options, objects int) {
		t.Helper()
		if _, err := s.h.Run(t.Context(), s.r, o); err != nil || s.objects() != objects {
			t.Errorf("%v, and there are %d objects, want %d", err, s.objects(), objects)
		}
	}
	both(harvest.Options{}, 40)
	s.origin.Vanish(identifier(7))
	both(harvest.Options{Full: true, Sets: []string{"a"}}, 40) // of the other set it says nothing
	both(harvest.Options{Full: true}, 39)
}

func TestAFullRunThatIsNotCompleteMarksNothing(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status403, Page: 3, Times: -1})
	s.wants(s.run(harvest.Options{Full: true}), store.Incomplete, 50)
}

func TestARecordThatCannotBeReadIsNotGone(t *testing.T) {
	s := newScene(t, records(30)...)
	s.run(harvest.Options{})
	bad := record(7, start)
	bad.Formats["oai_dc"] = "<oai_dc:dc>&nothing;</oai_dc:dc"
	s.origin.Put(bad)
	s.wants(s.run(harvest.Options{Full: true}), store.Complete, 30)
}
