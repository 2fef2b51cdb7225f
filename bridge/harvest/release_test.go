package harvest_test

import (
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// A record that came without a header is in quarantine without a name. When
// it comes whole, nothing says that it is the same one: only a list that was
// read from its beginning to its end, and has it not, does.
func TestNamelessLeaveQuarantineWithAWholeList(t *testing.T) {
	s := newScene(t, records(25)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoHeader, Page: 2, Times: -1})
	s.run(harvest.Options{})
	s.nameless("after the first harvest", 1)

	s.next(harvest.Options{Full: true}, store.Complete)
	s.nameless("as long as it comes again", 1)

	s.origin.Heal()
	s.next(harvest.Options{}, store.Complete)
	s.nameless("after what is new was read", 1)
	s.next(harvest.Options{Full: true, Sets: []string{"all"}}, store.Complete)
	s.nameless("after one set was read", 1)
	s.next(harvest.Options{From: start.AddDate(-20, 0, 0)}, store.Complete)
	s.nameless("after a span of time was read", 1)

	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoToken, Page: 2, Times: -1}, oaitest.Fault{Kind: oaitest.Size, Times: -1})
	s.next(harvest.Options{Full: true}, store.Incomplete)
	s.nameless("after a list that broke off", 1)

	s.origin.Heal()
	s.next(harvest.Options{Full: true}, store.Complete)
	s.nameless("after the whole list was read", 0)
}

// A list that an earlier run began was not read whole by the one that ends it.
func TestNamelessStayWhenAListIsTakenUpAgain(t *testing.T) {
	s := newScene(t, records(25)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoHeader, Page: 1})
	s.stopAfterPage(1)
	s.clock.Advance(time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 24)
	s.nameless("after the second half was read", 1)
}

// next runs a day later.
func (s *scene) next(o harvest.Options, want store.State) {
	s.Helper()
	s.clock.Advance(24 * time.Hour)
	if r := s.run(o); r.State != want {
		s.Fatalf("the run ended %s (%s), want %s", r.State, r.Reason, want)
	}
}

func (s *scene) nameless(when string, want int) {
	s.Helper()
	q := s.quarantined()
	for _, q := range q {
		if q.Identifier != "" {
			s.Errorf("%s: %s is in quarantine", when, q.Identifier)
		}
	}
	if len(q) != want {
		s.Errorf("%s: %d are in quarantine, want %d", when, len(q), want)
	}
}
