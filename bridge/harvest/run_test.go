package harvest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

func TestARunThatIsStoppedGoesOnWhereItWas(t *testing.T) {
	s := newScene(t, records(50)...)
	run := s.stopAfterPage(2)
	s.wants(run, store.Interrupted, 20)
	s.origin.Forget()
	run = s.run(harvest.Options{})
	s.wants(run, store.Complete, 50)
	if run.Records != 30 || run.Pages != 3 {
		t.Errorf("the second run read %d records on %d pages, want the 30 on 3 that were left", run.Records, run.Pages)
	}
	if c := s.checkpoint(); !c.Watermark.Equal(start) || c.Token != "" || !c.ResponseDate.IsZero() {
		t.Errorf("the checkpoint is %+v, want the watermark %s alone", c, start)
	}
}

// undated answers without a responseDate.
type undated struct{ inProcess }

func (u undated) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := u.inProcess.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	body = regexp.MustCompile(`<responseDate>[^<]*</responseDate>`).ReplaceAll(body, nil)
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, err
}

func TestARepositoryWithoutResponseDatesIsHarvestedByOurClock(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = undated{inProcess{s.origin}}
	s.stopAfterPage(2)
	if c := s.checkpoint(); c.Token == "" || c.ResponseDate.IsZero() {
		t.Errorf("the checkpoint of the run that was stopped is %+v", c)
	}
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 50)
	if got := s.checkpoint().Watermark; !got.Equal(start) {
		t.Errorf("the watermark is %v, want our own time %v", got, start)
	}
}

func TestARunOfADeadProcessIsClosed(t *testing.T) {
	s := newScene(t, records(10)...)
	dead := store.Run{Repository: "main", Prefix: "oai_dc", State: store.Running, Started: start}
	if err := s.db.SaveRun(t.Context(), &dead); err != nil {
		t.Fatal(err)
	}
	s.run(harvest.Options{})
	runs, err := s.db.Runs(t.Context(), "main", 10)
	if err != nil {
		t.Fatal(err)
	}
	if last := runs[len(runs)-1]; last.State != store.Interrupted {
		t.Errorf("the dead process's run is %s, want it interrupted", last.State)
	}
}

func TestWindowsThatAreLeftSurviveAStop(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status413, Page: 2, Times: 1})
	s.stopWhen(func(p harvest.Progress) bool { return p.Records >= 20 })
	if c := s.checkpoint(); len(c.Pending) == 0 {
		t.Fatalf("the checkpoint is %+v, want windows in it", c)
	}
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestAPeriodThatWasGivenUpIsNotForgottenByALaterRun(t *testing.T) {
	s := newScene(t, records(50)...)
	bad := identifier(23)
	for _, verb := range []string{"ListRecords", "ListIdentifiers"} {
		s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Verb: verb, Identifier: bad, Times: -1})
	}
	s.wants(s.stopWhen(func(p harvest.Progress) bool { return s.objects() >= 30 }), store.Interrupted, s.objects())
	run := s.run(harvest.Options{})
	s.wants(run, store.Incomplete, 49)
	if !strings.Contains(run.Reason, "2021-03-20") {
		t.Errorf("the reason %q does not name the period of %s", run.Reason, bad)
	}
	if c := s.checkpoint(); !c.Watermark.IsZero() {
		t.Errorf("the watermark moved to %s", c.Watermark)
	}
	s.origin.Heal()
	s.wants(s.run(harvest.Options{}), store.Complete, 50)
}

func TestARunWithDatesOfItsOwnLeavesTheCheckpointAlone(t *testing.T) {
	dates := harvest.Options{From: start.AddDate(-5, 0, 0), Until: start.AddDate(-4, 0, 0)}
	s := newScene(t, records(50)...)
	s.stopRunAfterPage(1, dates)
	s.wants(s.run(harvest.Options{}), store.Complete, 50)

	s = newScene(t, records(50)...)
	s.stopAfterPage(2)
	before := s.checkpoint()
	s.run(dates)
	if diff := cmp.Diff(before, s.checkpoint()); diff != "" {
		t.Errorf("the checkpoint of the run that was stopped is another (-want +got):\n%s", diff)
	}
}

func TestAnotherAddressIsHarvestedFromTheStart(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.r.MovedFrom = s.r.OAIURL
	s.r.OAIURL += "/another"
	if run := s.run(harvest.Options{}); run.Records != 20 {
		t.Errorf("%d records were read, want all 20: the watermark was another repository's", run.Records)
	}
}

func TestARecordOfAnotherRepositoryIsNotOverwritten(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.origin.Forget()
	other := s.r
	other.OAIURL += "/another"
	var moved *harvest.MovedError
	runs, err := s.h.Run(t.Context(), other, harvest.Options{})
	if !errors.As(err, &moved) || !strings.Contains(err.Error(), "moved_from") || len(runs) != 0 {
		t.Errorf("got %v, %v; want a *MovedError", runs, err)
	}
	if _, err := s.h.Remap(t.Context(), other, harvest.Options{}); !errors.As(err, &moved) {
		t.Errorf("a remap ended with %v, want a *MovedError", err)
	}
	if n := len(s.origin.Requests()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestAnAddressSpeltOtherwiseIsTheSame(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(240 * time.Hour)
	s.r.OAIURL += "/"
	if run := s.run(harvest.Options{}); run.State != store.Complete || run.Records != 0 {
		t.Errorf("the run ended %s with %d records, want it to go on at the watermark", run.State, run.Records)
	}
}

func TestOnlyWhatChangedIsReadAndMapped(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{})
	s.clock.Advance(24 * time.Hour)
	changed := record(7, s.clock.Now())
	changed.Formats["oai_dc"] = strings.Replace(changed.Formats["oai_dc"], "Article", "Thesis", 1)
	s.origin.Put(changed)
	s.clock.Advance(24 * time.Hour)
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 50)
	if run.Records != 1 || run.Changed != 1 {
		t.Errorf("%d records were read and %d had changed, want 1 and 1", run.Records, run.Changed)
	}
	if got := s.object(identifier(7)).Type; got != "https://schema.org/Thesis" {
		t.Errorf("the type is %s", got)
	}
}

// A first page of one record says little of the repository; all pages say
// whose the records' addresses are.
func TestProgressEndsWithTheWholeList(t *testing.T) {
	s := newScene(t, records(50)...)
	var last harvest.Progress
	s.h.Progress = func(p harvest.Progress) { last = p }
	s.run(harvest.Options{})
	if last.Read != 50 || last.Total != 50 || last.Records != 50 {
		t.Errorf("the last that was shown is %d of %d, %d in the run; want 50 of 50", last.Read, last.Total, last.Records)
	}
}

func TestWhatLeavesQuarantineAtOnceIsNotCounted(t *testing.T) {
	s := newSceneWith(t, oaitest.Options{PageSize: 1}, records(20)...)
	s.r.Settings.Hosts = nil
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 20)
	if n := len(s.quarantined()); n != 0 || run.Quarantined != 0 {
		t.Errorf("the run counts %d in quarantine, and %d are there, want none", run.Quarantined, n)
	}
	kept, err := s.db.Runs(t.Context(), "main", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range kept {
		if r.Quarantined != 0 {
			t.Errorf("the run %+v is kept, want none in quarantine", r)
		}
	}
}

func TestARunThatCannotBeKeptIsTold(t *testing.T) {
	s := newScene(t, records(20)...)
	s.h.Store = fullStore{s.db}
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err == nil || len(runs) != 1 || runs[0].State != store.Failed {
		t.Errorf("the run ended with %+v, %v, want it failed and the error", runs, err)
	}
}

// fullStore has no room for pages.
type fullStore struct{ *store.DB }

func (fullStore) Save(context.Context, string, store.Batch) error {
	return errors.New("the disk is full")
}

func TestARecordThatChangesItsSetsHasChanged(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.clock.Advance(24 * time.Hour)
	moved := record(7, s.clock.Now())
	moved.Sets = []string{"all", "theses"}
	s.origin.Put(moved)
	if run := s.run(harvest.Options{}); run.Changed != 1 {
		t.Errorf("%d had changed, want the one that is in another set", run.Changed)
	}
	if diff := cmp.Diff(moved.Sets, s.object(identifier(7)).Sets); diff != "" {
		t.Errorf("the sets (-want +got):\n%s", diff)
	}
	s.clock.Advance(24 * time.Hour)
	moved = record(7, s.clock.Now())
	moved.Sets = []string{"theses", "all"}
	s.origin.Put(moved)
	if run := s.run(harvest.Options{}); run.Unchanged != 1 {
		t.Errorf("%d were unchanged, want the one whose sets are named in another order", run.Unchanged)
	}
}

func TestABadRecordIsClearedByALaterGoodVersion(t *testing.T) {
	s := newScene(t, records(20)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.BrokenTag, Page: 1})
	run := s.run(harvest.Options{})
	s.wants(run, store.Complete, 19)
	q := s.quarantined()
	if len(q) != 1 || len(q[0].Bytes) == 0 || q[0].Page == "" || q[0].Reason == "" {
		t.Fatalf("in quarantine is %+v, want one record with bytes, page and reason", q)
	}
	s.wants(s.run(harvest.Options{Full: true}), store.Complete, 20)
	if q := s.quarantined(); len(q) != 0 {
		t.Errorf("in quarantine is still %+v", q)
	}
}

func TestARecordThatCanBeReadAgainUnchangedLeavesQuarantine(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.origin.Inject(oaitest.Fault{Kind: oaitest.BrokenTag, Page: 1})
	s.run(harvest.Options{Full: true})
	if q := s.quarantined(); len(q) != 1 {
		t.Fatalf("in quarantine are %d, want 1", len(q))
	}
	s.wants(s.run(harvest.Options{Full: true}), store.Complete, 20)
	if q := s.quarantined(); len(q) != 0 {
		t.Errorf("in quarantine is still %+v", q)
	}
}

// withDataCite is the sixth record, in two formats.
func withDataCite(stamp time.Time) oaitest.Record {
	rec := record(6, stamp)
	rec.Formats["datacite"] = `<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/six</identifier>` +
		`<creators><creator><creatorName>Doe, J</creatorName><nameIdentifier nameIdentifierScheme="ORCID">0000-0002-1825-0097</nameIdentifier></creator></creators>` +
		`<titles><title>Six</title></titles><publisher>P</publisher><publicationYear>2020</publicationYear><resourceType resourceTypeGeneral="Dataset">d</resourceType></resource>`
	return rec
}

// forgetful leaves DataCite out of its formats.
type forgetful struct{ inProcess }

func (f forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := f.inProcess.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	body = regexp.MustCompile(`(?s)<metadataFormat>\s*<metadataPrefix>datacite<.*?</metadataFormat>`).ReplaceAll(body, nil)
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return answer, err
}

func TestAFormatThatIsNotOfferedOnceIsNotForgotten(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Put(withDataCite(start.Add(-time.Hour)))
	s.r.Prefixes = nil
	prefixes := func() (out []string) {
		t.Helper()
		s.clock.Advance(24 * time.Hour)
		runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			out = append(out, r.Prefix)
		}
		return out
	}
	both := []string{"oai_dc", "datacite"}
	if got := prefixes(); !slices.Equal(got, both) {
		t.Fatalf("harvested were %q, want %q", got, both)
	}
	whole := s.r.Client.Transport
	s.r.Client.Transport = forgetful{inProcess{s.origin}}
	changed := withDataCite(s.clock.Now())
	changed.Formats["oai_dc"] = strings.Replace(changed.Formats["oai_dc"], "Article", "Thesis", 1)
	s.origin.Put(changed)
	if got := prefixes(); !slices.Equal(got, both[:1]) {
		t.Fatalf("harvested were %q, want oai_dc alone", got)
	}
	if o := s.object(identifier(6)); len(o.Authors) != 1 || len(o.Prefixes) != 2 {
		t.Errorf("the object is %+v, want what DataCite said of it", o)
	}
	s.r.Client.Transport = whole
	if got := prefixes(); !slices.Equal(got, both) {
		t.Errorf("harvested are %q later, want %q", got, both)
	}
}

func TestFormatsOfOneIdentifierMakeOneObject(t *testing.T) {
	s := newScene(t, records(5)...)
	s.origin.Put(withDataCite(start.Add(-time.Hour)))
	s.r.Prefixes = nil
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err != nil || len(runs) != 2 || runs[0].Prefix != "oai_dc" || runs[1].Prefix != "datacite" {
		t.Fatalf("the runs were %+v, %v; want oai_dc and datacite", runs, err)
	}
	o := s.object(identifier(6))
	if o.LandingPage.URL != "https://repo.example.org/6/" || o.CiteAs != "https://doi.org/10.5072/six" || len(o.Authors) != 1 || len(o.Prefixes) != 2 {
		t.Errorf("the object is %+v, want the landing page of one format and the rest of the other", o)
	}
}

func TestARepositoryWithoutTheFormatSaysWhatItHas(t *testing.T) {
	s := newScene(t, records(5)...)
	s.r.Prefixes = []string{"mods"}
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	var missing *harvest.NoFormatError
	if !errors.As(err, &missing) || len(runs) != 1 || runs[0].State != store.Failed {
		t.Fatalf("ended with %+v, %v", runs, err)
	}
	if !strings.Contains(err.Error(), "mods") || !strings.Contains(err.Error(), "oai_dc") {
		t.Errorf("the error is %q, want what is missing and what there is", err)
	}
}

func TestOneRunHoldsARepository(t *testing.T) {
	s := newScene(t, records(5)...)
	unlock, err := s.db.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	var locked *store.LockedError
	if _, err := s.h.Run(t.Context(), s.r, harvest.Options{}); !errors.As(err, &locked) {
		t.Fatalf("a second run got %v, want a *store.LockedError", err)
	}
	unlock()
	s.wants(s.run(harvest.Options{}), store.Complete, 5)
}

func TestAChangedMappingIsAppliedWithoutAsking(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.r.Settings.LandingPage = "https://new.example.org/{local}"
	s.origin.Forget()
	run, err := s.h.Remap(t.Context(), s.r, harvest.Options{})
	if err != nil || run.State != store.Complete || run.Changed != 20 {
		t.Fatalf("the remap ended with %+v, %v", run, err)
	}
	if n := len(s.origin.Requests()); n != 0 {
		t.Errorf("the repository was asked %d times", n)
	}
	if got := s.object(identifier(3)).LandingPage.URL; got != "https://new.example.org/3" {
		t.Errorf("the landing page is %s", got)
	}
	again, err := s.h.Remap(t.Context(), s.r, harvest.Options{})
	if err != nil || again.Unchanged != 20 || again.Changed != 0 {
		t.Errorf("a second remap did %+v, %v; want nothing", again, err)
	}
	forced, err := s.h.Remap(t.Context(), s.r, harvest.Options{Force: true})
	if err != nil || forced.Changed != 0 || forced.Unchanged != 20 {
		t.Errorf("a forced remap did %+v, %v; want that it finds all objects as they were", forced, err)
	}
}

// TestRulesThatMatchNothing: a remap of everything names them, with their
// places; one that skipped records does not tell.
func TestRulesThatMatchNothing(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.r.Settings.Rules = []bridge.Rule{
		{Field: "dc:identifier", Match: "never", As: "item", Place: "fingerpost.yaml:12"},
		{Field: "dc:title", As: "drop", Place: "fingerpost.yaml:15"},
	}
	var log strings.Builder
	s.h.Log = slog.New(slog.NewTextHandler(&log, nil))
	for _, want := range []bool{true, false} {
		log.Reset()
		if _, err := s.h.Remap(t.Context(), s.r, harvest.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := log.String(); strings.Contains(got, "rule=1 place=fingerpost.yaml:12") != want || strings.Contains(got, "rule=2") {
			t.Errorf("the log says %q; rule 1 is to be named: %v", got, want)
		}
	}
}

func TestAChangedMappingIsAppliedByTheNextHarvest(t *testing.T) {
	s := newScene(t, records(20)...)
	s.run(harvest.Options{})
	s.r.Settings.LandingPage = "https://new.example.org/{local}"
	s.clock.Advance(24 * time.Hour)
	s.run(harvest.Options{})
	if got := s.object(identifier(3)).LandingPage.URL; got != "https://new.example.org/3" {
		t.Errorf("the landing page is %s", got)
	}
}

func TestARepositorysOwnPrefixIsLearnt(t *testing.T) {
	list := records(50)
	for i := range list {
		list[i].Formats["oai_dc"] = strings.Replace(list[i].Formats["oai_dc"], "<dc:type>", "<dc:identifier>doi:10.5072/fp."+string(rune('a'+i%26))+"</dc:identifier><dc:type>", 1)
	}
	s := newScene(t, list...)
	s.run(harvest.Options{})
	r, err := s.db.Repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Mapping.OwnPrefixes; len(got) != 1 || got[0] != "10.5072" {
		t.Errorf("the prefixes learnt are %v, want 10.5072", got)
	}
	if got := s.object(identifier(1)).CiteAs; got != "https://doi.org/10.5072/fp.a" {
		t.Errorf("cite-as is %q", got)
	}
}

func TestARunOfGivenDatesLeavesTheWatermark(t *testing.T) {
	s := newScene(t, records(50)...)
	s.run(harvest.Options{From: time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2020, 12, 31, 23, 59, 59, 0, time.UTC)})
	if !s.checkpoint().Watermark.IsZero() {
		t.Error("the watermark moved")
	}
	if !s.asked("from=2020-03-01T00:00:00Z") || !s.asked("until=2020-12-31T23:59:59Z") {
		t.Errorf("the dates were not asked for: %v", s.origin.Requests())
	}
}

func TestAPausedRepositoryIsLeftAlone(t *testing.T) {
	s := newScene(t, records(50)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status503, Page: 2, Times: -1, RetryAfter: "86400"})
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	var pause *oaipmh.PauseError
	if !errors.As(err, &pause) || !pause.Until.Equal(s.clock.Now().Add(24*time.Hour)) {
		t.Fatalf("ended with %v, want it paused for a day", err)
	}
	s.wants(runs[0], store.Incomplete, 10)
}

func TestASurveyFindsWhatAHarvestWillNeed(t *testing.T) {
	tests := []struct {
		name  string
		fault oaitest.Fault
		want  string
	}{
		{"nothing is wrong", oaitest.Fault{Kind: oaitest.Expire, Page: 99}, ""},
		{"tokens do not work", oaitest.Fault{Kind: oaitest.BadToken, Times: -1}, "second page"},
		{"dates do not work", oaitest.Fault{Kind: oaitest.ServerError, Argument: "from", Times: -1}, "full_only"},
	}
	for _, tt := range tests {
		s := newScene(t, records(50)...)
		s.origin.Inject(tt.fault)
		survey, err := s.h.Survey(t.Context(), s.r)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(survey.Trouble, "; ")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: the trouble is %q, want %q in it", tt.name, got, tt.want)
		}
	}
}

// session forgets its lists where the cookie of their first page does not come.
type session struct{ inProcess }

func (s session) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := r.Cookie("session"); err != nil && strings.Contains(r.URL.RawQuery, "resumptionToken") {
		r = r.Clone(r.Context())
		r.URL.RawQuery = "verb=ListIdentifiers&resumptionToken=unknown"
	}
	answer, err := s.inProcess.RoundTrip(r)
	if err == nil {
		answer.Header.Add("Set-Cookie", "session=1")
	}
	return answer, err
}

func TestASurveyFindsThatCookiesAreNeeded(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = session{inProcess{s.origin}}
	survey, err := s.h.Survey(t.Context(), s.r)
	if err != nil || len(survey.Trouble) != 1 || !strings.Contains(survey.Trouble[0], "politeness.cookies") {
		t.Errorf("the trouble is %q, %v; want the cookies in it", survey.Trouble, err)
	}
}

// byPOST refuses every GET.
type byPOST struct{ inProcess }

func (p byPOST) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		return &http.Response{StatusCode: http.StatusMethodNotAllowed, Body: http.NoBody, Request: r}, nil
	}
	return p.inProcess.RoundTrip(r)
}

func TestASurveyFindsThatPOSTIsNeeded(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Client.Transport = byPOST{inProcess{s.origin}}
	if _, err := s.h.Survey(t.Context(), s.r); err == nil || !strings.Contains(err.Error(), "politeness.post") {
		t.Errorf("got %v, want the setting in it", err)
	}
	s.r.Client.POST = true
	if _, err := s.h.Survey(t.Context(), s.r); err != nil {
		t.Errorf("by POST: %v", err)
	}
}

func TestASurveyKnowsASetThatIsNot(t *testing.T) {
	s := newScene(t, records(50)...)
	s.r.Sets = []string{"all", "none"}
	survey, err := s.h.Survey(t.Context(), s.r)
	if err != nil || len(survey.Trouble) != 1 || !strings.Contains(survey.Trouble[0], `"none"`) {
		t.Errorf("the trouble is %q, %v; want the set \"none\" in it", survey.Trouble, err)
	}
}

func TestASurveyKeepsNothing(t *testing.T) {
	s := newScene(t, records(20)...)
	survey, err := s.h.Survey(t.Context(), s.r)
	if err != nil {
		t.Fatal(err)
	}
	if survey.Sample.Objects != 10 || survey.Sample.LandingPage != 10 || len(survey.Formats) != 1 {
		t.Errorf("the survey is %+v", survey)
	}
	if _, err := s.db.Repository(t.Context(), "main"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("something was kept: %v", err)
	}
}

// Pages that are saved and pages of which nothing is, in turn: what the client
// reads is kept, wherever it puts it.
func TestRecordsAreKeptAsTheyCame(t *testing.T) {
	all := records(600)
	s := newSceneWith(t, oaitest.Options{PageSize: 5}, all...)
	for round := range 3 {
		s.wants(s.run(harvest.Options{Full: true}), store.Complete, len(all))
		for i, r := range all {
			kept, err := s.db.Records(t.Context(), "main", r.Identifier)
			if err != nil || len(kept) != 1 || string(kept[0].Metadata) != r.Formats["oai_dc"] {
				t.Fatalf("round %d: of %s is kept %v, %v", round, r.Identifier, kept, err)
			}
			if i%20 == 0 {
				r.Formats["oai_dc"] = strings.Replace(r.Formats["oai_dc"], "Number", fmt.Sprint("Version ", round, " of number"), 1)
				s.origin.Put(r)
			}
		}
	}
}

func TestRequestsAreCountedWhateverComesOfThem(t *testing.T) {
	s := newScene(t, records(30)...)
	s.origin.Inject(oaitest.Fault{Kind: oaitest.Status500, Page: 2})
	if run := s.run(harvest.Options{}); run.Requests != 4 || run.Retries != 1 {
		t.Errorf("three pages, one of them twice: got %d requests, %d of them retries", run.Requests, run.Retries)
	}
	s.clock.Advance(100 * 24 * time.Hour)
	s.run(harvest.Options{}) // moves the watermark
	if run := s.run(harvest.Options{}); run.Requests != 1 || run.Records != 0 {
		t.Errorf("nothing new: got %d records with %d requests, want none with one", run.Records, run.Requests)
	}
}
