package provider_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"fingerpost/bridge/store"
)

// BenchmarkListRecords reads pages of 500 records of 2.6 kB, each page once: the
// blocks that they are in are unpacked for it. It reports the records for a second of
// CPU, user and system, of the whole process.
func BenchmarkListRecords(b *testing.B) {
	const pages = 100
	m := newMirror(b)
	var ends []string
	random := rand.New(rand.NewPCG(1, 2))
	for page := range pages {
		var records []store.Record
		for i := range 500 {
			records = append(records, wordy(random, page*500+i))
		}
		m.save(b, "main", records...)
	}
	token := ""
	for range pages - 1 {
		token = tokenIn.FindStringSubmatch(m.get(b, next(token)))[1]
		ends = append(ends, token)
	}
	for _, bm := range []struct{ name, query string }{
		{"first page", next("")},
		{"page 50", next(ends[48])},
		{"last page", next(ends[98])},
	} {
		b.Run(bm.name, func(b *testing.B) {
			began := cpu(b)
			for b.Loop() {
				m.ask(b, bm.query)
			}
			b.ReportMetric(float64(500*b.N)/(cpu(b)-began).Seconds(), "records/cpu-s")
		})
	}
	b.Run("all pages", func(b *testing.B) {
		began, n := cpu(b), 0
		for b.Loop() {
			m.ask(b, next(append([]string{""}, ends...)[n%pages]))
			n++
		}
		b.ReportMetric(float64(500*b.N)/(cpu(b)-began).Seconds(), "records/cpu-s")
	})
}

func next(token string) string {
	if token == "" {
		return "verb=ListRecords&metadataPrefix=oai_dc"
	}
	return "verb=ListRecords&resumptionToken=" + token
}

// ask is get without a look at the answer.
func (m *mirror) ask(b *testing.B, query string) {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, baseURL+"?"+query, nil))
	if w.Code != http.StatusOK || w.Body.Len() < 500*2000 {
		b.Fatalf("status %d, %d bytes", w.Code, w.Body.Len())
	}
}

// wordy is a record of 2.6 kB of random words.
func wordy(random *rand.Rand, i int) store.Record {
	var text strings.Builder
	for range 15 {
		text.WriteString("<t:line>")
		for range 22 {
			fmt.Fprintf(&text, "%x ", random.Uint32()&0xFFFFF)
		}
		text.WriteString("</t:line>")
	}
	r := recordOf(i, "")
	r.Metadata = fmt.Appendf(nil, `<t:text xmlns:t="urn:t">%s</t:text>`, text.String())
	return r
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
