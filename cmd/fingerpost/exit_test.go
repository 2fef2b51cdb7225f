package main

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"fingerpost/bridge/store"
)

// What this machine's administrator can mend is not a fault in fingerpost.
func TestExitCodeOfThisMachine(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fmt.Errorf("keep page 5 of main: %w", store.ErrFull), exitConfig},
		{fmt.Errorf("lock repository main: %w", &fs.PathError{Op: "open", Path: "fingerpost.db.main.lock", Err: fs.ErrPermission}), exitConfig},
		{fmt.Errorf("count objects: %w", &store.DamagedError{Err: errors.New("a page")}), exitConfig},
		{errors.New("keep page 5 of main: a fault"), exitInternal},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.err, got, tt.want)
		}
	}
}
