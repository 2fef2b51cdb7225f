package server

import "net/http"

// serveHealth answers while the process runs.
func (s discovery) serveHealth(w http.ResponseWriter, _ *http.Request, _ vars) error {
	say(w, http.StatusOK, "ok")
	return nil
}

// serveReady reports whether every repository has been harvested once.
func (s discovery) serveReady(w http.ResponseWriter, _ *http.Request, _ vars) error {
	if ready, sentence := s.Ready(); !ready {
		w.Header().Set("Retry-After", "10")
		say(w, http.StatusServiceUnavailable, sentence)
		return nil
	}
	say(w, http.StatusOK, "ready")
	return nil
}
