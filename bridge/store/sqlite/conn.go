package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strconv"

	sqlite3 "github.com/mattn/go-sqlite3"

	"fingerpost/bridge/store"
)

// conn calls the driver itself. database/sql in between would copy and convert
// each value, which takes as long as SQLite does.
type conn struct {
	driver *sqlite3.SQLiteConn
	args   []driver.NamedValue
}

// transaction runs f between a beginning and a COMMIT or ROLLBACK.
func (c *conn) transaction(begin string, f func() error) (err error) {
	if err := c.run(begin); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also where f panics
			err = errors.Join(err, ignoreClosed(c, c.run(`ROLLBACK`)))
		}
	}()
	if err := f(); err != nil {
		return err
	}
	err = c.run(`COMMIT`)
	done = err == nil
	return err
}

// ignoreClosed drops the error of a ROLLBACK if SQLite has rolled back by
// itself, as it does when the disk is full.
func ignoreClosed(c *conn, err error) error {
	if c.driver.AutoCommit() {
		return nil
	}
	return err
}

// run runs a statement without values and without an answer. As a query it stays
// compiled; exec would compile it each time.
func (c *conn) run(statement string) error { return c.each(statement, func(*columns) {}) }

// exec runs a statement. Values are int64, string, []byte and bool.
func (c *conn) exec(query string, values ...driver.Value) (driver.Result, error) {
	return c.driver.ExecContext(context.Background(), query, c.named(values))
}

func (c *conn) named(values []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range values {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

// each calls f with every row of a query.
func (c *conn) each(query string, f func(*columns), values ...driver.Value) error {
	return c.while(query, func(r *columns) (bool, error) {
		f(r)
		return true, nil
	}, values...)
}

// while calls f with the rows of a query as long as f returns true.
func (c *conn) while(query string, f func(*columns) (more bool, err error), values ...driver.Value) error {
	found, err := c.driver.QueryContext(context.Background(), query, c.named(values))
	if err != nil {
		return err
	}
	r := columns{row: make([]driver.Value, len(found.Columns()))}
	for more := true; more && err == nil; {
		if err = found.Next(r.row); err == nil {
			r.next = 0
			more, err = f(&r)
			err = errors.Join(err, r.err())
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, found.Close())
}

// columns reads the values of a row, one after the other. The tables are
// STRICT: a value of another type than its column is damage.
type columns struct {
	row    []driver.Value
	next   int
	broken bool
}

func (r *columns) value() driver.Value {
	r.next++
	return r.row[r.next-1]
}

func (r *columns) integer() int64 {
	n, ok := r.value().(int64)
	r.broken = r.broken || !ok
	return n
}

func (r *columns) text() string {
	text, ok := r.value().(string)
	r.broken = r.broken || !ok
	return text
}

func (r *columns) bytes() []byte {
	b, ok := r.value().([]byte)
	r.broken = r.broken || !ok
	return b
}

func (r *columns) err() error {
	if r.broken {
		return &store.DamagedError{Err: errors.New("a row has a value of another type than its column")}
	}
	return nil
}

// numbers writes a list of numbers as JSON, to be one value of a statement.
func numbers(list []int64) string {
	const longest = len(",-9223372036854775808")
	b := append(make([]byte, 0, 2+longest*len(list)), '[')
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}
