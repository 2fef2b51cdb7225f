package harvest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh/oaitest"
)

// web is every server but the repository's OAI-PMH interface: it answers by
// host and path, and remembers what it was asked.
type web struct {
	mu      sync.Mutex
	answers map[string]webAnswer // by host and path; others are 404
	robots  map[string]string    // by host; others have none
	broken  map[string]int       // statuses of the robots.txt of hosts that are ill
	asked   []string
	agents  []string
	rules   []string // hosts that were asked for their robots.txt
}

type webAnswer struct {
	status    int
	mediaType string
	location  string
	wait      string // Retry-After
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		w.rules = append(w.rules, r.Host)
		if status := w.broken[r.Host]; status != 0 {
			out.WriteHeader(status)
		} else if text, ok := w.robots[r.Host]; ok {
			_, _ = out.Write([]byte(text))
		} else {
			out.WriteHeader(404)
		}
		return
	}
	w.asked = append(w.asked, strings.TrimSpace(r.Method+" "+r.Host+r.URL.Path))
	w.agents = append(w.agents, r.UserAgent())
	a, ok := w.answers[r.Host+r.URL.Path]
	if !ok {
		a = webAnswer{status: 404, mediaType: "text/html"}
	}
	for name, value := range map[string]string{"Content-Type": a.mediaType, "Location": a.location, "Retry-After": a.wait} {
		if value != "" {
			out.Header().Set(name, value)
		}
	}
	out.WriteHeader(a.status)
}

// take returns what was asked since the last time.
func (w *web) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// elsewhere sends what is for other hosts than this machine to one server.
type elsewhere struct{ to *url.URL }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() == "127.0.0.1" {
		return http.DefaultTransport.RoundTrip(r)
	}
	out := r.Clone(r.Context())
	out.Host = r.URL.Host
	out.URL.Scheme, out.URL.Host = "http", e.to.Host
	return http.DefaultTransport.RoundTrip(out)
}

// newProbeScene is a scene whose records' files are on a web of their own.
func newProbeScene(t *testing.T, answers map[string]webAnswer, records ...oaitest.Record) (*scene, *web) {
	t.Helper()
	s := newScene(t, records...)
	w := &web{answers: answers}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.r.Client.Transport = elsewhere{to}
	s.r.Client.UserAgent = "test (+mailto:oai@example.org)"
	s.r.Settings.Probe = true
	return s, w
}

// described is a record with the values of dc:identifier and dc:format.
func described(n int, formats []string, identifiers ...string) oaitest.Record {
	r := record(n, time.Date(2020, 1, n, 0, 0, 0, 0, time.UTC))
	var b strings.Builder
	b.WriteString(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:type>Article</dc:type>`)
	for _, i := range identifiers {
		fmt.Fprintf(&b, "<dc:identifier>%s</dc:identifier>", i)
	}
	for _, f := range formats {
		fmt.Fprintf(&b, "<dc:format>%s</dc:format>", f)
	}
	r.Formats["oai_dc"] = b.String() + "</oai_dc:dc>"
	return r
}

// withFile is a record with a page and a PDF.
func withFile(n int) oaitest.Record {
	return described(n, []string{"application/pdf"}, fmt.Sprintf("https://repo.example.org/%d/", n), fmt.Sprintf("https://repo.example.org/%[1]d/%[1]d.pdf", n))
}

// files are an object's files with their types.
func (s *scene) files(n int) (out []string) {
	s.Helper()
	for _, item := range s.object(identifier(n)).Items {
		out = append(out, strings.TrimPrefix(item.URL, "https://repo.example.org/")+" "+item.MediaType)
	}
	return out
}

func (s *scene) same(what string, got, want []string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestProbe(t *testing.T) {
	answers := map[string]webAnswer{
		"repo.example.org/1/1.pdf": {status: 200, mediaType: "application/pdf"},
		"repo.example.org/2/2.pdf": {status: 404},
		"repo.example.org/3/3.pdf": {status: 200, mediaType: "application/epub+zip; charset=binary"},
		"repo.example.org/4/4.pdf": {status: 302, location: "/login"},
		"repo.example.org/login":   {status: 200, mediaType: "text/html"},
		"doi.org/10.5555/5":        {status: 302, location: "http://repo.example.org/record/5"},
		"repo.example.org/record/5": {
			status: 200, mediaType: "text/html",
		},
		"doi.org/10.5555/6":        {status: 302, location: "https://publisher.example/6"},
		"publisher.example/6":      {status: 200, mediaType: "text/html"},
		"repo.example.org/7/7.pdf": {status: 302, location: "/7/7.pdf"},
	}
	s, w := newProbeScene(t, answers, withFile(1), withFile(2), withFile(3), withFile(4), withFile(7),
		described(5, nil, "https://doi.org/10.5555/5"), described(6, nil, "https://doi.org/10.5555/6"))
	s.wants(s.run(harvest.Options{}), store.Complete, 7)
	s.same("a file that is there", s.files(1), []string{"1/1.pdf application/pdf"})
	s.same("a file that is missing", s.files(2), nil)
	s.same("a file of another type", s.files(3), []string{"3/3.pdf application/epub+zip"})
	s.same("a file behind a login", s.files(4), []string{"4/4.pdf application/pdf"})
	s.same("a file that leads to itself", s.files(7), []string{"7/7.pdf application/pdf"})
	if got := s.object(identifier(5)).LandingPage; got != (bridge.LandingPage{URL: "http://repo.example.org/record/5"}) {
		t.Errorf("the page of an own DOI: got %+v, want where it leads", got)
	}
	if got := s.object(identifier(6)).LandingPage; got != (bridge.LandingPage{URL: "https://doi.org/10.5555/6", Resolve: true}) {
		t.Errorf("the page of a DOI that leads to a publisher: got %+v, want the DOI still", got)
	}
	if asked := w.take(); len(asked) == 0 || !strings.HasPrefix(asked[0], "HEAD ") || w.agents[0] != "test (+mailto:oai@example.org)" {
		t.Errorf("asked %q as %q, want HEAD with a contact", asked, w.agents)
	}

	// Everything was answered: nothing is asked again, not even by a remap.
	s.clock.Advance(24 * time.Hour)
	s.run(harvest.Options{Full: true})
	s.r.Settings.CiteAs = bridge.CiteAsLandingPage
	s.run(harvest.Options{})
	if _, err := s.h.Remap(s.Context(), s.r, harvest.Options{}); err != nil {
		t.Error(err)
	}
	s.same("requests about what is known", w.take(), nil)
	s.same("a missing file after a remap", s.files(2), nil)
	s.same("a type after a remap", s.files(3), []string{"3/3.pdf application/epub+zip"})

	// After 90 days answers are old.
	w.answers["repo.example.org/2/2.pdf"] = webAnswer{status: 200, mediaType: "application/pdf"}
	s.clock.Advance(90 * 24 * time.Hour)
	s.run(harvest.Options{})
	if asked := w.take(); !slices.Contains(asked, "HEAD repo.example.org/2/2.pdf") || !slices.Contains(asked, "HEAD repo.example.org/1/1.pdf") {
		t.Errorf("after 90 days got %q asked, want every file again", asked)
	}
	s.same("a file that came back", s.files(2), []string{"2/2.pdf application/pdf"})

	// Switched off, objects are as the metadata says, and nothing is asked.
	s.r.Settings.Probe = false
	s.clock.Advance(100 * 24 * time.Hour)
	s.run(harvest.Options{})
	s.same("requests when off", w.take(), nil)
	s.same("a type when off", s.files(3), []string{"3/3.pdf application/pdf"})
}

func TestProbeOff(t *testing.T) {
	s, w := newProbeScene(t, nil, withFile(1), described(2, nil, "https://doi.org/10.5555/2"))
	s.r.Settings.Probe = false
	s.wants(s.run(harvest.Options{}), store.Complete, 2)
	s.same("requests", w.take(), nil)
	s.same("files", s.files(1), []string{"1/1.pdf application/pdf"})
}

// A server that refuses, or fails, is left alone until the next run, and what
// it said is no reason to drop anything.
func TestProbeStops(t *testing.T) {
	for name, refusal := range map[string]webAnswer{
		"forbidden":          {status: 403},
		"too many requests":  {status: 429, wait: "1"},
		"ill":                {status: 503},
		"pause of a day":     {status: 429, wait: "86400"},
		"not allowed at all": {status: 405},
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]webAnswer{"repo.example.org/1/1.pdf": refusal, "doi.org/10.5555/9": {status: 404}}
			if refusal.status == 405 { // and 403 to what is asked instead
				answers["repo.example.org/1/1.pdf"] = webAnswer{status: 403}
			}
			s, w := newProbeScene(t, answers, withFile(1), withFile(2), withFile(3), described(9, nil, "https://doi.org/10.5555/9"))
			s.wants(s.run(harvest.Options{}), store.Complete, 4)
			s.same("requests", w.take(), []string{"HEAD repo.example.org/1/1.pdf"})
			for n := range 3 {
				s.same("files", s.files(n+1), []string{fmt.Sprintf("%[1]d/%[1]d.pdf application/pdf", n+1)})
			}

			// The next run goes on with the next file.
			s.clock.Advance(48 * time.Hour)
			w.answers["repo.example.org/2/2.pdf"] = webAnswer{status: 200, mediaType: "image/png"}
			s.run(harvest.Options{})
			if asked := w.take(); len(asked) == 0 || asked[0] != "HEAD repo.example.org/2/2.pdf" || slices.Contains(asked, "HEAD repo.example.org/1/1.pdf") {
				t.Errorf("in the next run got %q asked, want the next files", asked)
			}
			s.same("files", s.files(2), []string{"2/2.pdf image/png"})
		})
	}
}

// A publisher who refuses does not keep the repository's own from being asked.
func TestProbeOfOtherHosts(t *testing.T) {
	answers := map[string]webAnswer{
		"doi.org/10.5555/1": {status: 302, location: "https://publisher.example/1"}, "publisher.example/1": {status: 403},
		"doi.org/10.5555/2": {status: 302, location: "https://publisher.example/2"}, "publisher.example/2": {status: 403},
		"repo.example.org/3/3.pdf": {status: 404},
	}
	s, w := newProbeScene(t, answers, described(1, nil, "https://doi.org/10.5555/1"), described(2, nil, "https://doi.org/10.5555/2"), withFile(3))
	s.wants(s.run(harvest.Options{}), store.Complete, 3)
	s.same("requests", w.take(), []string{"HEAD doi.org/10.5555/1", "HEAD publisher.example/1", "HEAD doi.org/10.5555/2", "HEAD repo.example.org/3/3.pdf", "GET repo.example.org/3/3.pdf"})
	s.same("the own file", s.files(3), nil)
	if got := s.object(identifier(2)).LandingPage; !got.Resolve {
		t.Errorf("got %+v, want the DOI still", got)
	}
	s.run(harvest.Options{})
	s.same("requests of the next run", w.take(), nil)
}

// A run asks for so many files and no more; the next ones go on.
func TestProbeIsBounded(t *testing.T) {
	const files, requests = 2500, 2000 - 1 // one is for the robots.txt
	all := []string{"https://repo.example.org/1/"}
	answers := map[string]webAnswer{}
	var records []oaitest.Record
	for n := range files / 50 {
		all = all[:0]
		all = append(all, fmt.Sprintf("https://repo.example.org/%d/", n+1))
		for f := range 50 {
			path := fmt.Sprintf("repo.example.org/%d/%d.pdf", n+1, f)
			all = append(all, "https://"+path)
			answers[path] = webAnswer{status: 200, mediaType: "image/png"}
		}
		r := described(1, nil, all...)
		r.Identifier = identifier(n + 1)
		records = append(records, r)
	}
	s, w := newProbeScene(t, answers, records...)
	s.wants(s.run(harvest.Options{}), store.Complete, files/50)
	first := w.take()
	s.run(harvest.Options{})
	second := w.take()
	s.run(harvest.Options{})
	if third := w.take(); len(first) != requests || len(second) != files-requests || len(third) != 0 {
		t.Errorf("got %d, %d and %d requests, want %d, %d and none", len(first), len(second), len(third), requests, files-requests)
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(append(first, second...))))); n != files {
		t.Errorf("got %d files asked about, want each of %d once", n, files)
	}
	if got := s.files(files / 50); len(got) != 50 || !strings.HasSuffix(got[49], "image/png") {
		t.Errorf("got files %q of the last object, want all asked about", got)
	}
}

// Two objects with the same file are both put right by one answer.
func TestProbeOfASharedFile(t *testing.T) {
	shared := "https://repo.example.org/1/2/shared.pdf"
	a := described(1, nil, "https://repo.example.org/1/", shared)
	b := described(2, nil, "https://repo.example.org/2/", shared)
	s, w := newProbeScene(t, map[string]webAnswer{"repo.example.org/1/2/shared.pdf": {status: 200, mediaType: "image/png"}}, a, b)
	s.run(harvest.Options{})
	s.run(harvest.Options{})
	s.same("requests", w.take(), []string{"HEAD repo.example.org/1/2/shared.pdf"})
	want := []string{"1/2/shared.pdf image/png"}
	s.same("the first object", s.files(1), want)
	s.same("the second object", s.files(2), want)
}

// A file inside this network is not asked for on behalf of a public repository.
func TestProbeKeepsOut(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an address inside this network was asked") }))
	defer inside.Close()
	r := described(1, nil, "https://repo.example.org/1/", "https://repo.example.org/1/1.pdf")
	s, _ := newProbeScene(t, map[string]webAnswer{"repo.example.org/1/1.pdf": {status: 302, location: inside.URL + "/1.pdf"}}, r)
	origin, err := url.Parse(s.r.OAIURL)
	if err != nil {
		t.Fatal(err)
	}
	// The repository is known by a public name.
	s.r.OAIURL = "https://oai.example.org/oai"
	files := s.r.Client.Transport.(elsewhere)
	s.r.Client.Transport = byHost{"oai.example.org": elsewhere{origin}, "": files}
	s.wants(s.run(harvest.Options{}), store.Complete, 1)
	if diff := cmp.Diff([]bridge.ContentResource{{URL: "https://repo.example.org/1/1.pdf", MediaType: "application/pdf"}}, s.object(identifier(1)).Items); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// byHost is a transport for each host; that of "" is for the others.
type byHost map[string]http.RoundTripper

func (b byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if t, ok := b[r.URL.Hostname()]; ok {
		return t.RoundTrip(r)
	}
	return b[""].RoundTrip(r)
}

// What a host's robots.txt forbids is not asked about, and that is kept and
// told. It is read once a run.
func TestProbeObeysRobots(t *testing.T) {
	answers := map[string]webAnswer{
		"repo.example.org/1/1.pdf": {status: 404}, "repo.example.org/2/2.pdf": {status: 404}, "repo.example.org/3/3.pdf": {status: 302, location: "https://cdn.example.org/3.pdf"},
	}
	s, w := newProbeScene(t, answers, withFile(1), withFile(2), withFile(3))
	w.robots = map[string]string{
		"repo.example.org": "User-agent: *\nDisallow: /\n\nUser-agent: fingerpost\nDisallow: /1/\n",
		"cdn.example.org":  "User-agent: *\nDisallow: /\n",
	}
	s.wants(s.run(harvest.Options{}), store.Complete, 3)
	s.same("asked", w.take(), []string{"HEAD repo.example.org/2/2.pdf", "GET repo.example.org/2/2.pdf", "HEAD repo.example.org/3/3.pdf"})
	s.same("asked for their rules", w.rules, []string{"repo.example.org", "cdn.example.org"})
	s.same("a file that is not to be asked about", s.files(1), []string{"1/1.pdf application/pdf"})
	s.same("one behind a redirect", s.files(3), []string{"3/3.pdf application/pdf"})
	urls := []string{"https://repo.example.org/1/1.pdf", "https://repo.example.org/3/3.pdf"}
	got, err := s.db.Probes(t.Context(), "main", urls)
	want := map[string]bridge.Probe{
		urls[0]: {Status: bridge.KeptOut, URL: urls[0]}, urls[1]: {Status: bridge.KeptOut, URL: "https://cdn.example.org/3.pdf"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("kept (-want +got), error %v:\n%s", err, diff)
	}

	// Rules change: they are read again after a week.
	delete(w.robots, "repo.example.org")
	s.clock.Advance(6 * 24 * time.Hour)
	s.run(harvest.Options{})
	s.same("after six days", w.take(), nil)
	s.clock.Advance(2 * 24 * time.Hour)
	s.run(harvest.Options{})
	s.same("after eight days", slices.Sorted(slices.Values(w.take())), []string{"GET repo.example.org/1/1.pdf", "HEAD repo.example.org/1/1.pdf", "HEAD repo.example.org/3/3.pdf"})
	s.same("a file that is missing", s.files(1), nil)
}

// A host that cannot say what it allows allows nothing. RFC 9309, 2.3.1.4.
func TestProbeOfAHostWithoutWord(t *testing.T) {
	s, w := newProbeScene(t, map[string]webAnswer{}, withFile(1), described(2, nil, "https://repo.example.org/2/", "https://files.example.org/2/2.pdf"), withFile(3))
	w.broken = map[string]int{"files.example.org": 503}
	s.run(harvest.Options{})
	if asked := strings.Join(w.take(), " "); strings.Contains(asked, "files.example.org") || !strings.Contains(asked, "HEAD repo.example.org/3/3.pdf") {
		t.Errorf("got %q asked, want nothing of the host that is ill, and the other on", asked)
	}
	w.broken = map[string]int{"repo.example.org": 503}
	s.origin.Put(withFile(4))
	s.clock.Advance(24 * time.Hour)
	s.run(harvest.Options{Full: true})
	s.same("asked of the own host when it is ill", w.take(), nil)
	w.broken = nil
	s.clock.Advance(24 * time.Hour)
	s.run(harvest.Options{})
	s.same("asked of it when it is well", w.take(), []string{"HEAD repo.example.org/4/4.pdf", "GET repo.example.org/4/4.pdf"})
}

// A run reads the objects that have changed, not all that are kept.
func TestProbeReadsWhatHasChanged(t *testing.T) {
	s, w := newProbeScene(t, map[string]webAnswer{}, withFile(1), withFile(2))
	counted := &readStore{DB: s.db}
	s.h.Store = counted
	s.run(harvest.Options{})
	s.run(harvest.Options{}) // sees what the first has changed itself
	w.take()
	s.origin.Put(withFile(3))
	s.clock.Advance(24 * time.Hour)
	counted.read = 0
	s.run(harvest.Options{Full: true})
	s.same("asked", w.take(), []string{"HEAD repo.example.org/3/3.pdf", "GET repo.example.org/3/3.pdf"})
	s.run(harvest.Options{})
	if counted.read != 2 { // the new one, and once more since the answer changed it
		t.Errorf("%d objects were read to ask about one, want 2", counted.read)
	}
	counted.read = 0
	s.run(harvest.Options{})
	if counted.read != 0 {
		t.Errorf("%d objects were read although nothing has changed", counted.read)
	}
}

// readStore counts the objects that are read in their order.
type readStore struct {
	*store.DB
	read int
}

func (r *readStore) Changed(ctx context.Context, repository string, modified int64) iter.Seq2[store.Object, error] {
	return r.count(r.DB.Changed(ctx, repository, modified))
}

func (r *readStore) Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error] {
	return r.count(r.DB.Objects(ctx, repository, after))
}

func (r *readStore) count(all iter.Seq2[store.Object, error]) iter.Seq2[store.Object, error] {
	return func(yield func(store.Object, error) bool) {
		for o, err := range all {
			r.read++
			if !yield(o, err) {
				return
			}
		}
	}
}

// A file that two objects have, and that goes away, is gone from both.
func TestProbeOfASharedFileThatGoesAway(t *testing.T) {
	shared := "https://repo.example.org/1/2/shared.pdf"
	a := described(1, nil, "https://repo.example.org/1/", shared)
	b := described(2, nil, "https://repo.example.org/2/", shared)
	s, w := newProbeScene(t, map[string]webAnswer{"repo.example.org/1/2/shared.pdf": {status: 200, mediaType: "application/pdf"}}, a, b)
	s.run(harvest.Options{})
	s.same("the second object", s.files(2), []string{"1/2/shared.pdf application/pdf"})
	w.answers = nil
	s.clock.Advance(91 * 24 * time.Hour)
	s.run(harvest.Options{})
	s.same("the first object", s.files(1), nil)
	s.same("the second object", s.files(2), nil)
}

// refusing is a transport to which a port of a host is closed.
type refusing struct {
	http.RoundTripper
	host string
}

func (c refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == c.host {
		return nil, errors.New("connection refused")
	}
	return c.RoundTripper.RoundTrip(r)
}

// A file that cannot be reached is passed by, even on a host of the repository,
// and the log says so.
func TestProbePassesByWhatCannotBeReached(t *testing.T) {
	dead := described(1, nil, "https://repo.example.org/1/", "https://repo.example.org:8443/1/1.pdf")
	s, w := newProbeScene(t, nil, dead, withFile(2), withFile(3))
	s.r.Client.Transport = refusing{s.r.Client.Transport, "repo.example.org:8443"}
	s.r.Client.Retries = -1
	var log bytes.Buffer
	s.h.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.run(harvest.Options{})
	if asked := w.take(); !slices.Contains(asked, "HEAD repo.example.org/2/2.pdf") || !slices.Contains(asked, "HEAD repo.example.org/3/3.pdf") {
		t.Errorf("got %q asked, want the files behind the one that cannot be reached", asked)
	}
	if said := log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "site=repo.example.org:8443") {
		t.Errorf("the log says\n%s", said)
	}
	s.clock.Advance(time.Hour)
	s.run(harvest.Options{})
	s.same("asked in the next run", w.take(), nil)
}

func TestProbeKeepsItsPace(t *testing.T) {
	for _, configured := range []time.Duration{0, 100 * time.Millisecond} {
		s, w := newProbeScene(t, nil, withFile(1), withFile(2), withFile(3))
		s.r.Client.MinInterval = configured
		s.run(harvest.Options{})
		least, most := time.Duration(len(w.take()))*max(configured, 0), 10*time.Second
		if configured == 0 {
			least = 6 * time.Second // robots.txt, and HEAD and GET of three files
		}
		if took := s.clock.Now().Sub(start); took < least || took > most {
			t.Errorf("with a pace of %v it took %v, want %v to %v", configured, took, least, most)
		}
	}
}
