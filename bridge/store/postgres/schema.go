package postgres

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fingerpost/bridge/store"
)

//go:embed schema.sql
var schema string

const (
	// version is that of schema.sql.
	version = 1
	// schemaLock is the advisory lock under which tables are made.
	schemaLock = 0x66707374 // "fpst"
	// oldest is the first version of the server that works.
	oldest = 150000
)

// makeSchema makes the tables where there are none, one process at a time, and
// refuses tables of another version, before anything is written.
func (e *Engine) makeSchema(ctx context.Context) error {
	if err := e.newEnough(ctx); err != nil {
		return err
	}
	if has, err := e.version(ctx); err != nil || has == version {
		return err
	}
	return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, schemaLock); err != nil {
			return err
		}
		if has, err := e.version(ctx); err != nil || has == version {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS fingerpost`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("make the tables: %w", err)
		}
		_, err := tx.Exec(ctx, fmt.Sprintf(`COMMENT ON SCHEMA fingerpost IS 'fingerpost, schema %d'`, version), pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

func (e *Engine) newEnough(ctx context.Context) error {
	var has int
	if err := e.pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&has); err != nil {
		return err
	}
	if has < oldest {
		return &store.FileError{
			File: e.name, Problem: fmt.Sprintf("is PostgreSQL %d", has/10000),
			Remedy: fmt.Sprintf("use PostgreSQL %d or newer", oldest/10000),
		}
	}
	return nil
}

// version returns that of the tables; 0 if there are none.
func (e *Engine) version(ctx context.Context) (has int, err error) {
	var tables int
	var comment string
	err = e.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_tables WHERE schemaname = 'fingerpost'),
		coalesce(obj_description(to_regnamespace('fingerpost'), 'pg_namespace'), '')`).Scan(&tables, &comment)
	if err != nil || tables == 0 {
		return 0, err
	}
	if _, err := fmt.Sscanf(comment, "fingerpost, schema %d", &has); err == nil && has == version {
		return has, nil
	}
	problem := "has a schema fingerpost that another program made"
	if has > 0 {
		problem = fmt.Sprintf("has schema %d, and this fingerpost reads schema %d", has, version)
	}
	return 0, &store.FileError{File: e.name, Problem: problem, Remedy: "run the fingerpost that wrote it, or name another database"}
}
