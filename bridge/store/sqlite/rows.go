package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// readRows calls each with the values of a row, as the driver has them: int64,
// string, []byte or nil. database/sql in between would take as long as SQLite
// does, and a page of a repository waits for the answer. It ends when there
// are no more rows, or none are wanted. The connection is busy meanwhile.
func readRows(ctx context.Context, conn *sql.Conn, query string, args []any, each func([]driver.Value) (more bool, err error)) error {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return conn.Raw(func(c any) error {
		rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, named)
		if err != nil {
			return err
		}
		values := make([]driver.Value, len(rows.Columns()))
		for more := true; more && err == nil; {
			if err = rows.Next(values); err == nil {
				more, err = each(values)
			}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, rows.Close())
	})
}
