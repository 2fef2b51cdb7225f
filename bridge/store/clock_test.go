package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

func TestModifiedAscendsWhenTheClockGoesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	now := time.UnixMicro(1_000_000)
	var last int64
	for i, at := range []int64{1_000_000, 5, -7, 1_000_000, 2_000_000, 1_999_999} {
		now = time.UnixMicro(at)
		// Another handle each time: the clock is kept in the file.
		db := open(t, file, store.Now(func() time.Time { return now }))
		p := store.Batch{Objects: []store.Object{sized("a", 1+i), sized("b", 1+i)}}
		save(t, db, p)
		for _, o := range p.Objects {
			if o.Modified <= last || o.Modified < at {
				t.Errorf("at %d: got modified %d after %d", at, o.Modified, last)
			}
			last = o.Modified
		}
	}
}
