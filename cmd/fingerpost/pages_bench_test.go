package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// What each page costs with many repositories and objects, of which r0 has half:
// CPU time of the process, client included, and bytes. No page is cached.
// FINGERPOST_BENCH_REPOSITORIES and FINGERPOST_BENCH_RECORDS are how many.
func BenchmarkPages(b *testing.B) {
	repositories, records := benchNumber("FINGERPOST_BENCH_REPOSITORIES", 1000), benchNumber("FINGERPOST_BENCH_RECORDS", 20_000)
	g := tabled(b, repositories)
	began := time.Now()
	fill(b, g, "r0", records/2)
	for i := 1; i < repositories; i++ {
		fill(b, g, fmt.Sprint("r", i), records/2/repositories)
	}
	b.Logf("%d repositories with %d objects were made in %v", repositories, records, time.Since(began))
	some := func(i int) string { return fmt.Sprint(i * 7919 % (records / 2)) }
	for _, page := range []struct {
		name string
		url  func(i int) string
	}{
		{"Home", func(i int) string { return fmt.Sprint(g.public, "/?page=", i%(repositories/50)+1) }},
		{"HomeNamed", func(i int) string { return fmt.Sprint(g.public, "/?name=number+", i%repositories) }},
		{"HomeNothing", func(i int) string { return fmt.Sprint(g.public, "/?name=nothing+", i) }},
		{"Repository", func(i int) string { return g.public + "/r0/" }},
		{"Object", func(i int) string { return g.public + "/r0/" + store.KeyOf("oai:r0.example.org:"+some(i)) }},
		{"FindURL", func(i int) string { return g.public + "/find?q=https://r0.example.org/" + some(i) }},
		{"FindIdentifier", func(i int) string { return g.public + "/find?q=oai:r0.example.org:" + some(i) }},
		{"FindNothing", func(i int) string { return fmt.Sprint(g.public, "/find?q=https://nobody.example.org/", i) }},
		{"NotFound", func(i int) string { return fmt.Sprint(g.public, "/r0/nothing-", i) }},
		{"Overview", func(i int) string { return g.admin + "/" }},
		{"OverviewSorted", func(i int) string {
			return fmt.Sprint(g.admin, "/?state=failed&match=r1&sort=", store.SourceSorts[i%len(store.SourceSorts)])
		}},
		{"OfRepository", func(i int) string { return g.admin + "/repository/r0" }},
		{"Lacking", func(i int) string { return g.admin + "/repository/r0/lacking/author" }},
		{"Quarantine", func(i int) string { return g.admin + "/repository/r0/quarantine" }},
		{"Metrics", func(i int) string { return g.admin + "/metrics" }},
	} {
		b.Run(page.name, func(b *testing.B) {
			length := len(body(b, page.url(0)))
			var cpu time.Duration
			for i := 1; b.Loop(); i++ {
				before := processTime(b)
				length = max(length, len(body(b, page.url(i))))
				cpu += processTime(b) - before
			}
			b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(length)/1000, "kB")
		})
	}
}

func benchNumber(variable string, otherwise int) int {
	n, _ := strconv.Atoi(os.Getenv(variable))
	return cmp.Or(n, otherwise)
}

func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fill keeps n objects of a repository, every other without an author, and a run.
func fill(b *testing.B, g served, id string, n int) {
	b.Helper()
	host := "https://" + id + ".example.org/"
	for from := 0; from < n; from += 1000 {
		p := store.Batch{Checkpoint: store.Checkpoint{Repository: id, Prefix: "oai_dc"}}
		for i := from; i < min(from+1000, n); i++ {
			o := bridge.Object{
				LandingPage: bridge.LandingPage{URL: fmt.Sprint(host, i)}, CiteAs: fmt.Sprintf("https://doi.org/10.5072/%s.%d", id, i),
				License: "https://creativecommons.org/licenses/by/4.0/", Type: "https://schema.org/Dataset",
				Items: []bridge.ContentResource{{URL: fmt.Sprint(host, i, "/file.pdf"), MediaType: "application/pdf"}},
			}
			if i%2 == 0 {
				o.Authors = []string{"https://orcid.org/0000-0002-1825-0097"}
			}
			p.Records = append(p.Records, store.Record{
				Identifier: fmt.Sprintf("oai:%s.example.org:%d", id, i), Prefix: "oai_dc", Datestamp: "2030-01-02T03:04:05Z", Metadata: fmt.Appendf(nil, benchRecord, o.LandingPage.URL, o.CiteAs),
			})
			p.Objects = append(p.Objects, store.Object{Repository: id, Identifier: fmt.Sprintf("oai:%s.example.org:%d", id, i), LastMod: began, Prefixes: []string{"oai_dc"}, Object: o})
		}
		if err := g.db.Save(b.Context(), id, p); err != nil {
			b.Fatal(err)
		}
	}
	state := store.Complete
	if len(id)%2 == 0 {
		state = store.Failed
	}
	run := store.Run{Repository: id, Prefix: "oai_dc", State: state, Started: began, Finished: began.Add(time.Minute), Records: n, New: n, Reason: "no route to host"}
	if err := g.db.SaveRun(b.Context(), &run); err != nil {
		b.Fatal(err)
	}
	if err := g.db.SaveSource(b.Context(), store.Source{Repository: id, Host: id + ".example.org", State: state, Began: began, Complete: began, Objects: n}); err != nil {
		b.Fatal(err)
	}
}

const benchRecord = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A title as long as titles are</dc:title><dc:creator>Bight, Ansel</dc:creator><dc:type>Dataset</dc:type><dc:date>2030</dc:date><dc:rights>https://creativecommons.org/licenses/by/4.0/</dc:rights><dc:identifier>%s</dc:identifier><dc:identifier>%s</dc:identifier></oai_dc:dc>`

// began is when the runs began.
var began = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
