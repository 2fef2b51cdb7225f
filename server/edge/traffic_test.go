package edge

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// Every request is counted once, by what became of it.
func TestTraffic(t *testing.T) {
	traffic := NewTraffic()
	tally := traffic.Of("main")
	counting := func(c *Config) {
		c.Tally, c.Catalog = tally, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		c.Sitemaps = []string{"https://links.example.org/main/signmap.xml"}
	}
	proxy := front(t, legacySite(), lookupIn(known()), counting)
	for _, path := range []string{landing, file, aboutPage, goneLanding, "/other/301", withStatus + "301", withStatus + "403", "/robots.txt", catalogPath} {
		ask(t, proxy.URL, "GET", path)
	}
	ask(t, proxy.URL, "HEAD", landing)
	ask(t, proxy.URL, "POST", aboutPage)
	ask(t, proxy.URL, "TRACE", landing)
	broken := front(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), lookupIn(known()), counting)
	ask(t, broken.URL, "GET", landing)

	impatient(t, counting)

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(traffic)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	text := w.Body.String()
	if problems, err := promlint.New(strings.NewReader(text)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	var got []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "fingerpost_edge_requests_total")
		if ok && !strings.HasSuffix(rest, " 0") {
			got = append(got, rest)
		}
	}
	want := `{outcome="answered_here",repository="main",status="2xx"} 1
{outcome="client_gone",repository="main",status="5xx"} 1
{outcome="links_added",repository="main",status="2xx"} 3
{outcome="links_added",repository="main",status="3xx"} 1
{outcome="links_added",repository="main",status="4xx"} 1
{outcome="origin_failed",repository="main",status="5xx"} 1
{outcome="passed_through",repository="main",status="2xx"} 3
{outcome="passed_through",repository="main",status="3xx"} 1
{outcome="passed_through",repository="main",status="4xx"} 1
{outcome="refused",repository="main",status="4xx"} 1`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if !strings.Contains(text, `fingerpost_edge_origin_duration_seconds_count{repository="main"} 10`) {
		t.Errorf("want the durations of the ten answers of the origin in\n%s", text)
	}
}

// impatient is a client that goes before the origin has answered it.
func impatient(t *testing.T, change func(*Config)) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	proxy := front(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
	}), lookupIn(nil), change)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, proxy.URL+aboutPage, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := new(http.Transport).RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Errorf("want %v, got %v", context.Canceled, err)
	}
	proxy.Close() // ends when all requests have
}
