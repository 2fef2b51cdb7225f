package store

import (
	"errors"
	"fmt"
)

// ErrNotFound is returned where nothing is stored under the name given.
var ErrNotFound = errors.New("not found")

// ErrFull is returned where nothing can be saved because the disk is full.
var ErrFull = errors.New("the disk is full: make room, then start again")

// LockedError is returned by Lock while another run has the repository.
type LockedError struct {
	Repository string
	Owner      string // of the lock, in words: process, machine, since when
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("repository %s is locked by another run (%s): wait until it has ended", e.Repository, e.Owner)
}

// FileError is a file that cannot be the database. Its text is for the operator.
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

// DamagedError is returned where the database holds what was never written to
// it. The disk, or another program, has changed it.
type DamagedError struct {
	Err error // what was found
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the database is damaged (%v): restore a backup, or delete the data folder and harvest anew", e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// damaged returns a *DamagedError for what cannot be read.
func damaged(format string, args ...any) error {
	return &DamagedError{fmt.Errorf(format+" cannot be read", args...)}
}
