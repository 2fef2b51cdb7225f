// Package sqlite keeps a store in one SQLite file.
//
// One connection writes, two read; readers never wait for the writer (WAL).
// A row is small: identifiers and URLs are found by 64-bit hashes and compared
// on a hit, setSpecs and prefixes are numbers, and the metadata of a page is
// one compressed block.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"fingerpost/bridge/store"
)

const (
	readers     = 2
	busyTimeout = 5 * time.Second // for another process that is writing

	// Page caches in KiB, a connection: small, since a harvest is to stay
	// within 48 MiB; twice as much made it no faster.
	writerCache = 3 << 10
	readerCache = 1 << 10

	// checkpointAt is the size of the log, in pages of 4 KiB, at which it is
	// written into the file: four times SQLite's own. Of a page that many
	// transactions change, as those of the indexes are, only the last version
	// is written.
	checkpointAt = 4000
)

// DB is a store.Store in a file. Its methods may be called at the same time.
type DB struct {
	file   string
	writer *sql.DB
	reader *sql.DB
	now    func() time.Time
	limits Limits
	words  words
	codec  *blockCodec
	held   sync.Map // the files that Lock holds
}

var _ store.Store = (*DB)(nil)

// Option changes how a store works.
type Option func(*DB)

// Now sets the clock from which Object.Modified is taken.
func Now(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// SignmapLimits sets how large a page of a Signmap gets.
func SignmapLimits(l Limits) Option { return func(db *DB) { db.limits = l } }

// Open opens the store in file, which it makes if it is not there, and brings
// its schema up to date. A file that cannot be used is a *FileError, one that
// a newer fingerpost made a *NewerSchemaError.
func Open(ctx context.Context, file string, options ...Option) (*DB, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", file, err)
	}
	codec, err := newBlockCodec()
	if err != nil {
		return nil, err
	}
	db := &DB{file: abs, now: time.Now, limits: defaultLimits, codec: codec}
	for _, o := range options {
		o(db)
	}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(fileError(abs, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) (err error) {
	if err := writable(db.file); err != nil {
		return err
	}
	if err := ours(ctx, db.file); err != nil {
		return err
	}
	if db.writer, err = pool(db.file, 1, writerCache, "_txlock=immediate", "_journal_mode=WAL", "_synchronous=NORMAL"); err != nil {
		return err
	}
	if err := migrate(ctx, db.file, db.writer); err != nil {
		return err
	}
	if _, err := db.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA wal_autocheckpoint = %d`, checkpointAt)); err != nil {
		return err
	}
	db.reader, err = pool(db.file, readers, readerCache, "_query_only=on")
	return err
}

// pool opens n connections to file. Pragmas stand in the name of the data
// source, so that every connection has them.
func pool(file string, n, cacheKiB int, pragmas ...string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: file}).EscapedPath() + "?_foreign_keys=on&_mutex=no&_stmt_cache_size=64" +
		"&_busy_timeout=" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) +
		"&_cache_size=-" + strconv.Itoa(cacheKiB)
	for _, p := range pragmas {
		dsn += "&" + p
	}
	p, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, err
	}
	p.SetMaxOpenConns(n)
	p.SetMaxIdleConns(n)
	return p, nil
}

// Close ends all work on the file. It waits for a transaction under way.
func (db *DB) Close() error {
	var errs []error
	for _, p := range []*sql.DB{db.reader, db.writer} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	db.codec.close()
	return errors.Join(errs...)
}

// query runs f on a connection that reads. Waiting for the connection ends
// with ctx; the statements themselves are short, and the driver would start a
// goroutine for each to watch over ctx.
func (db *DB) query(ctx context.Context, f func(context.Context, *sql.Conn) error) error {
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(context.WithoutCancel(ctx), conn)
}

// update runs f in a transaction: everything it does is kept, or nothing. The
// connection is the transaction's, for what is written to the driver itself.
func (db *DB) update(ctx context.Context, f func(context.Context, *sql.Conn, *sql.Tx) error) error {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return writeError(db.file, err)
	}
	defer tx.Rollback()
	if err := f(ctx, conn, tx); err != nil {
		return writeError(db.file, err)
	}
	return writeError(db.file, tx.Commit())
}
