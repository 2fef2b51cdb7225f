package postgres_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/bridge/store/storetest"
)

// BenchmarkStore measures both engines in one run: the time of the processors is
// that of this process and of all that PostgreSQL has started.
func BenchmarkStore(b *testing.B) {
	b.Run("PostgreSQL", func(b *testing.B) {
		address := server.Database(b)
		db := open(b, address)
		var disk, before, after int64
		pgtest.SQL(b, address, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`, &before)
		n, used := storetest.Load(b, db, processor)
		pgtest.SQL(b, address, `SELECT pg_database_size(current_database()), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`, &disk, &after)
		loaded(b, used, n, disk, after-before)
		storetest.Bench(b, db, n, processor)
	})
	b.Run("SQLite", func(b *testing.B) {
		file := filepath.Join(b.TempDir(), "store.db")
		db := openFile(b, file)
		n, used := storetest.Load(b, db, processor)
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		loaded(b, used, n, info.Size(), 0)
		storetest.Bench(b, db, n, processor)
	})
}

// loaded reports what it took to load n objects.
func loaded(b *testing.B, used time.Duration, n int, disk, wal int64) {
	b.Run("Load", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(used.Seconds()*1e6/float64(n), "cpu-µs/record")
		b.ReportMetric(float64(disk)/float64(n), "B/object")
		b.ReportMetric(float64(wal)/float64(n), "B-of-WAL/record")
	})
}

func processor() time.Duration { return storetest.Processor() + server.Processor() }

func openFile(b *testing.B, file string) *store.DB {
	b.Helper()
	db, err := sqlite.Open(b.Context(), file)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}
