package server

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
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

// fileKey is one of the two files of a page.
type fileKey struct {
	repository string
	number     int
	zipped     bool
}

// pageFile is a file that was whole when it was read or written by this
// process. If it is not as it was then, it is read again.
type pageFile struct {
	name     string
	tag      string // of the page
	size     int64
	modified time.Time
}

// openFile is the file of a page, open. It stays readable even when a newer one
// takes its place.
type openFile struct {
	*os.File
	size int64
}

// The name of a file has all that shapes the page, so that a page is rendered
// again only if something on it has changed, and at its end the checksum of
// the file: signmap-1.TAG.CHECKSUM.xml, and signmap-1.TAG.CHECKSUM.xml.gz.
func (k kind) fileName(number int, tag, sum string, zipped bool) string {
	return k.beginOfName(number) + tag + "." + sum + k.end(zipped)
}

func (k kind) beginOfName(number int) string { return k.name + "-" + strconv.Itoa(number) + "." }

func (k kind) end(zipped bool) string {
	if zipped {
		return k.extension + ".gz"
	}
	return k.extension
}

// open opens the file of a page, and renders it before if there is none.
func (s *paged) open(ctx context.Context, repo *repository, p store.SignmapPage, zipped bool) (openFile, error) {
	if s.PageFolder == "" {
		return openFile{}, errNoFolder
	}
	key := fileKey{repo.ID, p.Number, zipped}
	if f, err := s.openChecked(key, pageTag(repo, p)); err == nil {
		return f, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return openFile{}, ctx.Err()
	}
	f, err := s.openRendered(ctx, repo, p, key)
	if isFileError(err) {
		s.unwritten.Do(func() {
			s.Log.Warn("pages are rendered for every request: "+fileRemedy(err), "document", s.name, "folder", s.PageFolder, "error", err)
		})
		return openFile{}, errNoFolder
	}
	return f, err
}

// fileRemedy says what to do about a file that could not be written.
func fileRemedy(err error) string {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "allow more open files (ulimit -n, or LimitNOFILE in systemd)"
	}
	return "make room in their folder, and let this user write there"
}

// openRendered opens the file of a page that another request has rendered
// meanwhile, or that is left from an earlier start, or renders it. Its caller
// has the turn.
func (s *paged) openRendered(ctx context.Context, repo *repository, p store.SignmapPage, key fileKey) (openFile, error) {
	tag := pageTag(repo, p)
	if f, err := s.openChecked(key, tag); err == nil {
		return f, nil
	}
	if s.find(key, tag) {
		return s.openChecked(key, tag)
	}
	// If the client goes, the next one that asks gets the page.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renderingTime)
	defer cancel()
	if err := s.render(ctx, repo, p); err != nil && !s.find(key, tag) { // another process may have rendered it meanwhile
		return openFile{}, fmt.Errorf("render %s page %d of %s: %w", s.name, p.Number, repo.ID, err)
	}
	return s.openChecked(key, tag)
}

var errNotChecked = errors.New("the file was not checked")

// openChecked opens a file that was checked, if it is as it was then.
func (s *paged) openChecked(key fileKey, tag string) (openFile, error) {
	s.mu.Lock()
	checked, ok := s.files[key]
	s.mu.Unlock()
	if !ok || checked.tag != tag {
		return openFile{}, errNotChecked
	}
	f, err := os.Open(checked.name)
	if err != nil {
		return openFile{}, err
	}
	info, err := f.Stat()
	if err == nil && (info.Size() != checked.size || !info.ModTime().Equal(checked.modified)) {
		err = errNotChecked
	}
	if err != nil {
		f.Close()
		return openFile{}, err
	}
	return openFile{f, info.Size()}, nil
}

// find reports whether there is a file of a page in this state, whole. One
// that is damaged is removed.
func (s *paged) find(key fileKey, tag string) bool {
	folder := filepath.Join(s.PageFolder, key.repository)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		sum, ok := strings.CutPrefix(e.Name(), s.beginOfName(key.number)+tag+".")
		if !ok || !strings.HasSuffix(sum, s.end(key.zipped)) {
			continue
		}
		name := filepath.Join(folder, e.Name())
		err := checkFile(name, sum[:len(sum)-len(s.end(key.zipped))])
		if err == nil {
			err = s.note(key, tag, name)
		}
		if err == nil {
			return true
		}
		s.Log.Warn("a page is damaged: it is rendered again", "file", name, "error", err)
		os.Remove(name)
	}
	return false
}

// checkFile compares a file with its checksum.
func checkFile(name, want string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := checksum(sum); got != want {
		return fmt.Errorf("its checksum is %s", got)
	}
	return nil
}

func checksum(h hash.Hash32) string { return fmt.Sprintf("%08x", h.Sum32()) }

// note notes that a file is whole.
func (s *paged) note(key fileKey, tag, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[key] = pageFile{name, tag, info.Size(), info.ModTime()}
	return nil
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
	folder := filepath.Join(s.PageFolder, repo.ID)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	bare, err := createFile(folder, s.beginOfName(p.Number))
	if err != nil {
		return err
	}
	defer bare.discard()
	zipped, err := createFile(folder, s.beginOfName(p.Number))
	if err != nil {
		return err
	}
	defer zipped.discard()
	if err := s.writeBoth(ctx, bare, zipped, repo, p); err != nil {
		return err
	}
	tag, names := pageTag(repo, p), [2]string{}
	for i, f := range []*newFile{bare, zipped} {
		names[i] = filepath.Join(folder, s.fileName(p.Number, tag, checksum(f.sum), i == 1))
		if err := f.publish(names[i]); err != nil {
			return err
		}
		if err := s.note(fileKey{repo.ID, p.Number, i == 1}, tag, names[i]); err != nil {
			return err
		}
	}
	return errors.Join(syncFolder(folder), removeOlder(folder, s.beginOfName(p.Number), names))
}

func (s *paged) writeBoth(ctx context.Context, bare, zipped io.Writer, repo *repository, p store.SignmapPage) error {
	zip := gzip.NewWriter(zipped)
	return errors.Join(s.write(s, ctx, io.MultiWriter(bare, zip), repo, p), zip.Close())
}

// newFile is a file without its name, and the checksum of what is in it.
type newFile struct {
	*os.File
	sum hash.Hash32
}

// unfinished ends the names of files that are not complete.
const unfinished = ".rendering"

func createFile(folder, begin string) (*newFile, error) {
	f, err := os.CreateTemp(folder, begin+"*"+unfinished)
	return &newFile{f, crc32.NewIEEE()}, err
}

func (f *newFile) Write(b []byte) (int, error) {
	f.sum.Write(b)
	return f.File.Write(b)
}

// publish gives the file its name. Its bytes are on the disk before that.
func (f *newFile) publish(name string) error {
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// discard does nothing once the file is published.
func (f *newFile) discard() {
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
