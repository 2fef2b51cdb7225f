package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"fingerpost/bridge/store"
)

var saveTests = []test{
	{"an empty batch is saved", func(t *testing.T, s *store.DB) {
		save(t, s, store.Batch{})
		equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), repo)), store.Counts{})
	}},
	{"nothing of a batch that fails is saved", func(t *testing.T, s *store.DB) {
		before := save(t, s, full("before", 0))
		broken := full("broken", 7)
		broken.Run = &store.Run{ID: 12345, Repository: repo} // not kept: the page fails at its end
		notFound(t, "save", s.Save(t.Context(), repo, broken))
		onlyHas(t, s, before)
		equal(t, "ID of an object that was not kept", broken.Objects[0].ID, int64(0))
	}},
	{"nothing of a batch that is cancelled is saved", func(t *testing.T, s *store.DB) {
		before := save(t, s, full("before", 0))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Save(ctx, repo, full("cancelled", 7)); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want context.Canceled", err)
		}
		onlyHas(t, s, before)
	}},
	{"a batch can be saved after one that failed", func(t *testing.T, s *store.DB) {
		broken := full("x", 3)
		broken.Run = &store.Run{ID: 12345, Repository: repo}
		notFound(t, "save", s.Save(t.Context(), repo, broken))
		onlyHas(t, s, save(t, s, full("x", 3)))
	}},
	{"a reader sees all of a batch or nothing, while others are saved", func(t *testing.T, s *store.DB) {
		ids := identifiers(objects(40))
		page := func(n int) (p store.Batch) {
			for _, id := range ids {
				p.Records = append(p.Records, with(record(id, "oai_dc", ""), func(r *store.Record) {
					r.Datestamp, r.Hash, r.Metadata = fmt.Sprint(n), [16]byte{byte(n + 1)}, fmt.Append(nil, n)
				}))
			}
			return p
		}
		save(t, s, page(0))
		var readers sync.WaitGroup
		done := make(chan struct{})
		for range 3 {
			readers.Go(func() {
				for last := false; !last; {
					select {
					case <-done:
						last = true
					default:
					}
					torn(t, s, ids)
				}
			})
		}
		for n := range 100 {
			if err := s.Save(t.Context(), repo, page(n)); err != nil {
				t.Error(err)
			}
		}
		close(done)
		readers.Wait()
	}},
	{"several repositories are saved at the same time", func(t *testing.T, s *store.DB) {
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for i := range 20 {
					o := object(fmt.Sprint("oai:x:", i))
					if err := s.Save(t.Context(), fmt.Sprint(w), store.Batch{Objects: []store.Object{o}}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		for w := range 4 {
			equal(t, "counts", must[store.Counts](t)(s.Counts(t.Context(), fmt.Sprint(w))), store.Counts{Objects: 20})
		}
	}},
}

// torn complains if records are of several batches.
func torn(t *testing.T, s *store.DB, ids []string) {
	records, err := s.Records(t.Context(), repo, ids...)
	if err != nil || len(records) != len(ids) {
		t.Errorf("got %d records and error %v, want %d", len(records), err, len(ids))
		return
	}
	for _, r := range records {
		if r.Datestamp != records[0].Datestamp || string(r.Metadata) != r.Datestamp {
			t.Errorf("got %s with metadata %s beside %s", r.Datestamp, r.Metadata, records[0].Datestamp)
		}
	}
}

// full is a batch with something of everything.
func full(text string, n int) store.Batch {
	id := fmt.Sprint("oai:x:", n)
	return store.Batch{
		Records:     []store.Record{record(id, "oai_dc", text)},
		Objects:     []store.Object{object(id)},
		Quarantined: []store.Quarantined{bad("oai:bad:"+text, "oai_dc", 1)},
		Checkpoint:  store.Checkpoint{Repository: repo, Prefix: "oai_dc", Token: text},
	}
}

// onlyHas complains if there is anything in the store but a batch.
func onlyHas(t *testing.T, s *store.DB, p store.Batch) {
	t.Helper()
	equal(t, "objects", all(t, s.Objects(t.Context(), repo, 0)), p.Objects)
	equal(t, "identifiers", all(t, s.Identifiers(t.Context(), repo, "", "")), identifiers(p.Objects))
	equal(t, "records", must[[]store.Record](t)(s.Records(t.Context(), repo, identifiers(p.Objects)...)), p.Records)
	equal(t, "quarantine", quarantined(t, s), p.Quarantined)
	equal(t, "checkpoint", must[store.Checkpoint](t)(s.Checkpoint(t.Context(), repo, "oai_dc", "")), p.Checkpoint)
	equal(t, "runs", must[[]store.Run](t)(s.Runs(t.Context(), repo, 9)), []store.Run(nil))
	equal(t, "found", must[store.Object](t)(s.Find(t.Context(), p.Objects[0].LandingPage.URL)), p.Objects[0])
}
