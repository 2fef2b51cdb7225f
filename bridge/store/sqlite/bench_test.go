package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/storetest"
)

// Sizes of the benchmarks: a harvest sends pages of 100 to 1000 records.
const (
	benchPage    = 1000
	benchObjects = 20_000
)

func BenchmarkStore(b *testing.B) {
	db := open(b, filepath.Join(b.TempDir(), "store.db"))
	n, _ := storetest.Load(b, db, storetest.Processor)
	storetest.Bench(b, db, n, storetest.Processor)
}

// BenchmarkSize reports what an object takes on disk, with all indexes, and
// what its metadata takes beside it.
func BenchmarkSize(b *testing.B) {
	var without, with, metadata int64
	for b.Loop() {
		dir := b.TempDir()
		a := open(b, filepath.Join(dir, "without.db"))
		c := open(b, filepath.Join(dir, "with.db"))
		metadata = 0
		for i := 0; i < benchObjects; i += benchPage {
			p := storetest.Generated(i, benchPage, 0)
			for _, r := range p.Records {
				metadata += int64(len(r.Metadata))
			}
			save(b, c, p)
			for i := range p.Records {
				p.Records[i].Metadata = nil
			}
			save(b, a, p)
		}
		without, with = size(b, a, dir, "without"), size(b, c, dir, "with")
	}
	b.ReportMetric(float64(without)/benchObjects, "B/object")
	b.ReportMetric(float64(with-without)/float64(metadata)*100, "%-of-XML")
	b.ReportMetric(float64(metadata)/benchObjects, "B-of-XML/record")
}

// size is that of the file once everything is in it.
func size(b *testing.B, db *store.DB, dir, name string) int64 {
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, name+".db"))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func save(t testing.TB, db *store.DB, p store.Batch) {
	t.Helper()
	if err := db.Save(t.Context(), "main", p); err != nil {
		t.Fatal(err)
	}
}
