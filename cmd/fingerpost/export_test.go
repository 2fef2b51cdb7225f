package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fingerpost/bridge/linkset"
)

// withFiles are the links of an object with so many files, in an order in
// which no two of one context stand together.
func withFiles(files int) linkset.LinkSet {
	const page = "https://repo.example.edu/1"
	links := linkset.LinkSet{{Anchor: page, Rel: "cite-as", Href: "https://doi.org/10.5072/1"}}
	for i := range files {
		file := fmt.Sprintf("%s/%d.pdf", page, i)
		links = append(links, linkset.Link{Anchor: page, Rel: "item", Href: file}, linkset.Link{Anchor: file, Rel: "collection", Href: page})
	}
	return links
}

func TestEachContextHasAllItsLinks(t *testing.T) {
	links, n := withFiles(20), 0
	for anchor, got := range byAnchor(links) {
		if diff := cmp.Diff(links.From(anchor), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", anchor, diff)
		}
		n++
	}
	if n != 21 {
		t.Errorf("want 21 contexts, each once, got %d", n)
	}
}

// BenchmarkManyFiles must grow with the number of files and no faster.
func BenchmarkManyFiles(b *testing.B) {
	for _, files := range []int{100, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			links := withFiles(files)
			b.ReportAllocs()
			for b.Loop() {
				for range byAnchor(links) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/file")
		})
	}
}
