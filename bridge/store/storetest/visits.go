package storetest

import (
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

var visitTests = []test{
	{"a visit is found by its URL, and is no answer about a file", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"), object("oai:x:2"))
		first := store.Visit{
			Asked: "https://a.example/1", Identifier: "oai:x:1", URL: "https://a.example/<1>", Again: day(5), Of: 1<<63 + 7,
			ETag: `W/"x"`, Modified: "Mon, 06 May 2024 07:00:10 GMT", Result: "is not HTML",
		}
		second := store.Visit{Asked: "https://a.example/2", Identifier: "oai:x:2", Again: day(1)}
		save(t, s, store.Batch{Visits: []store.Visit{first, second}, Probes: []store.Probe{probe("oai:x:1", "https://a.example/1", 200, 9)}})
		got := must[map[string]store.Visit](t)(s.Visits(t.Context(), repo, "https://a.example/1", "https://a.example/2", "https://a.example/3"))
		equal(t, "visits", got, map[string]store.Visit{first.Asked: first, second.Asked: second})
		due := must[[]store.Probe](t)(s.DueProbes(t.Context(), repo, day(1000), 9))
		equal(t, "due", due, []store.Probe{probe("oai:x:1", "https://a.example/1", 200, 9)})
		first.Again = day(9)
		save(t, s, store.Batch{Visits: []store.Visit{first}})
		got = must[map[string]store.Visit](t)(s.Visits(t.Context(), repo, first.Asked))
		equal(t, "a newer visit", got, map[string]store.Visit{first.Asked: first})
		equal(t, "of another repository", must[map[string]store.Visit](t)(s.Visits(t.Context(), "other", first.Asked)), map[string]store.Visit{})
	}},
	{"how far the pages are read is saved with what they brought", func(t *testing.T, s *store.DB) {
		equal(t, "before", must[store.Pages](t)(s.Pages(t.Context(), repo)), store.Pages{})
		want := store.Pages{Began: day(1), After: 7, Due: 12, Asked: 3, Day: day(1), Today: 3, Read: 2, Gained: bridge.Coverage{Item: 2}, Pause: store.Pause{Until: day(2), Reason: "refused"}}
		save(t, s, store.Batch{Pages: &want})
		equal(t, "after", must[store.Pages](t)(s.Pages(t.Context(), repo)), want)
		equal(t, "of another repository", must[store.Pages](t)(s.Pages(t.Context(), "other")), store.Pages{})
	}},
}
