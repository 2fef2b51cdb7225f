package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"fingerpost/bridge/store"
)

// Backup writes a copy under another name, checks it, and then renames it: a
// file with the name is whole.
func (e *Engine) Backup(ctx context.Context, file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("back up to %s: the file exists: name another, or move it away", file)
	}
	if err := writable(file); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	part := file + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	err := private(part)
	if err == nil {
		err = copyInto(ctx, e.file, part)
	}
	if err == nil {
		err = intact(ctx, part)
	}
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("back up to %s: %w", file, explain(file, err))
	}
	return nil
}

// copyInto reads from a connection of its own, so that no reader waits.
func copyInto(ctx context.Context, from, to string) error {
	p, err := pool(from, 1, readerCache)
	if err != nil {
		return err
	}
	_, err = p.ExecContext(ctx, `VACUUM INTO ?`, to)
	return errors.Join(err, p.Close())
}

// intact opens a copy and has SQLite check every page and index of it.
func intact(ctx context.Context, file string) error {
	return check(ctx, file, `PRAGMA integrity_check(1)`)
}

// Check has SQLite look at every page of the file, on a connection of its own.
// It does not find rows that are missing in an index, which would take several
// times as long.
func (e *Engine) Check(ctx context.Context) error {
	if err := check(ctx, e.file, `PRAGMA quick_check(1)`); err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	return nil
}

func check(ctx context.Context, file, pragma string) error {
	p, err := pool(file, 1, readerCache, "_query_only=on")
	if err != nil {
		return err
	}
	var verdict string
	err = p.QueryRowContext(ctx, pragma).Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = &store.DamagedError{Err: fmt.Errorf("%s: %s", file, strings.ReplaceAll(verdict, "\n", " "))}
	}
	return errors.Join(explain(file, err), p.Close())
}
