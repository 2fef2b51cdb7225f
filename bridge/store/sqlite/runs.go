package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"fingerpost/bridge/store"
)

// SaveRun keeps a run.
func (db *DB) SaveRun(ctx context.Context, r *store.Run) error {
	run := *r
	err := db.update(ctx, func(ctx context.Context, _ *sql.Conn, tx *sql.Tx) error {
		ctx = context.WithoutCancel(ctx)
		repository, err := repositoryNumber(ctx, tx, run.Repository)
		if err != nil {
			return err
		}
		return saveRun(ctx, tx, repository, &run)
	})
	if err != nil {
		return fmt.Errorf("save a run of %s: %w", r.Repository, err)
	}
	r.ID = run.ID
	return nil
}

// saveRun gives a new run its ID.
func saveRun(ctx context.Context, tx *sql.Tx, repository int64, r *store.Run) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if r.ID == 0 {
		return tx.QueryRowContext(ctx, `INSERT INTO runs (repository, value) VALUES (?, ?) RETURNING id`, repository, string(value)).Scan(&r.ID)
	}
	result, err := tx.ExecContext(ctx, `UPDATE runs SET value = ? WHERE id = ? AND repository = ?`, string(value), r.ID, repository)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, fmt.Errorf("run %d: %w", r.ID, store.ErrNotFound))
	}
	return nil
}

// Runs returns the newest runs, newest first.
func (db *DB) Runs(ctx context.Context, repository string, n int) (out []store.Run, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT id, value FROM runs
			WHERE repository = (SELECT id FROM repositories WHERE name = ?) ORDER BY id DESC LIMIT ?`, repository, max(n, 0))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r store.Run
			var id int64
			var value []byte
			if err := rows.Scan(&id, &value); err != nil {
				return err
			}
			if err := json.Unmarshal(value, &r); err != nil {
				return fmt.Errorf("run %d: %w", id, err)
			}
			r.ID = id
			out = append(out, r)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read the runs of %s: %w", repository, err)
	}
	return out, nil
}

// Checkpoint returns how far the harvest of a list has come.
func (db *DB) Checkpoint(ctx context.Context, repository, prefix, set string) (store.Checkpoint, error) {
	c := store.Checkpoint{Repository: repository, Prefix: prefix, Set: set}
	var value []byte
	err := db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, `SELECT value FROM checkpoints
			WHERE repository = (SELECT id FROM repositories WHERE name = ?) AND prefix = ? AND "set" = ?`,
			repository, prefix, set).Scan(&value)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(value, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read the checkpoint of %s in %s: %w", repository, prefix, err)
	}
	return c, nil
}

func saveCheckpoint(ctx context.Context, tx *sql.Tx, repository int64, name string, c store.Checkpoint) error {
	c.Repository = name
	value, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO checkpoints (repository, prefix, "set", value) VALUES (?, ?, ?, ?)`,
		repository, c.Prefix, c.Set, string(value))
	if err != nil {
		return fmt.Errorf("write a checkpoint: %w", err)
	}
	return nil
}
