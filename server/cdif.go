package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/description"
	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

// cdifPages are the CDIF lists of repositories: the metadata of all objects for
// which CDIF has enough. CDIF, metadata publication, option 3.
var cdifPages = kind{name: "cdif", extension: ".jsonld", mediaType: description.ListContentType, write: (*paged).writeList}

// noIndex keeps search engines from showing documents that are made for
// programs. They find them by the sitemap of CDIF's agents.
const noIndex = "noindex"

// serveList answers with the first page.
func (s *paged) serveList(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	pages, err := s.pages(r.Context(), repo)
	if err != nil {
		return err
	}
	return s.sendList(w, r, repo, pages, 0)
}

func (s *paged) serveListPage(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	pages, i, err := s.numbered(r.Context(), repo, v)
	if err != nil {
		return err
	}
	return s.sendList(w, r, repo, pages, i)
}

// sendList answers with a page. It has links to the pages beside it.
func (s *paged) sendList(w http.ResponseWriter, r *http.Request, repo *repository, pages []store.SignmapPage, i int) error {
	more := []field{{"X-Robots-Tag", []string{noIndex}}}
	var links linkset.LinkSet
	add := func(rel string, i int) {
		if i >= 0 && i < len(pages) {
			links = append(links, s.urls.listLink(rel, s.urls.cdifPage(repo.ID, pages[i].Number)))
		}
	}
	add("prev", i-1)
	add("next", i+1)
	if links != nil {
		more = append(more, field{"Link", links.Header()})
	}
	return s.sendPage(w, r, repo, pages[i], more...)
}

// listLink leads to a CDIF list.
func (u urls) listLink(rel, to string) linkset.Link {
	return linkset.Link{Rel: rel, Href: to, Type: "application/ld+json", Profile: description.ListProfile}
}

// serveListSitemap names the pages for agents that look for CDIF.
func (s *paged) serveListSitemap(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	pages, err := s.pages(r.Context(), repo)
	if err != nil {
		return err
	}
	d := document{mediaType: signmapPages.mediaType, policy: locked, modified: repo.since}
	b := []byte(pageHead)
	for _, p := range pages[:min(len(pages), mostSitemaps)] {
		if p.Objects == 0 {
			continue
		}
		changed := repo.changed(p.Modified)
		if changed.After(d.modified) {
			d.modified = changed
		}
		lastmod := ""
		if at := s.past(changed); !at.IsZero() {
			lastmod = at.UTC().Format(time.RFC3339)
		}
		b = appendURL(b, s.urls.cdifPage(repo.ID, p.Number), lastmod, nil)
	}
	d.body = append(b, pageTail...)
	d.sealed().serve(w, r, s.Now())
	return nil
}

// atOnce is of how many objects the records are in memory: a record may have 16 MiB.
const atOnce = 10

// writeList writes a page to w.
func (s *paged) writeList(ctx context.Context, w io.Writer, repo *repository, p store.SignmapPage) error {
	lw := &listWriter{documents{s.parts}, repo, w, s.list(repo, p), make([]byte, 0, 128<<10), 0}
	lw.b = lw.list.Begin(lw.b)
	some := make([]store.Object, 0, atOnce)
	for o, err := range s.store.SignmapObjects(ctx, repo.ID, p.Number) {
		if err != nil {
			return fmt.Errorf("read the objects: %w", err)
		}
		if o.Documents&bridge.CDIF == 0 {
			continue
		}
		if some = append(some, o); len(some) == atOnce {
			if err := lw.add(ctx, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := lw.add(ctx, some); err != nil {
		return err
	}
	_, err := w.Write(lw.list.End(lw.b, lw.written))
	return err
}

// list is the same on every machine that shares the store.
func (s *paged) list(repo *repository, p store.SignmapPage) description.List {
	l := description.List{
		URL: s.urls.cdifPage(repo.ID, p.Number), Page: s.urls.repository(repo.ID),
		Name: fmt.Sprintf("%s: metadata of its objects, page %d", repo.Name, p.Number),
	}
	if p.Modified > 0 { // else nothing was harvested yet
		l.Changed = time.UnixMicro(p.Modified).UTC().Format(time.DateOnly)
	}
	return l
}

// listWriter writes the objects of one page.
type listWriter struct {
	documents
	repo    *repository
	w       io.Writer
	list    description.List
	b       []byte // not yet written
	written int    // objects
}

func (lw *listWriter) add(ctx context.Context, some []store.Object) error {
	if len(some) == 0 {
		return nil
	}
	identifiers := make([]string, len(some))
	for i, o := range some {
		identifiers[i] = o.Identifier
	}
	records, err := lw.store.Records(ctx, lw.repo.ID, identifiers...)
	if err != nil {
		return fmt.Errorf("read the records: %w", err)
	}
	for _, o := range some {
		n := 0
		for n < len(records) && records[n].Identifier == o.Identifier {
			n++
		}
		if err := lw.object(o, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// object leaves out what its own address would answer 404 for.
func (lw *listWriter) object(o store.Object, records []store.Record) error {
	d, err := description.Read(sourceOf(lw.repo, o, records))
	if err != nil {
		return nil
	}
	var ok bool
	if lw.b, ok = lw.list.Append(lw.b, d, lw.written == 0); ok {
		lw.written++
	}
	if len(lw.b) < 64<<10 {
		return nil
	}
	_, err = lw.w.Write(lw.b)
	lw.b = lw.b[:0]
	return err
}
