package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

func TestCandidates(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"))
	quarantined := func(identifier string) store.Quarantined {
		return store.Quarantined{Identifier: identifier, Prefix: "oai_dc", Page: "page"}
	}
	save(t, db, store.Batch{
		Objects: []store.Object{sized("live", 1), sized("live and bad", 1), deleted("gone"), deleted("gone and bad")},
		Records: []store.Record{{Identifier: "stored", Prefix: "oai_dc", Sets: []string{"b", "a"}}, {Identifier: "stored", Prefix: "mods", Sets: []string{"a"}}},
		Quarantined: []store.Quarantined{
			quarantined("live and bad"), quarantined("gone and bad"), quarantined("stored"), quarantined("bad"), quarantined(""),
			{Identifier: "bad", Prefix: "mods"},
		},
	})
	var got []string
	for o, err := range store.Candidates(t.Context(), db, "main") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, o.Identifier+" "+strings.Join(o.Sets, ","))
	}
	if got, want := strings.Join(got, "; "), "live ; live and bad ; stored a,b; bad "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
