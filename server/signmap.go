package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"fingerpost/bridge/store"
)

const signmapType = "application/xml"

// mostSitemaps is how many sitemaps an index may name: sitemaps.org. That is
// room for 250 million objects. What is beyond is left out, and the log says so.
const mostSitemaps = 50_000

// mostRanges is how many parts of a page are sent at once. A request for more
// is answered with all of it: thousands of small parts would be many times as
// large. RFC 9110, 14.2.
const mostRanges = 8

// signmaps serves the Signmaps of the repositories. Their pages are rendered
// into files, on request.
type signmaps struct {
	*Config
	urls  urls
	store Store
	cache *cache
	turn  chan struct{} // to render: one page at a time

	mu        sync.Mutex
	files     map[fileKey]pageFile // that are known to be whole
	unwritten sync.Once            // logs that the folder cannot be written
}

func newSignmaps(c *Config, own urls, from Store, cache *cache) *signmaps {
	return &signmaps{Config: c, urls: own, store: from, cache: cache, turn: make(chan struct{}, 1), files: map[fileKey]pageFile{}}
}

// serve answers with the one page there is, or with an index of pages.
func (s *signmaps) serve(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	pages, err := s.pages(r.Context(), repo)
	if err != nil {
		return err
	}
	if len(pages) == 1 {
		return s.sendPage(w, r, repo, pages[0])
	}
	s.index(repo, pages).serve(w, r, s.Now())
	return nil
}

// servePage answers with one page of several.
func (s *signmaps) servePage(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	pages, err := s.pages(r.Context(), repo)
	if err != nil {
		return err
	}
	number, _ := strconv.Atoi(v.page) // the route lets digits through
	for _, p := range pages {
		if p.Number == number {
			return s.sendPage(w, r, repo, p)
		}
	}
	return refusal{http.StatusNotFound, "The Signmap has no such page."}
}

const signmapKind = "Signmap"

// pages returns a repository's pages; an empty one if it has none.
func (s *signmaps) pages(ctx context.Context, repo *repository) ([]store.SignmapPage, error) {
	key := cacheKey{signmapKind, repo.ID}
	if pages, ok := recall[[]store.SignmapPage](s.cache, key); ok {
		return pages, nil
	}
	pages, err := s.store.SignmapPages(ctx, repo.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("list the Signmap pages of %s: %w", repo.ID, err)
	}
	if len(pages) == 0 {
		pages = []store.SignmapPage{{Number: 1}}
	}
	s.cache.put(key, pages, 64*len(pages), repo.version, nameOfRepository(repo.ID))
	return pages, nil
}

// index is a sitemap index. Its lastmod is when a page last changed, not when
// the newest record in it did: sitemaps.org, "lastmod".
func (s *signmaps) index(repo *repository, pages []store.SignmapPage) *document {
	if len(pages) > mostSitemaps {
		s.Log.Warn("a Signmap has more pages than an index may name: the objects on the others are not in it",
			"repository", repo.ID, "pages", len(pages), "named", mostSitemaps)
		pages = pages[:mostSitemaps]
	}
	d := document{mediaType: signmapType, policy: locked, modified: repo.since}
	b := []byte(indexHead)
	for _, p := range pages {
		changed := repo.changed(p.Modified)
		if changed.After(d.modified) {
			d.modified = changed
		}
		if p.Objects > 0 { // a urlset without url is not valid
			b = appendSitemap(b, s.urls.signmapPage(repo.ID, p.Number), s.past(changed))
		}
	}
	d.body = append(b, indexTail...)
	return d.sealed()
}

// past is a time, or the zero time if it lies in the future: then the clock was
// wrong, and it is not published.
func (s *signmaps) past(at time.Time) time.Time {
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
// into the answer if there can be no file.
func (s *signmaps) sendPage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage) error {
	quality, _ := quality(r.Header.Get("Accept-Encoding"), "gzip", "")
	zipped := quality > 0
	file, err := s.open(r.Context(), repo, p, zipped)
	if errors.Is(err, errNoFolder) {
		return s.streamPage(w, r, repo, p)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	h := w.Header()
	setPageHeader(h, pageTag(repo, p))
	if zipped {
		h.Set("Etag", `"`+pageTag(repo, p)+`.gz"`)
		h.Set("Content-Encoding", "gzip")
		// ServeContent leaves it out for encoded content.
		h.Set("Content-Length", strconv.FormatInt(file.size, 10))
	}
	http.ServeContent(w, s.bounded(r), "", s.past(repo.changed(p.Modified)), file.File) // an *os.File, for sendfile
	return nil
}

func setPageHeader(h http.Header, tag string) {
	h.Set("Content-Type", signmapType)
	h.Set("Cache-Control", documentCaching)
	h.Set("Etag", `"`+tag+`"`)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", locked)
}

// bounded is a request without too many ranges, and without a date in the
// future, which says nothing.
func (s *signmaps) bounded(r *http.Request) *http.Request {
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
func (s *signmaps) streamPage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage) error {
	h, changed, now := w.Header(), repo.changed(p.Modified), s.Now()
	setPageHeader(h, pageTag(repo, p))
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
	if err := s.writePage(r.Context(), w, repo, p); err != nil {
		// What was sent is not a whole page, and must not pass for one.
		s.Log.Warn("rendering a Signmap page into an answer failed", "repository", repo.ID, "page", p.Number, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
