package sqlite

import (
	"os"
	"strings"
	"syscall"
	"testing"

	sqlite3 "github.com/mattn/go-sqlite3"
)

func TestTooManyOpenFilesHaveTheirOwnRemedy(t *testing.T) {
	for _, err := range []error{
		sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EMFILE},
		&os.PathError{Op: "open", Path: "a", Err: syscall.ENFILE},
	} {
		if got := openError("a.db", err).Error(); !strings.Contains(got, "ulimit -n") {
			t.Errorf("%v: %s", err, got)
		}
	}
}
