package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"

	"fingerpost/bridge/store"
)

//go:embed schema.sql
var schema string

// schema.sql writes these into the file's head: "fpst", and its version.
const (
	application = 0x66707374
	version     = 1
)

// usable refuses, before anything is written, a database of another program and
// one with another schema. A file without tables is usable.
func usable(ctx context.Context, file string) error {
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		return nil
	}
	p, err := pool(file, 1, readerCache, "_query_only=on")
	if err != nil {
		return err
	}
	var id, has, tables int64
	err = p.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&id, &has, &tables)
	switch {
	case err != nil || tables == 0:
	case id != application:
		err = errForeign
	case has != version:
		err = &store.FileError{
			File: file, Problem: fmt.Sprintf("has schema %d, and this fingerpost reads schema %d", has, version),
			Remedy: "run the fingerpost that wrote it, or harvest into another folder",
		}
	}
	return errors.Join(err, p.Close())
}

// makeSchema makes the tables where there are none, one process at a time.
func makeSchema(ctx context.Context, file string, db *sql.DB) error {
	unlock, err := waitForFile(ctx, file+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	var has int64
	if err := db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&has); err != nil || has == version {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	return tx.Commit()
}
