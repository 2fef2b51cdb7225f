package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fingerpost/bridge/store"
	"fingerpost/config"
	"fingerpost/server"
	"fingerpost/server/edge"
)

// mapDir is the folder of the maps of a repository unless the command line names
// another: edge.maps, or where they were exported, or one in the data folder.
func (s *session) mapDir(r config.Repository) string {
	return cmp.Or(append(s.mapFolders(r), s.defaultMaps(r))...)
}

func (s *session) defaultMaps(r config.Repository) string { return filepath.Join(s.Data, "edge", r.ID) }

// mapFolders are the folders in which the maps of a repository are kept up to
// date: edge.maps, and those to which they were exported and that still exist.
func (s *session) mapFolders(r config.Repository) (folders []string) {
	if r.Edge.Maps != "" {
		folders = append(folders, r.Edge.Maps)
	}
	list, _ := os.ReadFile(s.mapList(r)) // without it, none were exported
	for line := range strings.Lines(string(list)) {
		folder := strings.TrimSuffix(line, "\n")
		if info, err := os.Stat(folder); err == nil && info.IsDir() && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// mapList is the file, in the data folder, that lists where the maps of a
// repository were exported, a line for each folder.
func (s *session) mapList(r config.Repository) string { return s.defaultMaps(r) + ".txt" }

// exportMaps writes the maps of a repository to dir. From then on they are renewed
// there.
func (s *session) exportMaps(ctx context.Context, site *server.Server, r config.Repository, dir string) (edge.Exported, error) {
	written, err := s.writeMaps(ctx, site, r, dir)
	if err == nil {
		err = s.rememberMaps(r, dir)
	}
	return written, err
}

func (s *session) rememberMaps(r config.Repository, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil || slices.Contains(s.mapFolders(r), dir) {
		return err
	}
	text := strings.Join(append(s.mapFolders(r), dir), "\n") + "\n"
	list := s.mapList(r)
	err = errors.Join(os.MkdirAll(filepath.Dir(list), 0o755), os.WriteFile(list+".new", []byte(text), 0o640))
	if err == nil {
		err = os.Rename(list+".new", list)
	}
	if err != nil {
		return fmt.Errorf("remember that maps are in %s: %w", dir, err)
	}
	return nil
}

// writeMaps writes the files for web servers in front of a repository.
func (s *session) writeMaps(ctx context.Context, site *server.Server, r config.Repository, dir string) (edge.Exported, error) {
	base, _, err := s.survey(ctx, r)
	if err != nil {
		return edge.Exported{}, fmt.Errorf("look at the pages of %s: %w", r.ID, err)
	}
	if dir == s.defaultMaps(r) {
		if err := s.openDefaultMaps(r); err != nil {
			return edge.Exported{}, fmt.Errorf("let web servers read %s: %w", dir, err)
		}
	}
	hosts := append([]string{webHost(base), webHost(r.OAIURL)}, r.Mapping.Hosts...)
	return edge.Export(ctx, dir, hosts, s.pages(ctx, site, r))
}

// openDefaultMaps lets other users, such as that of a web server, reach the maps
// in the data folder, but neither list that folder nor read the database.
func (s *session) openDefaultMaps(r config.Repository) error {
	maps := s.defaultMaps(r)
	err := os.MkdirAll(maps, 0o755)
	for _, file := range []string{s.Database, s.Database + "-wal", s.Database + "-shm"} {
		if e := changeMode(file, 0, 0o007); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return errors.Join(err, changeMode(s.Data, 0o001, 0), changeMode(filepath.Dir(maps), 0o005, 0), changeMode(maps, 0o005, 0))
}

// changeMode gives and takes permissions. It does nothing to a file that has
// them already, which may be another user's.
func changeMode(file string, give, take fs.FileMode) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm()&^take | give; mode != info.Mode().Perm() {
		return os.Chmod(file, mode)
	}
	return nil
}

// closedTo returns the folder that keeps other users from dir: dir itself or one
// that it is in; "" if there is none.
func closedTo(dir string) string {
	for dir, err := filepath.Abs(dir); err == nil; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode()&0o001 == 0 {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// renewMaps writes the maps of repositories to the folders in which they are kept up
// to date. Errors are logged: no run depends on the maps, and those before remain.
func (s *session) renewMaps(ctx context.Context, site *server.Server, repositories []config.Repository, log *slog.Logger) {
	for _, r := range repositories {
		if ctx.Err() != nil || !harvested(ctx, s.db, r.ID) {
			continue
		}
		for _, folder := range s.mapFolders(r) {
			written, err := s.writeMaps(ctx, site, r, folder)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				log.Error("edge: the maps were not written, those before remain", "repository", r.ID, "folder", folder, "error", err)
			default:
				log.Info("edge: maps written", "repository", r.ID, "folder", folder, "pages", written.Pages)
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
func (s *session) pages(ctx context.Context, site *server.Server, r config.Repository) iter.Seq2[edge.Page, error] {
	return func(yield func(edge.Page, error) bool) {
		for a, err := range site.Answers(ctx, r.ID) {
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
