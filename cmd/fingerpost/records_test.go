package main

import (
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/config"
)

// A record that the repository fails on has a name and a reason, and no bytes.
func TestWhatWasNeverReceivedIsNotPromised(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "fingerpost.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.SaveRepository(t.Context(), store.Repository{ID: "main"}); err != nil {
		t.Fatal(err)
	}
	poisoned := store.Quarantined{Identifier: "oai:x:1", Prefix: "oai_dc", Reason: "HTTP status 500"}
	if err := db.Save(t.Context(), "main", store.Batch{Quarantined: []store.Quarantined{poisoned}}); err != nil {
		t.Fatal(err)
	}
	s := &session{Config: config.Config{Repositories: []config.Repository{{ID: "main"}}}, db: db}
	_, raw := rawMetadata(t.Context(), s, "oai:x:1", "")
	for command, got := range map[string]error{"records raw": raw, "explain": whyQuarantined(t.Context(), s, "oai:x:1")} {
		if want := "oai:x:1 is in quarantine, and nothing of it was received (HTTP status 500)"; got == nil || got.Error() != want {
			t.Errorf("%s says %v, want %s", command, got, want)
		}
	}
	if _, err := rawMetadata(t.Context(), s, "oai:x:2", ""); err == nil || !strings.Contains(err.Error(), "there is no record") {
		t.Errorf("of a record that is not there it says %v", err)
	}
}
