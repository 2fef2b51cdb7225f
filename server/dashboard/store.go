package dashboard

import (
	"context"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Store is what the pages for the people who run it are made from. Where the
// one thing asked for does not exist, its methods return store.ErrNotFound,
// wrapped.
type Store interface {
	Sources(ctx context.Context, q store.SourceQuery) ([]store.Source, int, error)
	SourceTotals(ctx context.Context) (store.SourceTotals, error)
	Source(ctx context.Context, repository string) (store.Source, error)

	Repository(ctx context.Context, id string) (store.Repository, error)
	Counts(ctx context.Context, repository string) (store.Counts, error)
	Brief(ctx context.Context, id string) (store.Brief, error)
	// Runs returns the newest n runs of a repository, newest first.
	Runs(ctx context.Context, repository string, n int) ([]store.Run, error)
	Checkpoint(ctx context.Context, repository, prefix, set string) (store.Checkpoint, error)
	// Pages is how far the landing pages of a repository are read.
	Pages(ctx context.Context, repository string) (store.Pages, error)
	Coverage(ctx context.Context, repository string) (bridge.Coverage, error)
	Linked(ctx context.Context, repository, column string, has bool, after store.Place, n int) ([]store.Object, store.Place, error)
	ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error)
	QuarantinePage(ctx context.Context, repository string, after int64, n int) ([]store.Quarantined, int64, error)
}
