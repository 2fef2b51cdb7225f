// Package postgres is an engine that keeps rows in a PostgreSQL database, for
// any number of processes.
//
// A transaction that saves a page of records takes two round trips: one begins
// it, locks the repository and reads; one writes and commits.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
)

// Engine is an engine.Engine in a database.
type Engine struct {
	name    string // of the database, without its password
	pool    *pgxpool.Pool
	numbers sync.Map // of repositories, by name
	leases  *leases
}

var _ engine.Engine = (*Engine)(nil)

// Open opens the store at an address, postgres://USER@HOST/DATABASE, and makes
// its tables if there are none. Without a password those of PostgreSQL's own
// clients are taken: PGPASSWORD and .pgpass. An address that cannot be used is
// a *store.FileError.
func Open(ctx context.Context, address, password string, options ...store.Option) (*store.DB, error) {
	e, err := OpenEngine(ctx, address, password)
	if err != nil {
		return nil, err
	}
	return store.New(e, options...)
}

// OpenEngine opens the engine alone.
func OpenEngine(ctx context.Context, address, password string) (*Engine, error) {
	name := nameOf(address)
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		// The error quotes the address, which has a password in it.
		return nil, &store.FileError{File: name, Problem: "is no address of a database", Remedy: "write postgres://USER@HOST/DATABASE"}
	}
	if password != "" {
		config.ConnConfig.Password = password
	}
	config.ConnConfig.RuntimeParams["application_name"] = "fingerpost"
	if config.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement { // no PgBouncer, which refuses the parameter
		// Without statistics everything looks large. To compile a query that finds
		// one row takes a hundred times as long as to run it.
		config.ConnConfig.RuntimeParams["jit"] = "off"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, openError(name, err)
	}
	e := &Engine{name: name, pool: pool}
	if err := e.makeSchema(ctx); err != nil {
		pool.Close()
		return nil, openError(name, err)
	}
	e.leases = newLeases(e)
	return e, nil
}

// nameOf returns an address as it may be printed.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Close ends all work. It waits for transactions under way.
func (e *Engine) Close() error {
	e.leases.close()
	e.pool.Close()
	return nil
}

// View reads one state of the database. The answer to one question is one:
// that needs no transaction, which costs as much as two questions. If f asks a
// second, it is called again in a transaction.
func (e *Engine) View(ctx context.Context, repository string, f func(engine.Rows) error) error {
	err := e.view(ctx, repository, false, f)
	if errors.Is(err, errSecond) {
		err = e.view(ctx, repository, true, f)
	}
	return err
}

// view reads again if the connection breaks.
func (e *Engine) view(ctx context.Context, repository string, several bool, f func(engine.Rows) error) error {
	return e.again(ctx, readPatience, func(c *conn) error {
		number, err := e.number(c, repository)
		if err != nil {
			return c.broke(err)
		}
		c.single = true
		if several {
			c.begin()
		}
		if err := f(rows{c, number}); err != nil {
			return err
		}
		return c.end()
	})
}

// Update writes in a transaction that locks the repository's row. If this
// engine has lost the lock on the repository to another process, Update is
// refused with a *store.LockedError: what it would write is out of date.
func (e *Engine) Update(ctx context.Context, repository string, f func(engine.Tx) error) error {
	return e.again(ctx, writePatience, func(c *conn) error {
		number, err := e.ensure(c, repository)
		if err != nil {
			return c.broke(err)
		}
		t := &tx{rows: rows{c, number}, name: repository}
		t.begin(e.leases.epoch(number))
		if err := f(t); err != nil {
			return err
		}
		return t.commit()
	})
}

// How long a transaction is tried again while the database cannot be reached, as
// while it is started anew. Somebody may wait for what is read.
const (
	readPatience  = 10 * time.Second
	writePatience = time.Minute
)

// again runs f on a connection, and again after a passing failure.
func (e *Engine) again(ctx context.Context, patience time.Duration, f func(*conn) error) error {
	wait := 50 * time.Millisecond
	for deadline := time.Now().Add(patience); ; wait = min(2*wait, 5*time.Second) {
		c := &conn{ctx: ctx}
		err := e.once(c, f)
		if err == nil || !passing(c.failure, c.broken) || ctx.Err() != nil || time.Now().After(deadline) {
			return explain(e.name, err)
		}
		if done, known := e.outcome(ctx, c); known && done {
			return nil
		}
		if !pause(ctx, wait) {
			return explain(e.name, err)
		}
	}
}

// once runs f on a connection, and rolls back what f did not end.
func (e *Engine) once(c *conn, f func(*conn) error) error {
	borrowed, err := e.pool.Acquire(c.ctx)
	if err != nil {
		c.broken = true
		return c.broke(err)
	}
	defer borrowed.Release()
	c.pgx = borrowed.Conn()
	defer c.rollback()
	return f(c)
}

// outcome finds out what became of a COMMIT whose answer was lost. It waits until
// that has ended, which locks the row. If another transaction has written since,
// this one counts as lost: what it writes again is the same.
func (e *Engine) outcome(ctx context.Context, c *conn) (done, known bool) {
	if c.transaction == (transaction{}) {
		return false, true // no COMMIT was sent
	}
	for range 50 {
		var saved int64
		if err := e.pool.QueryRow(ctx, `SELECT saved FROM fingerpost.repositories WHERE id = $1 FOR UPDATE`, c.transaction.repository).Scan(&saved); err == nil {
			return saved == c.transaction.number, true
		}
		if !pause(ctx, 500*time.Millisecond) {
			break
		}
	}
	return false, false
}

// pause waits, and reports whether ctx still lasts.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// nobody is the number of a repository of which there are no rows.
const nobody = -1

// named finds a repository by its name, which may be longer than an entry of
// an index.
const named = ` left(name, 200) = left($1, 200) AND hashtextextended(name, 0) = hashtextextended($1, 0) AND name = $1`

// number returns the number of a repository, which never changes.
func (e *Engine) number(c *conn, repository string) (int32, error) {
	if repository == "" {
		return 0, nil
	}
	if n, ok := e.numbers.Load(repository); ok {
		return n.(int32), nil
	}
	var n int32
	err := c.pgx.QueryRow(c.ctx, `SELECT id FROM fingerpost.repositories WHERE`+named, repository).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return nobody, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look up repository %s: %w", repository, err)
	}
	e.numbers.Store(repository, n)
	return n, nil
}

// ensure is number for a transaction that writes: a new repository gets a
// number.
func (e *Engine) ensure(c *conn, repository string) (int32, error) {
	n, err := e.number(c, repository)
	if err != nil || n != nobody {
		return n, err
	}
	if _, err := c.pgx.Exec(c.ctx, `INSERT INTO fingerpost.repositories (name) VALUES ($1) ON CONFLICT DO NOTHING`, repository); err != nil {
		return 0, fmt.Errorf("add repository %s: %w", repository, err)
	}
	return e.number(c, repository)
}
