package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"fingerpost/bridge/store"
)

// Lock locks a file beside the database. The kernel unlocks it when the
// process ends, however it ends. Unlocked, the file is removed: there may be many.
func (e *Engine) Lock(ctx context.Context, repository string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := openLock(e.lockFile(repository))
	if err != nil {
		return nil, fmt.Errorf("lock repository %s: %w", repository, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		return nil, &store.LockedError{Repository: repository, Owner: owner(f)}
	}
	if err == nil && !isThere(f) { // the owner before has removed it since it was opened
		_ = f.Close()
		return e.Lock(ctx, repository)
	}
	if err == nil {
		err = sign(f, time.Now())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock repository %s: %w", repository, err), f.Close())
	}
	e.locks.Store(f, true) // or the garbage collector would close it
	return func() { e.release(f) }, nil
}

// lockFile returns the name of a repository's lock file. An ID may be any text.
func (e *Engine) lockFile(repository string) string {
	name := url.PathEscape(repository)
	if len(name) > 100 {
		name = store.KeyOf(repository)
	}
	return e.file + "." + name + ".lock"
}

// openLock opens a lock file. It may be that of a command that another user ran,
// and not writable.
func openLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o640)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("%w: give the file to this user, or remove it while no fingerpost runs", err)
	}
	return f, err
}

// isThere reports whether a file still has its name.
func isThere(f *os.File) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(own, named)
}

// sign writes the owner of a lock into its file.
func sign(f *os.File, now time.Time) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.NewOffsetWriter(f, 0), "process %d on %s since %s\n", os.Getpid(), host, now.UTC().Format(time.RFC3339))
	return err
}

func owner(f *os.File) string {
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if words := strings.TrimSpace(string(b)); err == nil && words != "" {
		return words
	}
	return "a process that has just begun"
}

// release does nothing when it is called again: the lock may have a new owner.
func (e *Engine) release(f *os.File) {
	if _, locked := e.locks.LoadAndDelete(f); locked {
		_ = os.Remove(f.Name())
		_ = f.Close()
	}
}

// waitForFile locks a file. It waits while another process has locked it.
func waitForFile(ctx context.Context, name string) (unlock func(), err error) {
	f, err := openLock(name)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
