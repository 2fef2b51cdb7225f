package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fingerpost/config"
)

// mapFolders are the folders of the maps of one repository.
type mapFolders struct {
	config.Config
	repository config.Repository
}

// first is the folder of the maps unless the command line names another:
// edge.maps, or where they were exported, or the one in the data folder.
func (f mapFolders) first() string { return cmp.Or(append(f.all(), f.own())...) }

// own is the folder in the data folder.
func (f mapFolders) own() string { return filepath.Join(f.Data, "edge", f.repository.ID) }

// all are the folders in which the maps are kept up to date: edge.maps, and
// those to which they were exported and that still exist.
func (f mapFolders) all() (folders []string) {
	if f.repository.Edge.Maps != "" {
		folders = append(folders, f.repository.Edge.Maps)
	}
	list, _ := os.ReadFile(f.list()) // without it, none were exported
	for line := range strings.Lines(string(list)) {
		folder := strings.TrimSuffix(line, "\n")
		if info, err := os.Stat(folder); err == nil && info.IsDir() && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// list is the file, in the data folder, that lists where the maps were
// exported, a line for each folder.
func (f mapFolders) list() string { return f.own() + ".txt" }

// remember adds a folder.
func (f mapFolders) remember(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil || slices.Contains(f.all(), dir) {
		return err
	}
	text := strings.Join(append(f.all(), dir), "\n") + "\n"
	list := f.list()
	err = errors.Join(os.MkdirAll(filepath.Dir(list), 0o755), os.WriteFile(list+".new", []byte(text), 0o640))
	if err == nil {
		err = os.Rename(list+".new", list)
	}
	if err != nil {
		return fmt.Errorf("remember that maps are in %s: %w", dir, err)
	}
	return nil
}

// open lets other users, such as that of a web server, reach the maps in the
// data folder, but not list that folder.
func (f mapFolders) open() error {
	maps := f.own()
	err := os.MkdirAll(maps, 0o755)
	return errors.Join(err, allow(f.Data, 0o001), allow(filepath.Dir(maps), 0o005), allow(maps, 0o005))
}

// allow gives permissions. It does nothing to a file that has them already,
// which may be another user's.
func allow(file string, permissions fs.FileMode) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm() | permissions; mode != info.Mode().Perm() {
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
