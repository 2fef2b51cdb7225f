package harvest_test

import (
	"context"
	"testing"

	"fingerpost/bridge/harvest"
	"fingerpost/bridge/store"
)

// filling is a store with room for so many batches.
type filling struct {
	*store.DB
	room *int
}

func (f filling) Save(ctx context.Context, repository string, b store.Batch) error {
	if *f.room--; *f.room < 0 {
		return store.ErrFull
	}
	return f.DB.Save(ctx, repository, b)
}

func TestAFullDiskCountsAsNewOnlyWhatIsKept(t *testing.T) {
	s := newScene(t, records(500)...) // more pages than fit in a batch
	room := 1
	s.h.Store = filling{s.db, &room}
	runs, err := s.h.Run(t.Context(), s.r, harvest.Options{})
	if err == nil || len(runs) != 1 || runs[0].State != store.Failed {
		t.Fatalf("ended with %+v, %v", runs, err)
	}
	if kept := s.objects(); kept == 0 || runs[0].New != kept || runs[0].Records <= kept {
		t.Errorf("%d of %d records are called new, %d are kept", runs[0].New, runs[0].Records, kept)
	}
}
