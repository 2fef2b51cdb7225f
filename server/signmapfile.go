package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fingerpost/bridge/store"
)

// renderingTime bounds the rendering of one page.
const renderingTime = 5 * time.Minute

// errNoFolder says that a page cannot be kept in a file.
var errNoFolder = errors.New("no folder for Signmap pages")

// pause is how many times as long as its rendering took a page is served
// before it is rendered again: while a harvest changes it every second, a
// crawler that asks for it as often must not keep a processor busy.
const pause = 20

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
// and removes those that they replace. They appear whole or not at all, and
// have the same bytes however they were made.
func (s *Server) renderPage(ctx context.Context, name string, repo *repository, p store.SignmapPage) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	begun := s.Now()
	err := s.renderFiles(ctx, name, repo, p)
	if err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	ended := s.Now()
	s.renderings.Store(pageKey(repo, p), rendering{p, pageTag(repo, p), ended.Add(pause * ended.Sub(begun))})
	return removeOlder(name, p.Number)
}

// renderFiles renders a page: what has changed since the last time, if that is
// possible, else all of it, in shares if it does not fit otherwise.
func (s *Server) renderFiles(ctx context.Context, name string, repo *repository, p store.SignmapPage) error {
	err := s.renew(ctx, name, repo, p)
	if errors.Is(err, errNotRenewed) {
		err = s.renderWhole(ctx, name, repo, p, 0)
	}
	if errors.Is(err, errPageFull) {
		err = s.renderWhole(ctx, name, repo, p, pageShare(p))
	}
	return err
}

func (s *Server) renderWhole(ctx context.Context, name string, repo *repository, p store.SignmapPage, share int) error {
	f, err := createPage(name)
	if err != nil {
		return err
	}
	defer f.discard()
	pw := newPageWriter(repo, f, share)
	pw.blocks = f
	if err := s.writeObjects(ctx, pw, repo, p, 0, math.MaxInt64); err != nil {
		return err
	}
	s.logOmitted(pw, repo, p)
	return f.publish(share == 0 && !pw.capped)
}

// errNotRenewed says that all of a page has to be rendered.
var errNotRenewed = errors.New("the Signmap page has to be rendered anew")

// mostRenewed is how many changed objects are worth looking for their blocks.
const mostRenewed = 10_000

// renew renders the blocks in which an object has changed since the page was
// rendered last, and takes all others over.
func (s *Server) renew(ctx context.Context, name string, repo *repository, p store.SignmapPage) error {
	older := olderOf(name, repo, p)
	if older == nil {
		return errNotRenewed
	}
	defer older.close()
	changed, err := s.changedSpans(ctx, repo, older.modified)
	if err != nil {
		return fmt.Errorf("renew Signmap page %d of %s: %w", p.Number, repo.ID, err)
	}
	f, err := createPage(name)
	if err != nil {
		return err
	}
	defer f.discard()
	pw := newPageWriter(repo, f, 0)
	pw.blocks = f
	if err := s.mergeBlocks(ctx, pw, repo, p, older, changed); err != nil {
		return err
	}
	s.logOmitted(pw, repo, p)
	return f.publish(true)
}

// changedSpans are those with an object that was modified after a time.
func (s *Server) changedSpans(ctx context.Context, repo *repository, modified int64) (map[int64]bool, error) {
	spans := map[int64]bool{}
	n := 0
	for o, err := range s.store.Changed(ctx, repo.ID, modified) {
		if n++; n == mostRenewed {
			return nil, errNotRenewed
		}
		if err != nil {
			return nil, fmt.Errorf("read what has changed: %w", err)
		}
		spans[o.ID/blockSpan] = true
	}
	return spans, nil
}

// mergeBlocks writes those of an older page, and in their places those in
// which objects have changed. It gives up where objects may have been left out
// for the number of others.
func (s *Server) mergeBlocks(ctx context.Context, pw *pageWriter, repo *repository, p store.SignmapPage, older *olderPage, changed map[int64]bool) error {
	spans := map[int64]*placedBlock{}
	for i := range older.blocks {
		spans[older.blocks[i].Span] = &older.blocks[i]
	}
	for span := range changed {
		spans[span] = nil
	}
	for _, span := range slices.Sorted(maps.Keys(spans)) {
		var err error
		if b := spans[span]; b != nil {
			err = pw.take(older, *b)
		} else {
			err = s.writeObjects(ctx, pw, repo, p, span*blockSpan, (span+1)*blockSpan)
		}
		if err != nil {
			return err
		}
	}
	if pw.capped {
		return errNotRenewed
	}
	return nil
}

// olderOf opens the last rendering of a page with the same settings; nil if
// there is none.
func olderOf(name string, repo *repository, p store.SignmapPage) *olderPage {
	begin, end := "signmap-"+strconv.Itoa(p.Number)+".", "."+repo.settings+".xml"
	indexes, err := filepath.Glob(filepath.Join(filepath.Dir(name), begin+"*"+end+".blocks"))
	if err != nil {
		return nil
	}
	for _, index := range indexes {
		page := strings.TrimSuffix(index, ".blocks")
		at := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(page), begin), end)
		modified, err := strconv.ParseInt(at, 36, 64)
		if err != nil || modified >= p.Modified {
			continue
		}
		if older, err := openOlder(page, modified); err == nil {
			return older
		}
	}
	return nil
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
		if other == name || other == name+".gz" || other == name+".blocks" {
			continue
		}
		if err := os.Remove(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
