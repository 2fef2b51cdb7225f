package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// Requests are counted by route, method and class of status.
func TestTraffic(t *testing.T) {
	g := newGateway(t, nil)
	serve := func(method, target string, header ...string) {
		r := httptest.NewRequestWithContext(t.Context(), method, withKeys(target), nil)
		if len(header) > 0 {
			r.Header.Set(header[0], header[1])
		}
		g.ServeHTTP(httptest.NewRecorder(), r)
	}
	for range 2 { // the second time from memory
		serve("GET", "/main/$article/linkset.json")
		serve("HEAD", "/main/$article/linkset.txt")
	}
	serve("GET", "/main/$gone/linkset.json")
	serve("GET", "/main/$article/linkset", "Accept", "text/html")
	serve("GET", "/links?uri="+articlePage)
	serve("GET", "/linkset?uri="+articlePage)
	serve("GET", "/nowhere/signmap.xml")
	serve("GET", "/main/signmap.xml")
	serve("GET", "/main/signmap-1.xml")
	serve("GET", "/nobody/knows/this")
	serve("POST", "/links")
	serve("PROPFIND", "/links")
	serve("OPTIONS", "/links")
	var got []string
	all := metrics(t, g.Metrics())
	for line := range strings.Lines(all) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "fingerpost_http_requests_total")
		if ok && !strings.HasSuffix(rest, " 0") {
			got = append(got, rest)
		}
	}
	want := `{method="GET",route="/links",status="2xx"} 1
{method="GET",route="/linkset",status="3xx"} 1
{method="GET",route="/{repo}/signmap-{page}.xml",status="2xx"} 1
{method="GET",route="/{repo}/signmap.xml",status="2xx"} 1
{method="GET",route="/{repo}/signmap.xml",status="4xx"} 1
{method="GET",route="/{repo}/{key}/linkset",status="2xx"} 1
{method="GET",route="/{repo}/{key}/linkset.json",status="2xx"} 2
{method="GET",route="/{repo}/{key}/linkset.json",status="4xx"} 1
{method="GET",route="none",status="4xx"} 1
{method="HEAD",route="/{repo}/{key}/linkset.txt",status="2xx"} 2
{method="other",route="none",status="2xx"} 1
{method="other",route="none",status="4xx"} 2`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if n, want := strings.Count(all, "fingerpost_http_request_duration_seconds_count{"), len(g.routes())+1; n != want {
		t.Errorf("got the durations of %d routes, want of %d", n, want)
	}
	if n := strings.Count(all, "fingerpost_http_requests_total{"); n != (len(g.routes())+1)*3*4 {
		t.Errorf("%d series count requests", n)
	}
}

// metrics is what a collector has, as Prometheus reads it and finds it well
// named.
func metrics(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	text := w.Body.String()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || w.Code != http.StatusOK || len(problems) > 0 {
		t.Errorf("status %d, %v, %v", w.Code, problems, err)
	}
	return text
}

// A file goes to the client without being copied by us: what is sent must find
// the way of the connection.
func TestTrafficLetsFilesThrough(t *testing.T) {
	under := &readerFrom{ResponseRecorder: httptest.NewRecorder()}
	tr := newTraffic(nil)
	rec := tr.begin(under)
	if n, err := rec.ReadFrom(struct{ io.Reader }{strings.NewReader("file")}); n != 4 || err != nil || !under.used {
		t.Errorf("sent %d bytes, %v, by the connection's own way: %t", n, err, under.used)
	}
	if err := http.NewResponseController(rec).Flush(); err != nil || !under.Flushed {
		t.Errorf("not flushed: %v", err)
	}
}

type readerFrom struct {
	*httptest.ResponseRecorder
	used bool
}

func (r *readerFrom) ReadFrom(from io.Reader) (int64, error) {
	r.used = true
	return io.Copy(r.Body, struct{ io.Reader }{from})
}
