package store

import (
	"context"

	"fingerpost/bridge/store/engine"
)

// looked is how many times more places a sample looks at than it returns: some
// objects are deleted.
const looked = 4

// Sample returns identifiers of up to n live records, in any format, from all
// over the order of their first appearance, in that order: all, if there are
// no more. It may return fewer where most are deleted, and returns the same
// while nothing changes. It looks at places that are equally far apart, so
// that it costs the same however many records there are.
func (s records) Sample(ctx context.Context, repository string, n int) (out []string, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		t, err := rows.Totals()
		if err != nil || t.Last == 0 {
			return err
		}
		near, err := rows.Near(places(t.First, t.Last, looked*n), engine.Records)
		if err != nil {
			return err
		}
		out, err = liveOf(near)
		return err
	})
	return thin(out, n), wrap(err, "sample the records of %s", repository)
}

// liveOf returns the identifiers of the rows with a live record.
func liveOf(rows []*engine.Object) (out []string, err error) {
	for _, row := range rows {
		live, err := anyLive(row.Records, 0)
		if err != nil {
			return nil, err
		}
		if live {
			out = append(out, row.Identifier)
		}
	}
	return out, nil
}

// places returns up to n numbers from first to last, equally far apart.
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
