package oaipmh

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

const recordStart = "<record><header><identifier>a</identifier></header><metadata>"

// hostilePages expand to far more than was sent, or try to.
func hostilePages() map[string]string {
	list := func(root, inside string) string {
		return "<OAI-PMH" + root + "><ListRecords>" + inside + "</ListRecords></OAI-PMH>"
	}
	const recordEnd = "</metadata></record>"
	var prefixes strings.Builder
	for i := range 100 {
		fmt.Fprintf(&prefixes, ` xmlns:p%d="%s"`, i, strings.Repeat("u", 500))
	}
	var all strings.Builder
	for i := range 100 {
		fmt.Fprintf(&all, "p%d:x ", i)
	}
	return map[string]string{
		"a long default namespace":   list(` xmlns="`+strings.Repeat("u", 60_000)+`"`, strings.Repeat(recordStart+"<d/>"+recordEnd, maxRecords)),
		"a hundred prefixes":         list(prefixes.String(), strings.Repeat(recordStart+"<p1:d>"+all.String()+"</p1:d>"+recordEnd, 30_000)),
		"a record of references":     list("", recordStart+"<d>"+strings.Repeat("&", 15<<20)+"</d>"+recordEnd),
		"records of references":      list("", strings.Repeat(recordStart+"<d>"+strings.Repeat("&", 1<<20)+"</d>"+recordEnd, 16)),
		"a record that is too large": list("", recordStart+"<d>"+strings.Repeat("&", 20<<20)+"</d>"+recordEnd),
		"bytes that become three":    list("", recordStart+"<d>"+strings.Repeat("\x80", 16<<20)+"</d>"+recordEnd),
		"declarations in records": list(prefixes.String(),
			strings.Repeat(`<record xmlns:a="a">`+strings.TrimPrefix(recordStart, "<record>")+"<p1:d/>"+recordEnd, 30_000)),
		"many small records": list("", strings.Repeat("<record/>", maxRecords-1)),
	}
}

// What is allocated for a page is bounded by its size, whatever is in it.
func TestQuirk37_MemoryIsBoundedByTheSizeOfThePage(t *testing.T) {
	for name, page := range hostilePages() {
		t.Run(name, func(t *testing.T) {
			body, limit := []byte(page), 32<<20
			runtime.GC()
			var before, after, kept runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := readHostile(body, limit)
			runtime.ReadMemStats(&after)
			runtime.GC()
			runtime.ReadMemStats(&kept)
			// Growing slices leave garbage behind, of twice their size.
			if allocated, most := int(after.TotalAlloc-before.TotalAlloc), 12*len(body)+100<<20; allocated > most {
				t.Errorf("%d MB were allocated for %d MB, want %d at most", allocated>>20, len(body)>>20, most>>20)
			}
			if lives, most := int(kept.HeapAlloc)-int(before.HeapAlloc), 2*len(body)+spareRoom+40<<20; lives > most {
				t.Errorf("%d MB stay allocated for %d MB, want %d at most", lives>>20, len(body)>>20, most>>20)
			}
			runtime.KeepAlive(p)
			var large *TooLargeError
			if err != nil && !errors.As(err, &large) {
				t.Errorf("%v", err)
			}
		})
	}
}

func readHostile(body []byte, limit int) (Page, error) {
	a, err := readAnswer(body, "", limit)
	if err != nil {
		return Page{}, err
	}
	return a.page()
}

// Records that are over the bound are quarantined with a sentence, the others
// of the page are read.
func TestQuirk37_RecordsBeyondTheBoundAreBad(t *testing.T) {
	page := hostilePages()["a long default namespace"]
	p, err := ReadPage([]byte(page), "")
	if err != nil || len(p.Records)+len(p.Bad) != maxRecords || len(p.Records) < 100 {
		t.Fatalf("%d records, %d bad, %v", len(p.Records), len(p.Bad), err)
	}
	bad := p.Bad[len(p.Bad)-1]
	if !errors.Is(bad.Err, errNoRoom) || bad.Identifier != "a" || !strings.Contains(string(bad.Bytes), "<d/>") {
		t.Errorf("got %s, %v, %.100s", bad.Identifier, bad.Err, bad.Bytes)
	}
	large := "<OAI-PMH><ListRecords>" + recordStart + "<d>" + strings.Repeat("a", maxRecord) + "</d></metadata></record>" + recordStart + "<d/></metadata></record></ListRecords></OAI-PMH>"
	p, err = ReadPage([]byte(large), "")
	if err != nil || len(p.Records) != 1 || len(p.Bad) != 1 || !errors.Is(p.Bad[0].Err, errLongRecord) || p.Bad[0].Identifier != "a" {
		t.Errorf("%d records, bad %v, %v", len(p.Records), len(p.Bad), err)
	}
}
