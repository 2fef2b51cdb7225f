package server

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// inForceSince returns since when a repository has been published with its
// present settings. That is kept in a file beside its Signmap pages: documents
// change with the settings, and Last-Modified must say so, but must not move
// each time the program starts. A time in the future does not count.
func (r *repositories) inForceSince(repo *repository) time.Time {
	now := r.Now()
	if r.PageFolder == "" {
		return now
	}
	name := filepath.Join(r.PageFolder, repo.ID, "settings")
	if kept, err := os.ReadFile(name); err == nil {
		digest, at, _ := strings.Cut(strings.TrimSpace(string(kept)), " ")
		if since, err := time.Parse(time.RFC3339, at); err == nil && digest == repo.settings && !since.After(now) {
			return since
		}
	}
	// Without the file it is the time of this start: later than need be.
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
		os.WriteFile(name, []byte(repo.settings+" "+now.UTC().Format(time.RFC3339)+"\n"), 0o644)
	}
	return now
}
