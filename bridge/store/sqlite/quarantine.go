package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"fingerpost/bridge/store"
)

// saveQuarantine takes out what a page makes good and puts in what is bad.
func (s *saving) saveQuarantine(ctx context.Context, p store.Batch) error {
	var any bool
	err := s.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM quarantine WHERE repository = ?)`, s.repository).Scan(&any)
	if err == nil && any {
		err = s.release(ctx, p)
	}
	if err != nil {
		return fmt.Errorf("clear the quarantine: %w", err)
	}
	type name struct{ identifier, prefix string }
	kept := map[name]bool{}
	if len(p.Quarantined) > 0 {
		for _, r := range p.Records {
			kept[name{r.Identifier, r.Prefix}] = true
		}
	}
	for i := range p.Quarantined {
		q := &p.Quarantined[i]
		// A remap has no request: what it could not map is kept.
		if err := s.quarantine(ctx, q, kept[name{q.Identifier, q.Prefix}] || q.Page == ""); err != nil {
			return fmt.Errorf("quarantine record %s: %w", q.Identifier, err)
		}
	}
	return nil
}

func (s *saving) release(ctx context.Context, p store.Batch) error {
	for _, r := range p.Records {
		_, err := s.tx.ExecContext(ctx, `DELETE FROM quarantine WHERE repository = ? AND identifier = ? AND prefix = ? AND digest = x''`,
			s.repository, r.Identifier, r.Prefix)
		if err != nil {
			return err
		}
	}
	for _, o := range p.Objects {
		_, err := s.tx.ExecContext(ctx, `DELETE FROM quarantine WHERE repository = ? AND identifier = ? AND digest = x'' AND kept = 1`,
			s.repository, o.Identifier)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *saving) quarantine(ctx context.Context, q *store.Quarantined, kept bool) error {
	digest := []byte{}
	if q.Identifier == "" {
		sum := sha256.Sum256(q.Bytes)
		digest = sum[:16]
	}
	_, err := s.tx.ExecContext(ctx, `INSERT OR REPLACE INTO quarantine
		(repository, identifier, prefix, digest, kept, reason, page, bytes, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		s.repository, q.Identifier, q.Prefix, digest, kept, q.Reason, q.Page, q.Bytes, q.At.UnixMicro())
	return err
}

// Release takes out of quarantine what could not be read and came no more.
func (db *DB) Release(ctx context.Context, repository, prefix string, before time.Time) (n int, err error) {
	err = db.update(ctx, func(ctx context.Context, _ *sql.Conn, tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM quarantine
			WHERE repository = (SELECT id FROM repositories WHERE name = ?) AND prefix = ? AND kept = 0 AND at < ?`,
			repository, prefix, before.UnixMicro())
		if err != nil {
			return err
		}
		gone, err := done.RowsAffected()
		n = int(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("clear the quarantine of %s: %w", repository, err)
	}
	return n, nil
}

// chunkBytes is of how many bytes, or a record more, a chunk of bad records is:
// they are kept as they came, however large.
const chunkBytes = 4 << 20

// Quarantined yields what is in quarantine, in the order in which it came.
func (db *DB) Quarantined(ctx context.Context, repository string) iter.Seq2[store.Quarantined, error] {
	type row struct {
		id int64
		store.Quarantined
	}
	read := func(last row) (out []row, full bool, err error) {
		err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
			rows, err := conn.QueryContext(ctx, `SELECT id, identifier, prefix, reason, page, bytes, at FROM quarantine
				WHERE repository = (SELECT id FROM repositories WHERE name = ?) AND id > ? ORDER BY id LIMIT ?`, repository, last.id, chunk)
			if err != nil {
				return err
			}
			defer rows.Close()
			for size := 0; !full && rows.Next(); {
				var r row
				var at int64
				if err := rows.Scan(&r.id, &r.Identifier, &r.Prefix, &r.Reason, &r.Page, &r.Bytes, &at); err != nil {
					return err
				}
				r.At = time.UnixMicro(at).UTC()
				out = append(out, r)
				size += len(r.Bytes)
				full = len(out) == chunk || size >= chunkBytes
			}
			return rows.Err()
		})
		return out, full, err
	}
	rows := chunks(row{}, read, func(r row) row { return r }, "read the quarantine of "+repository)
	return func(yield func(store.Quarantined, error) bool) {
		for r, err := range rows {
			if !yield(r.Quarantined, err) {
				return
			}
		}
	}
}
