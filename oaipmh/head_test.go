package oaipmh_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fingerpost/oaipmh"
	"fingerpost/oaipmh/oaitest"
)

func TestHead(t *testing.T) {
	// What a server of files answers to HEAD and to GET.
	answers := map[string]struct{ head, get int }{
		"/there": {200, 500}, "/not-by-head": {405, 206}, "/not-implemented": {501, 200},
		"/missing-by-head": {404, 206}, "/missing": {404, 404}, "/gone": {410, 410}, "/elsewhere": {302, 500}, "/closed": {403, 500},
	}
	var asked []string
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, strings.TrimSpace(r.Method+" "+r.Header.Get("Range")))
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "" || r.UserAgent() != "test (+mailto:a@example.org)" {
			t.Errorf("got headers %v, want the user agent and no secrets", r.Header)
		}
		status := answers[r.URL.Path].head
		if r.Method == http.MethodGet {
			status = answers[r.URL.Path].get
		}
		w.Header().Set("Location", "/there")
		w.Header().Set("Content-Type", "application/pdf")
		w.WriteHeader(status)
	}))
	defer files.Close()
	c, err := oaipmh.New(files.URL+"/oai", oaipmh.Options{
		Username: "u", Password: "p", Header: http.Header{"X-Key": {"k"}}, UserAgent: "test (+mailto:a@example.org)", Clock: oaitest.NewClock(time.Time{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		status int
		asked  []string
	}{
		"/there#page=2": {200, []string{"HEAD"}}, "/elsewhere": {302, []string{"HEAD"}}, "/closed": {403, []string{"HEAD"}},
		"/not-by-head": {206, []string{"HEAD", "GET bytes=0-0"}}, "/not-implemented": {200, []string{"HEAD", "GET bytes=0-0"}},
		"/missing-by-head": {206, []string{"HEAD", "GET bytes=0-0"}}, "/missing": {404, []string{"HEAD", "GET bytes=0-0"}}, "/gone": {410, []string{"HEAD", "GET bytes=0-0"}},
	} {
		asked = nil
		got, err := c.Head(context.Background(), files.URL+path, 0)
		if err != nil || got.Status != want.status || got.Header.Get("Content-Type") != "application/pdf" || !slices.Equal(asked, want.asked) {
			t.Errorf("%s: got %+v and error %v after %q, want %d after %q", path, got, err, asked, want.status, want.asked)
		}
	}
}

func TestHeadKeepsOut(t *testing.T) {
	c, err := oaipmh.New("https://repository.example.org/oai", oaipmh.Options{Clock: oaitest.NewClock(time.Time{})})
	if err != nil {
		t.Fatal(err)
	}
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an address inside this network was asked") }))
	defer inside.Close()
	for _, address := range []string{inside.URL, "http://localhost/", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "ftp://a.example/", "//a.example/", "http://", "\x00"} {
		if got, err := c.Head(context.Background(), address, 0); err == nil {
			t.Errorf("%q: got %v, want an error", address, got)
		}
	}
}

// Some servers send Retry-After with every answer. It means nothing but with
// 429 and 503.
func TestRetryAfterOfOtherAnswersIsPassedOver(t *testing.T) {
	for _, status := range []int{200, 302, 403, 404, 500, 502} {
		clock := oaitest.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(status)
		}))
		c, err := oaipmh.New(files.URL, oaipmh.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Head(context.Background(), files.URL, 0)
		if slept := clock.Slept(); errors.As(err, new(*oaipmh.PauseError)) || len(slept) > 0 {
			t.Errorf("%d: slept %v, got error %v", status, slept, err)
		}
		files.Close()
	}
}

func TestHeadObeysRetryAfter(t *testing.T) {
	clock := oaitest.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	wait := "90"
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer files.Close()
	c, err := oaipmh.New(files.URL, oaipmh.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Head(context.Background(), files.URL, 0); got.Status != 429 || err != nil {
		t.Errorf("got %v and error %v, want 429", got, err)
	}
	wait = "86400"
	_, err = c.Head(context.Background(), files.URL, 0)
	if slept := clock.Slept(); !slices.Equal(slept, []time.Duration{90 * time.Second}) {
		t.Errorf("slept %v, want 90s", slept)
	}
	var pause *oaipmh.PauseError
	if !errors.As(err, &pause) {
		t.Errorf("got error %v, want a *PauseError", err)
	}
	if _, err = c.Head(context.Background(), files.URL, 0); !errors.As(err, &pause) {
		t.Errorf("asked again: got error %v, want a *PauseError", err)
	}
}

func TestRobotsTxt(t *testing.T) {
	const text = "User-agent: *\nDisallow: /private/\n"
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Range") != "" {
			t.Errorf("got %s with Range %q, want GET of all", r.Method, r.Header.Get("Range"))
		}
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = w.Write([]byte(text))
		case "/endless":
			for range 3 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return // cut off, as it should be
				}
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer host.Close()
	c, err := oaipmh.New(host.URL+"/oai", oaipmh.Options{Clock: oaitest.NewClock(time.Time{})})
	if err != nil {
		t.Fatal(err)
	}
	if answer, got, err := c.RobotsTxt(t.Context(), host.URL+"/robots.txt"); err != nil || answer.Status != 200 || string(got) != text {
		t.Errorf("got %d %q and error %v, want 200 and the rules", answer.Status, got, err)
	}
	if answer, _, err := c.RobotsTxt(t.Context(), host.URL+"/none"); err != nil || answer.Status != 404 {
		t.Errorf("got %d and error %v, want 404", answer.Status, err)
	}
	if _, got, err := c.RobotsTxt(t.Context(), host.URL+"/endless"); err != nil || len(got) != 500<<10 {
		t.Errorf("got %d bytes and error %v, want no more than crawlers read", len(got), err)
	}
	if _, _, err := c.RobotsTxt(t.Context(), "ftp://a.example/robots.txt"); err == nil {
		t.Error("got no error about an address that is not of the web")
	}
}
