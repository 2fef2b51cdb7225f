package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"fingerpost/bridge/store"
)

const signmapType = "application/xml"

// serveSignmap answers with the one page there is, or with an index of pages.
func (s *Server) serveSignmap(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) {
	pages, err := s.signmapPages(r.Context(), repo)
	switch {
	case err != nil:
		s.unavailable(w, r, err)
	case len(pages) == 1:
		s.servePage(w, r, repo, pages[0])
	default:
		s.signmapIndex(repo, pages).serve(w, r)
	}
}

// serveSignmapPage answers with one page of several.
func (s *Server) serveSignmapPage(w http.ResponseWriter, r *http.Request, repo *repository, v vars) {
	pages, err := s.signmapPages(r.Context(), repo)
	if err != nil {
		s.unavailable(w, r, err)
		return
	}
	number, _ := strconv.Atoi(v.page) // the route lets digits through
	for _, p := range pages {
		if p.Number == number {
			s.servePage(w, r, repo, p)
			return
		}
	}
	say(w, http.StatusNotFound, "The Signmap has no such page.")
}

// signmapPages returns a repository's pages; an empty one if it has none.
func (s *Server) signmapPages(ctx context.Context, repo *repository) ([]store.SignmapPage, error) {
	if known, ok := s.pages.get(repo.ID); ok && known.modified == repo.modified {
		return known.pages, nil
	}
	pages, err := s.store.SignmapPages(ctx, repo.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("list the Signmap pages of %s: %w", repo.ID, err)
	}
	if len(pages) == 0 {
		pages = []store.SignmapPage{{Number: 1}}
	}
	s.pages.put(repo.ID, pageList{repo.modified, pages}, 64*len(pages))
	return pages, nil
}

type pageList struct {
	modified int64 // of the repository
	pages    []store.SignmapPage
}

// signmapIndex is a sitemap index. Its lastmod is when a page last changed,
// not when the newest record in it did: sitemaps.org, "lastmod".
func (s *Server) signmapIndex(repo *repository, pages []store.SignmapPage) *document {
	d := document{mediaType: signmapType, policy: locked, modified: repo.since}
	b := []byte(indexHead)
	for _, p := range pages {
		changed := repo.changed(p.Modified)
		if changed.After(d.modified) {
			d.modified = changed
		}
		if p.Objects > 0 { // a urlset without url is not valid
			b = appendSitemap(b, s.urls.signmapPage(repo.ID, p.Number), changed)
		}
	}
	d.body = append(b, indexTail...)
	return d.sealed()
}

// pageTag names the state of a page: a page with the same tag has the same
// bytes.
func pageTag(repo *repository, p store.SignmapPage) string {
	return strconv.FormatInt(p.Modified, 36) + "." + repo.settings
}

// servePage answers with a rendered page from its file, or with the page as
// it is being rendered if there can be no file.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage) {
	p = s.settled(repo, p)
	h := w.Header()
	h.Set("Content-Type", signmapType)
	h.Set("Cache-Control", documentCaching)
	h.Set("Etag", `"`+pageTag(repo, p)+`"`)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Security-Policy", locked)
	gzip, _ := quality(r.Header.Get("Accept-Encoding"), "gzip", "")
	zipped := gzip > 0
	file, err := s.openPage(r.Context(), repo, p, zipped)
	if errors.Is(err, errNoFolder) {
		s.streamPage(w, r, repo, p)
		return
	}
	if err != nil {
		clear(h)
		setAll(h, common)
		s.unavailable(w, r, err)
		return
	}
	defer file.Close()
	if zipped {
		h.Set("Etag", `"`+pageTag(repo, p)+`.gz"`)
		h.Set("Content-Encoding", "gzip")
		// ServeContent leaves it out for encoded content.
		h.Set("Content-Length", strconv.FormatInt(file.size, 10))
	}
	http.ServeContent(w, r, "", repo.changed(p.Modified), file.File) // itself, for sendfile
}

// streamPage renders a page into the answer. Its length is not known, so that
// there are no ranges.
func (s *Server) streamPage(w http.ResponseWriter, r *http.Request, repo *repository, p store.SignmapPage) {
	changed := repo.changed(p.Modified)
	w.Header().Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	if isCurrent(r, w.Header().Get("Etag"), changed) {
		notModified(w)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	share := 0
	err := s.writePage(r.Context(), io.Discard, repo, p, 0)
	if errors.Is(err, errPageFull) {
		share = pageShare(p)
	} else if err != nil {
		s.unavailable(w, r, err)
		return
	}
	if err := s.writePage(r.Context(), w, repo, p, share); err != nil {
		// What was sent is not a whole page, and must not pass for one.
		s.Log.Warn("rendering a Signmap page into an answer failed", "repository", repo.ID, "page", p.Number, "error", err)
		panic(http.ErrAbortHandler)
	}
}
