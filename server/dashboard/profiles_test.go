package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

func TestProfiles(t *testing.T) {
	const readable, binary = "text/plain; charset=utf-8", "application/octet-stream"
	k := newDesk(t)
	tests := []struct {
		path, begins, holds string
		status              int
		mediaType           string
	}{
		{"/debug/pprof/", "", "\ngoroutine (", http.StatusOK, readable},
		{"/debug/pprof/heap", "\x1f\x8b", "", http.StatusOK, binary}, // gzip, as pprof reads it
		{"/debug/pprof/goroutine?debug=1", "goroutine profile: total ", "dashboard", http.StatusOK, readable},
		{"/debug/pprof/goroutine?debug=9", "\x1f\x8b", "", http.StatusOK, binary},
		{"/debug/pprof/profile?seconds=0.01", "\x1f\x8b", "", http.StatusOK, binary},
		{"/debug/pprof/trace?seconds=0.01", "go 1.", "", http.StatusOK, binary},
		{"/debug/pprof/cmdline", "", "", http.StatusNotFound, readable},
	}
	for _, tt := range tests {
		answer, body := k.ask(t, http.MethodGet, tt.path)
		if answer.StatusCode != tt.status || !strings.HasPrefix(body, tt.begins) || !strings.Contains(body, tt.holds) {
			t.Errorf("GET %s: got %d %.80q", tt.path, answer.StatusCode, body)
		}
		if got := answer.Header.Get("Content-Type"); got != tt.mediaType {
			t.Errorf("GET %s: got %s, want %s", tt.path, got, tt.mediaType)
		}
	}
}

// The public listeners must never serve a profile by accident.
func TestNothingIsOnTheDefaultMux(t *testing.T) {
	for _, path := range []string{"/debug/pprof/", "/metrics", "/"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, pattern := http.DefaultServeMux.Handler(r); pattern != "" {
			t.Errorf("%s is served under the pattern %s", path, pattern)
		}
	}
}
