package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

func (s *saving) saveProbes(ctx context.Context, probes []store.Probe) error {
	for _, p := range probes {
		answered := p.URL
		if answered == p.Asked {
			answered = ""
		}
		_, err := s.tx.ExecContext(ctx, `INSERT OR REPLACE INTO probes
			(repository, hash, url, object, due, status, media_type, answered) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			s.repository, hash64(p.Asked), p.Asked, s.rows[p.Identifier].id, p.Due.Unix(), p.Status, p.MediaType, answered)
		if err != nil {
			return fmt.Errorf("save what was answered about %s: %w", p.Asked, err)
		}
	}
	return nil
}

// Probes returns the answers that are kept about URLs.
func (db *DB) Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error) {
	wanted := make(map[string]bool, len(urls))
	for _, u := range urls {
		wanted[u] = true
	}
	out := map[string]bridge.Probe{}
	if len(urls) == 0 {
		return out, nil
	}
	err := db.eachProbe(ctx, `json_each(?2) j CROSS JOIN probes p ON p.hash = j.value AND`, ``, func(p store.Probe) {
		if wanted[p.Asked] {
			out[p.Asked] = p.Probe
		}
	}, repository, keys(urls))
	if err != nil {
		return nil, fmt.Errorf("read what was answered about URLs of %s: %w", repository, err)
	}
	return out, nil
}

// DueProbes returns the answers that are due, the longest first.
func (db *DB) DueProbes(ctx context.Context, repository string, before time.Time, n int) (out []store.Probe, err error) {
	err = db.eachProbe(ctx, `probes p ON`, `AND p.due < ?2 ORDER BY p.due, p.hash LIMIT ?3`, func(p store.Probe) {
		out = append(out, p)
	}, repository, before.Unix(), max(n, 0))
	if err != nil {
		return nil, fmt.Errorf("read which URLs of %s are due: %w", repository, err)
	}
	return out, nil
}

// eachProbe calls f with probes of the repository that argument 1 names.
func (db *DB) eachProbe(ctx context.Context, from, where string, f func(store.Probe), args ...any) error {
	return db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT p.url, o.identifier, p.due, p.status, p.media_type, p.answered
			FROM repositories r CROSS JOIN `+from+` p.repository = r.id CROSS JOIN objects o ON o.id = p.object
			WHERE r.name = ?1 `+where, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p store.Probe
			var due int64
			if err := rows.Scan(&p.Asked, &p.Identifier, &due, &p.Status, &p.MediaType, &p.URL); err != nil {
				return err
			}
			p.Due = time.Unix(due, 0).UTC()
			if p.URL == "" {
				p.URL = p.Asked
			}
			f(p)
		}
		return rows.Err()
	})
}
