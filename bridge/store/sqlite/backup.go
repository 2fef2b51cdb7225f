package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// Backup writes a copy beside file, checks it, and only then gives it its
// name: what has the name is whole.
func (db *DB) Backup(ctx context.Context, file string) error {
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
	err := copyInto(ctx, db.file, part)
	if err == nil {
		err = intact(ctx, part)
	}
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		_ = os.Remove(part)
		return fmt.Errorf("back up to %s: %w", file, writeError(file, err))
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

// intact opens a copy and lets SQLite check every page and index of it.
func intact(ctx context.Context, file string) error {
	p, err := pool(file, 1, readerCache, "_query_only=on")
	if err != nil {
		return err
	}
	verdict, err := check(ctx, p)
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("the copy is damaged: %s", verdict)
	}
	return errors.Join(err, p.Close())
}

func check(ctx context.Context, p *sql.DB) (verdict string, err error) {
	err = p.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict)
	return verdict, err
}
