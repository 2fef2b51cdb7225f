package harvest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// newPagesScene is a scene of n records that name their landing page and no more,
// whose pages are on a web of their own. It is harvested.
func newPagesScene(t *testing.T, n int) (*scene, *oaitest.Pages) {
	t.Helper()
	s := &scene{T: t, clock: oaitest.NewClock(start)}
	o := oaitest.Options{Now: s.clock.Now, Site: "https://repo.example.org", Bare: true, PageSize: 500}
	s.origin = oaitest.Generated(n, o)
	origin := httptest.NewServer(s.origin)
	t.Cleanup(origin.Close)
	pages := oaitest.NewPages(n, o)
	web := httptest.NewServer(pages)
	t.Cleanup(web.Close)
	to, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.db = openStore(t, s.clock)
	s.h = &harvest.Harvester{Store: s.db, Clock: s.clock, Log: quiet()}
	s.r = harvest.Repository{
		ID: "main", OAIURL: origin.URL + "/oai", Prefixes: []string{"oai_dc"},
		Client:   oaipmh.Options{Clock: s.clock, Retries: 3, Transport: elsewhere{to}, UserAgent: "fingerpost/test (+mailto:oai@example.org)"},
		Settings: bridge.Settings{Hosts: []string{"repo.example.org"}, Pages: true},
	}
	s.wants(s.run(harvest.Options{}), store.Complete, n)
	return s, pages
}

// probe reads landing pages and returns how that ended.
func (s *scene) probe() store.Run {
	s.Helper()
	runs, err := s.h.Probe(s.Context(), s.r)
	if len(runs) != 1 || err != nil {
		s.Fatalf("got %d runs and error %v, want one run", len(runs), err)
	}
	return runs[0]
}

// ended checks how reading landing pages ended.
func (s *scene) ended(r store.Run, state store.State, asked int, reason string) {
	s.Helper()
	if r.State != state || r.Records != asked || !strings.Contains(r.Reason, reason) {
		s.Errorf("got %s after %d pages (%s), want %s after %d (…%s…)", r.State, r.Records, r.Reason, state, asked, reason)
	}
}

func (s *scene) pages() store.Pages {
	s.Helper()
	p, err := s.db.Pages(s.Context(), "main")
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// asked are the paths of requests for landing pages.
func asked(p *oaitest.Pages) (out []string) {
	for _, r := range p.Requests() {
		if strings.HasSuffix(r.Path, "/") {
			out = append(out, r.Path)
		}
	}
	p.Forget()
	return out
}

func numbered(from, to int) (out []string) {
	for n := from; n <= to; n++ {
		out = append(out, fmt.Sprintf("/%d/", n))
	}
	return out
}

func oaiOf(n int) string { return fmt.Sprintf("oai:repo.example.org:%d", n) }

func TestLandingPages(t *testing.T) {
	s, pages := newPagesScene(t, 12)
	pages.Robots = "User-agent: *\nDisallow: /cgi/\n"
	s.ended(s.probe(), store.Complete, 12, "")
	requests := pages.Requests()
	for i, r := range requests {
		if i > 0 && r.At.Sub(requests[i-1].At) < time.Second || r.Agent != "fingerpost/test (+mailto:oai@example.org)" {
			t.Errorf("request %d for %s is %v after the one before, as %q, want a second", i, r.Path, r.At.Sub(requests[max(i-1, 0)].At), r.Agent)
		}
	}
	if requests[0].Path != "/robots.txt" || pages.AtOnce() != 1 {
		t.Errorf("asked for %s first and %d things at once, want robots.txt and one", requests[0].Path, pages.AtOnce())
	}
	s.same("pages", asked(pages), numbered(1, 12))
	o := s.object(oaiOf(3))
	if o.CiteAs == "" || o.License == "" || len(o.Authors) != 1 || len(o.Items) != 1 || o.Items[0].MediaType != "application/pdf" {
		t.Errorf("got %+v, want what the page states", o.Object)
	}
	if want := []string{"oai_dc"}; !slices.Equal(o.Prefixes, want) {
		t.Errorf("the object is in %q, want %q: a landing page is not offered by OAI-PMH", o.Prefixes, want)
	}
	got := s.pages()
	if got.Read != 12 || got.Lacked.Item != 12 || got.Gained.Item != 12 || got.Gained.CiteAs != 12 || got.Gained.License != 12 || got.Gained.Author != 12 || got.Left() != 0 {
		t.Errorf("got %+v, want 12 of everything", got)
	}
	if want := "of the files that landing pages name 5 were tried: 5 PDF (%PDF); they are believed"; got.Files != want {
		t.Errorf("files: got %q, want %q", got.Files, want)
	}

	// A harvest and a remap keep what the pages state, and ask for none.
	s.clock.Advance(time.Hour)
	s.run(harvest.Options{Full: true})
	s.r.Settings.CiteAs = bridge.CiteAsLandingPage
	if _, err := s.h.Remap(s.Context(), s.r, harvest.Options{Force: true}); err != nil {
		t.Error(err)
	}
	s.ended(s.probe(), store.Complete, 0, "")
	s.same("pages asked for again", asked(pages), nil)
	if o := s.object(oaiOf(3)); len(o.Items) != 1 || o.CiteAs == "" {
		t.Errorf("after a harvest and a remap got %+v, want what the page states", o.Object)
	}

	// Only the page of a record that has changed is asked for again.
	changed := oaitest.Record{Header: oaipmh.Header{Identifier: oaiOf(5)}, Formats: map[string]string{
		"oai_dc": `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>New</dc:title><dc:identifier>https://repo.example.org/5/</dc:identifier></oai_dc:dc>`,
	}}
	s.origin.Put(changed)
	s.clock.Advance(48 * time.Hour)
	s.run(harvest.Options{})
	s.ended(s.probe(), store.Complete, 1, "")
	s.same("the page of a changed record", asked(pages), []string{"/5/"})

	// After 180 days all are, on condition that there is something new.
	s.clock.Advance(180 * 24 * time.Hour)
	before := s.object(oaiOf(3)).Modified
	r := s.probe()
	s.ended(r, store.Complete, 12, "")
	for _, r := range pages.Requests() {
		if strings.HasSuffix(r.Path, "/") && r.Status != http.StatusNotModified {
			t.Errorf("%s was answered with %d, want a conditional request", r.Path, r.Status)
		}
	}
	if got := s.object(oaiOf(3)).Modified; got != before || r.Unchanged != 12 {
		t.Errorf("an unchanged page changed its object, or %d pages were unchanged", r.Unchanged)
	}

	// What is deleted loses its page's record too.
	s.origin.Delete(oaiOf(3))
	s.clock.Advance(48 * time.Hour)
	s.run(harvest.Options{})
	records, err := s.db.Records(t.Context(), "main", oaiOf(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if !r.Deleted || len(r.Metadata) > 0 {
			t.Errorf("%s in %s is still there", r.Identifier, r.Prefix)
		}
	}
	if !s.object(oaiOf(3)).Deleted {
		t.Error("what its landing page states keeps an object alive")
	}

	// Without the setting, the pages state nothing.
	s.r.Settings.Pages = false
	if _, err := s.h.Remap(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Error(err)
	}
	if o := s.object(oaiOf(4)); len(o.Items) != 0 || o.License != "" {
		t.Errorf("without the setting got %+v", o.Object)
	}
}

// What a page states is kept as a record of its own: it says where it stands.
func TestLandingPageIsExplained(t *testing.T) {
	s, _ := newPagesScene(t, 5)
	s.probe()
	kept, err := s.db.Repository(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := bridge.NewMapping(s.r.OAIURL, kept.Mapping, s.r.Settings)
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.db.Records(t.Context(), "main", oaiOf(2))
	if err != nil {
		t.Fatal(err)
	}
	var given []bridge.Record
	for _, r := range records {
		given = append(given, bridge.Record{Prefix: r.Prefix, Metadata: r.Metadata})
	}
	var trace bridge.Trace
	if _, err := mapping.Map(oaiOf(2), given, &trace); err != nil {
		t.Fatal(err)
	}
	var from []string
	for _, e := range trace.Evidence {
		if e.Rel == "item" && !e.Rejected {
			from = append(from, e.From)
		}
	}
	if want := []string{"landing page meta citation_pdf_url"}; !slices.Equal(from, want) {
		t.Errorf("the file is from %q, want %q", from, want)
	}
}

func TestLandingPagesWithFaults(t *testing.T) {
	s, pages := newPagesScene(t, 20)
	for n, f := range map[int]oaitest.PageFault{
		1: oaitest.PageGone, 3: oaitest.PageBroken, 5: oaitest.PageMoved, 7: oaitest.PageEndless,
		9: oaitest.PageNotHTML, 11: oaitest.PageLogin, 13: oaitest.PageShell, 15: oaitest.PageBusy,
	} {
		pages.Spoil(f, n)
	}
	s.ended(s.probe(), store.Complete, 20, "")
	for n := 1; n <= 20; n++ {
		o := s.object(oaiOf(n))
		if want := n%2 == 0 || n == 5 || n > 15; want != (len(o.Items) == 1) {
			t.Errorf("object %d: got %d files", n, len(o.Items))
		}
	}
	if !slices.Contains(s.clock.Slept(), 7*time.Second) {
		t.Errorf("slept %v, want 7s as Retry-After asked", s.clock.Slept())
	}
	// What failed comes again after a week, what was answered not.
	pages.Forget()
	s.clock.Advance(8 * 24 * time.Hour)
	pages.Spoil("", 3)
	s.ended(s.probe(), store.Complete, 2, "")
	s.same("pages that failed", asked(pages), []string{"/3/", "/15/"})
}

func TestLandingPagesThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		fault  oaitest.PageFault
		reason string
	}{
		{oaitest.PageRefused, "answers 403 Forbidden"},
		{oaitest.PageWall, "a wall against programs"},
	} {
		s, pages := newPagesScene(t, 10)
		pages.Spoil(tt.fault, 4)
		s.ended(s.probe(), store.Incomplete, 4, tt.reason)
		const pause = 24 * time.Hour
		if p := s.pages().Pause; p.Until.Sub(s.clock.Now()) != pause || !strings.Contains(p.Reason, tt.reason) {
			t.Errorf("%s: got the pause %+v, want a day", tt.fault, p)
		}
		pages.Forget()
		s.clock.Advance(pause - time.Minute)
		s.ended(s.probe(), store.Incomplete, 0, tt.reason)
		s.same("asked during the pause", asked(pages), nil)
		s.clock.Advance(time.Minute)
		s.ended(s.probe(), store.Complete, 6, "")
		s.same("asked after it", asked(pages), numbered(5, 10))
	}
}

func TestLandingPagesThatFailInARow(t *testing.T) {
	s, pages := newPagesScene(t, 10)
	pages.Spoil(oaitest.PageBroken, 3, 4, 5)
	s.ended(s.probe(), store.Incomplete, 5, "3 requests for landing pages failed in a row, the last with: status 500")
	if p := s.pages().Pause; p.Until.Sub(s.clock.Now()) != time.Hour {
		t.Errorf("got the pause %+v, want an hour", p)
	}
}

func TestLandingPagesObeyRobots(t *testing.T) {
	for _, tt := range []struct {
		name, robots string
		state        store.State
		asked        int
		apart        time.Duration
	}{
		{"a delay", "User-agent: *\nCrawl-delay: 10\n", store.Complete, 30, 10 * time.Second},
		{"a delay for others", "User-agent: finger\nCrawl-delay: 10\nDisallow: /\n", store.Complete, 30, time.Second},
		{"one is forbidden", "User-agent: fingerpost\nDisallow: /7/\n", store.Complete, 29, time.Second},
		{"all are forbidden", "User-agent: *\nDisallow: /\n", store.Incomplete, 0, time.Second},
	} {
		s, pages := newPagesScene(t, 30)
		pages.Robots = tt.robots
		s.ended(s.probe(), tt.state, tt.asked, "")
		requests := pages.Requests()
		for i := 2; i < len(requests); i++ {
			if apart := requests[i].At.Sub(requests[i-1].At); apart < tt.apart {
				t.Errorf("%s: %s came %v after the request before, want %v", tt.name, requests[i].Path, apart, tt.apart)
				break
			}
		}
		if slices.Contains(asked(pages), "/7/") && tt.asked < 30 {
			t.Errorf("%s: /7/ was asked for", tt.name)
		}
	}
}

// Pages that name files which are none are not believed in that, but in the rest.
func TestLandingPagesThatLie(t *testing.T) {
	s, pages := newPagesScene(t, 20)
	for n := 1; n <= 20; n += 2 {
		pages.Spoil(oaitest.FileIsPage, n)
	}
	s.ended(s.probe(), store.Complete, 20, "")
	if p := s.pages(); !strings.Contains(p.Files, "so no file is believed") {
		t.Errorf("got %q", p.Files)
	}
	for n := 1; n <= 20; n++ {
		if o := s.object(oaiOf(n)); len(o.Items) != 0 || o.License == "" {
			t.Fatalf("object %d has %d files, and the licence %q, want only the licence", n, len(o.Items), o.License)
		}
	}
}

// Only objects that lack what pages give are asked about.
func TestLandingPagesThatMayAddSomething(t *testing.T) {
	s, pages := newPagesScene(t, 3)
	full := described(9, []string{"application/pdf"}, "https://repo.example.org/9/", "https://repo.example.org/9/9.pdf", "https://doi.org/10.12345/9")
	full.Formats["oai_dc"] = strings.Replace(full.Formats["oai_dc"], "</oai_dc:dc>",
		`<dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights><dc:creator>https://orcid.org/0000-0002-1825-0097</dc:creator></oai_dc:dc>`, 1)
	s.origin.Put(full)
	s.r.Settings.CiteAsPublishedDOI = true
	s.clock.Advance(time.Hour)
	s.run(harvest.Options{Full: true})
	s.ended(s.probe(), store.Complete, 3, "")
	s.same("pages", asked(pages), numbered(1, 3))
}

func TestLandingPagesADay(t *testing.T) {
	s, pages := newPagesScene(t, 30)
	before := store.Pages{Day: s.clock.Now(), Today: store.PagesADay - 12}
	if err := s.db.Save(t.Context(), "main", store.Batch{Pages: &before}); err != nil {
		t.Fatal(err)
	}
	s.ended(s.probe(), store.Incomplete, 12, "10000 landing pages were asked for within a day")
	s.ended(s.probe(), store.Incomplete, 0, "")
	s.clock.Advance(24 * time.Hour)
	s.ended(s.probe(), store.Complete, 18, "")
	s.same("pages", asked(pages), numbered(1, 30))
}

func TestSurveyOfLandingPages(t *testing.T) {
	survey := func(s *scene) harvest.PageSurvey {
		t.Helper()
		first, err := s.h.Survey(t.Context(), s.r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.h.SurveyPages(t.Context(), s.r, first)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	s, pages := newPagesScene(t, 400)
	pages.Robots = "User-agent: *\nCrawl-delay: 10\n"
	got := survey(s)
	if got.Asked != 20 || got.Gain != 20 || got.PDF != 20 || got.Gained.CiteAs != 20 || got.Due != 400 || got.Pace != 10*time.Second || !got.Delay ||
		got.Files != "of the files that landing pages name 5 were tried: 5 PDF (%PDF); they are believed" {
		t.Errorf("got %+v", got)
	}
	s.same("pages are from all over", asked(pages)[:3], []string{"/1/", "/21/", "/41/"})
	if p := s.pages(); !p.Began.IsZero() {
		t.Errorf("a survey has saved %+v", p)
	}

	s, pages = newPagesScene(t, 20)
	pages.Spoil(oaitest.PageShell, 1, 2, 3)
	pages.Spoil(oaitest.PageLogin, 4)
	pages.Spoil(oaitest.FileIsPage, 5, 6, 7, 8, 9, 10)
	got = survey(s)
	if got.Gain != 16 || got.Shells != 3 || len(got.Unread) != 1 || !strings.Contains(got.Files, "so no file is believed") {
		t.Errorf("got %+v", got)
	}

	s, pages = newPagesScene(t, 20)
	pages.Spoil(oaitest.PageWall, 3)
	if got = survey(s); got.Asked != 3 || !strings.Contains(got.Stopped, "a wall against programs") {
		t.Errorf("got %+v", got)
	}

	s, pages = newPagesScene(t, 20)
	pages.Robots = "User-agent: *\nDisallow: /\n"
	if got = survey(s); got.Asked != 0 || !strings.Contains(got.Stopped, "forbids its landing pages") {
		t.Errorf("got %+v", got)
	}

	// Nothing is harvested: the first page has to do.
	s, _ = newPagesScene(t, 30)
	s.h.Store, s.db = openStore(t, s.clock), nil
	if got = survey(s); got.Asked == 0 || got.Gain != got.Asked {
		t.Errorf("without a harvest got %+v", got)
	}
}

// While a gateway serves, landing pages are read a slice of time at a time, and
// harvests come when they are due.
func TestLandingPagesAndHarvestsTakeTurns(t *testing.T) {
	s, pages := newPagesScene(t, 150)
	pages.Robots = "User-agent: *\nCrawl-delay: 10\n"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var ended []string
	scheduler := &harvest.Scheduler{
		Harvester: s.h,
		Ended: func(_ harvest.Job, runs []store.Run, err error) {
			for _, r := range runs {
				ended = append(ended, r.Prefix)
				if r.Prefix == landingpage.Prefix && r.State == store.Complete {
					cancel()
				}
			}
		},
	}
	schedule(t, scheduler, harvest.Job{Repository: s.r, Schedule: every(10 * time.Minute)}).Run(ctx)
	s.same("landing pages", asked(pages), numbered(1, 150))
	turns := strings.Join(ended, " ")
	if n := strings.Count(turns, "landing-page"); n < 3 || !strings.Contains(turns, "landing-page oai_dc landing-page") {
		t.Errorf("the turns were %s, want at least 3 slices and harvests between them", turns)
	}
}

// Reading 2,000 landing pages of which some are bad is interrupted again and
// again. Every page is asked for once, a second after the other.
func TestManyLandingPages(t *testing.T) {
	s, pages := newPagesScene(t, 2000)
	pages.Robots = "User-agent: *\nCrawl-delay: 2\nDisallow: /13/\n"
	bad := map[oaitest.PageFault]int{
		oaitest.PageGone: 0, oaitest.PageBroken: 1, oaitest.PageMoved: 2, oaitest.PageEndless: 3, oaitest.PageNotHTML: 4,
		oaitest.PageLogin: 5, oaitest.PageShell: 6, oaitest.PageBusy: 7,
	}
	for fault, i := range bad {
		for n := 20 + 10*i; n <= 2000; n += 100 {
			pages.Spoil(fault, n)
		}
	}
	pages.Spoil(oaitest.PageWall, 1234)
	interrupted, days := 0, 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		left := 150 + 37*interrupted
		s.h.Progress = func(harvest.Progress) {
			if left--; left == 0 {
				cancel()
			}
		}
		runs, err := s.h.Probe(ctx, s.r)
		cancel()
		switch {
		case len(runs) != 1:
			t.Fatalf("got %d runs and error %v", len(runs), err)
		case runs[0].State == store.Interrupted:
			interrupted++
			continue
		case runs[0].State == store.Incomplete:
			days++
			s.clock.Advance(24 * time.Hour)
			continue
		}
		break
	}
	if interrupted < 5 || days != 1 {
		t.Errorf("it was interrupted %d times and refused %d times, want 5 and 1", interrupted, days)
	}
	seen, last := map[string]int{}, time.Time{}
	for _, r := range pages.Requests() {
		if strings.HasSuffix(r.Path, "/") {
			seen[r.Path]++
		}
		if !last.IsZero() && r.At.Sub(last) < 2*time.Second && r.Path != "/robots.txt" {
			t.Fatalf("%s came %v after the request before, want 2s", r.Path, r.At.Sub(last))
		}
		if last = r.At; r.Path == "/robots.txt" { // which is not known to ask for a delay
			last = time.Time{}
		}
	}
	if len(seen) != 1999 || seen["/13/"] != 0 {
		t.Errorf("asked for %d landing pages, and %d times for the one that is forbidden", len(seen), seen["/13/"])
	}
	for path, n := range seen {
		if n > 1 && !strings.HasSuffix(path, "50/") { // these redirect to themselves
			t.Errorf("asked for %s %d times", path, n)
		}
	}
	if p := s.pages(); p.Read < 1800 || p.Gained.Item != p.Read || p.Gained.Author != p.Read {
		t.Errorf("got %+v", p)
	}
}

// Where only a persistent identifier is known, the page is where that leads.
func TestLandingPageOfAnIdentifier(t *testing.T) {
	s, pages := newPagesScene(t, 6)
	s.r.Learned.OwnPrefixes = []string{"10.12345"}
	of5 := described(1, nil, "https://doi.org/10.12345/fp.5")
	of5.Identifier = oaiOf(5)
	s.origin.Put(of5)
	s.clock.Advance(time.Hour)
	s.run(harvest.Options{Full: true})
	if page := s.object(oaiOf(5)).LandingPage; !page.Resolve {
		t.Fatalf("before: got %+v, want the DOI", page)
	}
	s.ended(s.probe(), store.Complete, 6, "")
	s.same("pages", asked(pages), numbered(1, 6))
	o := s.object(oaiOf(5))
	if o.LandingPage != (bridge.LandingPage{URL: "https://repo.example.org/5/"}) || len(o.Items) != 1 {
		t.Errorf("got %+v, want where the DOI leads and the file there", o.Object)
	}
	s.clock.Advance(48 * time.Hour)
	s.ended(s.probe(), store.Complete, 0, "")
	s.same("pages asked for again", asked(pages), nil)
	if got, err := s.db.Find(t.Context(), "https://repo.example.org/5/"); err != nil || got.Identifier != oaiOf(5) {
		t.Errorf("its page finds %s, error %v", got.Identifier, err)
	}
}

// A process that harvests and one that reads landing pages do not get in each
// other's way, and none reads the pages of what was never harvested.
func TestLandingPagesOfWhatIsLocked(t *testing.T) {
	s, pages := newPagesScene(t, 3)
	unlock, err := s.db.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	var locked *store.LockedError
	if _, err := s.h.Probe(t.Context(), s.r); !errors.As(err, &locked) {
		t.Errorf("got error %v, want that it is locked", err)
	}
	unlock()
	other := s.r
	other.ID = "other"
	if _, err := s.h.Probe(t.Context(), other); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got error %v, want that it was never harvested", err)
	}
	s.same("pages", asked(pages), nil)
}

// What a repository no longer lists loses its landing page's record too.
func TestLandingPageOfWhatVanished(t *testing.T) {
	s, _ := newPagesScene(t, 30)
	s.probe()
	s.origin.Vanish(oaiOf(3))
	s.clock.Advance(time.Hour)
	if _, err := s.h.Sweep(t.Context(), s.r, harvest.Options{}); err != nil {
		t.Fatal(err)
	}
	records, err := s.db.Records(t.Context(), "main", oaiOf(3))
	if err != nil || len(records) != 2 || !records[0].Deleted || !records[1].Deleted || !s.object(oaiOf(3)).Deleted {
		t.Errorf("got %+v, error %v, want two tombstones", records, err)
	}
	if o := s.object(oaiOf(4)); o.Deleted || len(o.Items) != 1 {
		t.Errorf("another object is %+v, want it as it was", o.Object)
	}
}

// The page of a new record is read soon after the harvest that found it.
func TestLandingPageOfANewRecord(t *testing.T) {
	s, pages := newPagesScene(t, 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var put, read time.Time
	scheduler := &harvest.Scheduler{
		Harvester: s.h,
		Ended: func(_ harvest.Job, runs []store.Run, _ error) {
			for _, r := range runs {
				switch {
				case r.Prefix != landingpage.Prefix || r.State != store.Complete:
				case put.IsZero():
					put = s.clock.Now()
					fresh := described(1, nil, "https://repo.example.org/1/")
					fresh.Datestamp = "" // now
					s.origin.Put(fresh)
				case r.Records > 0:
					read = s.clock.Now()
					cancel()
				}
			}
		},
	}
	schedule(t, scheduler, harvest.Job{Repository: s.r, Schedule: every(30 * time.Minute)}).Run(ctx)
	if read.IsZero() || read.Sub(put) > 3*time.Hour || !slices.Contains(asked(pages), "/1/") {
		t.Errorf("it was read %v after it was published, want soon", read.Sub(put))
	}
}

// Files that turn out to be none later are no longer believed.
func TestFilesOfLandingPagesAreTriedAgain(t *testing.T) {
	s, pages := newPagesScene(t, 20)
	s.probe()
	if o := s.object(oaiOf(4)); len(o.Items) != 1 {
		t.Fatalf("got %+v, want a file", o.Object)
	}
	for n := 1; n <= 20; n++ {
		pages.Spoil(oaitest.FileIsPage, n)
	}
	s.clock.Advance(181 * 24 * time.Hour)
	s.probe()
	if o := s.object(oaiOf(4)); len(o.Items) != 0 || !strings.Contains(s.pages().Files, "5 a web page in its place") {
		t.Errorf("got %+v, and %q", o.Object, s.pages().Files)
	}
}

// A host that is not the repository's and refuses is passed by for a day, and
// others are asked.
func TestLandingPagesOnOtherHosts(t *testing.T) {
	s, pages := newPagesScene(t, 10)
	s.r.Settings.Rules = []bridge.Rule{{Field: "dc:identifier", Match: "^https://other.example.net/.*", As: "landing_page"}}
	for _, n := range []int{3, 4} {
		elsewhere := described(n, nil, fmt.Sprintf("https://other.example.net/%d/", n))
		elsewhere.Datestamp = ""
		s.origin.Put(elsewhere)
	}
	s.clock.Advance(time.Hour)
	s.run(harvest.Options{})
	pages.Spoil(oaitest.PageRefused, 3)
	s.ended(s.probe(), store.Complete, 9, "")
	if got := asked(pages); slices.Contains(got, "/4/") || len(got) != 9 {
		t.Errorf("asked for %q, want all but /4/", got)
	}
	s.clock.Advance(23 * time.Hour)
	s.ended(s.probe(), store.Complete, 0, "")
	s.clock.Advance(2 * time.Hour)
	s.ended(s.probe(), store.Complete, 1, "")
	s.same("asked after a day", asked(pages), []string{"/4/"})
}
