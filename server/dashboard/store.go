package dashboard

import (
	"context"
	"iter"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Store is what the pages for the people who run it are made from. Where the
// one thing asked for does not exist, its methods return store.ErrNotFound,
// wrapped.
type Store interface {
	Repository(ctx context.Context, id string) (store.Repository, error)
	Counts(ctx context.Context, repository string) (store.Counts, error)
	// Modified is the newest Object.Modified of a repository; 0 if it is empty.
	Modified(ctx context.Context, repository string) (int64, error)
	// Runs returns the newest n runs of a repository, newest first.
	Runs(ctx context.Context, repository string, n int) ([]store.Run, error)
	// Pages is how far the landing pages of a repository are read.
	Pages(ctx context.Context, repository string) (store.Pages, error)
	Checkpoint(ctx context.Context, repository, prefix, set string) (store.Checkpoint, error)
	Coverage(ctx context.Context, repository string) (bridge.Coverage, error)
	Quarantined(ctx context.Context, repository string) iter.Seq2[store.Quarantined, error]
}
