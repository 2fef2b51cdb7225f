package server

import (
	"context"
	"iter"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/server/provider"
)

// Store is what the published documents are made from. Where the one thing
// asked for does not exist, its methods return store.ErrNotFound, wrapped.
type Store interface {
	provider.Store

	Repository(ctx context.Context, id string) (store.Repository, error)
	// Brief and Briefs say in a few words what one and what all repositories are.
	Brief(ctx context.Context, id string) (store.Brief, error)
	Briefs(ctx context.Context) (map[string]store.Brief, error)
	// Clocks says by ID when repositories changed.
	Clocks(ctx context.Context) (map[string]store.Clock, error)
	// Coverage counts the links of a repository's live objects.
	Coverage(ctx context.Context, repository string) (bridge.Coverage, error)
	// Changed yields the objects with a newer Modified, in ascending order of it.
	Changed(ctx context.Context, repository string, modified int64) iter.Seq2[store.Object, error]

	Object(ctx context.Context, repository, key string) (store.Object, error)
	ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error)
	// FindAll finds the objects with a URL, the preferred first, in the
	// repositories that are named; in all if none is.
	FindAll(ctx context.Context, uri string, in ...string) ([]store.Object, error)
	// RepositoriesOf returns for each OAI identifier the repositories that may
	// have it.
	RepositoriesOf(ctx context.Context, identifiers ...string) ([][]string, error)
	// Objects yields a repository's objects in ascending ID, from after on.
	Objects(ctx context.Context, repository string, after int64) iter.Seq2[store.Object, error]
	Records(ctx context.Context, repository string, identifiers ...string) ([]store.Record, error)

	SignmapPages(ctx context.Context, repository string) ([]store.SignmapPage, error)
	SignmapObjects(ctx context.Context, repository string, page int) iter.Seq2[store.Object, error]
}
