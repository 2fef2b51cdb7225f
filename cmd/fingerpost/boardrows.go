package main

import (
	"context"

	"fingerpost/bridge/store"
	"fingerpost/server/dashboard"
)

// lookAtAll saves which repositories are configured, and how they stand.
func (g *gateway) lookAtAll(ctx context.Context) {
	var all []store.Source
	for r := range g.All() {
		all = append(all, store.Source{Repository: r.ID, Host: webHost(r.OAIURL)})
	}
	if err := g.db.SyncSources(ctx, all); err != nil {
		g.log.Error("serve: the repositories were not saved", "error", err)
	}
	for _, s := range all {
		g.look(ctx, s.Repository)
	}
}

// look saves how a repository stands.
func (g *gateway) look(ctx context.Context, id string) {
	r, _ := g.Repository(id)
	seen, err := dashboard.See(ctx, g.db, shownRepository(g.Config, r), store.Source{Host: webHost(r.OAIURL)})
	if err != nil {
		return
	}
	next, err := nextRuns(g.session)(ctx, id, seen.State == store.Running)
	if err != nil {
		return
	}
	if seen.Due, seen.Why = next.At, string(next.Why); next.At.IsZero() {
		seen.Due = store.Never
	}
	_ = g.db.SaveSource(ctx, seen.Source)
}
