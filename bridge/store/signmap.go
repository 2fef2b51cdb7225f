package store

import (
	"context"
	"iter"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// SignmapPage is a page of a repository's Signmap. An object stays on the
// page on which it first appeared, unless it grows too large for it.
type SignmapPage struct {
	Number   int // from 1
	Objects  int // live ones
	Modified int64
	LastMod  time.Time // newest of its objects
}

// Limits say when a Signmap page is full. The Sitemaps protocol allows 50,000
// entries and 52,428,800 bytes.
type Limits struct {
	Objects   int64 // entries, deleted ones included: they may come back
	Weight    int64 // bytes from which on no object is added
	MaxWeight int64 // bytes over which an object that grew has to leave
}

// defaultLimits make pages that are rendered in a moment, with room to grow.
var defaultLimits = Limits{Objects: 5_000, Weight: 40_000_000, MaxWeight: 50_000_000}

type signmaps struct{ *core }

// SignmapPages returns the pages of a repository's Signmap in order.
func (s signmaps) SignmapPages(ctx context.Context, repository string) (out []SignmapPage, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		pages, err := rows.Pages(nil)
		out = nil
		for _, p := range pages {
			if p.Number > 0 {
				out = append(out, SignmapPage{int(p.Number), int(p.Objects), p.Modified, time.Unix(p.LastMod, 0).UTC()})
			}
		}
		return err
	})
	return out, wrap(err, "read the Signmap pages of %s", repository)
}

// SignmapObjects yields the live objects of a page in ascending ID.
func (s signmaps) SignmapObjects(ctx context.Context, repository string, page int) iter.Seq2[Object, error] {
	if page < 1 {
		return func(func(Object, error) bool) {}
	}
	return s.scan(ctx, repository, engine.Span{Order: engine.ByID, Page: int64(page), After: engine.Start})
}

// weigh estimates, generously, the bytes of an object's entry in a Signmap: a
// url element with an ln element for every link. The addresses of our own
// documents (two link sets, one of metadata for every format) are not known
// here: they are assumed to be long. formats counts those in which the object is
// stored and those in which the repository may offer it besides.
func weigh(identifier string, o *bridge.Object, formats int) int64 {
	const (
		entry    = 160 // url, loc and lastmod, and the type that every landing page has
		link     = 50  // ln with rel, href and type
		linkSet  = 150 // its address and media type
		metadata = 250 // its address but for the identifier, media type and profile
		made     = 7   // documents of an object, at most
	)
	n := entry + escaped(o.LandingPage.URL)
	for _, uri := range [...]string{o.CiteAs, o.License, o.Type} {
		n += link + escaped(uri)
	}
	for _, uri := range o.Authors {
		n += link + escaped(uri)
	}
	for _, i := range o.Items {
		n += link + escaped(i.URL) + escaped(i.MediaType)
	}
	for _, m := range o.DescribedBy {
		n += link + escaped(m.URL) + escaped(m.MediaType) + escaped(m.Profile)
	}
	if o.Documents != 0 {
		n += made * (link + linkSet)
	}
	return int64(n + 2*(link+linkSet) + formats*(link+metadata+escaped(identifier)))
}

// escaped returns the length of a text, percent-encoded or written as XML, at
// most.
func escaped(text string) int {
	n := len(text)
	for i := range len(text) {
		n += int(grows[text[i]])
	}
	return n
}

// grows says how many bytes longer each byte gets.
var grows = func() (t [256]uint8) {
	for c := range t {
		if c <= ' ' || c >= 0x7f {
			t[c] = 2
		}
	}
	for _, c := range `&"'<>` {
		t[c] = 5
	}
	return t
}()
