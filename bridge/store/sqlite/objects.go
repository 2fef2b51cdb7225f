package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"iter"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// chunk is how many rows an iterator reads before it lets go of its
// connection: whoever ranges over it may take all day, and may ask for more.
const chunk = 256

// Object finds an object by its key in URLs.
func (db *DB) Object(ctx context.Context, repository, key string) (store.Object, error) {
	hash, ok := store.HashOfKey(key)
	if !ok {
		return store.Object{}, fmt.Errorf("object %s of %s: %w", key, repository, store.ErrNotFound)
	}
	return db.one(ctx, repository, first64(hash), func(o store.Object) bool { return o.Key == key })
}

// ByIdentifier finds an object by its OAI identifier.
func (db *DB) ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error) {
	return db.one(ctx, repository, hash64(identifier), func(o store.Object) bool { return o.Identifier == identifier })
}

func (db *DB) one(ctx context.Context, repository string, key int64, is func(store.Object) bool) (store.Object, error) {
	read := func(v []driver.Value) (keptObject, error) { return readObject(repository, v) }
	o, err := db.first(ctx, read, is, `SELECT `+keptColumns+` FROM objects o
		WHERE o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.key = ? AND o.deleted IS NOT NULL ORDER BY o.id`, repository, key)
	if err != nil {
		return store.Object{}, fmt.Errorf("find an object of %s: %w", repository, err)
	}
	return o, nil
}

// first returns the first object of a query that is the one asked for. A
// second one is met only where two texts have the same hash.
func (db *DB) first(ctx context.Context, read func([]driver.Value) (keptObject, error), is func(store.Object) bool, query string, args ...any) (o store.Object, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		var met keptObject
		found := false
		err := readRows(ctx, conn, query, args, func(v []driver.Value) (more bool, err error) {
			met, err = read(v)
			found = err == nil && is(met.Object)
			return !found, err
		})
		switch {
		case err != nil:
			return err
		case !found:
			return store.ErrNotFound
		}
		o, err = db.whole(ctx, conn, met)
		return err
	})
	return o, err
}

// Find finds the object that has uri: of the objects with the hash of a URL
// the one that is preferred.
func (db *DB) Find(ctx context.Context, uri string, in ...string) (store.Object, error) {
	normal := bridge.NormalURL(uri)
	read := func(v []driver.Value) (keptObject, error) {
		repository, _ := v[len(v)-1].(string)
		return readObject(repository, v)
	}
	is := func(o store.Object) bool {
		return found(o.Object, normal) && (len(in) == 0 || slices.Contains(in, o.Repository))
	}
	o, err := db.first(ctx, read, is, `SELECT `+keptColumns+`, r.name FROM urls u
		CROSS JOIN objects o ON o.id = u.object
		CROSS JOIN repositories r ON r.id = o.repository
		WHERE u.hash = ? ORDER BY u.rank, u.object`, hash64(normal))
	if err != nil {
		return store.Object{}, fmt.Errorf("find the object of a URL: %w", err)
	}
	return o, nil
}

// order is a column by which objects are read, and its value.
type order struct {
	column string
	of     func(store.Object) int64
}

var (
	byID       = order{`o.id`, func(o store.Object) int64 { return o.ID }}
	byModified = order{`o.modified`, func(o store.Object) int64 { return o.Modified }}
)

// Objects yields a repository's objects in ascending ID.
func (db *DB) Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error] {
	return db.objects(ctx, repository, byID, after, `o.deleted IS NOT NULL`)
}

// Changed yields the objects that are newer. One that changes meanwhile is met
// again: it is the newest then.
func (db *DB) Changed(ctx context.Context, repository string, modified int64) iter.Seq2[store.Object, error] {
	return db.objects(ctx, repository, byModified, modified, `o.deleted IS NOT NULL`)
}

// objects yields the objects for which a condition holds, a chunk at a time.
func (db *DB) objects(ctx context.Context, repository string, by order, after int64, where string, args ...any) iter.Seq2[store.Object, error] {
	query := `SELECT ` + keptColumns + ` FROM objects o WHERE o.repository = (SELECT id FROM repositories WHERE name = ?)
		AND ` + by.column + ` > ? AND ` + where + ` ORDER BY ` + by.column + ` LIMIT ?`
	read := func(after int64) (out []store.Object, full bool, err error) {
		err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
			out, err = db.readObjects(ctx, conn, repository, query, slices.Concat([]any{repository, after}, args, []any{int64(chunk)}))
			return err
		})
		return out, len(out) == chunk, err
	}
	return chunks(after, read, by.of, "read the objects of "+repository)
}

func (db *DB) readObjects(ctx context.Context, conn *sql.Conn, repository, query string, args []any) ([]store.Object, error) {
	var kept []keptObject
	err := readRows(ctx, conn, query, args, func(v []driver.Value) (bool, error) {
		o, err := readObject(repository, v)
		kept = append(kept, o)
		return true, err
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.Object, len(kept))
	for i, k := range kept {
		if out[i], err = db.whole(ctx, conn, k); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chunks yields what read returns, call after call, each from behind the key
// of the last. A chunk that is not full, by number or by size, is the last.
func chunks[T any, K any](after K, read func(after K) (got []T, full bool, err error), key func(T) K, doing string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, full := after, true; full; {
			var got []T
			var err error
			got, full, err = read(after)
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
