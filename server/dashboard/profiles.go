package dashboard

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// The paths are those of net/http/pprof, so that `go tool pprof` finds them.
// That package is not used: it publishes itself on http.DefaultServeMux, with the
// command line, which may have secrets.

// longestProfile is how long one request may profile the program.
const longestProfile = time.Minute

// serveProfiles lists the profiles.
func serveProfiles(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "go tool pprof http://HOST/debug/pprof/NAME, or ?debug=1 to read it here:")
	for _, p := range pprof.Profiles() {
		fmt.Fprintf(w, "%s (%d)\n", p.Name(), p.Count())
	}
	fmt.Fprintln(w, "profile?seconds=30\ntrace?seconds=1")
}

// serveProfile writes a profile as pprof reads it, or as text.
func serveProfile(w http.ResponseWriter, r *http.Request) {
	p := pprof.Lookup(r.PathValue("name"))
	if p == nil {
		http.Error(w, "There is no such profile; /debug/pprof/ lists them.", http.StatusNotFound)
		return
	}
	debug, err := strconv.Atoi(r.FormValue("debug"))
	if err != nil || debug < 0 || debug > 2 {
		debug = 0
	}
	if debug == 0 {
		download(w)
	} else {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	_ = p.WriteTo(w, debug) // an error means that the client has gone
}

// serveCPUProfile profiles the use of CPU time.
func serveCPUProfile(w http.ResponseWriter, r *http.Request) {
	watch(w, r, 30*time.Second, func() error { return pprof.StartCPUProfile(w) }, pprof.StopCPUProfile)
}

// serveTrace traces the execution.
func serveTrace(w http.ResponseWriter, r *http.Request) {
	watch(w, r, time.Second, func() error { return trace.Start(w) }, trace.Stop)
}

// watch profiles for as many seconds as the request says, or until the client has
// gone. There is one profile at a time.
func watch(w http.ResponseWriter, r *http.Request, usual time.Duration, start func() error, stop func()) {
	long := usual
	if n, err := strconv.ParseFloat(r.FormValue("seconds"), 64); err == nil && n > 0 {
		long = time.Duration(min(n, longestProfile.Seconds()) * float64(time.Second))
	}
	download(w)
	if err := start(); err != nil {
		w.Header().Del("Content-Disposition")
		http.Error(w, "Another profile is being taken: "+err.Error(), http.StatusConflict)
		return
	}
	defer stop()
	select {
	case <-time.After(long):
	case <-r.Context().Done():
	}
}

func download(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="profile"`)
}
