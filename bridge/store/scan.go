package store

import (
	"context"
	"iter"

	"fingerpost/bridge/store/engine"
)

// chunk is how many rows are read at once. No transaction is open between two
// chunks: the caller of an iterator may take all day, and may read and write.
const chunk = 256

// chunks yields the rows that read returns, call after call, until it returns
// none. Each call reads behind the key of the last row.
func chunks[T any](ctx context.Context, e engine.Engine, repository string, after int64,
	read func(rows engine.Rows, after int64) ([]T, error), key func(T) int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			var got []T
			err := e.View(ctx, repository, func(rows engine.Rows) (err error) {
				got, err = read(rows, after)
				return err
			})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, v := range got {
				if !yield(v, nil) {
					return
				}
				after = key(v)
			}
			more = len(got) > 0
		}
	}
}
