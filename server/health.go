package server

import "net/http"

// serveHealth says that the process answers.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request, _ vars) error {
	say(w, http.StatusOK, "ok")
	return nil
}

// serveReady says whether there is something to publish.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request, _ vars) error {
	if ready, sentence := s.Ready(); !ready {
		w.Header().Set("Retry-After", "10")
		return refusal{http.StatusServiceUnavailable, sentence}
	}
	say(w, http.StatusOK, "ready")
	return nil
}
