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

// FileError is a file that cannot be the store. Its text is for the operator.
type FileError struct {
	File    string
	Problem string // follows the file's name
	Remedy  string
	Err     error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("database %s %s: %s", e.File, e.Problem, e.Remedy)
}

func (e *FileError) Unwrap() error { return e.Err }

// NewerSchemaError is a store that a newer fingerpost has written.
type NewerSchemaError struct {
	File string
	Have int64 // the schema of the file
	Know int64 // the newest this program knows
}

func (e *NewerSchemaError) Error() string {
	return fmt.Sprintf("database %s has schema %d, and this fingerpost knows only up to %d: "+
		"run the newer fingerpost that wrote it, or restore a backup made before", e.File, e.Have, e.Know)
}

// errForeign is a database with somebody else's tables.
var errForeign = errors.New("not a fingerpost database")

// writable tells early, and in words, why a database cannot be made or
// written at file. SQLite says no more than "unable to open".
func writable(file string) error {
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err != nil {
		return &FileError{file, "cannot be made", "make the folder " + folder + " first", err}
	} else if !info.IsDir() {
		return &FileError{file, "cannot be made", folder + " is not a folder: name another", nil}
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return &FileError{file, "is a folder", "name a file in it", nil}
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
		return &FileError{file, "cannot be written", "let this user write the file", err}
	}
	return f.Close()
}

func folderError(file, folder string, err error) error {
	if errors.Is(err, os.ErrPermission) {
		return &FileError{file, "cannot be written", "let this user write the folder " + folder, err}
	}
	return &FileError{file, "cannot be written", err.Error(), err}
}

// fileError puts the driver's code into words, where there are better ones.
func fileError(file string, err error) error {
	var own *FileError
	var newer *NewerSchemaError
	switch code := codeOf(err); {
	case errors.As(err, &own), errors.As(err, &newer):
		return err
	case errors.Is(err, errForeign):
		return &FileError{file, "belongs to another program", "name another file", err}
	case code == sqlite3.ErrNotADB:
		return &FileError{file, "is not a database", "name another file, or move this one away", err}
	case code == sqlite3.ErrCorrupt:
		return &FileError{file, "is damaged", "restore a backup, or remove the file: `fingerpost serve` then harvests everything anew", err}
	case code == sqlite3.ErrReadonly, code == sqlite3.ErrCantOpen, code == sqlite3.ErrPerm:
		return &FileError{file, "cannot be written", "let this user write the file and its folder", err}
	}
	return writeError(file, fmt.Errorf("open the database %s: %w", file, err))
}

// writeError puts into words what may befall any write. A full disk is known
// as store.ErrFull.
func writeError(file string, err error) error {
	var driver sqlite3.Error
	errors.As(err, &driver)
	switch {
	case driver.Code == sqlite3.ErrFull, driver.SystemErrno == syscall.ENOSPC, driver.SystemErrno == syscall.EDQUOT:
		return fmt.Errorf("write %s: %w: %w", file, store.ErrFull, err)
	case driver.Code == sqlite3.ErrBusy:
		return &FileError{file, "is in use", "wait for the other program to end", err}
	}
	return err
}

func codeOf(err error) sqlite3.ErrNo {
	var e sqlite3.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
