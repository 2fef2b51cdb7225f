package store

import (
	"context"
	"iter"

	"fingerpost/bridge/store/engine"
)

// chunk is how many rows are read at once. Between two chunks no transaction
// is open: the caller of an iterator may take all day, and may ask for more.
const chunk = 256

// chunks yields what read returns, call after call, each from behind the key
// of the last row. A chunk of nothing is the last.
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
