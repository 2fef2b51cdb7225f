// Package sqlite is an engine that keeps rows in one SQLite file.
//
// One connection writes, two read; readers never wait for the writer (WAL).
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

	sqlite3 "github.com/mattn/go-sqlite3"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
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

// Engine is an engine.Engine in a file.
type Engine struct {
	file    string
	writer  *sql.DB
	reader  *sql.DB
	numbers sync.Map // of repositories, by name
	locks   sync.Map // the files that Lock has locked
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Backuper = (*Engine)(nil)
	_ engine.Checker  = (*Engine)(nil)
)

// Open opens the store in a file, which it makes if there is none. A file that
// cannot be used is a *store.FileError.
func Open(ctx context.Context, file string, options ...store.Option) (*store.DB, error) {
	e, err := OpenEngine(ctx, file)
	if err != nil {
		return nil, err
	}
	return store.New(e, options...)
}

// OpenEngine opens the engine alone.
func OpenEngine(ctx context.Context, file string) (*Engine, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", file, err)
	}
	e := &Engine{file: abs}
	if err := e.open(ctx); err != nil {
		return nil, errors.Join(openError(abs, err), e.Close())
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context) (err error) {
	if err := writable(e.file); err != nil {
		return err
	}
	if err := usable(ctx, e.file); err != nil {
		return err
	}
	if err := private(e.file); err != nil {
		return err
	}
	if e.writer, err = pool(e.file, 1, writerCache, "_journal_mode=WAL", "_synchronous=NORMAL"); err != nil {
		return err
	}
	if err := makeSchema(ctx, e.file, e.writer); err != nil {
		return err
	}
	// An insert of several rows would write what it takes to undo it to a file.
	if _, err := e.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = %d`, checkpointAt)); err != nil {
		return err
	}
	e.reader, err = pool(e.file, readers, readerCache, "_query_only=on")
	return err
}

// pool opens n connections to file. Pragmas stand in the name of the data
// source, so that every connection has them.
func pool(file string, n, cacheKiB int, pragmas ...string) (*sql.DB, error) {
	dsn := "file:" + (&url.URL{Path: file}).EscapedPath() + "?_mutex=no&_stmt_cache_size=64" +
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
func (e *Engine) Close() error {
	var errs []error
	for _, p := range []*sql.DB{e.reader, e.writer} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// View reads in a transaction. Waiting for a connection ends with ctx; the
// statements themselves are short.
func (e *Engine) View(ctx context.Context, repository string, f func(engine.Rows) error) error {
	return e.on(ctx, e.reader, func(c *conn) error {
		return c.transaction(`BEGIN`, func() error {
			number, err := e.number(c, repository)
			if err != nil {
				return err
			}
			return f(rows{c, number})
		})
	})
}

// Update writes in a transaction, one at a time in all repositories.
func (e *Engine) Update(ctx context.Context, repository string, f func(engine.Tx) error) error {
	return e.on(ctx, e.writer, func(c *conn) error {
		return c.transaction(`BEGIN IMMEDIATE`, func() error {
			number, err := e.ensure(c, repository)
			if err != nil {
				return err
			}
			return f(&tx{rows: rows{c, number}})
		})
	})
}

// on runs f on a connection.
func (e *Engine) on(ctx context.Context, p *sql.DB, f func(*conn) error) error {
	borrowed, err := p.Conn(ctx)
	if err != nil {
		return e.explain(err)
	}
	defer borrowed.Close()
	return e.explain(borrowed.Raw(func(c any) error { return f(&conn{driver: c.(*sqlite3.SQLiteConn)}) }))
}

// nobody is the number of a repository of which there are no rows.
const nobody = -1

// number returns the number of a repository, which never changes. It remembers
// those that it read: they are committed.
func (e *Engine) number(c *conn, repository string) (int64, error) {
	if repository == "" {
		return 0, nil
	}
	if n, ok := e.numbers.Load(repository); ok {
		return n.(int64), nil
	}
	n := int64(nobody)
	err := c.each(`SELECT id FROM repositories WHERE name = ?`, func(r *columns) { n = r.integer() }, repository)
	if err == nil && n != nobody {
		e.numbers.Store(repository, n)
	}
	return n, err
}

// ensure is number for a transaction that writes: a new repository gets a
// number.
func (e *Engine) ensure(c *conn, repository string) (int64, error) {
	n, err := e.number(c, repository)
	if err == nil && n == nobody {
		err = c.each(`INSERT INTO repositories (name) VALUES (?) RETURNING id`, func(r *columns) { n = r.integer() }, repository)
	}
	return n, err
}
