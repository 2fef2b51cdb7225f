package main

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"
)

// Whoever puts a database in the place of one that is in use is told what to
// do, once.
func TestAReplacedDatabaseIsNoticed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		happens func(file string) error
		want    string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"a copy is put back", func(file string) error { return os.Rename(file+".copy", file) }, "stop the gateway, restore the database as `fingerpost backup --help` says"},
		{"it is removed", os.Remove, "stop the gateway, restore"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &app{output: output{err: io.Discard}, given: given{data: t.TempDir(), env: []string{"FINGERPOST_OAI_URL=https://repo.example.org/oai"}}}
			s, err := a.begin(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer s.db.Close()
			if err := s.db.Backup(t.Context(), s.Database+".copy"); err != nil {
				t.Fatal(err)
			}
			said := new(bytes.Buffer)
			look, stopped := make(chan time.Time), make(chan struct{})
			go func() {
				defer close(stopped)
				watchDatabase(t.Context(), s.Database, look, slog.New(slog.NewTextHandler(said, nil)))
			}()
			look <- time.Time{}
			if err := tt.happens(s.Database); err != nil {
				t.Fatal(err)
			}
			goesOn := true
			for range 2 {
				select {
				case look <- time.Time{}:
				case <-stopped:
					goesOn = false
				}
			}
			if goesOn != (tt.want == "") {
				t.Fatalf("it goes on looking: %t", goesOn)
			}
			if goesOn {
				return
			}
			if got := said.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
