package sqlite_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Sizes of the benchmarks: a harvest sends pages of 100 to 1000 records.
const (
	benchPage    = 1000
	benchObjects = 20_000
	signmapPage  = 5000
)

// generated is a page of records of some 2.6 kB with their objects, as a
// repository would give them out: consecutive numbers, random words.
func generated(first, n, version int) store.Batch {
	var p store.Batch
	for i := first; i < first+n; i++ {
		p.Records = append(p.Records, generatedRecord(i, version))
		p.Objects = append(p.Objects, generatedObject(i, version))
	}
	p.Checkpoint = store.Checkpoint{Prefix: "oai_dc", Token: fmt.Sprint(first + n)}
	return p
}

func generatedRecord(i, version int) store.Record {
	random := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	var b strings.Builder
	b.WriteString(`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">`)
	field := func(name string, words int) {
		fmt.Fprintf(&b, "<dc:%s>", name)
		for range words {
			// Words as frequent as in a language: few are most of a text.
			b.WriteString(vocabulary[int(float64(len(vocabulary))*random.Float64()*random.Float64()*random.Float64())])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "</dc:%s>\n", name)
	}
	field("title", 9)
	for range 3 {
		field("creator", 2)
		field("subject", 2)
	}
	field("description", 210)
	field("publisher", 3)
	fmt.Fprintf(&b, "<dc:date>20%02d-%02d-01</dc:date>\n<dc:identifier>https://repository.example/handle/20.500.12345/%d</dc:identifier>\n", i%25, 1+i%12, i)
	fmt.Fprintf(&b, "<dc:identifier>https://doi.org/10.5555/repository.%d</dc:identifier>\n<dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights></oai_dc:dc>", i)
	metadata := []byte(b.String())
	sum := sha256.Sum256(metadata)
	return store.Record{
		Identifier: fmt.Sprint("oai:repository.example:20.500.12345/", i), Prefix: "oai_dc", Datestamp: "2024-02-03T04:05:06Z",
		Sets: []string{fmt.Sprint("col_1234_", i%200), fmt.Sprint("com_1234_", i%50)}, Hash: [16]byte(sum[:]), Metadata: metadata,
	}
}

func generatedObject(i, version int) store.Object {
	return store.Object{
		Identifier: fmt.Sprint("oai:repository.example:20.500.12345/", i), LastMod: time.Unix(1.7e9, 0), Prefixes: []string{"oai_dc"},
		Sets: []string{fmt.Sprint("col_1234_", i%200), fmt.Sprint("com_1234_", i%50)},
		Object: bridge.Object{
			LandingPage: bridge.LandingPage{URL: fmt.Sprint("https://repository.example/handle/20.500.12345/", i)},
			CiteAs:      fmt.Sprint("https://doi.org/10.5555/repository.", i),
			License:     "https://creativecommons.org/licenses/by/4.0/", Type: "https://schema.org/ScholarlyArticle",
			Authors: []string{fmt.Sprintf("https://orcid.org/0000-0002-%04d-0097", i%9999)},
			Items: []bridge.ContentResource{
				{URL: fmt.Sprintf("https://repository.example/bitstream/20.500.12345/%d/1/article.pdf", i), MediaType: "application/pdf"},
			},
			Year: 2000 + version,
		},
	}
}

var vocabulary = func() (out []string) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 20_000 {
		word := make([]byte, 2+random.IntN(11))
		for i := range word {
			word[i] = "eeeetttaaooiinnsshrrdlucmfwygpbvk"[random.IntN(33)]
		}
		out = append(out, string(word))
	}
	return out
}()

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchStore(b *testing.B, objects int) *store.DB {
	db := open(b, filepath.Join(b.TempDir(), "store.db"))
	for i := 0; i < objects; i += benchPage {
		save(b, db, generated(i, benchPage, 0))
	}
	return db
}

// saves times Save alone: making the pages is not its work.
func saves(b *testing.B, db *store.DB, page func(i int) store.Batch) {
	b.ReportAllocs()
	var used time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		p := page(i)
		b.StartTimer()
		start := processor()
		if err := db.Save(b.Context(), "main", p); err != nil {
			b.Fatal(err)
		}
		used += processor() - start
	}
	b.ReportMetric(float64(used.Microseconds())/float64(b.N*benchPage), "cpu-µs/record")
}

func BenchmarkSaveNew(b *testing.B) {
	db := benchStore(b, benchObjects)
	saves(b, db, func(i int) store.Batch { return generated(benchObjects+i*benchPage, benchPage, 0) })
}

func BenchmarkSaveNewWithoutMetadata(b *testing.B) {
	db := benchStore(b, benchObjects)
	saves(b, db, func(i int) store.Batch {
		p := generated(benchObjects+i*benchPage, benchPage, 0)
		for i := range p.Records {
			p.Records[i].Metadata = nil
		}
		return p
	})
}

func BenchmarkSaveChanged(b *testing.B) {
	db := benchStore(b, benchObjects)
	saves(b, db, func(i int) store.Batch {
		return generated(i*benchPage%benchObjects, benchPage, 1+i*benchPage/benchObjects)
	})
}

func BenchmarkSaveUnchanged(b *testing.B) {
	db := benchStore(b, benchObjects)
	saves(b, db, func(i int) store.Batch { return generated(i*benchPage%benchObjects, benchPage, 0) })
}

// BenchmarkDigests is all that an unchanged record costs here.
func BenchmarkDigests(b *testing.B) {
	db := benchStore(b, benchObjects)
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			identifiers := make([]string, n)
			start := processor()
			for i := 0; b.Loop(); i++ {
				for j := range identifiers {
					identifiers[j] = fmt.Sprint("oai:repository.example:20.500.12345/", (i*n+j)%benchObjects)
				}
				digests, err := db.Digests(b.Context(), "main", "oai_dc", identifiers)
				if err != nil || len(digests) != n {
					b.Fatal(len(digests), err)
				}
			}
			b.ReportMetric(float64((processor()-start).Nanoseconds())/1e3/float64(b.N*n), "cpu-µs/record")
		})
	}
}

func BenchmarkObject(b *testing.B) {
	db := benchStore(b, benchObjects)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := store.KeyOf(fmt.Sprint("oai:repository.example:20.500.12345/", i*7919%benchObjects))
		if _, err := db.Object(b.Context(), "main", key); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	db := benchStore(b, benchObjects)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := db.Find(b.Context(), fmt.Sprint("https://repository.example/handle/20.500.12345/", i*7919%benchObjects)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecords(b *testing.B) {
	db := benchStore(b, benchObjects)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := db.Records(b.Context(), "main", fmt.Sprint("oai:repository.example:20.500.12345/", i*7919%benchObjects)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignmapPage(b *testing.B) {
	db := benchStore(b, benchObjects)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range db.SignmapObjects(b.Context(), "main", 1) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != signmapPage {
			b.Fatalf("got %d objects, want %d", n, signmapPage)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*signmapPage), "ns/object")
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
			p := generated(i, benchPage, 0)
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
