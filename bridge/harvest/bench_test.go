package harvest_test

import (
	"bufio"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/beevik/etree"

	"fingerpost/bridge"
	"fingerpost/bridge/element"
	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
	"fingerpost/oaipmh/outbound"
)

// fakeVariable makes this test binary a repository of so many records, in a
// process of its own: what it costs is not the harvester's.
const fakeVariable = "FINGERPOST_FAKE_RECORDS"

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(fakeVariable)); err == nil {
		fake(n)
		return
	}
	os.Exit(m.Run())
}

// fake serves until its standard input ends.
func fake(n int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	delay, _ := time.ParseDuration(os.Getenv("FINGERPOST_FAKE_DELAY"))
	origin := oaitest.Generated(n, oaitest.Options{PageSize: 100})
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if delay > 0 {
			<-time.After(delay)
		}
		origin.ServeHTTP(w, r)
	}))
	fmt.Println(l.Addr())
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// startFake starts a repository of n records and returns its address.
func startFake(b *testing.B, n int, delay time.Duration) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", fakeVariable, n), "FINGERPOST_FAKE_DELAY="+delay.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address) + "/oai"
}

// size is how many records the benchmarks harvest: FINGERPOST_BENCH_RECORDS,
// or a few for a run of all benchmarks.
func size() int {
	if n, err := strconv.Atoi(os.Getenv("FINGERPOST_BENCH_RECORDS")); err == nil {
		return n
	}
	return 10_000
}

// BenchmarkBaseline is what the others are held against: asking for the pages
// and doing nothing with them ("drain", what the protocol allows), reading
// every record into a DOM besides ("etree"), and keeping it in a plain table
// with its links ("etree-kept"): what a harvester costs that is written down
// as it comes to mind. "scan-kept" is the same with our own reader: what is
// left then is the least that a harvester does.
func BenchmarkBaseline(b *testing.B) {
	b.Run("drain", func(b *testing.B) { baseline(b, 0, nil) })
	b.Run("drain-slow", func(b *testing.B) { baseline(b, 20*time.Millisecond, nil) })
	b.Run("etree", func(b *testing.B) {
		baseline(b, 0, func(r oaipmh.Record) error { return etree.NewDocument().ReadFromBytes(r.Metadata) })
	})
	b.Run("etree-kept", func(b *testing.B) { baseline(b, 0, keptPlainly(b, linksByDOM)) })
	b.Run("scan-kept", func(b *testing.B) { baseline(b, 0, keptPlainly(b, linksByScanner())) })
}

// linksByDOM reads a record into a DOM and takes from it what begins as a URL
// does, each behind the name of its element.
func linksByDOM(metadata []byte) (links []string, err error) {
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(metadata); err != nil {
		return nil, err
	}
	for _, e := range doc.Root().ChildElements() {
		if text := strings.TrimSpace(e.Text()); strings.HasPrefix(text, "http") {
			links = append(links, e.Tag, text)
		}
	}
	return links, nil
}

// linksByScanner does the same as linksByDOM.
func linksByScanner() func(metadata []byte) ([]string, error) {
	var parser element.Parser
	return func(metadata []byte) (links []string, err error) {
		root, err := parser.Parse(metadata)
		if err != nil {
			return nil, err
		}
		for e := range root.Children() {
			if text := e.Text(); strings.HasPrefix(text, "http") {
				links = append(links, e.Local(), text)
			}
		}
		return links, nil
	}
}

// keptPlainly takes the links from a record, and keeps both in SQLite with one
// prepared statement, 1,000 records a transaction.
func keptPlainly(b *testing.B, links func(metadata []byte) ([]string, error)) func(oaipmh.Record) error {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(b.TempDir(), "plain.db")+"?_journal_mode=WAL&_synchronous=NORMAL")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE records (identifier TEXT UNIQUE, modified INTEGER, hash BLOB, raw BLOB, links TEXT);
		CREATE INDEX records_by_modified ON records (modified)`); err != nil {
		b.Fatal(err)
	}
	var tx *sql.Tx
	var insert *sql.Stmt
	kept := 0
	return func(r oaipmh.Record) (err error) {
		if kept%1000 == 0 {
			if tx, err = db.Begin(); err != nil {
				return err
			}
			if insert, err = tx.Prepare(`INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)`); err != nil {
				return err
			}
		}
		found, err := links(r.Metadata)
		if err != nil {
			return err
		}
		of := sha256.Sum256(r.Metadata)
		if _, err = insert.Exec(r.Identifier, kept, of[:], r.Metadata, strings.Join(found, " ")); err != nil {
			return err
		}
		if kept++; kept%1000 == 0 {
			return tx.Commit()
		}
		return nil
	}
}

func baseline(b *testing.B, delay time.Duration, each func(oaipmh.Record) error) {
	n := size()
	address := startFake(b, n, delay)
	for b.Loop() {
		cpu, wall, read := cpuTime(), time.Now(), 0
		for token := ""; ; {
			body := get(b, address, token)
			page, err := oaipmh.ReadPage(body, "text/xml")
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range page.Records {
				read++
				if each == nil {
					continue
				}
				if err := each(r); err != nil {
					b.Fatal(err)
				}
			}
			if token = page.Token.Value; token == "" {
				break
			}
		}
		if read != n {
			b.Fatalf("%d records came, want %d", read, n)
		}
		b.ReportMetric(float64(n)/(cpuTime()-cpu).Seconds(), "records/cpu-s")
		b.ReportMetric(float64(n)/time.Since(wall).Seconds(), "records/s")
	}
}

func get(b *testing.B, address, token string) []byte {
	query := "verb=ListRecords&metadataPrefix=oai_dc"
	if token != "" {
		query = "verb=ListRecords&resumptionToken=" + url.QueryEscape(token)
	}
	answer, err := http.Get(address + "?" + query)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// BenchmarkHarvest is a first harvest: everything is new, mapped, indexed, and
// kept raw. Of two formats, what comes in the second is mapped together with
// what is held in the first.
func BenchmarkHarvest(b *testing.B) {
	for _, prefixes := range [][]string{{"oai_dc"}, {"datacite"}, {"oai_dc", "datacite"}} {
		b.Run(strings.Join(prefixes, "+"), func(b *testing.B) { benchmark(b, prefixes, 0, false) })
	}
}

// BenchmarkHarvestAgain reads everything again and finds nothing changed.
func BenchmarkHarvestAgain(b *testing.B) { benchmark(b, []string{"oai_dc"}, 0, true) }

// BenchmarkHarvestSlow asks a repository that takes 20 ms for a page; the
// protocol lets nobody ask for two pages of a list at a time.
func BenchmarkHarvestSlow(b *testing.B) { benchmark(b, []string{"oai_dc"}, 20*time.Millisecond, false) }

func benchmark(b *testing.B, prefixes []string, delay time.Duration, again bool) {
	n := size()
	address := startFake(b, n, delay)
	for b.Loop() {
		b.StopTimer()
		clock := oaitest.NewClock(start)
		db := openStore(b, clock)
		h := &harvest.Harvester{Store: db, Clock: outbound.WallClock(), Log: quiet()}
		r := harvest.Repository{ID: "main", OAIURL: address, Prefixes: prefixes, Settings: bridge.Settings{Hosts: []string{"repository.example.org"}}}
		if again {
			mustHarvest(b, h, r, n)
		}
		cpu, wall := cpuTime(), time.Now()
		b.StartTimer()
		mustHarvest(b, h, r, n)
		read := float64(n * len(prefixes))
		b.ReportMetric(read/(cpuTime()-cpu).Seconds(), "records/cpu-s")
		b.ReportMetric(read/time.Since(wall).Seconds(), "records/s")
	}
	b.ReportMetric(peakMiB(), "peak-MiB")
}

func mustHarvest(b *testing.B, h *harvest.Harvester, r harvest.Repository, n int) {
	b.Helper()
	runs, err := h.Run(b.Context(), r, harvest.Options{Full: true})
	if err != nil || len(runs) != len(r.Prefixes) {
		b.Fatalf("the harvest ended with %+v, %v", runs, err)
	}
	for _, run := range runs {
		if run.State != store.Complete || run.Records != n || run.Quarantined > 0 {
			b.Fatalf("a run ended with %+v", run)
		}
	}
}

// cpuTime is what this process has used, user and system.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func peakMiB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}
