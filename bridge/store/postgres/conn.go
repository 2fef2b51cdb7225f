package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// conn is a connection during one transaction. What is queued is sent with the
// next question, or with the COMMIT.
type conn struct {
	ctx         context.Context
	pgx         *pgx.Conn
	queued      []question
	single      bool        // no transaction is begun: one question may be asked
	asked       bool        // a question was
	failure     error       // of the database, not of what it was asked for
	broken      bool        // there is no connection any more
	transaction transaction // whose COMMIT was sent
}

// transaction is one that writes, by a number of its own. PostgreSQL's numbers do
// not do: after it was killed it gives those of lost transactions to others.
type transaction struct {
	repository int32
	number     int64
}

// question is a statement, and what is done with each row of its answer.
type question struct {
	sql  string
	args []any
	row  func(pgx.Rows) error // nil if there are none
}

func (c *conn) queue(sql string, args ...any) {
	c.queued = append(c.queued, question{sql: sql, args: args})
}

// broke notes that the database failed.
func (c *conn) broke(err error) error {
	c.failure = err
	return err
}

// each asks one question, and calls f with every row of the answer.
func (c *conn) each(sql string, f func(pgx.Rows) error, args ...any) error {
	return c.ask(question{sql, args, f})
}

// errSecond refuses a second question without a transaction: it might be
// answered from another state of the database.
var errSecond = errors.New("a second question")

// begin begins a transaction that reads, unless a question was asked without.
func (c *conn) begin() {
	if c.single && !c.asked {
		c.single = false
		c.queue(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	}
}

// ask sends what is queued and then questions, in one round trip.
func (c *conn) ask(questions ...question) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.single && c.asked {
		return errSecond
	}
	c.asked = true
	all := append(c.queued, questions...)
	c.queued = nil
	var batch pgx.Batch
	for _, q := range all {
		batch.Queue(q.sql, q.args...)
	}
	answers := c.pgx.SendBatch(c.ctx, &batch)
	for _, q := range all {
		if err := c.answer(answers, q); err != nil {
			return errors.Join(err, closed(answers))
		}
	}
	if err := answers.Close(); err != nil {
		return c.broke(err)
	}
	return nil
}

// closed ends answers of which one has failed: the others repeat its error.
func closed(answers pgx.BatchResults) error {
	_ = answers.Close()
	return nil
}

func (c *conn) answer(answers pgx.BatchResults, q question) error {
	if q.row == nil {
		if _, err := answers.Exec(); err != nil {
			return c.broke(err)
		}
		return nil
	}
	found, err := answers.Query()
	if err != nil {
		return c.broke(err)
	}
	defer found.Close()
	for found.Next() {
		if err := q.row(found); err != nil {
			return err
		}
	}
	if err := found.Err(); err != nil {
		return c.broke(err)
	}
	return nil
}

// end ends a transaction that only read, if it was begun.
func (c *conn) end() error {
	if c.single || len(c.queued) > 0 { // nothing was asked
		return nil
	}
	c.queue(`COMMIT`)
	return c.ask()
}

// rollback undoes a transaction that has not ended. If it cannot, the pool
// closes the connection.
func (c *conn) rollback() {
	if c.broken = c.pgx.IsClosed(); c.broken || c.pgx.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), 5*time.Second)
	defer cancel()
	_, _ = c.pgx.Exec(ctx, `ROLLBACK`)
}
