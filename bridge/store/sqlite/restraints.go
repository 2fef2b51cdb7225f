package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"fingerpost/oaipmh"
)

// SaveRestraint keeps what a host asks for.
func (db *DB) SaveRestraint(ctx context.Context, r oaipmh.Restraint) error {
	value, err := json.Marshal(r)
	if err == nil {
		err = db.update(ctx, func(ctx context.Context, _ *sql.Conn, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO restraints (host, value) VALUES (?, ?)`, r.Host, string(value))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("save what the host %s asks for: %w", r.Host, err)
	}
	return nil
}

// Restraints returns what hosts have asked for, by name.
func (db *DB) Restraints(ctx context.Context) (out []oaipmh.Restraint, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT value FROM restraints ORDER BY host`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var value []byte
			var r oaipmh.Restraint
			if err := rows.Scan(&value); err != nil {
				return err
			}
			if err := json.Unmarshal(value, &r); err != nil {
				return err
			}
			out = append(out, r)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read what hosts ask for: %w", err)
	}
	return out, nil
}
