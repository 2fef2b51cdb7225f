package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// application is the application_id that the first migration sets: "fpst".
const application = 0x66707374

// migrate brings the schema up to date, one process at a time, and refuses a
// file that is ahead of us.
func migrate(ctx context.Context, file string, db *sql.DB) error {
	steps, err := steps()
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, nil, goose.WithLogger(goose.NopLogger()), goose.WithGoMigrations(steps...))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	unlock, err := waitForFile(ctx, file+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	have, know, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if have > know {
		return &NewerSchemaError{File: file, Have: have, Know: know}
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// steps are the migrations. SQLite is given those in files as they are: goose
// would read them with buffers of 4 MiB, as much as all else of a harvest.
func steps() ([]*goose.Migration, error) {
	run := func(version int64, f func(context.Context, *sql.Tx) error) *goose.Migration {
		return goose.NewGoMigration(version, &goose.GoFunc{RunTx: f}, nil)
	}
	out := []*goose.Migration{run(3, recordsIntoObjects)}
	files, err := migrations.ReadDir("migrations")
	for _, f := range files {
		version, bad := goose.NumericComponent(f.Name())
		text, unread := migrations.ReadFile("migrations/" + f.Name())
		err = errors.Join(err, bad, unread)
		out = append(out, run(version, func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(text))
			return err
		}))
	}
	return out, err
}

// recordsIntoObjects is the third migration. Records had a table of their own,
// with a column for each field; they stand in the rows of their objects now.
func recordsIntoObjects(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `ALTER TABLE objects ADD COLUMN records BLOB`); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT object, prefix, deleted, coalesce(block, 0), coalesce(offset, 0), coalesce(length, 0),
		sets, datestamp, hash FROM records ORDER BY object, prefix`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var last int64 // the object that list is of
	var list []byte
	write := func() error {
		_, err := tx.ExecContext(ctx, `UPDATE objects SET records = ? WHERE id = ?`, list, last)
		return err
	}
	for rows.Next() {
		var object int64
		var r recordRow
		var hash []byte
		if err := rows.Scan(&object, &r.prefix, &r.deleted, &r.block, &r.offset, &r.length, &r.sets, &r.datestamp, &hash); err != nil {
			return err
		}
		copy(r.hash[:], hash)
		if object != last {
			if err := write(); err != nil {
				return err
			}
			last, list = object, list[:0]
		}
		list = appendRecord(list, &r)
	}
	if err := errors.Join(rows.Err(), rows.Close(), write()); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DROP TABLE records`)
	return err
}

// ours refuses a database of another program, which is not touched. A file
// that is empty, or on which a first migration has just begun, may become ours.
func ours(ctx context.Context, file string) error {
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		return nil
	}
	p, err := pool(file, 1, readerCache, "_query_only=on")
	if err != nil {
		return err
	}
	var id, tables int64
	err = p.QueryRowContext(ctx, `SELECT application_id, (SELECT count(*) FROM sqlite_schema
		WHERE name NOT LIKE 'goose_%' AND name NOT LIKE 'sqlite_%') FROM pragma_application_id`).Scan(&id, &tables)
	if err == nil && id != application && tables > 0 {
		err = errForeign
	}
	return errors.Join(err, p.Close())
}
