package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// The benchmarks of requests run over loopback, one connection, kept alive,
// asked by a client that does nothing but write the same bytes and read as
// many as came the first time. cpu-ns/op is user and system time of the whole
// process, that client included; it is what to compare with the bare handler,
// which answers the same from memory, header fields and body.
//
// Hot is an answer that is cached, cold one that is read from the store for
// each request. During a harvest 1000 pages are asked for in turn, and after
// each round a page of a list is saved and a second has gone by; saving is not
// counted.

func BenchmarkBareHandler(b *testing.B) {
	g := newGateway(b, nil)
	benchRequests(b, bareHandler(answerOf(g.Server, "/main/"+articleKey+"/linkset.json", "")), nil, requestOf("/"))
}

func bareHandler(status int, header http.Header, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
}

func BenchmarkLinkSetHot(b *testing.B) {
	g := newGateway(b, nil)
	g.Now = time.Now
	benchRequests(b, g.Server, nil, requestOf("/main/"+articleKey+"/linkset.json"))
}

func BenchmarkLinkSetCold(b *testing.B) {
	g := newGateway(b, nil)
	g.Now = time.Now
	g.noCache()
	benchRequests(b, g.Server, nil, requestOf("/main/"+articleKey+"/linkset.json"))
}

func BenchmarkLinkSetDuringHarvest(b *testing.B) {
	g := newGateway(b, nil)
	saveMany(b, g, 0, workingSet)
	var requests [][]byte
	for i := range workingSet {
		requests = append(requests, requestOf("/main/"+store.KeyOf(numberedIdentifier(i))+"/linkset.json"))
	}
	benchRequests(b, g.Server, g.harvestPage(b), requests...)
}

func BenchmarkBareLookup(b *testing.B) {
	g := newGateway(b, nil)
	benchRequests(b, bareHandler(answerOf(g.Server, "/links", articlePage)), nil, lookupOf(articlePage))
}

func BenchmarkLookupHot(b *testing.B) {
	g := newGateway(b, nil)
	g.Now = time.Now
	benchRequests(b, g.Server, nil, lookupOf(articlePage))
}

func BenchmarkLookupCold(b *testing.B) {
	g := newGateway(b, nil)
	g.Now = time.Now
	g.noCache()
	benchRequests(b, g.Server, nil, lookupOf(articlePage))
}

// What a thousand repositories cost each second in which nothing changes.
func BenchmarkManyRepositoriesUnchanged(b *testing.B) {
	g := newGateway(b, func(c *Config, _ *[]store.Option) {
		for i := range 1000 {
			c.Repositories = append(c.Repositories, Repository{ID: fmt.Sprint("r", i), OAIURL: oaiURL})
		}
	})
	for i := range 1000 {
		id := fmt.Sprint("r", i)
		if err := g.db.SaveRepository(b.Context(), store.Repository{ID: id, Formats: formats}); err != nil {
			b.Fatal(err)
		}
		if err := g.db.Save(b.Context(), id, store.Batch{Objects: []store.Object{{Identifier: id, Object: numbered(i)}}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		g.clock.pass()
		if _, err := g.repositories.current(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupUnknown(b *testing.B) {
	g := newGateway(b, nil)
	g.Now = time.Now
	benchRequests(b, g.Server, nil, lookupOf("https://repo.example.org/about"))
}

// benchRecords is FINGERPOST_BENCH_RECORDS.
func benchRecords(otherwise int) int {
	if asked, err := strconv.Atoi(os.Getenv("FINGERPOST_BENCH_RECORDS")); err == nil {
		return asked
	}
	return otherwise
}

// With another name of the host the store would be asked twice.
func BenchmarkLookupUnknownCold(b *testing.B) {
	g := newGateway(b, func(c *Config, _ *[]store.Option) { c.Repositories[0].Hosts = nil })
	g.Now = time.Now
	g.noCache()
	benchRequests(b, g.Server, nil, lookupOf("https://repo.example.org/about"))
}

// Every other page has no links.
func BenchmarkLookupDuringHarvest(b *testing.B) {
	g := newGateway(b, nil)
	saveMany(b, g, 0, workingSet)
	var requests [][]byte
	for i := range workingSet / 2 {
		requests = append(requests, lookupOf(numbered(i).LandingPage.URL), lookupOf(fmt.Sprint("https://repo.example.org/about/", i)))
	}
	benchRequests(b, g.Server, g.harvestPage(b), requests...)
}

// The memory that a process has at most while it serves: a fifth as many URLs as
// there are objects are looked up and link sets asked for, each once, and a
// Signmap page. FINGERPOST_BENCH_RECORDS is how many objects there are.
func BenchmarkServingMemory(b *testing.B) {
	n := benchRecords(20_000)
	g := newGateway(b, nil)
	saveMany(b, g, 0, n)
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak from now on: proc(5)
		b.Skip("the peak of memory is known on Linux alone: ", err)
	}
	g.renew(b)
	for b.Loop() {
		for i := 0; i < n; i += 5 {
			answerOf(g.Server, "/links", numbered(i).LandingPage.URL)
			answerOf(g.Server, "/links", fmt.Sprint("https://repo.example.org/about/", i))
			answerOf(g.Server, "/main/"+store.KeyOf(numberedIdentifier(i))+"/linkset.json", "")
		}
		answer, err := http.Get(g.server.URL + "/main/signmap-1.xml")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			b.Fatal(err)
		}
		answer.Body.Close()
	}
	b.ReportMetric(peakMemory(b)/(1<<20), "MiB")
}

// peakMemory is the most that was resident, in bytes.
func peakMemory(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kB, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kB * 1024
}

const (
	articlePage = "https://repo.example.org/record/1"
	workingSet  = 1000
)

var articleKey = store.KeyOf(identifierOf("article"))

// harvestPage returns what saves a page of new objects and lets a second go by.
func (g *gateway) harvestPage(b *testing.B) func() {
	next := workingSet
	return func() {
		saveMany(b, g, next, 100)
		next += 100
		g.clock.pass()
	}
}

func answerOf(h http.Handler, target, uri string) (int, http.Header, string) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, target, nil)
	if uri != "" {
		r.Header.Set("X-Fingerpost-URI", uri)
	}
	h.ServeHTTP(w, r)
	return w.Code, w.Header(), w.Body.String()
}

func requestOf(path string, header ...string) []byte {
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: links.example.org\r\nUser-Agent: bench\r\nAccept: */*\r\n")
	for _, line := range header {
		request = append(request, line+"\r\n"...)
	}
	return append(request, "\r\n"...)
}

func lookupOf(uri string) []byte { return requestOf("/links", "X-Fingerpost-URI: "+uri) }

// benchRequests sends the requests in turn. After each round it calls
// meanwhile, if there is one, whose time is not counted.
func benchRequests(b *testing.B, h http.Handler, meanwhile func(), requests ...[]byte) {
	b.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	answer := make([]byte, 64<<10)
	lengths := make([]int, len(requests))
	for i, request := range requests {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		lengths[i] = firstAnswer(b, conn, answer)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	for i := 0; b.Loop(); i++ {
		at := i % len(requests)
		if at == 0 && meanwhile != nil {
			b.StopTimer()
			begun := cpuTime(b)
			meanwhile()
			before += cpuTime(b) - begun
			b.StartTimer()
		}
		if _, err := conn.Write(requests[at]); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer[:lengths[at]]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// firstAnswer returns the length of the first answer, head and body.
func firstAnswer(b *testing.B, conn net.Conn, answer []byte) int {
	n, want := 0, -1
	for n != want {
		more, err := conn.Read(answer[n:])
		if err != nil {
			b.Fatal(err)
		}
		n += more
		head, _, complete := strings.Cut(string(answer[:n]), "\r\n\r\n")
		if !complete {
			continue
		}
		r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(head+"\r\n\r\n")), nil)
		if err != nil || r.StatusCode >= 300 {
			b.Fatalf("got %v, %v", r, err)
		}
		want = len(head) + len("\r\n\r\n") + int(max(0, r.ContentLength))
	}
	return n
}

// cpuTime is the user and system time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A page of the Signmap with 8 links an object, from the store into its two
// files, fsync included.
func BenchmarkSignmapPage(b *testing.B) {
	g := newGateway(b, wide)
	saveMany(b, g, 0, pageObjects-len(objects))
	page, repo := firstPage(b, g)
	if page.Objects != pageObjects-1 { // one is deleted
		b.Fatalf("got %d objects on the page, want %d", page.Objects, pageObjects-1)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		if err := g.signmaps.render(b.Context(), repo, page); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// The finished page, as it leaves by sendfile; to compare
// with http.ServeFile of the same file. The client reads all of it.
func BenchmarkSignmapServed(b *testing.B) {
	g := newGateway(b, wide)
	saveMany(b, g, 0, pageObjects-len(objects))
	g.clock.pass()
	g.ask(b, "GET", "/main/signmap.xml", nil)
	files, err := filepath.Glob(filepath.Join(g.PageFolder, "main", "signmap-1.*.xml"))
	if err != nil || len(files) != 1 {
		b.Fatalf("got %v, %v", files, err)
	}
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, files[0]) })
	for name, h := range map[string]http.Handler{"gateway": g.Server, "ServeFile": bare} {
		b.Run(name, func(b *testing.B) {
			server := httptest.NewServer(h)
			defer server.Close()
			before := cpuTime(b)
			for b.Loop() {
				r, err := http.NewRequestWithContext(b.Context(), "GET", server.URL+"/main/signmap.xml", nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Accept-Encoding", "identity")
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, answer.Body)
				if err != nil {
					b.Fatal(err)
				}
				answer.Body.Close()
				b.SetBytes(n)
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// pageObjects is how many objects a page of the Signmap has.
const pageObjects = 5000

// wide lets a page fill up to that number.
func wide(c *Config, options *[]store.Option) {
	c.Repositories[0].Describedby.OmitGetRecord = true
	*options = append(*options, store.SignmapLimits(store.Limits{Objects: pageObjects, Weight: 1 << 40, MaxWeight: 1 << 40}))
}

// noCache has every answer made from the store.
func (g *gateway) noCache() { g.cache.room = 0 }

// The CDIF list of FINGERPOST_BENCH_RECORDS objects, each with a record of 0.8 kB
// in Dublin Core: every page is rendered into its two files and read, one after
// the other. MiB is the most memory that the process has meanwhile.
func BenchmarkCDIFList(b *testing.B) {
	n := benchRecords(pageObjects)
	g := newGateway(b, nil)
	for from := 0; from < n; from += 1000 {
		g.saveRecords(b, from, min(1000, n-from))
	}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak from now on: proc(5)
		b.Skip("the peak of memory is known on Linux alone: ", err)
	}
	g.clock.pass()
	pages, _ := allPages(b, g)
	before, bytes := cpuTime(b), int64(0)
	for b.Loop() {
		bytes = 0
		for _, p := range pages {
			answer, err := http.Get(g.server.URL + "/main/cdif-" + strconv.Itoa(p.Number) + ".jsonld")
			if err != nil {
				b.Fatal(err)
			}
			read, err := io.Copy(io.Discard, answer.Body)
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Fatal(answer.Status, err)
			}
			answer.Body.Close()
			bytes += read
		}
		os.RemoveAll(filepath.Join(g.PageFolder, "main"))
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N*n), "cpu-ns/object")
	b.ReportMetric(float64(bytes)/float64(n), "B/object")
	b.ReportMetric(peakMemory(b)/(1<<20), "MiB")
}

// saveRecords saves numbered objects with records in Dublin Core.
func (g *gateway) saveRecords(b *testing.B, from, n int) {
	b.Helper()
	batch := store.Batch{Checkpoint: store.Checkpoint{Repository: "main", Prefix: "oai_dc"}}
	for i := from; i < from+n; i++ {
		o := store.Object{Repository: "main", Identifier: numberedIdentifier(i), Prefixes: []string{"oai_dc"}, Object: numbered(i)}
		o.Documents = bridge.Citation | bridge.CDIF
		metadata := fmt.Sprintf(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
			`<dc:title>Tides and salt, part %d</dc:title><dc:creator>Doe, Jane</dc:creator><dc:creator>Roe, Richard</dc:creator><dc:publisher>Press</dc:publisher>`+
			`<dc:date>2014</dc:date><dc:subject>tides</dc:subject><dc:description>%s</dc:description><dc:rights>CC BY 4.0</dc:rights></oai_dc:dc>`,
			i, strings.Repeat("What was measured at the coast. ", 12))
		batch.Objects = append(batch.Objects, o)
		batch.Records = append(batch.Records, store.Record{Identifier: o.Identifier, Prefix: "oai_dc", Datestamp: "2030-05-06T07:08:09Z", Metadata: []byte(metadata)})
	}
	if err := g.db.Save(context.WithoutCancel(b.Context()), "main", batch); err != nil {
		b.Fatal(err)
	}
}
