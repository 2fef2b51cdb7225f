// Package pgtest starts a PostgreSQL of its own for tests: Debian's, on a
// socket in a temporary folder.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running PostgreSQL.
type Server struct {
	folder    string
	bin       string
	as        *syscall.SysProcAttr // nil for this user
	databases atomic.Int64
}

// NotInstalled is why tests are skipped.
const NotInstalled = "PostgreSQL is not installed: apt-get install postgresql"

// Installed reports whether a server can be started.
func Installed() bool { return find() != "" }

// find returns the folder of PostgreSQL's programs; "" if it is not installed.
func find() string {
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(list) == 0 {
		return ""
	}
	return filepath.Dir(list[len(list)-1])
}

// Start starts a server, with more settings of postgresql.conf.
func Start(settings ...string) (*Server, error) {
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder, bin: find()}
	if s.bin == "" {
		return nil, errors.New(NotInstalled)
	}
	if err := s.permit(); err != nil {
		return nil, err
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"); err != nil {
		return nil, err
	}
	conf := "listen_addresses = ''\nunix_socket_directories = '" + folder + "'\nfsync = off\nautovacuum = off\n"
	for _, line := range settings {
		conf += line + "\n"
	}
	if err := appendTo(filepath.Join(s.data(), "postgresql.auto.conf"), conf); err != nil {
		return nil, err
	}
	return s, s.Up()
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// permit lets another user run the server if this one is root, whom PostgreSQL
// refuses.
func (s *Server) permit() error {
	if os.Getuid() != 0 {
		return nil
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		return fmt.Errorf("find a user for PostgreSQL: %w", err)
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	s.as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(s.folder, uid, gid)
}

func (s *Server) run(program string, args ...string) error {
	c := exec.Command(filepath.Join(s.bin, program), args...)
	c.SysProcAttr, c.Dir = s.as, s.folder
	// A server that stays would keep a pipe open.
	log, err := os.CreateTemp(s.folder, "log")
	if err != nil {
		return err
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", program, err, text)
	}
	return nil
}

// Up starts the server again. For a moment, what is left of one that was killed
// is in its way.
func (s *Server) Up() (err error) {
	for deadline := time.Now().Add(10 * time.Second); ; {
		err = s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.folder, "server.log"), "start")
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Stop ends the server: "immediate" leaves it no time to write anything.
func (s *Server) Stop(mode string) error {
	return s.run("pg_ctl", "-D", s.data(), "-w", "-m", mode, "stop")
}

// Kill ends the server's processes as kill -9 does.
func (s *Server) Kill() error {
	first := s.pid()
	children, _ := os.ReadFile("/proc/" + first + "/task/" + first + "/children")
	for _, pid := range append([]string{first}, strings.Fields(string(children))...) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return fmt.Errorf("find the server's processes: %w", err)
		}
		_ = syscall.Kill(n, syscall.SIGKILL) // it may have ended
	}
	return nil
}

// pid is that of the process that starts the others.
func (s *Server) pid() string {
	text, _ := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	pid, _, _ := strings.Cut(string(text), "\n")
	return pid
}

// Close ends the server and removes its folder.
func (s *Server) Close() {
	_ = s.Stop("immediate")
	_ = os.RemoveAll(s.folder)
}

// ticks is how many of /proc/PID/stat are a second. It is the same on every
// Linux.
const ticks = 100

// Processor is the time that the server's processes have used, those that have
// ended included.
func (s *Server) Processor() time.Duration {
	first := s.pid()
	children, _ := os.ReadFile("/proc/" + first + "/task/" + first + "/children")
	used := usedBy(first, 4)
	for _, child := range strings.Fields(string(children)) {
		used += usedBy(child, 2)
	}
	return used
}

// usedBy adds up the times of a process: of its own 2, with those of its ended
// children 4. proc(5).
func usedBy(pid string, times int) (used time.Duration) {
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name, which may have anything in it
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return 0
	}
	for _, field := range fields[11 : 11+times] {
		n, _ := strconv.Atoi(field)
		used += time.Duration(n) * time.Second / ticks
	}
	return used
}

// Address returns that of a database.
func (s *Server) Address(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.folder}, "user": {"test"}}.Encode()
}

// Socket is where the server listens.
func (s *Server) Socket() string { return filepath.Join(s.folder, ".s.PGSQL.5432") }

// Database makes an empty database, and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	if s == nil {
		t.Skip(NotInstalled)
	}
	name := fmt.Sprint("test", s.databases.Add(1))
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, s.Address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	return s.Address(name)
}

// SQL runs a statement behind the store's back, and scans the one row of its
// answer.
func SQL(t testing.TB, address, statement string, into ...any) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	c, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if len(into) > 0 {
		err = c.QueryRow(ctx, statement).Scan(into...)
	} else {
		_, err = c.Exec(ctx, statement)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Main runs the tests of a package with a server, or without one where
// PostgreSQL is not installed, which FINGERPOST_CI forbids.
func Main(m *testing.M, server **Server) int {
	if !Installed() && os.Getenv("FINGERPOST_CI") == "" {
		return m.Run()
	}
	s, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	*server = s
	return m.Run()
}
