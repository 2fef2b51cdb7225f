package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

var signmapPages = kind{name: "signmap", extension: ".xml", mediaType: "application/xml", write: (*paged).writeSignmap}

// mostSitemaps is how many sitemaps an index may name: sitemaps.org. That is
// room for 250 million objects. What is beyond is left out, and the log says so.
const mostSitemaps = 50_000

// What sitemaps.org allows in one file and in one loc. The store gives a page
// 5,000 objects at most, so that the number of urls is in its bounds.
const (
	mostBytes  = 50 << 20
	longestLoc = 2047 // "less than 2,048 characters"
)

// reserve is the room that every entry of a page is sure to have, in bytes.
const reserve = 2 << 10

const (
	pageHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">` + "\n"
	pageTail  = "</urlset>\n"
	indexHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	indexTail = "</sitemapindex>\n"
)

// serveSignmap answers with the one page there is, or with an index of pages.
func (s *paged) serveSignmap(w http.ResponseWriter, r *http.Request, repo *repository, _ vars) error {
	pages, err := s.pages(r.Context(), repo)
	if err != nil {
		return err
	}
	if len(pages) == 1 {
		return s.sendPage(w, r, repo, pages[0])
	}
	s.signmapIndex(repo, pages).serve(w, r, s.Now())
	return nil
}

// serveSignmapPage answers with one page of several.
func (s *paged) serveSignmapPage(w http.ResponseWriter, r *http.Request, repo *repository, v vars) error {
	pages, i, err := s.numbered(r.Context(), repo, v)
	if err != nil {
		return err
	}
	return s.sendPage(w, r, repo, pages[i])
}

// signmapIndex is a sitemap index. Its lastmod is when a page last changed, not when
// the newest record in it did: sitemaps.org, "lastmod".
func (s *paged) signmapIndex(repo *repository, pages []store.SignmapPage) *document {
	if len(pages) > mostSitemaps {
		s.Log.Warn("a Signmap has more pages than an index may name: the objects on the others are not in it",
			"repository", repo.ID, "pages", len(pages), "named", mostSitemaps)
		pages = pages[:mostSitemaps]
	}
	d := document{mediaType: s.mediaType, policy: locked, modified: repo.since}
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

// pageWriter writes the entries of one page.
type pageWriter struct {
	w       io.Writer
	b       []byte // not yet written
	room    int    // bytes that are left for entries
	left    int    // entries that are still to come
	days    bool   // datestamps are days
	omitted int    // objects left out: too long a loc, or no room
}

func newPageWriter(w io.Writer, repo *repository, p store.SignmapPage) *pageWriter {
	room := mostBytes - len(pageHead) - len(pageTail)
	return &pageWriter{w: w, b: make([]byte, 0, 128<<10), room: room, left: p.Objects, days: repo.days}
}

// writeSignmap writes the urlset of a page to w.
func (s *paged) writeSignmap(ctx context.Context, w io.Writer, repo *repository, p store.SignmapPage) error {
	pw := newPageWriter(w, repo, p)
	pw.b = append(pw.b, pageHead...)
	for o, err := range s.store.SignmapObjects(ctx, repo.ID, p.Number) {
		if err != nil {
			return fmt.Errorf("read the objects: %w", err)
		}
		if err := pw.add(o, repo.signpost(o)); err != nil {
			return err
		}
	}
	pw.b = append(pw.b, pageTail...)
	if pw.omitted > 0 {
		s.Log.Warn("objects are missing in a Signmap page: their URL is too long, or the page is full",
			"repository", repo.ID, "page", p.Number, "missing", pw.omitted)
	}
	return pw.flush()
}

func (pw *pageWriter) add(o store.Object, links linkset.LinkSet) error {
	pw.left--
	loc := anchor(o.LandingPage.URL)
	if loc == "" || len(loc) > longestLoc || !pw.entry(loc, pw.lastmod(o.LastMod), links.From(loc)) {
		pw.omitted++
	}
	if len(pw.b) < 64<<10 {
		return nil
	}
	return pw.flush()
}

func (pw *pageWriter) flush() error {
	_, err := pw.w.Write(pw.b)
	pw.b = pw.b[:0]
	return err
}

// entry appends the url element of an object, and reports whether there was
// room. Where the others could run out of it, links give way as they do in a
// header: the link set, to which every entry has a link, has them all.
func (pw *pageWriter) entry(loc, lastmod string, links linkset.LinkSet) bool {
	before := len(pw.b)
	pw.b = appendURL(pw.b, loc, lastmod, links)
	fits := func() bool { return len(pw.b)-before <= pw.room-reserve*max(0, pw.left) }
	if !fits() {
		for _, less := range links.Shorter() {
			if pw.b = appendURL(pw.b[:before], loc, lastmod, less); fits() {
				break
			}
		}
	}
	size := len(pw.b) - before
	if size > pw.room {
		pw.b = pw.b[:before]
		return false
	}
	pw.room -= size
	return true
}

// lastmod is the datestamp of an object's record, no more precise than the
// repository gave it.
func (pw *pageWriter) lastmod(at time.Time) string {
	switch {
	case at.IsZero():
		return ""
	case pw.days:
		return at.UTC().Format(time.DateOnly)
	}
	return at.UTC().Format(time.RFC3339)
}

// appendURL appends a url element: loc and lastmod first, as the schema of
// sitemaps has a sequence, then the links. Signmap.
func appendURL(b []byte, loc, lastmod string, links linkset.LinkSet) []byte {
	b = append(b, "<url><loc>"...)
	b = appendXML(b, loc)
	b = append(b, "</loc>"...)
	if lastmod != "" {
		b = append(b, "<lastmod>"...)
		b = append(b, lastmod...)
		b = append(b, "</lastmod>"...)
	}
	for _, l := range links {
		if isInSignmap(l.Rel) {
			b = appendLink(b, l)
		}
	}
	return append(b, "</url>\n"...)
}

func isInSignmap(rel string) bool {
	switch rel {
	case "describedby", "item", "cite-as", "license", "type", "author", "linkset":
		return true
	}
	return false
}

func appendLink(b []byte, l linkset.Link) []byte {
	b = appendAttribute(append(b, "<rs:ln"...), ` rel="`, l.Rel)
	b = appendAttribute(b, ` href="`, l.Href)
	if l.Type != "" {
		b = appendAttribute(b, ` type="`, l.Type)
	}
	if l.Profile != "" {
		b = appendAttribute(b, ` profile="`, l.Profile)
	}
	return append(b, "/>"...)
}

func appendAttribute(b []byte, name, value string) []byte {
	return append(appendXML(append(b, name...), value), '"')
}

// appendSitemap appends a sitemap element, without lastmod if changed is zero.
func appendSitemap(b []byte, loc string, changed time.Time) []byte {
	b = append(b, "<sitemap><loc>"...)
	b = appendXML(b, loc)
	b = append(b, "</loc>"...)
	if !changed.IsZero() {
		b = append(b, "<lastmod>"...)
		b = changed.UTC().AppendFormat(b, time.RFC3339)
		b = append(b, "</lastmod>"...)
	}
	return append(b, "</sitemap>\n"...)
}

// appendXML appends a URI or a media type as text or attribute value. What is
// no ASCII character is percent-encoded: it should have been before.
func appendXML(b []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if entities[c] == "" {
			continue
		}
		b = append(b, s[from:i]...)
		b = append(b, entities[c]...)
		from = i + 1
	}
	return append(b, s[from:]...)
}

// entities are what bytes are written as; "" is as they are.
var entities = func() (t [256]string) {
	for c := range t {
		if c <= ' ' || c >= 0x7F {
			t[c] = fmt.Sprintf("%%%02X", c)
		}
	}
	t['&'], t['<'], t['>'], t['"'], t['\''] = "&amp;", "&lt;", "&gt;", "&quot;", "&apos;"
	return t
}()
