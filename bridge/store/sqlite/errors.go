package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	sqlite3 "github.com/mattn/go-sqlite3"

	"fingerpost/bridge/store"
)

// errForeign is a database with tables of another program.
var errForeign = errors.New("not a fingerpost database")

// writable finds out why a database cannot be made or written: SQLite says no
// more than "unable to open".
func writable(file string) error {
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err != nil {
		return &store.FileError{File: file, Problem: "cannot be made", Remedy: "make the folder " + folder + " first", Err: err}
	} else if !info.IsDir() {
		return &store.FileError{File: file, Problem: "cannot be made", Remedy: folder + " is not a folder: name another", Err: nil}
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return &store.FileError{File: file, Problem: "is a folder", Remedy: "name a file in it", Err: nil}
	}
	// WAL needs files beside the database: the folder must be writable too.
	probe, err := os.CreateTemp(folder, ".fingerpost-*")
	if err != nil {
		return folderError(file, folder, err)
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &store.FileError{File: file, Problem: "cannot be written", Remedy: "let this user write the file", Err: err}
	}
	return f.Close()
}

// private makes an empty file that other users cannot read, unless there is a
// file. SQLite would let them read it. It gives the files beside the database
// the permissions of the database.
func private(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	return f.Close()
}

func folderError(file, folder string, err error) error {
	if errors.Is(err, os.ErrPermission) {
		return &store.FileError{File: file, Problem: "cannot be written", Remedy: "let this user write the folder " + folder, Err: err}
	}
	return &store.FileError{File: file, Problem: "cannot be written", Remedy: err.Error(), Err: err}
}

// openError puts what went wrong on opening into words.
func openError(file string, err error) error {
	var own *store.FileError
	switch code := codeOf(err); {
	case errors.As(err, &own):
		return err
	case errors.Is(err, errForeign):
		return &store.FileError{File: file, Problem: "belongs to another program", Remedy: "name another file", Err: err}
	case code == sqlite3.ErrNotADB:
		return &store.FileError{File: file, Problem: "is not a database", Remedy: "name another file, or move this one away", Err: err}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errnoOf(err) == syscall.EMFILE, errnoOf(err) == syscall.ENFILE:
		return &store.FileError{File: file, Problem: "cannot be opened", Remedy: "allow more open files (ulimit -n, or LimitNOFILE in systemd)", Err: err}
	case code == sqlite3.ErrReadonly, code == sqlite3.ErrCantOpen, code == sqlite3.ErrPerm:
		return &store.FileError{File: file, Problem: "cannot be written", Remedy: "let this user write the file and its folder", Err: err}
	}
	return explain(file, fmt.Errorf("open the database %s: %w", file, err))
}

func (e *Engine) explain(err error) error { return explain(e.file, err) }

// explain puts into words what may happen to any statement: a full disk is
// store.ErrFull, damage a *store.DamagedError.
func explain(file string, err error) error {
	var driver sqlite3.Error
	if !errors.As(err, &driver) {
		return err
	}
	switch {
	case driver.Code == sqlite3.ErrFull, driver.SystemErrno == syscall.ENOSPC, driver.SystemErrno == syscall.EDQUOT:
		return fmt.Errorf("write %s: %w: %w", file, store.ErrFull, err)
	case driver.Code == sqlite3.ErrBusy:
		return &store.FileError{File: file, Problem: "is in use", Remedy: "wait for the other program to end", Err: err}
	case driver.Code == sqlite3.ErrCorrupt, driver.Code == sqlite3.ErrNotADB:
		return &store.DamagedError{Err: fmt.Errorf("%s: %w", file, err)}
	}
	return err
}

func errnoOf(err error) syscall.Errno {
	var e sqlite3.Error
	_ = errors.As(err, &e)
	return e.SystemErrno
}

func codeOf(err error) sqlite3.ErrNo {
	var e sqlite3.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
