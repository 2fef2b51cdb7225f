package harvest_test

import (
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// A list that is cut at the same page every time, without a size and without
// the token that closes it, is complete as far as anybody can tell. It is said
// that nothing shows it, and only where that is odd.
func TestQuirk48_AnEndThatNothingShowsIsRemarked(t *testing.T) {
	const abrupt = "as one that was cut off between two pages would"
	for _, tt := range []struct {
		name    string
		records int
		options oaitest.Options
		fault   oaitest.Fault
		ignore  bool
		remark  string
	}{
		{name: "closed by a token", records: 50, options: oaitest.Options{NoListSize: true}},
		{name: "cut between two pages", records: 50, options: oaitest.Options{NoListSize: true}, fault: oaitest.Fault{Kind: oaitest.Unclosed, Page: 3, Times: -1}, remark: abrupt},
		{name: "never closed, and the last page is short", records: 45, options: oaitest.Options{NoListSize: true}, fault: oaitest.Fault{Kind: oaitest.Unclosed, Page: 5, Times: -1}},
		{name: "never closed, and the last page is full", records: 50, options: oaitest.Options{NoListSize: true}, fault: oaitest.Fault{Kind: oaitest.Unclosed, Page: 5, Times: -1}, remark: abrupt},
		{name: "the same, and it was looked into", records: 50, options: oaitest.Options{NoListSize: true}, fault: oaitest.Fault{Kind: oaitest.Unclosed, Page: 5, Times: -1}, ignore: true},
		{name: "never closed, but as long as announced", records: 50, fault: oaitest.Fault{Kind: oaitest.Unclosed, Page: 5, Times: -1}},
		{name: "one page, which needs no token", records: 10, options: oaitest.Options{NoListSize: true}, fault: oaitest.Fault{Kind: oaitest.Unclosed, Times: -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSceneWith(t, tt.options, records(tt.records)...)
			s.r.IgnoreSize = tt.ignore
			if tt.fault.Kind != "" {
				s.origin.Inject(tt.fault)
			}
			run := s.run(harvest.Options{})
			if run.State != store.Complete || (run.Remark == "") != (tt.remark == "") || !strings.Contains(run.Remark, tt.remark) {
				t.Errorf("ended %s, %q; want it complete, with %q", run.State, run.Remark, tt.remark)
			}
			if got := s.checkpoint(); got.Remark != run.Remark || got.Watermark.IsZero() {
				t.Errorf("the checkpoint is %+v", got)
			}
			if run.Listed != s.objects() {
				t.Errorf("%d live records are counted, want %d", run.Listed, s.objects())
			}
		})
	}
}

func TestARemarkStandsUntilAllIsReadAgain(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{NoListSize: true}, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Unclosed, Page: 3, Times: -1})
	remark := s.run(harvest.Options{}).Remark
	if !strings.HasPrefix(remark, "the list ended after 30 live records without the closing resumptionToken ") {
		t.Errorf("got %q", remark)
	}
	s.clock.Advance(24 * time.Hour)
	if run := s.run(harvest.Options{}); run.Remark != "" || run.State != store.Complete || s.checkpoint().Remark != remark {
		t.Errorf("a day later: %+v; kept is %q", run, s.checkpoint().Remark)
	}
	if run := s.run(harvest.Options{Full: true}); run.Remark != remark {
		t.Errorf("all of it: %+v", run)
	}
	s.origin.Heal()
	if run := s.run(harvest.Options{Full: true}); run.Remark != "" || !run.Closed || run.Listed != 50 || s.checkpoint().Remark != "" {
		t.Errorf("healed: %+v; kept is %q", run, s.checkpoint().Remark)
	}
}

func TestAListThatWasClosedOnceAndIsNotIsRemarked(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{NoListSize: true}, records(45)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Unclosed, Page: 5, Times: -1})
	for range 2 {
		if run := s.run(harvest.Options{Full: true}); !strings.Contains(run.Remark, "which it had before") || run.Listed != 45 {
			t.Errorf("got %q and %d", run.Remark, run.Listed)
		}
	}
}

// A list that shrinks without a word deletes nothing.
func TestAListThatIsShorterThanItWasIsRemarked(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{NoListSize: true}, records(45)...)
	s.run(harvest.Options{})
	for i := range 40 {
		s.origin.Vanish(identifier(i + 1))
	}
	run := s.run(harvest.Options{Full: true})
	if want := "and there were 45 when all of it was last read"; !strings.Contains(run.Remark, want) || run.Listed != 5 {
		t.Errorf("got %q and %d, want %q", run.Remark, run.Listed, want)
	}
	s.wants(run, store.Complete, 45)
	sweep := s.sweep(harvest.Options{})
	s.wants(sweep, store.Incomplete, 45)
	if !strings.Contains(sweep.Reason, "--allow-shrink") {
		t.Errorf("the sweep says %q", sweep.Reason)
	}
}
