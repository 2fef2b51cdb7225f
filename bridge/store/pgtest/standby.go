package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Standby starts a replica of the server, until t ends. It has the same databases.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	replica := &Server{folder: folder, bin: s.bin}
	t.Cleanup(replica.Close)
	if err := replica.permit(); err != nil {
		t.Fatal(err)
	}
	if err := replica.run("pg_basebackup", "-h", s.folder, "-U", "test", "-D", replica.data(), "--write-recovery-conf", "--checkpoint=fast"); err != nil {
		t.Fatal(err)
	}
	if err := appendTo(filepath.Join(replica.data(), "postgresql.auto.conf"), "unix_socket_directories = '"+folder+"'\n"); err != nil {
		t.Fatal(err)
	}
	if err := replica.Up(); err != nil {
		t.Fatal(err)
	}
	return replica
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}
