package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

// Damage that serve or check finds is told by status and /readyz, until a check
// of a restored database finds none.
func TestDamageOfTheDatabaseIsTold(t *testing.T) {
	out := new(bytes.Buffer)
	a := &app{output: output{out: out, err: io.Discard}, given: given{data: filepath.Join(t.TempDir(), "data"), env: []string{"FINGERPOST_OAI_URL=https://repo.example.org/oai"}}}
	examine := func() (*session, error) {
		t.Helper()
		s, err := a.begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.db.Close() })
		return s, errors.Join(examineDatabase(t.Context(), s), s.db.Close())
	}
	status := func() error {
		cmd := statusCommand(a)
		cmd.SetContext(t.Context())
		return cmd.RunE(cmd, nil)
	}
	s, err := examine()
	if err := errors.Join(err, status()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Database)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	damaged := bytes.Clone(whole)
	copy(damaged[page:], bytes.Repeat([]byte("overwritten"), 2*page/11))
	if err := os.WriteFile(s.Database, damaged, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := examine(); !is[*store.DamagedError](err) || exitCode(err) != exitConfig {
		t.Errorf("of a damaged database: got error %v", err)
	}
	if err := status(); exitCode(err) != exitConfig || !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("status says %v, want the remedy", err)
	}
	g := &gateway{edges: &edges{session: s}, ready: &readiness{}}
	if ready, sentence := g.readyUndamaged(); ready || strings.Contains(sentence, s.Database) {
		t.Errorf("ready is %t: %q", ready, sentence)
	}
	if err := os.WriteFile(s.Database, whole, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := examine(); err != nil {
		t.Errorf("of the restored database: got error %v", err)
	}
	if ready, sentence := g.readyUndamaged(); !ready {
		t.Errorf("of the restored database: %s", sentence)
	}
	if err := status(); err != nil {
		t.Errorf("of the restored database: %v", err)
	}
}
