package description

import (
	"runtime"
	"testing"
)

// BenchmarkDocument makes each document of a record of common size, from the
// record as it is kept.
func BenchmarkDocument(b *testing.B) {
	for _, doc := range Documents {
		b.Run(doc.Name, func(b *testing.B) {
			s := article()
			s.Object.Documents = doc.Needs
			s.Object.Type = "https://schema.org/Dataset"
			b.ReportAllocs()
			for b.Loop() {
				d, err := Read(s)
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := d.Render(doc); !ok {
					b.Fatal("not complete")
				}
			}
		})
	}
}

// A document of a record of common size takes 64 kB at most.
func TestDocumentTakesLittleMemory(t *testing.T) {
	const most, runs = 64 << 10, 100
	doc, _ := Named("schema.jsonld")
	s := article()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		if _, ok := describe(t, s).Render(doc); !ok {
			t.Fatal("not complete")
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / runs; each > most {
		t.Errorf("%d bytes, want %d at most", each, most)
	}
}
