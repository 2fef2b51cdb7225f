package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// looked is at how many more places a sample looks than it has identifiers:
// at some of them is an object that is deleted.
const looked = 4

// Sample returns identifiers of live records. It looks at places that are
// equally far apart, so that it costs the same however many records there are.
func (db *DB) Sample(ctx context.Context, repository string, n int) ([]string, error) {
	var ids []string
	err := db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		var number, first, last sql.NullInt64
		err := conn.QueryRowContext(ctx, `SELECT r.id, (SELECT min(id) FROM objects WHERE repository = r.id), (SELECT max(id) FROM objects WHERE repository = r.id)
			FROM (SELECT (SELECT id FROM repositories WHERE name = ?) AS id) r`, repository).Scan(&number, &first, &last)
		if err != nil || !last.Valid {
			return err
		}
		ids, err = liveAt(ctx, conn, number.Int64, places(first.Int64, last.Int64, looked*n))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sample the records of %s: %w", repository, err)
	}
	return thin(ids, n), nil
}

// liveAt are the identifiers of live records at IDs, or next behind them.
func liveAt(ctx context.Context, q querier, repository int64, ids []int64) (out []string, err error) {
	rows, err := q.QueryContext(ctx, `SELECT o.identifier, o.records FROM
		(SELECT DISTINCT (SELECT id FROM objects WHERE repository = ?1 AND id >= j.value ORDER BY id LIMIT 1) AS id FROM json_each(?2) j) p
		CROSS JOIN objects o ON o.id = p.id ORDER BY o.id`, repository, jsonOf(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var identifier string
		var list sql.RawBytes
		if err := rows.Scan(&identifier, &list); err != nil {
			return nil, err
		}
		live, err := anyLive(list, func(recordRow) bool { return true })
		if err != nil {
			return nil, err
		}
		if live {
			out = append(out, identifier)
		}
	}
	return out, rows.Err()
}

// places are up to n numbers from first to last, equally far apart.
func places(first, last int64, n int) []int64 {
	count := min(last-first+1, int64(n))
	out := make([]int64, count)
	for i := range out {
		out[i] = first + int64(float64(i)*float64(last-first+1)/float64(count))
	}
	return out
}

// thin keeps n of a list, equally far apart.
func thin(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	out := make([]string, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
