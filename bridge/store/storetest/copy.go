package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
)

// RunCopy tests that what is kept of a repository can be copied between stores,
// one over each of two engines.
func RunCopy(t *testing.T, open, openOther func(t *testing.T) engine.Engine) {
	a, b := over(t, open(t)), over(t, openOther(t))
	saveIn(t, a, "other", store.Batch{Objects: objects(3)}) // so that IDs differ
	everything(t, a)
	stopped := 0
	ctx, cancel := context.WithCancel(t.Context())
	err := store.Copy(ctx, a, b, repo, func(n int) {
		if stopped += n; stopped > 300 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got error %v, want that of an interrupted copy", err)
	}
	rest := 0
	for range 2 { // the second time there is nothing left to do
		if err := store.Copy(t.Context(), a, b, repo, func(n int) { rest += n }); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "objects copied", stopped+rest, len(all(t, a.Objects(t.Context(), repo, 0)))+1)
	for _, s := range [][2]*store.DB{{a, b}, {b, a}} {
		if err := store.Differ(t.Context(), s[0], s[1], repo, func(int) {}); err != nil {
			t.Error(err)
		}
	}
	sameBeside(t, a, b)
	saveIn(t, b, repo, store.Batch{Objects: []store.Object{with(object("oai:x:5"), func(o *store.Object) { o.Year = 1 })}})
	if store.Differ(t.Context(), a, b, repo, func(int) {}) == nil {
		t.Error("got no error for an object that differs")
	}
}

// everything saves something of each kind, and more objects than are read at
// once.
func everything(t *testing.T, s *store.DB) {
	t.Helper()
	for i := range 7 {
		var b store.Batch
		for j := range 100 {
			id := fmt.Sprint("oai:x:", i*100+j)
			b.Records = append(b.Records, record(id, "oai_dc", "text"), record(id, "mods", "more"))
			o := object(id)
			o.Deleted = j%10 == 3
			b.Objects = append(b.Objects, o)
		}
		save(t, s, b)
	}
	save(t, s, store.Batch{Objects: []store.Object{with(object("oai:x:5"), func(o *store.Object) { o.Year = 1999 })}}) // out of order
	save(t, s, store.Batch{
		Records:     []store.Record{record("unmapped", "oai_dc", ""), tombstone("oai:x:6", "mods")},
		Quarantined: []store.Quarantined{bad("oai:bad:1", "oai_dc", 1), bad("", "oai_dc", 2)},
		Probes:      []store.Probe{probe("oai:x:1", object("oai:x:1").Items[0].URL, 200, 1)},
		Visits:      []store.Visit{{Asked: object("oai:x:1").LandingPage.URL, Identifier: "oai:x:1", Again: day(9), Result: "read"}},
		Checkpoint:  store.Checkpoint{Prefix: "oai_dc", Token: "t"},
		Run:         &store.Run{Repository: repo, Prefix: "oai_dc", State: store.Complete},
	})
	if err := s.SaveRepository(t.Context(), store.Repository{ID: repo, OAIURL: "https://x.example/oai", Probed: 5}); err != nil {
		t.Fatal(err)
	}
}

// sameBeside compares what is kept beside the objects.
func sameBeside(t *testing.T, a, b *store.DB) {
	t.Helper()
	ctx := t.Context()
	equal(t, "repository", must[store.Repository](t)(b.Repository(ctx, repo)), must[store.Repository](t)(a.Repository(ctx, repo)))
	equal(t, "counts", must[store.Counts](t)(b.Counts(ctx, repo)), must[store.Counts](t)(a.Counts(ctx, repo)))
	equal(t, "clock", must[int64](t)(b.Modified(ctx, repo)), must[int64](t)(a.Modified(ctx, repo)))
	equal(t, "quarantine", quarantined(t, b), quarantined(t, a))
	equal(t, "runs", must[[]store.Run](t)(b.Runs(ctx, repo, 9)), must[[]store.Run](t)(a.Runs(ctx, repo, 9)))
	equal(t, "checkpoint", must[store.Checkpoint](t)(b.Checkpoint(ctx, repo, "oai_dc", "")), must[store.Checkpoint](t)(a.Checkpoint(ctx, repo, "oai_dc", "")))
	file, page := object("oai:x:1").Items[0].URL, object("oai:x:1").LandingPage.URL
	equal(t, "probes", must[map[string]bridge.Probe](t)(b.Probes(ctx, repo, []string{file})), must[map[string]bridge.Probe](t)(a.Probes(ctx, repo, []string{file})))
	equal(t, "visits", must[map[string]store.Visit](t)(b.Visits(ctx, repo, page)), must[map[string]store.Visit](t)(a.Visits(ctx, repo, page)))
	equal(t, "found", with(must[store.Object](t)(b.Find(ctx, page, repo)), func(o *store.Object) { o.ID = 0 }), with(must[store.Object](t)(a.Find(ctx, page, repo)), func(o *store.Object) { o.ID = 0 }))
}
