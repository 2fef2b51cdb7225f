package dashboard

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

func TestHistory(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/history"), "Never run.")
	k.run(t, store.Run{Prefix: "oai_dc", Set: "a", State: store.Running, Started: noon.Add(-3 * time.Hour)}) // was killed
	k.run(t, store.Run{State: store.Failed, Reason: "no route to host", Started: noon.Add(-2 * time.Hour)})
	k.run(t, store.Run{Prefix: "oai_dc", State: store.Complete, Records: 1500, New: 1, Changed: 2, Unchanged: 3, Deleted: 4, Pages: 6, Requests: 7, Repairs: 8})
	page := k.page(t, "/history?repository=main")
	rows := []string{
		"| 2 Jan 2031 12:00 UTC | main | oai_dc | complete | 1 min 0 s | 1,500 | 1 | 2 | 3 | 4 | 0 | 6 | 7 | 8",
		"| 2 Jan 2031 10:00 UTC | main | none was begun | failed: no route to host | 1 min 0 s | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0",
		"| 2 Jan 2031 09:00 UTC | main | oai_dc, set a | interrupted: the process ended before the run did; the next run goes on from its checkpoint | 3 h 0 min | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0",
	}
	has(t, page, rows...)
	if !strings.Contains(page, strings.Join(rows, "\n")) {
		t.Errorf("not newest first:\n%s", page)
	}
}

func TestQuarantine(t *testing.T) {
	k := newDesk(t)
	has(t, k.page(t, "/quarantine"), "Nothing is in quarantine.")
	k.quarantine(t, "line 3: a", `line 14: a`, "the record has no header", "line 15: a")
	k.pass()
	has(t, k.page(t, "/quarantine"), "main", "4 quarantined",
		"| 3 | line 3: a | oai:x:bad0 from https://repo.example.org/oai?verb=ListRecords | oai_dc | 2 Jan 2031 12:00 UTC | 2 Jan 2031 15:00 UTC",
		"| 1 | the record has no header | oai:x:bad2 from https://repo.example.org/oai?verb=ListRecords | oai_dc | 2 Jan 2031 14:00 UTC | 2 Jan 2031 14:00 UTC",
		"All of them: fingerpost records main --quarantined. One as it was received: fingerpost records raw and its identifier.")
	has(t, k.page(t, "/quarantine?repository=other"), "Nothing is in quarantine.")
}

// A repository whose every record is bad in a way of its own does not fill
// the page, nor the memory.
func TestQuarantineIsBounded(t *testing.T) {
	k := newDesk(t)
	var p store.Batch
	for i := range quarantineLimit + 1 {
		reason := strings.Repeat("x", i%(reasonLimit+100)+1)
		p.Quarantined = append(p.Quarantined, store.Quarantined{Identifier: fmt.Sprint(i), Prefix: "oai_dc", Reason: reason, At: noon})
	}
	k.save(t, p)
	all, err := k.summaries(t.Context(), k.Repositories)
	if err != nil {
		t.Fatal(err)
	}
	w, err := k.Dashboard.quarantine(t.Context(), all[0])
	if err != nil {
		t.Fatal(err)
	}
	if w.Seen != quarantineLimit || len(w.Groups) != groupLimit || w.Hidden != reasonLimit+1-groupLimit {
		t.Errorf("got %d records in %d groups, %d more hidden", w.Seen, len(w.Groups), w.Hidden)
	}
	if g := w.Groups[0]; g.Reason != otherReasons || g.Count != 900 {
		t.Errorf("got %d records for %s", g.Count, g.Reason)
	}
	has(t, k.page(t, "/quarantine"), "These are the reasons of the oldest 10,000.", "951 rarer reasons are not shown.")
}

func TestCoverage(t *testing.T) {
	k := newDesk(t)
	full := bridge.Object{
		LandingPage: bridge.LandingPage{URL: "https://repo.example.org/a"}, CiteAs: "https://doi.org/10.1234/a",
		License: "https://creativecommons.org/licenses/by/4.0/", Authors: []string{"https://orcid.org/0000-0002-1825-0097"},
		Type: "https://schema.org/Dataset", Items: []bridge.ContentResource{{URL: "https://repo.example.org/a.csv", MediaType: "text/csv"}},
	}
	k.save(t, store.Batch{Objects: []store.Object{{Identifier: "oai:x:a", Object: full}, {Identifier: "oai:x:gone", Object: full}}})
	k.save(t, store.Batch{Objects: []store.Object{{Identifier: "oai:x:gone", Deleted: true}}})
	k.objects(t, 2)
	k.save(t, store.Batch{Quarantined: []store.Quarantined{{Identifier: "oai:x:ill", Prefix: "oai_dc", Reason: "ill", Bytes: []byte("ill"), At: noon}}})

	const path = "/coverage?repository=main"
	has(t, k.page(t, path), "| Link | Share | | Of 3 objects",
		"| landing page | 100 % | 100 % | 3", "| cite-as | 33.3 % | 33.3 % | 1", "| license | 33.3 % | 33.3 % | 1",
		"| files (item) | 33.3 % | 33.3 % | 1", "| media type of every file, where there are files | 100 % | 100 % | 1",
		"| author | 33.3 % | 33.3 % | 1", "| specific type | 33.3 % | 33.3 % | 1")
	k.objects(t, 4)
	has(t, k.page(t, path), "| Link | Share | | Of 5 objects")
}
