package harvest_test

import (
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

// nightSources is how many sources a simulated night has.
func nightSources() int {
	n, _ := strconv.Atoi(os.Getenv("FINGERPOST_NIGHT"))
	switch {
	case n > 0:
		return n
	case os.Getenv("FINGERPOST_CI") != "":
		return 3000
	}
	return 300
}

// nightHost counts the requests to a host.
type nightHost struct {
	mu      sync.Mutex
	now     int
	most    int              // at the same time
	visited map[string][]int // by source: the minutes of its visits
}

// night is many repositories, three on each host, which are addresses of this
// machine.
type night struct {
	*oaitest.Repository
	clock *oaitest.Clock
	hosts []nightHost
	port  string
}

func newNight(t *testing.T, clock *oaitest.Clock, n int) *night {
	t.Helper()
	o := &night{Repository: oaitest.New(oaitest.Options{Now: clock.Now}, records(1)...), clock: clock, hosts: make([]nightHost, n/3+1)}
	for i := range o.hosts {
		o.hosts[i].visited = map[string][]int{}
	}
	server := httptest.NewUnstartedServer(o)
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	_, o.port, _ = net.SplitHostPort(l.Addr().String())
	return o
}

func (o *night) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var a, b int
	_, _ = fmt.Sscanf(r.Host, "127.1.%d.%d", &a, &b)
	h := &o.hosts[a*250+b-1]
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	if r.FormValue("verb") == "Identify" {
		id, _, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
		h.visited[id] = append(h.visited[id], int(o.clock.Now().Sub(start)/time.Minute))
	}
	h.mu.Unlock()
	o.Repository.ServeHTTP(w, r)
	h.mu.Lock()
	h.now--
	h.mu.Unlock()
}

// job is that of a source: most are harvested once in the night, some each hour.
func (o *night) job(i int) harvest.Job {
	host := i / 3
	r := harvest.Repository{
		ID: nameOfSource(i), OAIURL: fmt.Sprintf("http://127.1.%d.%d:%s/%s/oai", host/250, host%250+1, o.port, nameOfSource(i)),
		Prefixes: []string{"oai_dc"}, HarvestedOnly: true, Client: oaipmh.Options{Clock: o.clock},
	}
	return harvest.Job{Repository: r, Schedule: nightly(i), Jitter: time.Minute}
}

func (o *night) jobs(n int) iter.Seq[harvest.Job] {
	return func(yield func(harvest.Job) bool) {
		for i := range n {
			if !yield(o.job(i)) {
				return
			}
		}
	}
}

func nameOfSource(i int) string { return fmt.Sprintf("source-%05d", i) }

// nightly is a schedule: each hour for every fiftieth source, else once a day
// between 3:00 and 6:00.
type nightly int

func (n nightly) Next(after time.Time) time.Time {
	if n%50 == 0 {
		return after.Truncate(time.Hour).Add(time.Hour)
	}
	at := start.Truncate(24 * time.Hour).Add(3*time.Hour + time.Duration(n)%180*time.Minute)
	for !at.After(after) {
		at = at.Add(24 * time.Hour)
	}
	return at
}

// In a night every source is asked as often as its schedule says, none is forgotten,
// and a host has one request at a time.
func TestANightOfManySources(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux answers at every address that begins with 127")
	}
	n := nightSources()
	clock := oaitest.NewClock(start)
	o := newNight(t, clock, n)
	db := openStore(t, clock)
	s := &harvest.Scheduler{Harvester: &harvest.Harvester{Store: db, Clock: clock, Log: quiet()}}
	s.Job = func(id string) (harvest.Job, bool) {
		i, err := strconv.Atoi(strings.TrimPrefix(id, "source-"))
		return o.job(i), err == nil
	}
	if err := s.Set(t.Context(), o.jobs(n)); err != nil {
		t.Fatal(err)
	}
	began := processor()
	const hours = 12
	for range hours * 60 {
		o.minute(t, s)
		clock.Advance(time.Minute)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	runs := 0
	for i := range n {
		h, id := &o.hosts[i/3], nameOfSource(i)
		visits := h.visited[id]
		runs += len(visits)
		var want []int
		want = append(want, 0) // a new source is harvested at once
		for at := nightly(i).Next(start); at.Before(start.Add(hours * time.Hour)); at = nightly(i).Next(at) {
			want = append(want, int(at.Sub(start)/time.Minute))
		}
		late := len(visits) != len(want)
		for k := 0; !late && k < len(want); k++ {
			late = visits[k] < want[k] || visits[k] > want[k]+2
		}
		if late || h.most > 1 {
			t.Errorf("%s was harvested in the minutes %v, want %v; its host had %d requests at a time", id, visits, want, h.most)
		}
	}
	t.Logf("%d sources, %d harvests, %.1f s of the processor, %d MiB in all from the system", n, runs, (processor() - began).Seconds(), memory.Sys>>20)
	totals, err := db.SourceTotals(t.Context())
	if err != nil || totals.Sources != n || totals.ByState[store.Complete] != n || totals.Unharvested > 0 {
		t.Errorf("at the end there are %+v, %v", totals, err)
	}
}

// minute does what is due in a minute.
func (o *night) minute(t *testing.T, s *harvest.Scheduler) {
	t.Helper()
	due, err := s.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hosts := make(chan string)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for host := range hosts {
				if _, err := s.Work(t.Context(), host); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, h := range due {
		if !h.Due.After(o.clock.Now()) {
			hosts <- h.Host
		}
	}
	close(hosts)
	workers.Wait()
}

// processor is the time that this process has used.
func processor() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
