package storetest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Sizes of the benchmarks: a harvest sends pages of 100 to 1000 records, and
// fingerpost serves pages of 500.
const (
	benchPage   = 1000
	listPage    = 500
	signmapPage = 5000
)

// Load saves so many records, which a benchmark then reads and changes:
// FINGERPOST_BENCH_RECORDS, or few. It returns their number, and the time of the
// processors without what making them took.
func Load(b *testing.B, db *store.DB, processor func() time.Duration) (n int, used time.Duration) {
	n = 20_000
	if asked, err := strconv.Atoi(os.Getenv("FINGERPOST_BENCH_RECORDS")); err == nil {
		n = asked
	}
	for i := 0; i < n; i += benchPage {
		page := Generated(i, benchPage, 0)
		start := processor()
		saveBench(b, db, page)
		used += processor() - start
	}
	return n, used
}

// Bench measures a store with the records of Load. processor is the time of all
// processors that this process and the database have used.
func Bench(b *testing.B, db *store.DB, objects int, processor func() time.Duration) {
	bench := bench{db, processor}
	identifier := func(i int) string { return fmt.Sprint("oai:repository.example:20.500.12345/", i*7919%objects) }
	b.Run("Digests", bench.reads(benchPage, func(b *testing.B, i int) error {
		identifiers := make([]string, benchPage)
		for j := range identifiers {
			identifiers[j] = identifier(i*benchPage + j)
		}
		_, err := db.Digests(b.Context(), "main", "oai_dc", identifiers)
		return err
	}))
	b.Run("Object", bench.reads(few, each(func(b *testing.B, i int) error {
		_, err := db.Object(b.Context(), "main", store.KeyOf(identifier(i)))
		return err
	})))
	b.Run("Find", bench.reads(few, each(func(b *testing.B, i int) error {
		_, err := db.Find(b.Context(), fmt.Sprint("https://repository.example/handle/20.500.12345/", i*7919%objects))
		return err
	})))
	b.Run("Records", bench.reads(few, each(func(b *testing.B, i int) error {
		_, err := db.Records(b.Context(), "main", identifier(i))
		return err
	})))
	for _, list := range []struct {
		name  string
		first int
	}{{"ListFirst", 0}, {"ListLast", objects - listPage - 1}} {
		place, err := db.ByIdentifier(b.Context(), "main", fmt.Sprint("oai:repository.example:20.500.12345/", list.first))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(list.name, bench.reads(listPage, func(b *testing.B, _ int) error {
			l, err := db.ListRecords(b.Context(), "main", store.List{Prefix: "oai_dc", After: place.Modified, Records: listPage, Metadata: 1 << 30})
			if err == nil && len(l.Records) != listPage {
				err = fmt.Errorf("got %d records, want %d", len(l.Records), listPage)
			}
			return err
		}))
	}
	b.Run("SignmapPage", bench.reads(signmapPage, func(b *testing.B, i int) error {
		n := 0
		for _, err := range db.SignmapObjects(b.Context(), "main", 1+i%(objects/signmapPage)) {
			if err != nil {
				return err
			}
			n++
		}
		if n != signmapPage {
			return fmt.Errorf("got %d objects, want %d", n, signmapPage)
		}
		return nil
	}))
	added := objects
	b.Run("SaveNew", bench.saves(func(int) store.Batch { added += benchPage; return Generated(added, benchPage, 0) }))
	b.Run("SaveChanged", bench.saves(func(i int) store.Batch {
		return Generated(i*benchPage%objects, benchPage, 1+i*benchPage/objects)
	}))
	b.Run("Unchanged", bench.reads(benchPage, func(b *testing.B, i int) error {
		// As a harvest has it: what it was sent is known by its hashes.
		identifiers := make([]string, benchPage)
		for j := range identifiers {
			identifiers[j] = fmt.Sprint("oai:repository.example:20.500.12345/", (i*benchPage+j)%objects)
		}
		if _, err := db.Digests(b.Context(), "main", "oai_dc", identifiers); err != nil {
			return err
		}
		return db.Save(b.Context(), "main", store.Batch{Checkpoint: store.Checkpoint{Prefix: "oai_dc", Token: fmt.Sprint(i)}})
	}))
}

// few is how many small things are read at a time: a clock of processors is coarse.
const few = 100

func each(read func(b *testing.B, i int) error) func(b *testing.B, i int) error {
	return func(b *testing.B, i int) (err error) {
		for j := i * few; j < (i+1)*few && err == nil; j++ {
			err = read(b, j)
		}
		return err
	}
}

// bench is a store that is measured.
type bench struct {
	db        *store.DB
	processor func() time.Duration
}

// saves times Save alone: making the pages is not its work.
func (s bench) saves(page func(i int) store.Batch) func(*testing.B) {
	return func(b *testing.B) {
		b.ReportAllocs()
		var used time.Duration
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			p := page(i)
			b.StartTimer()
			start := s.processor()
			saveBench(b, s.db, p)
			used += s.processor() - start
		}
		b.ReportMetric(float64(used.Nanoseconds())/1e3/float64(b.N*benchPage), "cpu-µs/record")
	}
}

// reads times reading n things at a time.
func (s bench) reads(n int, read func(b *testing.B, i int) error) func(*testing.B) {
	return func(b *testing.B) {
		b.ReportAllocs()
		start := s.processor()
		for i := 0; b.Loop(); i++ {
			if err := read(b, i); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64((s.processor()-start).Nanoseconds())/1e3/float64(b.N*n), "cpu-µs/each")
	}
}

func saveBench(b *testing.B, db *store.DB, p store.Batch) {
	b.Helper()
	if err := db.Save(b.Context(), "main", p); err != nil {
		b.Fatal(err)
	}
}

// Processor is the time that this process has used.
func Processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Generated is a page of records of some 2.6 kB with their objects, as a
// repository would give them out: consecutive numbers, random words.
func Generated(first, n, version int) store.Batch {
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
