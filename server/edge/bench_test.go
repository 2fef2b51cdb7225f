package edge

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkEdge asks servers in front of the same origin for a page of 30 kB,
// over loopback, on sixteen kept connections for each processor. Each runs in
// a process of its own, whose user and system time is cpu-ns/op: compare the
// rows of one run. The gateway that nginx asks is not in it: that is
// BenchmarkLookupHot of package server.
//
//	go test -run '^$' -bench Edge -benchtime 20000x -count 5 ./server/edge
func BenchmarkEdge(b *testing.B) {
	for _, row := range []struct {
		name string
		path string
		run  func(b *testing.B, at place) (pid int)
	}{
		{"plain ReverseProxy", landing, benchChild("plain")},
		{"proxy, page without links", aboutPage, benchChild("links")},
		{"proxy, links", landing, benchChild("links")},
		{"proxy, links in HTML", landing, benchChild("html")},
		{"proxy, links and JSON-LD in HTML", landing, benchChild("jsonld")},
		{"nginx proxy_pass", landing, benchServer("nginx", LookupMode, false)},
		{"nginx lookup", landing, benchServer("nginx", LookupMode, true)},
		{"HAProxy", landing, benchServer("haproxy", MapMode, false)},
		{"HAProxy map", landing, benchServer("haproxy", MapMode, true)},
	} {
		b.Run(row.name, func(b *testing.B) {
			at := place{dir: readableDir(b), address: freeAddress(b), origin: start(b, benchOrigin()).Listener.Addr().String()}
			pid := row.run(b, at)
			benchRequests(b, at.address, row.path, pid)
		})
	}
}

// benchPage is a page of 30 kB.
var benchPage = []byte(strings.Replace(legacyPage, "A landing page.", strings.Repeat("A landing page. ", 30<<10/16), 1))

func benchOrigin() http.Handler {
	length := strconv.Itoa(len(benchPage))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", length)
		h.Set("Etag", `"v1"`)
		h.Set("Last-Modified", "Sun, 01 Mar 2009 12:00:00 GMT")
		h.Set("Cache-Control", "max-age=60")
		_, _ = w.Write(benchPage)
	})
}

// benchKind names, in the environment, the proxy that this program is to be
// instead of running tests.
const benchKind = "FINGERPOST_EDGE_BENCH"

func TestMain(m *testing.M) {
	if kind := os.Getenv(benchKind); kind != "" {
		err := http.ListenAndServe(os.Args[1], benchProxy(kind, os.Args[2]))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func benchProxy(kind, origin string) http.Handler {
	u := mustParse("http://" + origin)
	if kind == "plain" { // with the same transport and buffers
		return &httputil.ReverseProxy{
			Transport: newTransport(time.Minute, time.Minute), BufferPool: new(buffers),
			Rewrite: func(pr *httputil.ProxyRequest) {
				pr.SetURL(u)
				pr.SetXForwarded()
				pr.Out.Host = pr.In.Host
			},
		}
	}
	links := known()
	c := Config{Origin: u, Public: mustParse(public), HTML: kind != "links", Tally: NewTraffic().Of("main")}
	if kind == "jsonld" {
		d := theirs()
		d.JSON = bytes.Repeat(d.JSON, 1700/len(d.JSON)) // as long as most are
		describing(d)(&c)
	}
	p, err := New(c, lookupIn(links))
	if err != nil {
		panic(err)
	}
	return p
}

func benchChild(kind string) func(*testing.B, place) int {
	return func(b *testing.B, at place) int {
		b.Setenv(benchKind, kind)
		return run(b, at, []string{os.Args[0], at.address, at.origin})
	}
}

// benchServer is a web server with its snippet or, for comparison, without.
func benchServer(name, mode string, snippet bool) func(*testing.B, place) int {
	return func(b *testing.B, at place) int {
		for _, f := range frontEnds {
			if f.name != name || f.mode != mode {
				continue
			}
			f.need(b)
			parts := []string{"", ""}
			if snippet {
				parts = f.parts(b, at, newLookupGateway(b).address)
			}
			return run(b, at, f.start(b, at, parts))
		}
		b.Fatalf("no %s", name)
		return 0
	}
}

func benchRequests(b *testing.B, address, path string, pid int) {
	b.Helper()
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: repo.example.edu\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")
	b.SetParallelism(16)
	before := cpuTime(b, pid)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answer, n := make([]byte, 128<<10), 0
		for pb.Next() {
			if _, err = conn.Write(request); err == nil && n == 0 {
				n, err = firstAnswer(conn, answer)
			} else if err == nil {
				_, err = io.ReadFull(conn, answer[:n])
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(cpuTime(b, pid)-before)/float64(b.N), "cpu-ns/op")
}

// firstAnswer returns the length of an answer, head and body.
func firstAnswer(conn net.Conn, answer []byte) (int, error) {
	n, want := 0, -1
	for n != want {
		more, err := conn.Read(answer[n:])
		if err != nil {
			return n, err
		}
		n += more
		head, _, complete := strings.Cut(string(answer[:n]), "\r\n\r\n")
		if !complete {
			continue
		}
		_, rest, _ := strings.Cut(strings.ToLower(head), "content-length: ")
		length, _, _ := strings.Cut(rest, "\r\n")
		size, err := strconv.Atoi(length)
		if err != nil {
			return n, fmt.Errorf("an answer without length: %q", head)
		}
		want = len(head) + len("\r\n\r\n") + size
	}
	return n, nil
}

// cpuTime is the user and system time of a process. proc(5), /proc/pid/stat:
// the fields 14 and 15, in hundredths of a second.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("processes are not measured here: %v", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		b.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
