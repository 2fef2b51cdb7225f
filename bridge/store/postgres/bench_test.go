package postgres_test

import (
	"path/filepath"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/bridge/store/storetest"
)

// BenchmarkStore measures both engines in one run: the time of the processors is
// that of this process and of all that PostgreSQL has started.
func BenchmarkStore(b *testing.B) {
	address := server.Database(b)
	used := func() time.Duration { return storetest.Processor() + server.Processor() }
	b.Run("PostgreSQL", func(b *testing.B) {
		storetest.Bench(b, func(b *testing.B) *store.DB { return open(b, address) }, used)
	})
	b.Run("SQLite", func(b *testing.B) {
		storetest.Bench(b, func(b *testing.B) *store.DB {
			db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { db.Close() })
			return db
		}, used)
	})
}
