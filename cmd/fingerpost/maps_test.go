package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Web servers run as other users. They reach the maps in the data folder, and
// nothing else there.
func TestWebServersReadTheMapsInTheDataFolder(t *testing.T) {
	a := &app{output: output{err: io.Discard}, given: given{data: filepath.Join(t.TempDir(), "data"), env: []string{"FINGERPOST_OAI_URL=https://repo.example.org/oai"}}}
	s, err := a.begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.db.Close()
	r := s.Repositories[0]
	e, err := newEdges(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	folders := mapFolders{s.Config, r}
	if err := os.MkdirAll(folders.own(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := e.exportMaps(t.Context(), r, folders.first()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		s.Data: 0o1, s.Database: 0, filepath.Join(s.Data, "edge"): 0o5, folders.own(): 0o5,
		filepath.Join(folders.own(), "links.map"): 0o4, folders.list(): 0,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & 0o7; got != want {
			t.Errorf("%s: want others to have %o, got %o", name, want, got)
		}
	}
}

func TestAFolderThatKeepsWebServersOut(t *testing.T) {
	home := t.TempDir()
	maps := filepath.Join(home, "a", "maps")
	if err := os.MkdirAll(maps, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []string{maps, home} {
		if err := os.Chmod(closed, 0o750); err != nil {
			t.Fatal(err)
		}
		if got := closedTo(maps); got != closed {
			t.Errorf("want %s, got %q", closed, got)
		}
		if err := os.Chmod(closed, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := closedTo("/"); got != "" {
		t.Errorf("want none, got %s", got)
	}
}
