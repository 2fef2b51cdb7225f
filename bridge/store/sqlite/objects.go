package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// chunk is how many rows an iterator reads before it lets go of its
// connection: whoever ranges over it may take all day, and may ask for more.
const chunk = 256

// Object finds an object by its key in URLs.
func (db *DB) Object(ctx context.Context, repository, key string) (store.Object, error) {
	n, ok := keyNumber(key)
	if !ok {
		return store.Object{}, fmt.Errorf("object %s of %s: %w", key, repository, store.ErrNotFound)
	}
	return db.one(ctx, repository, n, func(o store.Object) bool { return o.Key == key })
}

// ByIdentifier finds an object by its OAI identifier.
func (db *DB) ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error) {
	return db.one(ctx, repository, hash64(identifier), func(o store.Object) bool { return o.Identifier == identifier })
}

func (db *DB) one(ctx context.Context, repository string, key int64, is func(store.Object) bool) (o store.Object, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := readObjects(ctx, conn, `SELECT `+objectColumns+` FROM objects o
			WHERE o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.key = ? ORDER BY o.id`, repository, key)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !r.mapped {
				continue
			}
			if o, err = db.object(ctx, conn, repository, r); err != nil || is(o) {
				return err
			}
		}
		return store.ErrNotFound
	})
	if err != nil {
		return store.Object{}, fmt.Errorf("find an object of %s: %w", repository, err)
	}
	return o, nil
}

func readObjects(ctx context.Context, q querier, query string, args ...any) ([]objectRow, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []objectRow
	for rows.Next() {
		var r objectRow
		if err := r.scan(rows); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// Find finds the object that has uri.
func (db *DB) Find(ctx context.Context, uri string) (o store.Object, err error) {
	normal := bridge.NormalURL(uri)
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		o, err = db.find(ctx, conn, normal)
		return err
	})
	if err != nil {
		return store.Object{}, fmt.Errorf("find the object of a URL: %w", err)
	}
	return o, nil
}

// find looks at the objects with the hash of a URL in the order in which they
// are preferred. A second one is met only where two URLs have the same hash.
func (db *DB) find(ctx context.Context, conn *sql.Conn, normal string) (store.Object, error) {
	rows, err := conn.QueryContext(ctx, `SELECT `+objectColumns+`, r.name FROM urls u
		CROSS JOIN objects o ON o.id = u.object
		CROSS JOIN repositories r ON r.id = o.repository
		WHERE u.hash = ? ORDER BY u.rank, u.object`, hash64(normal))
	if err != nil {
		return store.Object{}, err
	}
	defer rows.Close()
	for rows.Next() {
		var r objectRow
		var repository string
		if err := r.scan(rows, &repository); err != nil {
			return store.Object{}, err
		}
		o, err := db.object(ctx, conn, repository, r)
		if err != nil || found(o.Object, normal) {
			return o, err
		}
	}
	return store.Object{}, errors.Join(rows.Err(), store.ErrNotFound)
}

// Objects yields a repository's objects in ascending ID.
func (db *DB) Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error] {
	return db.objects(ctx, repository, after, `o.deleted IS NOT NULL`)
}

// objects yields the objects for which a condition holds, a chunk at a time.
func (db *DB) objects(ctx context.Context, repository string, after int64, where string, args ...any) iter.Seq2[store.Object, error] {
	query := `SELECT ` + objectColumns + ` FROM objects o WHERE o.repository = (SELECT id FROM repositories WHERE name = ?)
		AND o.id > ? AND ` + where + ` ORDER BY o.id LIMIT ?`
	read := func(after int64) (out []store.Object, err error) {
		err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
			rows, err := readObjects(ctx, conn, query, append(append([]any{repository, after}, args...), chunk)...)
			if err != nil {
				return err
			}
			for _, r := range rows {
				o, err := db.object(ctx, conn, repository, r)
				if err != nil {
					return err
				}
				out = append(out, o)
			}
			return nil
		})
		return out, err
	}
	id := func(o store.Object) int64 { return o.ID }
	return chunks(after, read, id, "read the objects of "+repository)
}

// chunks yields what read returns, call after call, each from behind the key
// of the last. A chunk that is not full is the last.
func chunks[T any, K any](after K, read func(after K) ([]T, error), key func(T) K, doing string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, full := after, true; full; {
			got, err := read(after)
			if err != nil {
				var none T
				yield(none, fmt.Errorf("%s: %w", doing, err))
				return
			}
			for _, v := range got {
				if !yield(v, nil) {
					return
				}
				after = key(v)
			}
			full = len(got) == chunk
		}
	}
}

// Counts counts by the pages of the Signmap: their number is small.
func (db *DB) Counts(ctx context.Context, repository string) (c store.Counts, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, `WITH r AS (SELECT id FROM repositories WHERE name = ?)
			SELECT coalesce(sum(objects), 0), coalesce(sum(deleted), 0),
				(SELECT count(*) FROM quarantine WHERE repository = (SELECT id FROM r))
			FROM signmap_pages WHERE repository = (SELECT id FROM r)`, repository).Scan(&c.Objects, &c.Deleted, &c.Quarantined)
	})
	if err != nil {
		return c, fmt.Errorf("count the objects of %s: %w", repository, err)
	}
	return c, nil
}

// Changed returns the IDs of objects that are newer.
func (db *DB) Changed(ctx context.Context, repository string, modified int64, n int) (ids []int64, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT id FROM objects
			WHERE repository = (SELECT id FROM repositories WHERE name = ?) AND modified > ? LIMIT ?`, repository, modified, max(n, 0))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read which objects of %s have changed: %w", repository, err)
	}
	return ids, nil
}

// Modified is the newest Object.Modified of a repository.
func (db *DB) Modified(ctx context.Context, repository string) (modified int64, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, `SELECT coalesce(max(modified), 0) FROM objects
			WHERE repository = (SELECT id FROM repositories WHERE name = ?)`, repository).Scan(&modified)
	})
	if err != nil {
		return 0, fmt.Errorf("read when %s was modified: %w", repository, err)
	}
	return modified, nil
}
