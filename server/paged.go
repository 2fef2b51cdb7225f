package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

// mostRanges is how many parts of a page are sent at once. A request for more
// is answered with all of it: thousands of small parts would be many times as
// large. RFC 9110, 14.2.
const mostRanges = 8

// paged serves what is published of all objects of the repositories: Signmaps,
// or CDIF lists. An object is on the same page of both. Pages are rendered into
// files, on request.
type paged struct {
	*parts
	kind
	turn      chan struct{} // to render: one page at a time
	unwritten sync.Once     // logs that the folder cannot be written
}

// kind is what Signmaps and CDIF lists differ in.
type kind struct {
	name      string // of files, and in messages
	extension string // of files
	mediaType string
	write     func(*paged, context.Context, io.Writer, *repository, store.SignmapPage) error
}

func newPaged(of *parts, k kind) *paged {
	return &paged{parts: of, kind: k, turn: make(chan struct{}, 1)}
}

var noPage = refusal{http.StatusNotFound, "There is no such page."}

// numbered returns a repository's pages, and the index of the one that is asked for.
func (s *paged) numbered(ctx context.Context, repo *repository, v vars) ([]store.SignmapPage, int, error) {
	pages, err := s.pages(ctx, repo)
	if err != nil {
		return nil, 0, err
	}
	n, _ := strconv.Atoi(v.page) // the route lets digits through
	i := slices.IndexFunc(pages, func(p store.SignmapPage) bool { return p.Number == n })
	if i < 0 {
		return nil, 0, noPage
	}
	return pages, i, nil
}

const pagesKind = "pages"

// pages returns a repository's pages; an empty one if it has none.
func (s *paged) pages(ctx context.Context, repo *repository) ([]store.SignmapPage, error) {
	key := cacheKey{pagesKind, repo.ID}
	if pages, ok := recall[[]store.SignmapPage](s.cache, key); ok {
		return pages, nil
	}
	pages, err := s.store.SignmapPages(ctx, repo.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("list the pages of %s: %w", repo.ID, err)
	}
	if len(pages) == 0 {
		pages = []store.SignmapPage{{Number: 1}}
	}
	s.cache.put(key, pages, 64*len(pages), repo.version, nameOfRepository(repo.ID))
	return pages, nil
}

// past is a time, or the zero time if it lies in the future: then the clock was
// wrong, and it is not published.
func (s *paged) past(at time.Time) time.Time {
	if at.After(s.Now()) {
		return time.Time{}
	}
	return at
}

// pageTag names the state of a page: a page with the same tag has the same
// bytes.
func pageTag(repo *repository, p store.SignmapPage) string {
	return strconv.FormatInt(p.Modified, 36) + "." + repo.settings
}

// sendPage answers with a rendered page from its file, or renders the page
// into the answer if there can be no file. more are fields of its header.
func (s *paged) sendPage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage, more ...field) error {
	quality, _ := quality(r.Header.Get("Accept-Encoding"), "gzip", "")
	zipped := quality > 0
	file, err := s.open(r.Context(), repo, p, zipped)
	if errors.Is(err, errNoFolder) {
		return s.streamPage(w, r, repo, p, more)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	h := w.Header()
	s.setPageHeader(h, pageTag(repo, p), more)
	if zipped {
		h.Set("Etag", `"`+pageTag(repo, p)+`.gz"`)
		h.Set("Content-Encoding", "gzip")
		if info, err := file.Stat(); err == nil { // ServeContent leaves it out for encoded content
			h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
		}
	}
	http.ServeContent(w, s.bounded(r), "", s.past(repo.changed(p.Modified)), file) // an *os.File, for sendfile
	return nil
}

func (s *paged) setPageHeader(h http.Header, tag string, more []field) {
	setAll(h, more)
	h.Set("Content-Type", s.mediaType)
	h.Set("Cache-Control", documentCaching)
	h.Set("Etag", `"`+tag+`"`)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", locked)
}

// bounded is a request without too many ranges, and without a date in the
// future, which says nothing.
func (s *paged) bounded(r *http.Request) *http.Request {
	out := *r
	out.Header = r.Header.Clone()
	if strings.Count(strings.Join(r.Header["Range"], ","), ",") >= mostRanges {
		out.Header.Del("Range")
	}
	if since, err := http.ParseTime(r.Header.Get("If-Modified-Since")); err == nil && since.After(s.Now()) {
		out.Header.Del("If-Modified-Since")
	}
	return &out
}

// streamPage renders a page into the answer. Its length is not known, so that
// there are no ranges.
func (s *paged) streamPage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage, more []field) error {
	h, changed, now := w.Header(), repo.changed(p.Modified), s.Now()
	s.setPageHeader(h, pageTag(repo, p), more)
	if !changed.After(now) {
		h.Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	}
	if isCurrent(r, h.Get("Etag"), changed, now) {
		notModified(w)
		return nil
	}
	if r.Method == http.MethodHead {
		return nil
	}
	if err := s.write(s, r.Context(), w, repo, p); err != nil {
		// What was sent is not a whole page, and must not pass for one.
		s.Log.Warn("rendering a page into an answer failed", "document", s.name, "repository", repo.ID, "page", p.Number, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
