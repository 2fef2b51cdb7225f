package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"fingerpost/bridge/store"
)

// SaveRepository keeps a repository and what was learnt about it.
func (db *DB) SaveRepository(ctx context.Context, r store.Repository) error {
	value, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("save repository %s: %w", r.ID, err)
	}
	err = db.update(ctx, func(ctx context.Context, _ *sql.Conn, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO repositories (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, r.ID, string(value))
		return err
	})
	if err != nil {
		return fmt.Errorf("save repository %s: %w", r.ID, err)
	}
	return nil
}

// Repository returns a repository that was saved.
func (db *DB) Repository(ctx context.Context, id string) (r store.Repository, err error) {
	var value sql.NullString
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, `SELECT value FROM repositories WHERE name = ?`, id).Scan(&value)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !value.Valid:
		err = store.ErrNotFound
	case err == nil:
		err = json.Unmarshal([]byte(value.String), &r)
	}
	if err != nil {
		return store.Repository{}, fmt.Errorf("read repository %s: %w", id, err)
	}
	return r, nil
}

// Repositories returns those that were saved, by ID.
func (db *DB) Repositories(ctx context.Context) (out []store.Repository, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT value FROM repositories WHERE value IS NOT NULL ORDER BY name`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var value string
			var r store.Repository
			if err := rows.Scan(&value); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(value), &r); err != nil {
				return err
			}
			out = append(out, r)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read the repositories: %w", err)
	}
	return out, nil
}

// repositoryNumber is the number of a repository. One gets its number with
// its first row, which may be a run that failed before it could be named.
func repositoryNumber(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM repositories WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, `INSERT INTO repositories (name) VALUES (?) RETURNING id`, name).Scan(&id)
	}
	if err != nil {
		return 0, fmt.Errorf("number the repository %s: %w", name, err)
	}
	return id, nil
}

// otherFormats is how many formats a repository is asked about beside those
// that are harvested: a Signmap may have a link in each.
func otherFormats(ctx context.Context, tx *sql.Tx, repository int64) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(json_array_length(value, '$.Offered.Of'), 0) FROM repositories WHERE id = ?`, repository).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the formats of repository %d: %w", repository, err)
	}
	return n, nil
}
