package harvest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// The numbers are those of oaipmh/quirks.md.

func TestQuirk06_OnePoisonedRecordIsFoundAndNamed(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListRecords", Identifier: identifier(23), Times: -1})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "GetRecord", Identifier: identifier(23), Times: -1})
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 49)
	q := s.quarantined()
	if len(q) != 1 || q[0].Identifier != identifier(23) {
		t.Fatalf("in quarantine are %v, want %s alone", q, identifier(23))
	}
	if run.Quarantined != 1 {
		t.Errorf("the run counts %d quarantined, want 1", run.Quarantined)
	}
	s.wants(s.run(harvest.Options{}), store.Complete, 49)
	s.origin.Heal()
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	if q := s.quarantined(); len(q) != 0 {
		t.Errorf("in quarantine are still %v", q)
	}
}

func TestQuirk06_TheRecordThatPoisonsALaterPageOfOneDayIsNamed(t *testing.T) {
	same := records(50) // imported in one go, so that no window parts them
	for i := range same {
		same[i].Datestamp = "2020-01-05T10:00:00Z"
	}
	s := newScene(t, same...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListRecords", Identifier: identifier(23), Times: -1})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.BrokenTag, Verb: "GetRecord", Identifier: identifier(23), Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 49)
	q := s.quarantined()
	if len(q) != 1 || q[0].Identifier != identifier(23) || !strings.Contains(string(q[0].Bytes), "Number 23") || !strings.Contains(q[0].Page, "ListIdentifiers") {
		t.Errorf("in quarantine are %+v, want %s alone, with its bytes and the request that named it", q, identifier(23))
	}
}

// withOneRecord answers every GetRecord with the same record.
type withOneRecord struct{ inProcess }

func (w withOneRecord) RoundTrip(r *http.Request) (*http.Response, error) {
	again := r.Clone(r.Context())
	if q := r.URL.Query(); q.Get("verb") == "GetRecord" {
		q.Set("identifier", identifier(1))
		u := *r.URL
		u.RawQuery = q.Encode()
		again.URL = &u
	}
	return w.inProcess.RoundTrip(again)
}

func TestQuirk06_AnotherRecordThanTheOneAskedForIsNotTakenForIt(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = withOneRecord{inProcess{s.origin}}
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListRecords", Identifier: identifier(23), Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 49)
	if q := s.quarantined(); len(q) != 1 || q[0].Identifier != identifier(23) {
		t.Errorf("in quarantine are %v, want %s alone", q, identifier(23))
	}
}

// withoutDates answers as if from and until had not been sent.
type withoutDates struct{ inProcess }

func (w withoutDates) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	q.Del("from")
	q.Del("until")
	u := *r.URL
	u.RawQuery = q.Encode()
	again := r.Clone(r.Context())
	again.URL = &u
	return w.inProcess.RoundTrip(again)
}

func TestQuirk06_WhereDatesAreIgnoredEveryRecordIsAskedForOnce(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = withoutDates{inProcess{s.origin}}
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListRecords", Identifier: identifier(23), Times: -1})
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 50)
	if run.Requests > 100 {
		t.Errorf("it took %d requests", run.Requests)
	}
}

func TestQuirk06_AServerThatFailsWhereNothingMatchesHidesNothing(t *testing.T) {
	s := newScene(t, records(50)...)
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	s.clock.Advance(1000 * time.Hour)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListRecords", Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk19_AListTooLongIsAskedForInPeriods(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status413, Page: 2, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	if !s.asked("until=2020-12-31") {
		t.Error("the list was not cut into years")
	}
}

func TestQuirk43_AnExpiredTokenRestartsTheWindow(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Expire, Page: 3})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

// withoutTokens answers so to every token, as a server does that was replaced.
type withoutTokens struct {
	inProcess
	status int
	body   string
}

func (w withoutTokens) RoundTrip(r *http.Request) (*http.Response, error) {
	if !r.URL.Query().Has("resumptionToken") {
		return w.inProcess.RoundTrip(r)
	}
	answer := httptest.NewRecorder()
	answer.WriteHeader(w.status)
	_, err := answer.WriteString(w.body)
	return answer.Result(), err
}

func TestQuirk43_ATokenRefusedInOtherWordsIsAnExpiredOne(t *testing.T) {
	badArgument := `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><request/><error code="badArgument"/></OAI-PMH>`
	for _, w := range []withoutTokens{{status: 404}, {status: 400, body: "unknown token"}, {status: 410}, {status: 200, body: badArgument}} {
		s := newScene(t, records(50)...)
		s.stopAfterPage(2)
		w.inProcess = inProcess{s.origin}
		s.r.Client.Transport = w
		s.wants(s.run(harvest.Options{}), store.Complete, 50)
	}
}

func TestQuirk44_AnOldCheckpointIsNotTrusted(t *testing.T) {
	s := newScene(t, records(50)...)
	s.stopAfterPage(2)
	s.clock.Advance(72 * time.Hour)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Expire, Page: 3})
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 50)
	if run.Unchanged != 20 {
		t.Errorf("%d records were read again unchanged, want the 20 of the first two pages", run.Unchanged)
	}
}

func TestQuirk47_ATokenAfterTheLastPageEndsTheList(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Loop, Page: 5})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.BadToken, Page: 5, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk48_AListWithoutItsRestIsIncomplete(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoToken, Page: 3, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Incomplete, 30)
	if !s.checkpoint().Watermark.IsZero() {
		t.Error("the watermark moved")
	}
	s.origin.Heal()
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk48_AListOfOnePageThatLostItsTokenIsIncomplete(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Unclosed, Verb: "ListRecords", Page: 1, Times: -1})
	run := s.run(harvest.Options{})
	s.wants(run, store.Incomplete, 10)
	if !strings.Contains(run.Reason, "ListIdentifiers has more") || !s.checkpoint().Watermark.IsZero() {
		t.Errorf("the reason is %q, the checkpoint %+v", run.Reason, s.checkpoint())
	}
	s.r.IgnoreSize = true
	s.wants(s.run(harvest.Options{}), store.Complete, 10)

	s = newScene(t, records(5)...)
	s.wants(s.run(harvest.Options{}), store.Complete, 5)
	if !s.asked("verb=ListIdentifiers") {
		t.Error("a first list of one page was not compared with its identifiers")
	}
	s.anew()
	s.clock.Advance(24 * time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 5)
	if s.asked("verb=ListIdentifiers") {
		t.Error("a list of changes was compared")
	}
}

// endless is a repository whose list starts again after its last page, with
// tokens that are always new.
type endless struct {
	inProcess
	pages *int
}

func (e endless) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if q.Get("verb") == "ListRecords" {
		*e.pages++
		q.Del("resumptionToken")
		q.Set("metadataPrefix", "oai_dc")
		r = r.Clone(r.Context())
		r.URL.RawQuery = q.Encode()
	}
	answer, err := e.inProcess.RoundTrip(r)
	if err != nil || q.Get("verb") != "ListRecords" {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	token := fmt.Sprintf("<resumptionToken>%d</resumptionToken></ListRecords>", *e.pages)
	body = regexp.MustCompile(`(?s)<resumptionToken.*</ListRecords>`).ReplaceAll(body, []byte(token))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, err
}

func TestQuirk45_AListThatNeverEndsIsIncomplete(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{PageSize: 50}, records(100)...)
	e := endless{inProcess{s.origin}, new(int)}
	s.r.Client.Transport = e
	run := s.run(harvest.Options{})
	s.wants(run, store.Incomplete, 50)
	if !strings.Contains(run.Reason, "goes on") || *e.pages > 50 {
		t.Errorf("%d pages were asked for: %q", *e.pages, run.Reason)
	}
	if c := s.checkpoint(); c.Token != "" || !c.Watermark.IsZero() {
		t.Errorf("the checkpoint is %+v", c)
	}
}

func TestQuirk48_ALastPageThatNothingClosesIsAskedForAgain(t *testing.T) {
	for _, tt := range []struct {
		page, times, objects, requests int
	}{
		{page: 3, times: 1, objects: 50, requests: 8}, // a token was lost: Identify, formats, 5 pages, and one again
		{page: 5, times: -1, objects: 50, requests: 8},
		{page: 3, times: -1, objects: 30, requests: 6}, // that is how this repository ends its lists
	} {
		s := newSceneWith(t, oaitest.Options{NoListSize: true}, records(50)...)
		s.origin.Inject(oaitest.Fault{Kind: oaitest.Unclosed, Page: tt.page, Times: tt.times})
		s.wants(s.run(harvest.Options{}), store.Complete, tt.objects)
		if got := len(s.origin.Requests()); got != tt.requests {
			t.Errorf("page %d: there were %d requests, want %d", tt.page, got, tt.requests)
		}
	}
}

func TestQuirk49_AWrongListSizeIsNoReasonToDoubt(t *testing.T) {
	for _, page := range []int{1, 3, 5} {
		s := newScene(t, records(50)...)
		s.origin.Inject(oaitest.Fault{Kind: oaitest.Size, Page: page, Times: -1})
		s.wants(s.run(harvest.Options{}), store.Complete, 50)
	}
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Size, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Incomplete, 50)
	s.r.IgnoreSize = true
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk50_ARecordThatComesOnTwoPagesIsKeptOnce(t *testing.T) {
	list := records(20)
	list = append(list, record(3, time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC)))
	s := newScene(t, list...)
	s.wants(s.run(harvest.Options{}), store.Complete, 20)
}

func TestQuirk50_FewerDifferentRecordsThanAnnouncedAreTold(t *testing.T) {
	list := append(records(20), record(3, time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC)))
	list[5].Deleted = true // a tombstone is one of the records announced
	s := newScene(t, list...)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 19)
	if !strings.Contains(run.Remark, "of the 21 records announced only 20 are different ones") {
		t.Errorf("the remark is %q", run.Remark)
	}
	s.r.IgnoreSize = true
	if run := s.run(harvest.Options{Full: true}); run.Remark != "" {
		t.Errorf("where the size is known to be wrong the remark is %q", run.Remark)
	}
}

// moving is a repository of which a record changes while its list is read: it
// moves to the end, and all that are behind it move up.
type moving struct {
	inProcess
	lists *int
	move  func()
}

func (m moving) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("verb") == "ListRecords" {
		if *m.lists++; *m.lists == 3 {
			m.move()
		}
	}
	return m.inProcess.RoundTrip(r)
}

func TestQuirk50_WhatFallsBetweenPagesAsTheListChangesIsTold(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = moving{inProcess{s.origin}, new(int), func() {
		s.origin.Vanish(identifier(1))
		s.origin.Put(record(1, s.clock.Now()))
	}}
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 49)
	if !strings.Contains(run.Remark, "of the 50 records announced only 49 are different ones") {
		t.Errorf("the remark is %q", run.Remark)
	}
}

func TestQuirk52_ADeepPageThatFailsIsPassedByWindows(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Page: 4, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk58_AnEarliestDatestampIsAdvisory(t *testing.T) {
	list := records(30)
	list[0].Datestamp = "0000-00-00T00:00:00Z"
	s := newScene(t, list...)
	s.wants(s.run(harvest.Options{}), store.Complete, 30)
	if s.asked("from=") {
		t.Error("a first harvest asked from a date")
	}
}

func TestQuirk58_WindowsHoldWhatIsDatedOutsideOfThem(t *testing.T) {
	list := records(50)
	list[7].Datestamp = "1970-01-01T00:00:00Z"
	list[8].Datestamp = "2099-01-01T00:00:00Z"
	s := newScene(t, list...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status413, Page: 2, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk60_UnorderedDatestampsDoNotMoveTheWatermark(t *testing.T) {
	list := records(20)
	list[4].Datestamp = "2025-12-31T00:00:00Z"
	s := newScene(t, list...)
	s.run(harvest.Options{})
	if got := s.checkpoint().Watermark; !got.Equal(start) {
		t.Errorf("the watermark is %s, want the date of the first answer, %s", got, start)
	}
}

func TestQuirk61_ARecordThatShowsUpLateIsFound(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	late := record(99, start.Add(-30*time.Minute))
	s.origin.Put(late)
	s.clock.Advance(24 * time.Hour)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 21)
	if run.New != 1 {
		t.Errorf("%d records were new, want the late one", run.New)
	}
}

func TestQuirk62_ADatestampInTheFutureDoesNotMoveTheWatermark(t *testing.T) {
	list := append(records(20), record(21, start.AddDate(5, 0, 0)))
	s := newScene(t, list...)
	s.run(harvest.Options{})
	if got := s.checkpoint().Watermark; !got.Equal(start) {
		t.Errorf("the watermark is %s, want %s", got, start)
	}
	s.origin.Put(record(22, s.clock.Now()))
	s.clock.Advance(24 * time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 22)
}

func TestQuirk62_AnAnswerFromTheFutureDoesNotMoveTheWatermarkThere(t *testing.T) {
	s := newScene(t, records(20)...)
	s.origin.Now = func() time.Time { return s.clock.Now().AddDate(1, 0, 0) }
	s.run(harvest.Options{})
	if got := s.checkpoint().Watermark; !got.Equal(start) {
		t.Errorf("the watermark is %s, want %s, our own time", got, start)
	}
	s.origin.Put(record(22, s.clock.Now()))
	s.clock.Advance(24 * time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 21)
}

func TestQuirk63_AnOpenEndedRunSendsNoUntil(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(24 * time.Hour)
	s.run(harvest.Options{})
	if s.asked("until=") {
		t.Error("until was sent")
	}
}

func TestQuirk64_ADatestampOfTodayChangesNothing(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	before := s.object(identifier(7))
	s.clock.Advance(48 * time.Hour)
	for i := range 20 {
		s.origin.Put(record(i+1, s.clock.Now()))
	}
	run := s.run(harvest.Options{})
	if run.Unchanged != 20 || run.Changed != 0 {
		t.Errorf("%d were unchanged and %d changed, want 20 and 0", run.Unchanged, run.Changed)
	}
	if after := s.object(identifier(7)); after.Modified != before.Modified || !after.LastMod.Equal(before.LastMod) {
		t.Errorf("the object was modified: %v, %v, want %v, %v", after.Modified, after.LastMod, before.Modified, before.LastMod)
	}
}

func TestQuirk65_ARepositoryWithoutDatesIsReadInFull(t *testing.T) {
	s := newScene(t, records(20)...)
	s.r.FullOnly = true
	s.run(harvest.Options{})
	s.clock.Advance(24 * time.Hour)
	run := s.run(harvest.Options{})
	if s.asked("from=") || run.Records != 20 || run.Unchanged != 20 {
		t.Errorf("%d records were read, %d unchanged, and that a date was sent is %t", run.Records, run.Unchanged, s.asked("from="))
	}
}

func TestQuirk66_NothingNewIsASuccess(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(240 * time.Hour)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 20)
	if run.Records != 0 {
		t.Errorf("%d records came, want none", run.Records)
	}
	if got := s.checkpoint().Watermark; !got.Equal(s.clock.Now()) {
		t.Errorf("the watermark is %s, want %s", got, s.clock.Now())
	}
}

func TestQuirk66_AnEmptyFirstHarvestIsNoSuccess(t *testing.T) {
	s := newScene(t, records(20)...)
	s.r.Sets = []string{"misspelt"}
	s.wants(s.run(harvest.Options{}), store.Incomplete, 0)
}

func TestQuirk68_WhatVanishedIsFoundByASweep(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	run := s.sweep(harvest.Options{})
	s.wants(run, store.Complete, 49)
	if o := s.object(identifier(7)); !o.Deleted || o.LandingPage.URL == "" {
		t.Errorf("the object is %+v, want it deleted and still knowing its landing page", o)
	}
}

func TestQuirk68_WhatFallsBetweenTwoPagesIsNotGone(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.r.Client.Transport = overlapping{inProcess{s.origin}}
	run := s.sweep(harvest.Options{})
	s.wants(run, store.Complete, 49)
	if run.Reason != "1 records are gone" {
		t.Errorf("the sweep says %q", run.Reason)
	}
}

func TestQuirk68_WhatAnUnclosedListLeavesOutIsNotGone(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No, PageSize: 5}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.r.IgnoreSize = true
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Unclosed, Verb: "ListIdentifiers", Page: 9, Times: -1})
	run := s.sweep(harvest.Options{})
	s.wants(run, store.Complete, 49)
	if run.Reason != "1 records are gone" {
		t.Errorf("the sweep says %q", run.Reason)
	}
}

// overlapping lists the 40th record where the 41st should be, as servers do
// that keep to no order from page to page.
type overlapping struct{ inProcess }

func (o overlapping) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.inProcess.RoundTrip(r)
	if err != nil || r.URL.Query().Get("verb") != "ListIdentifiers" {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	body = bytes.Replace(body, []byte(identifier(41)+"<"), []byte(identifier(40)+"<"), 1)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, err
}

func TestQuirk68_ASweepDoesNotDropATenthUnasked(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	for n := range 6 {
		s.origin.Vanish(identifier(n + 1))
	}
	run := s.sweep(harvest.Options{})
	s.wants(run, store.Incomplete, 50)
	if !strings.Contains(run.Reason, "--allow-shrink") {
		t.Errorf("the reason is %q, want the remedy in it", run.Reason)
	}
	s.wants(s.sweep(harvest.Options{AllowShrink: true}), store.Complete, 44)
}

func TestQuirk68_WhatComesBackIsReadAgain(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Vanish(identifier(7))
	s.wants(s.sweep(harvest.Options{}), store.Complete, 49)
	s.origin.Put(records(50)[6])
	s.clock.Advance(48 * time.Hour)
	s.wants(s.run(harvest.Options{}), store.Complete, 49) // its datestamp is an old one
	run := s.sweep(harvest.Options{})
	if want := "0 records are gone; 1 are listed that are not kept: the next harvest reads everything"; run.Reason != want {
		t.Errorf("the sweep says %q, want %q", run.Reason, want)
	}
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
	if again := s.sweep(harvest.Options{}); again.Reason != "0 records are gone" {
		t.Errorf("the next sweep says %q", again.Reason)
	}
}

func TestQuirk68_ASweepDoesNotMissWhatIsNewOrInQuarantine(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.BrokenTag, Page: 1})
	s.run(harvest.Options{})
	s.clock.Advance(48 * time.Hour)
	s.origin.Put(record(51, s.clock.Now()))
	if run := s.sweep(harvest.Options{}); run.Reason != "0 records are gone" {
		t.Errorf("the sweep says %q", run.Reason)
	}
}

func TestQuirk68_ASweepThatIsStoppedSaysSo(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.h.Progress = func(harvest.Progress) { cancel() }
	runs, err := s.h.Sweep(ctx, s.r, harvest.Options{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("the sweep ended with %+v, %v", runs, err)
	}
	s.wants(runs[0], store.Interrupted, 50)
}

func TestQuirk68_ASweepOverABrokenListMarksNothing(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(50)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoToken, Verb: "ListIdentifiers", Page: 4, Times: -1})
	s.wants(s.sweep(harvest.Options{AllowShrink: true}), store.Failed, 50)
}

func TestQuirk69_ATombstoneIsObeyedWhateverIsDeclared(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{DeletedRecord: oaipmh.No}, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(time.Minute)
	s.origin.Delete(identifier(7))
	s.clock.Advance(24 * time.Hour)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 19)
	if run.Deleted != 1 {
		t.Errorf("%d were deleted, want 1", run.Deleted)
	}
}

func TestQuirk70_ALiveRecordWithoutMetadataKeepsWhatWasHeld(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	empty := record(7, s.clock.Now())
	empty.Formats["oai_dc"] = " "
	s.origin.Put(empty)
	s.clock.Advance(24 * time.Hour)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 20)
	if q := s.quarantined(); len(q) != 1 || q[0].Identifier != identifier(7) {
		t.Errorf("in quarantine are %v, want %s", q, identifier(7))
	}
}

func TestQuirk71_TombstonesOfAFirstHarvestAreCounted(t *testing.T) {
	list := records(30)
	for i := range 20 {
		list[i].Deleted = true
	}
	s := newScene(t, list...)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 10)
	if run.Deleted != 20 {
		t.Errorf("%d were deleted, want 20", run.Deleted)
	}
}

func TestQuirk71_ATombstoneThatIsListedAgainIsUnchanged(t *testing.T) {
	list := records(30)
	for i := range 20 {
		list[i].Deleted = true
	}
	s := newScene(t, list...)
	s.run(harvest.Options{})
	before := s.object(identifier(7))
	s.clock.Advance(time.Hour)
	run := s.run(harvest.Options{Full: true})
	s.wants(run, store.Complete, 10)
	if run.Deleted != 0 || run.Unchanged != 30 {
		t.Errorf("%d were deleted and %d are unchanged, want 0 and 30", run.Deleted, run.Unchanged)
	}
	if after := s.object(identifier(7)); after.Modified != before.Modified {
		t.Error("an object that was deleted before was modified")
	}
}

func TestQuirk72_EachSetHasItsOwnWatermark(t *testing.T) {
	list := records(20)
	for i := range list {
		list[i].Sets = []string{[]string{"a", "b"}[i%2]}
	}
	s := newScene(t, list...)
	s.r.Sets = []string{"a", "b"}
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err != nil || len(runs) != 2 || runs[0].Set != "a" || runs[1].Records != 10 {
		t.Fatalf("the runs were %+v, %v", runs, err)
	}
	for _, set := range []string{"a", "b"} {
		if c, err := s.db.Checkpoint(t.Context(), "main", "oai_dc", set); err != nil || c.Watermark.IsZero() {
			t.Errorf("set %s has the checkpoint %+v, %v", set, c, err)
		}
	}
}

func TestQuirk73_OfTwoWithOneIdentifierTheNewestWins(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Dup, Page: 1, Times: -1})
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 5)
	if run.Records != 6 || run.New != 5 {
		t.Errorf("%d records came and %d were new, want 6 and 5", run.Records, run.New)
	}
}

func TestQuirk53_SecondsThatAreRefusedBecomeDays(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(24 * time.Hour)
	s.origin.Granularity = oaipmh.Day // what it accepts; the harvest is told of seconds
	kept, err := s.db.Repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	kept.Identify.Granularity = oaipmh.Second
	if err := s.db.SaveRepository(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	s.wants(s.run(harvest.Options{}), store.Complete, 20)
}

func TestQuirk80_AnUnknownErrorCodeFailsTheWindowAlone(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.ServerError, Page: 3, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestQuirk81_OneSourcesFailureTouchesNoOther(t *testing.T) {
	good := newScene(t, records(20)...)
	bad := good.r
	bad.ID, bad.OAIURL = "bad", "http://127.0.0.1:1/oai"
	runs, err := good.h.Run(t.Context(), bad, harvest.Options{})
	var unreachable *oaipmh.UnreachableError
	if !errors.As(err, &unreachable) || len(runs) != 1 || runs[0].State != store.Failed {
		t.Fatalf("the bad source ended with %+v, %v", runs, err)
	}
	good.wants(good.run(harvest.Options{}), store.Complete, 20)
}

// stopAfterPage begins a harvest and stops it when n pages are kept and the
// repository is slow to give the next. The repository is well again then.
func (s *scene) stopAfterPage(n int) store.Run {
	s.Helper()
	return s.stopRunAfterPage(n, harvest.Options{})
}

func (s *scene) stopRunAfterPage(n int, o harvest.Options) store.Run {
	s.Helper()
	wait := make(chan struct{})
	defer close(wait)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Slow, Page: n + 1, Wait: wait})
	defer s.origin.Heal()
	return s.stopRun(o, func(p harvest.Progress) bool { return p.Pages == n })
}

func (s *scene) quarantined() []store.Quarantined {
	s.Helper()
	var out []store.Quarantined
	for q, err := range s.db.Quarantined(s.Context(), "main") {
		if err != nil {
			s.Fatal(err)
		}
		out = append(out, q)
	}
	return out
}

func (s *scene) object(identifier string) store.Object {
	s.Helper()
	o, err := s.db.ByIdentifier(s.Context(), "main", identifier)
	if err != nil {
		s.Fatal(err)
	}
	return o
}

func (s *scene) sweep(o harvest.Options) store.Run {
	s.Helper()
	runs, err := s.h.Sweep(s.Context(), s.r, o)
	if err != nil || len(runs) != 1 {
		s.Fatalf("the sweep ended with %+v, %v", runs, err)
	}
	return runs[0]
}

// asked tells whether a request for a list had text in its query.
func (s *scene) asked(text string) bool {
	for _, q := range s.origin.Requests() {
		if plain, err := url.QueryUnescape(q); err == nil && strings.Contains(plain, "verb=List") && strings.Contains(plain, text) {
			return true
		}
	}
	return false
}

func TestQuirk67_CannotDisseminateAnOfferedFormatIsAnEmptyList(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(240 * time.Hour)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.NoFormat, Times: -1})
	s.wants(s.run(harvest.Options{}), store.Complete, 20)
}

func TestQuirk77_TheDataCiteFormatIsToldByItsNamespace(t *testing.T) {
	list := records(5)
	for i := range list {
		list[i].Formats["Harvard_DC4"] = fmt.Sprintf(`<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/%d</identifier></resource>`, i)
		list[i].Formats["oai_datacite"] = list[i].Formats["oai_dc"]
	}
	s := newScene(t, list...)
	s.r.Prefixes = nil
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err != nil || len(runs) != 2 || runs[1].Prefix != "Harvard_DC4" {
		t.Errorf("harvested were %+v, %v; want oai_dc and Harvard_DC4", runs, err)
	}
}

func TestQuirk66_AnUnknownSetNamesThoseThereAre(t *testing.T) {
	for _, kind := range []oaitest.Kind{oaitest.NoneMatch, oaitest.BadArgument} {
		s := newScene(t, records(20)...)
		s.origin.Inject(oaitest.Fault{Kind: kind, Verb: "ListRecords", Times: -1})
		s.r.Sets = []string{"typo"}
		run := s.run(harvest.Options{})
		if run.State == store.Complete || !strings.Contains(run.Reason, `no set "typo", but all`) {
			t.Errorf("%s: the run ended %s: %s", kind, run.State, run.Reason)
		}
	}
}

func TestAnUnknownSetIsIncompleteInEveryFormat(t *testing.T) {
	for _, listed := range []bool{true, false} { // whether ListSets is answered
		s := newScene(t, withDataCite(start))
		s.r.Prefixes, s.r.Sets = nil, []string{"typo"}
		reason := `no set "typo"`
		if !listed {
			s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: "ListSets", Times: -1})
			reason = "sent no record"
		}
		for range 2 { // the first run must not make the second believe that the list is empty
			runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
			if err != nil || len(runs) != 2 {
				t.Fatalf("got %d runs, %v; want oai_dc and datacite", len(runs), err)
			}
			for _, run := range runs {
				if run.State != store.Incomplete || !strings.Contains(run.Reason, reason) {
					t.Errorf("sets are listed %v: %s is %s: %q", listed, run.Prefix, run.State, run.Reason)
				}
			}
		}
	}
}
