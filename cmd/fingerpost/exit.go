package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// The exit codes. Scripts rely on them: they do not change.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitConfig      = 3
	exitUnreachable = 4
	exitIncomplete  = 5
	exitViolations  = 6
	exitLocked      = 75
	exitInterrupted = 130
)

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// configError is what an administrator has to correct on this machine.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// endError is the exit code of a command that has already printed why.
type endError struct{ code int }

func (e *endError) Error() string { return "" }

// quiet reports whether err has already been printed.
func quiet(err error) bool {
	var end *endError
	return errors.As(err, &end)
}

// exitCode maps an error to its exit code.
func exitCode(err error) int {
	var end *endError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &end):
		return end.code
	case is[*usageError](err):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case is[*store.LockedError](err):
		return exitLocked
	case is[*configError](err), is[*store.FileError](err), is[*store.DamagedError](err), is[*harvest.NoFormatError](err), is[*harvest.MovedError](err),
		errors.Is(err, store.ErrFull), errors.Is(err, fs.ErrPermission):
		return exitConfig
	case repositoryFailed(err):
		return exitUnreachable
	}
	return exitInternal
}

// repositoryFailed reports whether the repository is the cause, and nothing on
// this machine.
func repositoryFailed(err error) bool {
	return is[*oaipmh.Error](err) || is[*oaipmh.StatusError](err) || is[*oaipmh.NotOAIError](err) ||
		is[*oaipmh.TruncatedError](err) || is[*oaipmh.TooLargeError](err) || is[*oaipmh.PauseError](err) ||
		is[*oaipmh.LoopError](err) || is[*harvest.PauseError](err) || is[*oaipmh.UnreachableError](err)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// exitOf returns the exit code for runs. If one list of a repository failed and
// another was read, the repository was reachable, and the harvest is incomplete.
func exitOf(runs []store.Run) int {
	incomplete := false
	failed, read := map[string]bool{}, map[string]bool{} // by repository
	for _, r := range runs {
		switch r.State {
		case store.Interrupted:
			return exitInterrupted
		case store.Failed:
			failed[r.Repository] = true
			continue
		}
		read[r.Repository] = true
		incomplete = incomplete || r.State == store.Incomplete || r.Quarantined > 0
	}
	for id := range failed {
		incomplete = incomplete || read[id]
	}
	switch {
	case incomplete:
		return exitIncomplete
	case len(failed) > 0:
		return exitUnreachable
	}
	return exitOK
}

// cause returns the innermost error, without the calls around it.
func cause(err error) error {
	var call *os.SyscallError
	var file *fs.PathError
	var request *url.Error
	switch {
	case errors.As(err, &call):
		return call.Err
	case errors.As(err, &file):
		return fmt.Errorf("%s: %w", file.Path, file.Err)
	case errors.As(err, &request):
		return request.Err
	}
	return err
}
