package storetest

import (
	"fmt"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

func probe(identifier, url string, status, n int) store.Probe {
	return store.Probe{Asked: url, Identifier: identifier, Due: day(n), Probe: bridge.Probe{Status: status, MediaType: "text/csv", URL: url}}
}

func saveProbes(t *testing.T, s *store.DB, probes ...store.Probe) {
	t.Helper()
	save(t, s, store.Batch{Probes: probes})
}

var probeTests = []test{
	{"an answer is found by its URL, byte for byte", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"), object("oai:x:2"))
		moved := with(probe("oai:x:1", "https://a.example/1", 200, 1), func(p *store.Probe) { p.URL = "https://b.example/<1>" })
		silent := store.Probe{Asked: "https://a.example/2", Identifier: "oai:x:2", Due: day(2)}
		silent.URL = silent.Asked
		saveProbes(t, s, moved, silent, probe("oai:x:2", "https://a.example/3", 404, 3))
		asked := []string{"https://a.example/1", "https://a.example/2", "https://a.example/2/", "http://a.example/3", "", "https://a.example/1"}
		got := must[map[string]bridge.Probe](t)(s.Probes(t.Context(), repo, asked))
		equal(t, "probes", got, map[string]bridge.Probe{moved.Asked: moved.Probe, silent.Asked: silent.Probe})
		if none := must[map[string]bridge.Probe](t)(s.Probes(t.Context(), repo, nil)); none == nil || len(none) > 0 {
			t.Errorf("got %#v about no URL, want an empty map", none)
		}
		equal(t, "of another repository", must[map[string]bridge.Probe](t)(s.Probes(t.Context(), "other", asked)), map[string]bridge.Probe{})
	}},
	{"a newer answer replaces the one stored for its URL", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"))
		saveProbes(t, s, probe("oai:x:1", "https://a.example/1", 200, 1))
		saveProbes(t, s, probe("oai:x:1", "https://a.example/1", 410, 5))
		equal(t, "probes", must[[]store.Probe](t)(s.DueProbes(t.Context(), repo, day(9), 9)), []store.Probe{probe("oai:x:1", "https://a.example/1", 410, 5)})
	}},
	{"what is due comes by time, and no more than asked for", func(t *testing.T, s *store.DB) {
		saveObjects(t, s, object("oai:x:1"))
		var want []store.Probe
		for i := range 20 {
			want = append(want, probe("oai:x:1", fmt.Sprint("https://a.example/", i), 200, 1+i))
		}
		for i := range want {
			saveProbes(t, s, want[len(want)-1-i])
		}
		due := func(before, n int) []store.Probe {
			return must[[]store.Probe](t)(s.DueProbes(t.Context(), repo, day(before), n))
		}
		equal(t, "all", due(25, 100), want)
		equal(t, "before a day", due(11, 100), want[:10])
		equal(t, "five", due(25, 5), want[:5])
		equal(t, "none", due(1, 5), []store.Probe(nil))
		equal(t, "of another repository", must[[]store.Probe](t)(s.DueProbes(t.Context(), "other", day(25), 9)), []store.Probe(nil))
	}},
	{"an answer about a URL does not change its object", func(t *testing.T, s *store.DB) {
		kept := saveObjects(t, s, object("oai:x:1"))[0]
		saveProbes(t, s, probe("oai:x:1", "https://a.example/1", 200, 1))
		equal(t, "the object", must[store.Object](t)(s.ByIdentifier(t.Context(), repo, "oai:x:1")), kept)
	}},
}
