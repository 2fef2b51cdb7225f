package edge

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The benchmarks of the proxy ask over loopback, on kept connections, for a
// page of 30 kB that an origin in this process answers from memory. cpu-ns/op
// is user and system time of the whole process; that of BenchmarkOriginAlone
// is client and origin without a proxy, to be taken off before rows are
// compared: (proxy - origin alone) / (plain - origin alone).

const benchSize = 30 << 10

func benchOrigin() http.Handler {
	page := []byte(strings.Replace(legacyPage, "A landing page.", strings.Repeat("A landing page. ", (benchSize-len(legacyPage))/16), 1))
	length := strconv.Itoa(len(page))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", length)
		h.Set("Etag", `"v1"`)
		h.Set("Last-Modified", "Sun, 01 Mar 2009 12:00:00 GMT")
		h.Set("Cache-Control", "max-age=60")
		_, _ = w.Write(page)
	})
}

func BenchmarkOriginAlone(b *testing.B) {
	benchRequests(b, benchOrigin(), landing)
}

// A plain ReverseProxy with the same transport and buffers.
func BenchmarkPlainProxy(b *testing.B) {
	origin := start(b, benchOrigin())
	u := mustParse(origin.URL)
	plain := &httputil.ReverseProxy{
		Transport: newTransport(time.Minute), BufferPool: new(buffers),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(u)
			pr.SetXForwarded()
			pr.Out.Host = pr.In.Host
		},
	}
	benchRequests(b, plain, landing)
}

func benchProxy(b *testing.B, path string, change func(*Config)) {
	c := Config{Origin: mustParse(start(b, benchOrigin()).URL), Public: mustParse(public)}
	if change != nil {
		change(&c)
	}
	p, err := New(c, lookupIn(known()))
	if err != nil {
		b.Fatal(err)
	}
	benchRequests(b, p, path)
}

func BenchmarkProxyUnknownPage(b *testing.B) { benchProxy(b, aboutPage, nil) }
func BenchmarkProxyLinks(b *testing.B)       { benchProxy(b, landing, nil) }
func BenchmarkProxyHTML(b *testing.B)        { benchProxy(b, landing, withHTML) }

// benchRequests asks h for path on sixteen connections for each processor.
func benchRequests(b *testing.B, h http.Handler, path string) {
	b.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: repo.example.edu\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")
	b.SetParallelism(16)
	b.ReportAllocs()
	before := cpuTime(b)
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answer, n := make([]byte, 128<<10), 0
		for pb.Next() {
			if _, err := conn.Write(request); err != nil {
				b.Error(err)
				return
			}
			if n == 0 {
				n, err = firstAnswer(conn, answer)
			} else {
				_, err = io.ReadFull(conn, answer[:n])
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
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
		_, rest, _ := strings.Cut(head, "Content-Length: ")
		length, _, _ := strings.Cut(rest, "\r\n")
		size, err := strconv.Atoi(length)
		if err != nil {
			return n, fmt.Errorf("an answer without length: %q", head)
		}
		want = len(head) + len("\r\n\r\n") + size
	}
	return n, nil
}

// cpuTime is the user and system time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
