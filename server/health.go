package server

import "net/http"

// serveHealth says that the process answers.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request, _ vars) {
	say(w, http.StatusOK, "ok")
}

// serveReady says whether there is something to publish.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request, _ vars) {
	if ready, sentence := s.Ready(); !ready {
		w.Header().Set("Retry-After", "10")
		say(w, http.StatusServiceUnavailable, sentence)
		return
	}
	say(w, http.StatusOK, "ready")
}
