package server

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fingerpost/bridge/store"
)

// renderingTime bounds the rendering of one page.
const renderingTime = 5 * time.Minute

// errNoFolder says that a page cannot be kept in a file.
var errNoFolder = errors.New("no folder for pages")

// fileName has all that shapes the page, so that a page is rendered again only if
// something on it has changed: signmap-1.TAG.xml, and signmap-1.TAG.xml.gz.
func (s *paged) fileName(repo *repository, p store.SignmapPage, zipped bool) string {
	name := filepath.Join(s.PageFolder, repo.ID, s.beginOfName(p.Number)+pageTag(repo, p)+s.extension)
	if zipped {
		name += ".gz"
	}
	return name
}

func (k kind) beginOfName(number int) string { return k.name + "-" + strconv.Itoa(number) + "." }

// open opens the file of a page, and renders it before if there is none. The file
// stays readable even when a newer one takes its place.
func (s *paged) open(ctx context.Context, repo *repository, p store.SignmapPage, zipped bool) (*os.File, error) {
	if s.PageFolder == "" {
		return nil, errNoFolder
	}
	name := s.fileName(repo, p, zipped)
	if f, err := os.Open(name); err == nil {
		return f, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f, err := os.Open(name); err == nil { // another request has rendered it meanwhile
		return f, nil
	}
	// If the client goes, the next one that asks gets the page.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderingTime)
	defer cancel()
	failed := s.render(ctx, repo, p)
	f, err := os.Open(name) // another process may have rendered it meanwhile
	switch failed = cmp.Or(failed, err); {
	case err == nil:
		return f, nil
	case isFileError(failed):
		s.unwritten.Do(func() {
			s.Log.Warn("pages are rendered for every request: "+fileRemedy(failed), "document", s.name, "folder", s.PageFolder, "error", failed)
		})
		return nil, errNoFolder
	}
	return nil, fmt.Errorf("render %s page %d of %s: %w", s.name, p.Number, repo.ID, failed)
}

// fileRemedy says what to do about a file that could not be written.
func fileRemedy(err error) string {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "allow more open files (ulimit -n, or LimitNOFILE in systemd)"
	}
	return "make room in their folder, and let this user write there"
}

func isFileError(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

// render renders a page into its two files, and removes those that they
// replace. They appear whole or not at all, even if the power fails, and have
// the same bytes whenever they are made.
func (s *paged) render(ctx context.Context, repo *repository, p store.SignmapPage) error {
	folder, begin := filepath.Join(s.PageFolder, repo.ID), s.beginOfName(p.Number)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	bare, err := os.CreateTemp(folder, begin+"*"+unfinished)
	if err != nil {
		return err
	}
	defer discard(bare)
	zipped, err := os.CreateTemp(folder, begin+"*"+unfinished)
	if err != nil {
		return err
	}
	defer discard(zipped)
	zip := gzip.NewWriter(zipped)
	if err := errors.Join(s.write(s, ctx, io.MultiWriter(bare, zip), repo, p), zip.Close()); err != nil {
		return err
	}
	names := [2]string{s.fileName(repo, p, false), s.fileName(repo, p, true)}
	if err := errors.Join(publish(bare, names[0]), publish(zipped, names[1])); err != nil {
		return err
	}
	return errors.Join(syncFolder(folder), removeOlder(folder, begin, names))
}

// unfinished ends the names of files that are not complete.
const unfinished = ".rendering"

// publish gives a file its name. Its bytes are on the disk before that.
func publish(f *os.File, name string) error {
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// discard removes a file that was not published.
func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// syncFolder brings the names of new files to the disk.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// removeOlder removes all other files of a page, also those that a process that
// was killed has left.
func removeOlder(folder, begin string, names [2]string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if !strings.HasPrefix(e.Name(), begin) || name == names[0] || name == names[1] {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
