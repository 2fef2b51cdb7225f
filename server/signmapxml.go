package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"fingerpost/bridge/linkset"
	"fingerpost/bridge/store"
)

// What sitemaps.org allows in one file, and in one loc.
const (
	mostURLs   = 50_000
	mostBytes  = 50 << 20
	longestLoc = 2047 // "less than 2,048 characters"
)

const (
	pageHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">` + "\n"
	pageTail  = "</urlset>\n"
	indexHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"
	indexTail = "</sitemapindex>\n"
)

// errPageFull says that a page does not fit into one file as it is.
var errPageFull = errors.New("the Signmap page does not fit into 50 MB")

// pageWriter writes the entries of one page.
type pageWriter struct {
	w       io.Writer
	blocks  *pageFiles // nil where they go nowhere but to w
	at      block      // of the objects at hand; URLs and Omitted are those before it
	within  bool       // a block has begun
	room    int        // bytes that the page may take
	share   int        // bytes that an entry may take; 0 bounds the page alone
	days    bool
	b       []byte // not yet written
	bytes   int    // written and not yet written
	urls    int
	omitted int  // objects left out: too long a loc, or beyond the bounds
	capped  bool // some of them for the number of urls
}

func newPageWriter(repo *repository, w io.Writer, share int) *pageWriter {
	pw := &pageWriter{w: w, room: mostBytes, share: share, days: repo.days}
	pw.b = make([]byte, 0, 128<<10)
	pw.bytes = len(pageHead) + len(pageTail)
	return pw
}

// writePage writes the urlset of a page to w. It fails with errPageFull if
// share is 0 and the entries do not fit; with the share of each it always
// fits, or leaves out what is beyond the bounds and says so in the log.
func (s *Server) writePage(ctx context.Context, w io.Writer, repo *repository, p store.SignmapPage, share int) error {
	pw := newPageWriter(repo, w, share)
	pw.b = append(pw.b, pageHead...)
	if err := s.writeObjects(ctx, pw, repo, p, 0, math.MaxInt64); err != nil {
		return err
	}
	s.logOmitted(pw, repo, p)
	pw.b = append(pw.b, pageTail...)
	return pw.flush()
}

// writeObjects writes the entries of the objects with from <= ID < to.
func (s *Server) writeObjects(ctx context.Context, pw *pageWriter, repo *repository, p store.SignmapPage, from, to int64) error {
	for o, err := range s.store.SignmapObjects(ctx, repo.ID, p.Number, from, to) {
		if err != nil {
			return fmt.Errorf("read Signmap page %d of %s: %w", p.Number, repo.ID, err)
		}
		if err := pw.turn(o.ID / blockSpan); err != nil {
			return err
		}
		if err := pw.add(o, s.signpost(repo, o)); err != nil {
			return err
		}
	}
	return pw.endBlock()
}

func (s *Server) logOmitted(pw *pageWriter, repo *repository, p store.SignmapPage) {
	if pw.omitted > 0 {
		s.Log.Warn("objects are missing in a Signmap page: their URL is too long, or the page is full",
			"repository", repo.ID, "page", p.Number, "missing", pw.omitted)
	}
}

// turn begins the block of a span, unless it is at hand.
func (pw *pageWriter) turn(span int64) error {
	if pw.within && pw.at.Span == span {
		return nil
	}
	err := pw.endBlock()
	pw.at, pw.within = block{Span: span, URLs: pw.urls, Omitted: pw.omitted}, true
	return err
}

// endBlock ends the block at hand, if there is one.
func (pw *pageWriter) endBlock() error {
	if pw.blocks == nil || !pw.within {
		return nil
	}
	pw.within = false
	if err := pw.flush(); err != nil {
		return err
	}
	return pw.blocks.endBlock(block{Span: pw.at.Span, URLs: pw.urls - pw.at.URLs, Omitted: pw.omitted - pw.at.Omitted})
}

// take takes a block over from an older page.
func (pw *pageWriter) take(older *olderPage, b placedBlock) error {
	pw.bytes += int(b.Bytes)
	pw.urls += b.URLs
	pw.omitted += b.Omitted
	if pw.bytes > pw.room {
		return errPageFull
	}
	pw.capped = pw.capped || pw.urls > mostURLs
	return pw.blocks.copyBlock(older, b)
}

// pageShare is what each entry of a page may take that does not fit as it is.
func pageShare(p store.SignmapPage) int {
	return (mostBytes - len(pageHead) - len(pageTail)) / max(1, min(p.Objects, mostURLs))
}

func (pw *pageWriter) add(o store.Object, links linkset.LinkSet) error {
	loc := anchor(o.LandingPage.URL)
	pw.capped = pw.capped || pw.urls >= mostURLs
	if loc == "" || len(loc) > longestLoc || pw.capped {
		pw.omitted++
		return nil
	}
	before := len(pw.b)
	pw.entry(loc, pw.lastmod(o.LastMod), links.From(loc))
	size := len(pw.b) - before
	if pw.bytes+size > pw.room {
		pw.b = pw.b[:before]
		if pw.share == 0 {
			return errPageFull
		}
		pw.omitted++
		return nil
	}
	pw.bytes += size
	pw.urls++
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

// entry appends the url element of an object. If it is over its share, links
// give way as they do in a header: the link set, which every entry has, holds
// them all.
func (pw *pageWriter) entry(loc, lastmod string, links linkset.LinkSet) {
	before := len(pw.b)
	pw.b = appendURL(pw.b, loc, lastmod, links)
	if pw.share == 0 || len(pw.b)-before <= pw.share {
		return
	}
	for _, less := range links.Shorter() {
		pw.b = appendURL(pw.b[:before], loc, lastmod, less)
		if len(pw.b)-before <= pw.share {
			return
		}
	}
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

func appendSitemap(b []byte, loc string, changed time.Time) []byte {
	b = append(b, "<sitemap><loc>"...)
	b = appendXML(b, loc)
	b = append(b, "</loc><lastmod>"...)
	b = changed.UTC().AppendFormat(b, time.RFC3339)
	return append(b, "</lastmod></sitemap>\n"...)
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
