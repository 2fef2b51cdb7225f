package description

import "testing"

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
