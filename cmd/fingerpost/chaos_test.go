package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/postgres"
	"fingerpost/config"
)

// Sizes of the aggregator that TestChaos kills.
const (
	chaosHosts   = 8
	chaosSources = 40
	chaosRecords = 300 // of each source, three a page
	chaosWorkers = 3
	chaosWebs    = 2
)

// staleAfter is how long after a commit an answer may be older than that.
const staleAfter = 2 * time.Second

// calm is how long the database can be reached between two times when it cannot:
// after ten seconds without it, a web node answers from memory.
const calm = 3 * time.Second

// takenUp is how long it may take until everything is harvested, once nothing
// dies any more.
const takenUp = 3 * time.Minute

// TestChaos kills the processes of an aggregator while it harvests, PostgreSQL
// too, and cuts and stalls the network, at random moments of which
// FINGERPOST_CHAOS_SEED is the seed. What a worker that was killed had locked, it
// leaves locked for two minutes: the test ends that time after a second, unless
// FINGERPOST_CHAOS_LEASES=real.
func TestChaos(t *testing.T) {
	if !pgtest.Installed() && os.Getenv("FINGERPOST_CI") == "" {
		t.Skip(pgtest.NotInstalled)
	}
	seed, err := strconv.ParseUint(os.Getenv("FINGERPOST_CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("FINGERPOST_CHAOS_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	a := newAggregator(t)
	stop := a.observe()
	moments := []func(*rand.Rand){a.killWorker, a.killWorker, a.killWorker, a.killWeb, a.killWeb, a.killDatabase, a.killDatabase, a.cut, a.cut, a.stall, a.stall}
	random.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
	for _, happens := range moments {
		a.wait(time.Duration(200+random.IntN(1500)) * time.Millisecond)
		happens(random)
	}
	a.harvested()
	stop()
	for i, h := range a.hosts {
		if n := h.most.Load(); n != 1 {
			t.Errorf("host %d was sent %d requests at once, want one at a time", i, n)
		}
	}
	a.compare()
	a.sameBytes()
}

// aggregator is workers and web nodes of one database behind a network.
type aggregator struct {
	*testing.T
	begun   time.Time
	hosts   []*busyHost
	server  *pgtest.Server
	address string // of the database, without the network
	db      *store.DB
	lan     *lan
	folder  string

	workers []*process
	mu      sync.Mutex
	webs    []*process
	sites   []string // their addresses
}

func newAggregator(t *testing.T) *aggregator {
	t.Helper()
	a := &aggregator{T: t, begun: time.Now(), folder: t.TempDir(), hosts: newBusyHosts(t, chaosHosts, chaosSources)}
	var err error
	if a.server, err = pgtest.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.server.Close)
	a.address = a.server.Database(t)
	if a.db, err = postgres.Open(t.Context(), a.address, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.db.Close() })
	a.lan = newLAN(t, a.server.Socket())
	u, err := url.Parse(a.address)
	if err != nil {
		t.Fatal(err)
	}
	a.configure(fmt.Sprintf("postgres://test@%s%s?sslmode=disable", a.lan.Addr(), u.Path))
	for range chaosWorkers {
		a.workers = append(a.workers, a.start("work"))
	}
	for range chaosWebs {
		p := a.start("serve", "--web-only", "--listen", "127.0.0.1:0")
		a.webs, a.sites = append(a.webs, p), append(a.sites, a.site(p))
	}
	return a
}

func (a *aggregator) file() string { return filepath.Join(a.folder, "fingerpost.yaml") }

// configure writes the configuration.
func (a *aggregator) configure(database string) {
	var b strings.Builder
	fmt.Fprintf(&b, "public_url: http://links.example.org\ndatabase: %s\nworkers: 3\nrepositories:\n", database)
	for i := range chaosSources {
		fmt.Fprintf(&b, "  - {id: s%d, oai_url: '%s', formats: [oai_dc], politeness: {min_interval: 0s}}\n", i, sourceURL(a.hosts, i))
	}
	fmt.Fprintf(&b, "  - {id: news, oai_url: '%s', schedule: never}\n", sourceURL(a.hosts, 0))
	if err := os.WriteFile(a.file(), []byte(b.String()), 0o600); err != nil {
		a.Fatal(err)
	}
}

// start starts a process with a data folder of its own.
func (a *aggregator) start(args ...string) *process {
	args = append(args, "--config", a.file(), "--data", a.TempDir(), "--log-format", "json")
	p := &process{Cmd: exec.Command("fingerpost", args...), wrote: make(chan struct{}, 1)}
	p.stdout.wrote, p.stderr.wrote = p.wrote, p.wrote
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := p.Start(); err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() {
		if p.ProcessState == nil {
			a.kill(p)
		}
		if a.Failed() {
			a.Logf("%s, process %d:\n%s", args[0], p.Process.Pid, p.stderr.String())
		}
	})
	return p
}

func (a *aggregator) kill(p *process) {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// site waits until a web node listens, and returns its address.
func (a *aggregator) site(p *process) (address string) {
	if err := p.says(func() error {
		for text := range strings.Lines(p.stderr.String()) {
			var line struct{ Msg, Address string }
			if json.Unmarshal([]byte(text), &line) == nil && line.Msg == "serve: listening" {
				address = "http://" + line.Address
				return nil
			}
		}
		return fmt.Errorf("it does not listen:\n%s", p.stderr.String())
	}); err != nil {
		a.Fatal(err)
	}
	return address
}

func (a *aggregator) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-a.Context().Done():
	}
}

func (a *aggregator) happened(format string, args ...any) {
	a.Logf("%5.1f s: %s", time.Since(a.begun).Seconds(), fmt.Sprintf(format, args...))
}

// killWorker kills a worker. Another is started in its place.
func (a *aggregator) killWorker(random *rand.Rand) {
	i := random.IntN(len(a.workers))
	a.happened("kill -9 of worker %d", i)
	a.kill(a.workers[i])
	if os.Getenv("FINGERPOST_CHAOS_LEASES") != "real" {
		a.wait(time.Second) // until the requests that it had sent have ended
		a.forget(a.workers[i].Process.Pid)
	}
	a.workers[i] = a.start("work")
}

// forget does at once what happens two minutes after a worker has died: its locks
// end, and River gives its jobs to others.
func (a *aggregator) forget(pid int) {
	own := fmt.Sprintf(`owner LIKE 'process %d on %%' AND lease IS NOT NULL`, pid)
	pgtest.SQL(a, a.address, `UPDATE fingerpost_river.river_job SET state = 'available', scheduled_at = now()
		WHERE state = 'running' AND '.host.' || (args->>'host') IN (SELECT name FROM fingerpost.repositories WHERE `+own+`)`)
	pgtest.SQL(a, a.address, `UPDATE fingerpost.repositories SET lease = now() - interval '1 second' WHERE `+own)
}

func (a *aggregator) killWeb(random *rand.Rand) {
	i := random.IntN(len(a.webs))
	a.happened("kill -9 of web node %d", i)
	a.kill(a.webs[i])
	a.webs[i] = a.start("serve", "--web-only", "--listen", "127.0.0.1:0")
	address := a.site(a.webs[i])
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sites[i] = address
}

func (a *aggregator) killDatabase(random *rand.Rand) {
	a.happened("kill -9 of PostgreSQL")
	if err := a.server.Kill(); err != nil {
		a.Fatal(err)
	}
	a.wait(time.Duration(random.IntN(2000)) * time.Millisecond)
	if err := a.server.Up(); err != nil {
		a.Fatal(err)
	}
	a.happened("PostgreSQL is up")
	a.wait(calm)
}

func (a *aggregator) cut(*rand.Rand) {
	a.happened("all connections are cut")
	a.lan.cut()
}

func (a *aggregator) stall(random *rand.Rand) {
	d := time.Duration(500+random.IntN(2500)) * time.Millisecond
	a.happened("the network stalls for %v", d)
	heal := a.lan.stall()
	a.wait(d)
	heal()
	a.wait(calm)
}

// observe saves new states of an object, and asks all web nodes for it, until it
// is stopped.
func (a *aggregator) observe() (stop func()) {
	ctx, cancel := context.WithCancel(a.Context())
	news := new(news)
	var all sync.WaitGroup
	all.Go(func() { a.report(ctx, news) })
	for i := range chaosWebs {
		all.Go(func() { a.read(ctx, news, i) })
	}
	return func() {
		cancel()
		all.Wait()
		a.Logf("%d states of an object, %d answers", len(news.saved), news.answers)
		if len(news.saved) < 20 || news.answers < 20 {
			a.Errorf("%d states were saved and %d answers given, which is too few to show anything", len(news.saved), news.answers)
		}
	}
}

// news is when the states of an object were saved.
type news struct {
	mu      sync.Mutex
	saved   []time.Time
	answers int
}

// due is the state that an answer to a request of this moment must have reached.
func (n *news) due() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, _ := slices.BinarySearchFunc(n.saved, time.Now().Add(-staleAfter), time.Time.Compare)
	return state
}

const newsIdentifier = "oai:news.example.org:1"

func (a *aggregator) report(ctx context.Context, n *news) {
	for state := 1; ctx.Err() == nil; state++ {
		o := store.Object{Identifier: newsIdentifier, Object: bridge.Object{
			LandingPage: bridge.LandingPage{URL: "https://news.example.org/1"}, CiteAs: fmt.Sprintf("https://doi.org/10.5072/state.%d.", state),
		}}
		if err := a.db.Save(ctx, "news", store.Batch{Objects: []store.Object{o}}); err != nil {
			if ctx.Err() == nil {
				a.Errorf("save state %d: %v", state, err)
			}
			return
		}
		n.mu.Lock()
		n.saved = append(n.saved, time.Now())
		n.mu.Unlock()
		a.wait(200 * time.Millisecond)
	}
}

func (a *aggregator) read(ctx context.Context, n *news, web int) {
	for ; ctx.Err() == nil; a.wait(50 * time.Millisecond) {
		a.mu.Lock()
		address := a.sites[web]
		a.mu.Unlock()
		due := n.due()
		body, err := download(ctx, address+"/news/"+store.KeyOf(newsIdentifier)+"/linkset.json")
		if err != nil || due == 0 {
			continue // it is dead, or cannot read the database
		}
		_, rest, _ := strings.Cut(string(body), "10.5072/state.")
		number, _, _ := strings.Cut(rest, ".")
		if state, err := strconv.Atoi(number); err != nil || state < due {
			a.Errorf("%.1f s: web node %d answers with state %q, want %d or newer", time.Since(a.begun).Seconds(), web, number, due)
		}
		n.mu.Lock()
		n.answers++
		n.mu.Unlock()
	}
}

func download(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", address, res.Status)
	}
	return body, err
}

// harvested waits until all sources are harvested.
func (a *aggregator) harvested() {
	for last := time.Now(); ; a.wait(200 * time.Millisecond) {
		var left []string
		for i := range chaosSources {
			if id := fmt.Sprint("s", i); !harvested(a.Context(), a.db, id) {
				left = append(left, id)
			}
		}
		if len(left) == 0 {
			a.happened("everything is harvested")
			return
		}
		if time.Since(last) > takenUp {
			a.Fatalf("%v after the last moment, these are not harvested: %v", takenUp, left)
		}
	}
}

// compare harvests each source again, in peace, and compares.
func (a *aggregator) compare() {
	for i := range chaosSources {
		h := a.hosts[i%chaosHosts]
		h.quick.Store(true)
		calm := publishAt(a.T, h, sourceURL(a.hosts, i), func(r *config.Repository) { r.Formats = []string{"oai_dc"} })
		want, got := contentsOf(a.T, calm.db, "main"), contentsOf(a.T, a.db, fmt.Sprint("s", i))
		if len(want.Records) != chaosRecords {
			a.Errorf("s%d: got %d records in peace, want %d", i, len(want.Records), chaosRecords)
		}
		if !reflect.DeepEqual(want, got) { // gocmp is slow with bytes
			a.Errorf("s%d (-in peace +in chaos):\n%.4000s", i, gocmp.Diff(want, got))
		}
	}
}

// contents is all that is stored of a source, but for when it was stored.
type contents struct {
	Records []store.Record
	Objects []store.Object
	Counts  store.Counts
}

func contentsOf(t *testing.T, db *store.DB, id string) (c contents) {
	t.Helper()
	list, err := db.ListRecords(t.Context(), id, store.List{Prefix: "oai_dc", Records: 10 * chaosRecords, Metadata: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list.Records {
		c.Records = append(c.Records, r.Record)
	}
	for o, err := range db.Objects(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		o.ID, o.Modified, o.Repository = 0, 0, ""
		c.Objects = append(c.Objects, o)
	}
	if c.Counts, err = db.Counts(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.Records, func(a, b store.Record) int { return strings.Compare(a.Identifier, b.Identifier) })
	slices.SortFunc(c.Objects, func(a, b store.Object) int { return strings.Compare(a.Identifier, b.Identifier) })
	return c
}

// sameBytes compares what the web nodes publish, once they have seen everything.
func (a *aggregator) sameBytes() {
	a.wait(staleAfter)
	for i := range chaosSources {
		path := fmt.Sprintf("/s%d/signmap-1.xml", i)
		var bodies [chaosWebs][]byte
		for web, address := range a.sites {
			var err error
			if bodies[web], err = download(a.Context(), address+path); err != nil {
				a.Error(err)
			}
		}
		if !bytes.Equal(bodies[0], bodies[1]) || len(bodies[0]) == 0 {
			a.Errorf("%s: the web nodes answer with different bytes", path)
		}
	}
}
