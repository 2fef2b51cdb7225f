package server

import (
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
	"time"

	"fingerpost/bridge/store"
)

// renderingTime bounds the rendering of one page.
const renderingTime = 5 * time.Minute

// errNoFolder says that a page cannot be kept in a file.
var errNoFolder = errors.New("no folder for Signmap pages")

// patience is how many times as long as its rendering took a page is served
// before it is rendered again: while a harvest changes it every second, a
// crawler that asks for it as often must not keep a processor busy.
const patience = 20

// rendering is the last one of a page in this process.
type rendering struct {
	of    store.SignmapPage // the state that was rendered
	tag   string
	until time.Time // no other is begun before
}

// settled is the state in which a page is served: as it is now, or as it was
// when it was rendered a moment ago.
func (s *Server) settled(repo *repository, p store.SignmapPage) store.SignmapPage {
	last, ok := s.renderings.Load(pageKey(repo, p))
	if !ok {
		return p
	}
	r := last.(rendering)
	if r.tag == pageTag(repo, r.of) && s.Now().Before(r.until) {
		return r.of
	}
	return p
}

func pageKey(repo *repository, p store.SignmapPage) string {
	return repo.ID + "/" + strconv.Itoa(p.Number)
}

// page is a rendered page, open. Its file stays readable even when a newer
// one takes its place.
type page struct {
	*os.File
	size int64
}

// pageName names the file of a page after all that shapes it, so that a page
// is rendered again only if something on it has changed.
func pageName(repo *repository, p store.SignmapPage) string {
	return "signmap-" + strconv.Itoa(p.Number) + "." + pageTag(repo, p) + ".xml"
}

// openPage opens the file of a page, and renders it before if there is none.
func (s *Server) openPage(ctx context.Context, repo *repository, p store.SignmapPage, zipped bool) (page, error) {
	if s.Signmaps == "" {
		return page{}, errNoFolder
	}
	name := filepath.Join(s.Signmaps, repo.ID, pageName(repo, p))
	opened := name
	if zipped {
		opened += ".gz"
	}
	if kept, err := open(opened); err == nil {
		return kept, nil
	}
	_, err, _ := s.rendering.Do(name, func() (any, error) {
		// Whoever waits for it next gets it, even if the first one leaves.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderingTime)
		defer cancel()
		return nil, s.renderPage(ctx, name, repo, p)
	})
	if isFileError(err) {
		s.unwritten.Do(func() {
			s.Log.Warn("Signmap pages are rendered for every request: make their folder writable", "folder", s.Signmaps, "error", err)
		})
		return page{}, errNoFolder
	}
	if err != nil {
		return page{}, err
	}
	return open(opened)
}

func open(name string) (page, error) {
	f, err := os.Open(name)
	if err != nil {
		return page{}, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return page{}, err
	}
	return page{f, info.Size()}, nil
}

func isFileError(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	return errors.As(err, &path) || errors.As(err, &link)
}

// renderPage renders a page into the file name and, compressed, into name.gz,
// and removes those that they replace. They appear whole or not at all.
func (s *Server) renderPage(ctx context.Context, name string, repo *repository, p store.SignmapPage) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	begun := s.Now()
	err := s.renderFiles(ctx, name, repo, p, 0)
	if errors.Is(err, errPageFull) {
		err = s.renderFiles(ctx, name, repo, p, pageShare(p))
	}
	if err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	ended := s.Now()
	s.renderings.Store(pageKey(repo, p), rendering{p, pageTag(repo, p), ended.Add(patience * ended.Sub(begun))})
	return removeOlder(name, p.Number)
}

func (s *Server) renderFiles(ctx context.Context, name string, repo *repository, p store.SignmapPage, share int) error {
	bare, err := createBeside(name)
	if err != nil {
		return err
	}
	defer bare.discard()
	zipped, err := createBeside(name + ".gz")
	if err != nil {
		return err
	}
	defer zipped.discard()
	zip := gzip.NewWriter(zipped)
	if err := s.writePage(ctx, io.MultiWriter(bare, zip), repo, p, share); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	// The compressed one first: whoever finds one name finds both.
	return errors.Join(zipped.publish(), bare.publish())
}

// newFile is a file that is not yet under its name.
type newFile struct {
	*os.File
	name string
}

func createBeside(name string) (newFile, error) {
	number, _, _ := strings.Cut(filepath.Base(name), ".")
	f, err := os.CreateTemp(filepath.Dir(name), number+".*.rendering")
	return newFile{f, name}, err
}

func (f newFile) publish() error {
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), f.name)
}

// discard does nothing once the file is published.
func (f newFile) discard() {
	f.Close()
	os.Remove(f.Name())
}

// removeOlder removes what else there is of a page, and what a process that
// was killed left of it.
func removeOlder(name string, number int) error {
	others, err := filepath.Glob(filepath.Join(filepath.Dir(name), "signmap-"+strconv.Itoa(number)+".*"))
	if err != nil {
		return err
	}
	for _, other := range others {
		if other == name || other == name+".gz" {
			continue
		}
		if err := os.Remove(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
