package main

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/server/edge"
)

// exportMaps writes the maps of a repository to dir. From then on they are renewed
// there.
func (e *edges) exportMaps(ctx context.Context, r config.Repository, dir string) (edge.Exported, error) {
	written, err := e.writeMaps(ctx, r, dir)
	if err == nil {
		err = mapFolders{e.Config, r}.remember(dir)
	}
	return written, err
}

// writeMaps writes the files for web servers in front of a repository.
func (e *edges) writeMaps(ctx context.Context, r config.Repository, dir string) (edge.Exported, error) {
	base, _, err := e.survey(ctx, r, surveyed)
	if err != nil {
		return edge.Exported{}, fmt.Errorf("look at the pages of %s: %w", r.ID, err)
	}
	if folders := (mapFolders{e.Config, r}); dir == folders.own() {
		if err := folders.open(); err != nil {
			return edge.Exported{}, fmt.Errorf("let web servers read %s: %w", dir, err)
		}
	}
	hosts := append([]string{webHost(base), webHost(r.OAIURL)}, r.Mapping.Hosts...)
	return edge.Export(ctx, dir, hosts, e.pages(ctx, r))
}

// renewMaps writes the maps of repositories to the folders in which they are kept up
// to date. Errors are logged: no run depends on the maps, and those before remain.
func (e *edges) renewMaps(ctx context.Context, repositories iter.Seq[config.Repository]) {
	for r := range repositories {
		folders := mapFolders{e.Config, r}.all()
		if len(folders) == 0 || ctx.Err() != nil || !harvested(ctx, e.db, r.ID) {
			continue
		}
		for _, folder := range folders {
			written, err := e.writeMaps(ctx, r, folder)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				e.log.Error("edge: the maps were not written, those before remain", "repository", r.ID, "folder", folder, "error", err)
			default:
				e.log.Info("edge: maps written", "repository", r.ID, "folder", folder, "pages", written.Pages)
			}
		}
	}
}

// changedSomething reports whether runs left other objects than they found.
func changedSomething(runs []store.Run) bool {
	return slices.ContainsFunc(runs, func(r store.Run) bool { return r.New+r.Changed+r.Deleted > 0 })
}

// pages yields everything in a repository that has links, with the links that the
// lookup answers.
func (e *edges) pages(ctx context.Context, r config.Repository) iter.Seq2[edge.Page, error] {
	return func(yield func(edge.Page, error) bool) {
		for a, err := range e.site.Answers(ctx, r.ID) {
			var p edge.Page
			if err == nil {
				p = edge.Page{URI: a.URI, Links: a.InHeader}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}
