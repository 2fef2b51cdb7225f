package pgtest

import (
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Behind a bouncer, each transaction of a client may be on another connection of
// the server. There are fewer of those than clients.
const bouncerSettings = `[databases]
* = host=FOLDER user=test
[pgbouncer]
listen_addr =
unix_socket_dir = FOLDER
logfile = FOLDER/bouncer.log
auth_type = any
pool_mode = transaction
default_pool_size = 2
`

// Bouncer starts a PgBouncer in front of the server, until t ends. It returns the
// address of a database behind it.
func (s *Server) Bouncer(t testing.TB, address string) string {
	t.Helper()
	program, err := findBouncer()
	if err != nil {
		if os.Getenv("FINGERPOST_CI") != "" {
			t.Fatal(err)
		}
		t.Skip("PgBouncer is not installed: apt-get install pgbouncer")
	}
	file := filepath.Join(s.folder, "bouncer.ini")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(bouncerSettings, "FOLDER", s.folder)), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--quiet", file)
	c.SysProcAttr = s.as
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	for deadline := time.Now().Add(10 * time.Second); ; {
		socket, err := net.Dial("unix", filepath.Join(s.folder, ".s.PGSQL.6432"))
		if err == nil {
			socket.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("port", "6432")
	u.RawQuery = q.Encode()
	return u.String()
}

func findBouncer() (string, error) {
	path, err := exec.LookPath("pgbouncer")
	if errors.Is(err, exec.ErrNotFound) {
		return exec.LookPath("/usr/sbin/pgbouncer") // which only root has in PATH
	}
	return path, err
}
