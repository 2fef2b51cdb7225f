package dashboard

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fingerpost/bridge/store"
)

func TestMoment(t *testing.T) {
	k := newDesk(t)
	k.run(t, store.Run{
		Prefix: "oai_dc", State: store.Running, Records: 1000, New: 900, Changed: 40, Unchanged: 50, Deleted: 7, Quarantined: 3,
		Pages: 10, Requests: 12, Started: noon.Add(-50 * time.Second), Size: 4150, Read: 1500,
	})
	page := k.page(t, "/repository/main")
	has(t, page, "A run is under way: oai_dc", "36.1 %", "Records | 1,500 of about 4,150, 20 a second", "Page | 10 of about 37",
		"Going on for | 50 s, about 2 min 12 s left", "So far | 900 new, 40 changed, 50 unchanged, 7 deleted, 3 quarantined")
	_, body := k.ask(t, http.MethodGet, "/repository/main")
	for _, want := range []string{
		`<noscript><meta http-equiv="refresh" content="10"></noscript>`, `<progress max="4150" value="1500" aria-label="Records read">36.1 %</progress>`,
		`<section class="busy" data-live="/repository/main/events?seen=1-running">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("want %s in\n%s", want, body)
		}
	}
	// A repository need not say how long its list is.
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, Records: 100, Pages: 1, Read: 100, Started: noon.Add(-10 * time.Second)})
	has(t, k.page(t, "/repository/main"), "Records | 100, 10 a second", "Page | 1", "Going on for | 10 s")
	k.source(t, store.Source{Repository: "main", Why: "pause", Due: noon.Add(time.Minute)})
	has(t, k.page(t, "/repository/main"), "Paused until 2 Jan 2031 12:01 UTC, as the repository asked: oai_dc")
}

// oneRun is a store with one run of one repository.
type oneRun struct {
	Store
	mu   sync.Mutex
	run  store.Run
	read int // how often
	fail error
}

func (s *oneRun) Source(context.Context, string) (store.Source, error) { return store.Source{}, nil }

func (s *oneRun) Runs(context.Context, string, int) ([]store.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read++
	return []store.Run{s.run}, s.fail
}

func (s *oneRun) set(r store.Run, fail error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.fail = r, fail
}

// stream is an answer that is read while it is written.
type stream struct {
	mu     sync.Mutex
	header http.Header
	status int
	text   strings.Builder
}

func (s *stream) Header() http.Header { return s.header }
func (s *stream) Flush()              {}

func (s *stream) WriteHeader(status int) { s.status = status }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// take returns the events since it was last called: the name of each, and its data.
func (s *stream) take() (names []string, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(s.text.String()) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
		data += line
	}
	s.text.Reset()
	return names, data
}

// follow is a browser that follows the run of main until the context ends.
func follow(ctx context.Context, d *Dashboard) (s *stream, ended <-chan struct{}) {
	s = &stream{header: http.Header{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.ServeHTTP(s, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/repository/main/events", nil))
	}()
	return s, done
}

func boardOf(r Store) *Dashboard {
	return New(Config{Repository: func(id string) (Repository, bool) { return Repository{ID: id}, true }}, r)
}

// A browser hears what is new within a second, and now and then that nothing is. The
// store is read once a second, however many listen.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &oneRun{run: store.Run{ID: 1, Prefix: "oai_dc", State: store.Running, Started: time.Now(), Records: 10, Read: 10}}
		d := boardOf(db)
		defer d.Close()
		ctx, leave := context.WithCancel(t.Context())
		s, ended := follow(ctx, d)
		for range 4 {
			follow(t.Context(), d)
		}
		synctest.Wait()
		if names, data := s.take(); len(names) != 1 || names[0] != "run" || !strings.Contains(data, "data: <dt>Records</dt><dd>10,") {
			t.Errorf("at once: got %q %s", names, data)
		}
		if got := s.header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("got the media type %s", got)
		}
		db.set(store.Run{ID: 1, Repository: "main", Prefix: "oai_dc", State: store.Complete, Started: time.Now(), Finished: time.Now().Add(time.Second), Records: 20}, nil)
		time.Sleep(1500 * time.Millisecond)
		if names, data := s.take(); len(names) != 1 || !strings.Contains(data, "ended <strong>complete</strong>") || !strings.Contains(data, `<a href="/repository/main">`) {
			t.Errorf("when it has ended: got %q %s", names, data)
		}
		time.Sleep(30 * time.Second)
		if names, _ := s.take(); len(names) < 2 || names[0] != "still" {
			t.Errorf("when nothing is new: got %q", names)
		}
		if most := 35; db.read > most {
			t.Errorf("the store was read %d times in 32 seconds, want %d at most", db.read, most)
		}
		leave()
		<-ended
		if len(d.events.room) != 4 {
			t.Errorf("got %d listeners, want 4", len(d.events.room))
		}
	})
}

// A browser that hears nothing says so: an error of the store is no news.
func TestEventsEndWhenTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &oneRun{fail: context.DeadlineExceeded}
		d := boardOf(db)
		defer d.Close()
		s, ended := follow(t.Context(), d)
		<-ended
		if names, _ := s.take(); len(names) != 0 {
			t.Errorf("got %q", names)
		}
	})
}

// A run whose process has died is seen to stand still.
func TestEventsOfARunThatStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := boardOf(&oneRun{run: store.Run{ID: 1, Prefix: "oai_dc", State: store.Running, Started: time.Now()}})
		defer d.Close()
		s, _ := follow(t.Context(), d)
		time.Sleep(3 * time.Minute)
		if _, data := s.take(); !strings.Contains(data, "Nothing was saved for 2 min 0 s") {
			t.Errorf("got %s", data)
		}
	})
}

func TestEventsAreBoundedAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := boardOf(&oneRun{run: store.Run{ID: 1}})
		var all []<-chan struct{}
		for range listeners {
			_, ended := follow(t.Context(), d)
			all = append(all, ended)
		}
		synctest.Wait()
		one, ended := follow(t.Context(), d)
		if <-ended; one.status != http.StatusServiceUnavailable {
			t.Errorf("one listener too many: got status %d, want 503", one.status)
		}
		d.Close() // the server stops, and waits for its answers
		for _, ended := range all {
			<-ended
		}
	})
}

// Over HTTP, from the store: what another process saves is heard, for longer than a
// request may take to come in.
func TestEventsOverHTTP(t *testing.T) {
	k := newDesk(t)
	server := httptest.NewUnstartedServer(k.Dashboard)
	server.Config.ReadTimeout = beat / 2
	server.Start()
	t.Cleanup(server.Close)
	r := k.run(t, store.Run{Prefix: "oai_dc", State: store.Running, Records: 10, Read: 10})
	answer, err := http.Get(server.URL + "/repository/main/events")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	until := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("the answer ended before %q: %v", want, lines.Err())
	}
	until("<dd>10,")
	r.Read, r.Records = 20, 20
	k.mu.Lock()
	k.now = k.now.Add(2 * beat)
	k.mu.Unlock()
	k.run(t, r)
	until("<dd>20,")
	k.Close()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("at the end: %v", err)
	}
}
