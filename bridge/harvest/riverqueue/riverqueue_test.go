package riverqueue

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/postgres"
	"fingerpost/oaipmh/oaitest"
)

var server *pgtest.Server

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, &server))
}

// wall is the clock on the wall.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

type never struct{}

// Next is so far away that only first harvests come.
func (never) Next(t time.Time) time.Time { return t.AddDate(1, 0, 0) }

// safe is a log that several goroutines write and read.
type safe struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *safe) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *safe) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// process is a process that works, as far as the database can tell.
type process struct {
	db   *store.DB
	log  *safe
	stop func()
}

// work begins a process that works on jobs until it is stopped.
func work(t *testing.T, address string, jobs ...harvest.Job) *process {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	q, err := Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	log := &safe{}
	s := &harvest.Scheduler{Harvester: &harvest.Harvester{Store: db, Clock: wall{}, Log: slog.New(slog.NewTextHandler(log, nil))}}
	s.Job = func(repository string) (harvest.Job, bool) {
		i := slices.IndexFunc(jobs, func(j harvest.Job) bool { return j.Repository.ID == repository })
		return jobs[max(i, 0)], i >= 0
	}
	if err := s.Set(t.Context(), slices.Values(jobs)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := q.Run(ctx, s, 4); err != nil {
			t.Error(err)
		}
	})
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			running.Wait()
			q.Close()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return &process{db, log, stop}
}

// host is a host with a repository, which counts the requests under way.
type host struct {
	*oaitest.Repository
	url         string
	delay       time.Duration
	asking, all atomic.Int32
	most        atomic.Int32
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := h.asking.Add(1)
	defer h.asking.Add(-1)
	h.all.Add(1)
	for most := h.most.Load(); n > most && !h.most.CompareAndSwap(most, n); most = h.most.Load() {
	}
	select {
	case <-time.After(h.delay):
	case <-r.Context().Done():
	}
	h.Repository.ServeHTTP(w, r)
}

// newHost serves at one of the addresses that are this machine.
func newHost(t *testing.T, n, records int) *host {
	t.Helper()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", n))
	if err != nil {
		t.Fatal(err)
	}
	h := &host{Repository: oaitest.Generated(records, oaitest.Options{PageSize: 10}), delay: 5 * time.Millisecond}
	s := httptest.NewUnstartedServer(h)
	_ = s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	h.url = s.URL + "/oai"
	return h
}

func job(id string, h *host) harvest.Job {
	return harvest.Job{Schedule: never{}, Repository: harvest.Repository{ID: id, OAIURL: h.url, Prefixes: []string{"oai_dc"}, HarvestedOnly: true}}
}

// until waits until something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

func (p *process) complete(n int) func() bool {
	return func() bool {
		totals, err := p.db.SourceTotals(context.Background())
		return err == nil && totals.ByState[store.Complete] == n
	}
}

func exec(t *testing.T, address, sql string, args ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, address, sql string) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Three processes share the sources of some hosts: each is harvested once, and a host
// is sent one request at a time.
func TestThreeProcessesShareTheWork(t *testing.T) {
	address := server.Database(t)
	var jobs []harvest.Job
	var hosts []*host
	for n := range 4 {
		h := newHost(t, 2+n, 30)
		hosts = append(hosts, h)
		for i := range 3 {
			jobs = append(jobs, job(fmt.Sprintf("source-%d-%d", n, i), h))
		}
	}
	all := []*process{work(t, address, jobs...), work(t, address, jobs...), work(t, address, jobs...)}
	until(t, "all sources are harvested", all[0].complete(len(jobs)))
	for _, j := range jobs {
		runs, err := all[0].db.Runs(t.Context(), j.Repository.ID, 10)
		if err != nil || len(runs) != 1 || runs[0].Records != 30 {
			t.Errorf("%s has the runs %+v, %v; want one of 30 records", j.Repository.ID, runs, err)
		}
	}
	for _, h := range hosts {
		if h.most.Load() != 1 {
			t.Errorf("%s was sent %d requests at a time", h.url, h.most.Load())
		}
	}
	for _, p := range all {
		p.stop()
	}
	if n := count(t, address, `SELECT count(*) FROM fingerpost_river.river_job WHERE kind = 'host' AND state <> 'completed' AND scheduled_at < now() + interval '1 minute'`); n > 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// A process that is stopped gives its hosts back at once, and another goes on.
func TestAStoppedProcessGivesItsHostsBack(t *testing.T) {
	address := server.Database(t)
	h := newHost(t, 2, 200)
	h.delay = 100 * time.Millisecond
	first := work(t, address, job("long", h))
	until(t, "the harvest is under way", func() bool { return h.all.Load() > 5 })
	began := time.Now()
	first.stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	if n := count(t, address, `SELECT count(*) FROM fingerpost_river.river_job WHERE kind = 'host' AND state = 'available'`); n != 1 {
		t.Errorf("%d jobs are available, want that of the host", n)
	}
	h.delay = time.Millisecond
	second := work(t, address, job("long", h))
	until(t, "another goes on", second.complete(1))
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("another went on after %s", took)
	}
}

// killed leaves what a process leaves that was killed while it worked a host, some
// time ago: a job that runs, and the host's lock.
func killed(t *testing.T, address, host, ago, leaseLeft string) {
	t.Helper()
	q, err := Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	db, err := postgres.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Lock(t.Context(), ".host."+host); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	client, err := q.insertOnly()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Insert(t.Context(), hostArgs{host}, nil); err != nil {
		t.Fatal(err)
	}
	exec(t, address, `UPDATE fingerpost_river.river_job SET state = 'running', attempt = 1, attempted_at = now() - $1::text::interval`, ago)
	exec(t, address, `UPDATE fingerpost.repositories SET lease = clock_timestamp() + $1::text::interval WHERE lease IS NOT NULL`, leaseLeft)
}

func (q *Queue) insertOnly() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(q.pool), &river.Config{Schema: schema})
}

// The host of a process that was killed is worked by another, once its lock is over,
// and not before.
func TestAHostOfAKilledProcessIsTakenUp(t *testing.T) {
	for _, tt := range []struct {
		ago, lease string
		least      time.Duration
	}{{"100 seconds", "-1 second", 0}, {"100 seconds", "12 seconds", 11 * time.Second}} {
		address := server.Database(t)
		h := newHost(t, 2, 10)
		killed(t, address, "127.0.0.2", tt.ago, tt.lease)
		began := time.Now()
		p := work(t, address, job("main", h))
		until(t, "it is harvested", func() bool { return h.all.Load() > 0 })
		if took := time.Since(began); took < tt.least {
			t.Errorf("lease %s: the host was asked after %s, while it was locked", tt.lease, took)
		}
		until(t, "it is harvested", p.complete(1))
		p.stop()
		if p.log.has("was not found out") || count(t, address, `SELECT count(*) FROM fingerpost_river.river_job WHERE kind = 'host'`) != 1 {
			t.Error("a plan failed, or put a host into the queue that was there")
		}
	}
}

// What River is told must take up the hosts of a killed process within three minutes:
// it looks each 30 s for jobs to rescue, each 5 s for those to be tried again, and a
// new leader comes within 15 s. The lock of the host ends two minutes after its
// owner's last sign of life, and is looked at each 10 s.
func TestTheSettingsOfRiver(t *testing.T) {
	q := &Queue{}
	c := q.config(t.Context(), &harvest.Scheduler{Harvester: &harvest.Harvester{}}, 7)
	rescued := c.RescueStuckJobsAfter + 30*time.Second + time.Second + 5*time.Second + 15*time.Second
	if lease := 2*time.Minute + 10*time.Second; max(rescued, lease)+15*time.Second > 3*time.Minute {
		t.Errorf("a host is taken up after %s", max(rescued, lease))
	}
	if c.JobTimeout <= 0 || c.JobTimeout > c.RescueStuckJobsAfter {
		t.Errorf("jobs end after %s: River rescues none that has no end", c.JobTimeout)
	}
	if slices.Contains((hostArgs{}).InsertOpts().UniqueOpts.ByState, rivertype.JobStateCompleted) {
		t.Error("a host that was worked could not be worked again")
	}
	if c.Queues[river.QueueDefault].MaxWorkers != 7 || c.Schema != "fingerpost_river" {
		t.Errorf("the queues are %+v in %s", c.Queues, c.Schema)
	}
}

func TestAPlanThatFailsIsSeenInTheLog(t *testing.T) {
	address := server.Database(t)
	db, err := postgres.Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, address, `ALTER TABLE fingerpost.sources RENAME COLUMN due TO dew`)
	q, err := Open(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	log := &safe{}
	if db, err = postgres.Open(t.Context(), address, ""); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &harvest.Scheduler{Harvester: &harvest.Harvester{Store: db, Clock: wall{}, Log: slog.New(slog.NewTextHandler(log, nil))}}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := q.Run(ctx, s, 1); err != nil {
			t.Error(err)
		}
	})
	until(t, "the log says it", func() bool { return log.has("which sources are due was not found out") })
	cancel()
	running.Wait()
}
