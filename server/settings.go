package server

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// inForceSince returns since when a repository has been published with the
// settings that it has, kept in a file beside its Signmap pages: documents
// change with the settings, and Last-Modified must say so, but must not move
// each time the program starts.
func (s *Server) inForceSince(r *repository) time.Time {
	now := s.Now()
	if s.Signmaps == "" {
		return now
	}
	name := filepath.Join(s.Signmaps, r.ID, "settings")
	if kept, err := os.ReadFile(name); err == nil {
		digest, at, _ := strings.Cut(strings.TrimSpace(string(kept)), " ")
		if since, err := time.Parse(time.RFC3339, at); err == nil && digest == r.settings {
			return since
		}
	}
	// Without the file the time of this start stands: later than need be.
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
		os.WriteFile(name, []byte(r.settings+" "+now.UTC().Format(time.RFC3339)+"\n"), 0o644)
	}
	return now
}
