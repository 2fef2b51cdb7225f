package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Limits say when a page of a Signmap is full. The Sitemaps protocol allows
// 50,000 entries and 52,428,800 bytes.
type Limits struct {
	Objects   int64 // entries, deleted ones included: they may come back
	Weight    int64 // bytes from which on no object is added
	MaxWeight int64 // bytes over which an object that grew has to leave
}

// defaultLimits leave a page room to grow.
var defaultLimits = Limits{Objects: 50_000, Weight: 40_000_000, MaxWeight: 50_000_000}

// weigh estimates, generously, the bytes of an object's entry in a Signmap:
// a url element, and in it an ln element for every link. Of links to documents
// of our own (two link sets, one of metadata for every format) only the
// address is not known: it is taken to be long. The formats are those in which
// the object is held and those in which it may be offered besides.
func weigh(identifier string, o bridge.Object, formats int) int64 {
	const (
		entry    = 160 // url, loc and lastmod, and the type that every landing page has
		link     = 50  // ln with rel, href and type
		linkSet  = 150 // its address and media type
		metadata = 250 // its address but for the identifier, media type and profile
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
	return int64(n + 2*(link+linkSet) + formats*(link+metadata+escaped(identifier)))
}

// escaped is how long a text gets at most, percent-encoded or written as XML.
func escaped(text string) int {
	n := len(text)
	for i := range len(text) {
		n += int(grows[text[i]])
	}
	return n
}

// grows is by how much a byte grows.
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

// signmapPage is a row of the table signmap_pages.
type signmapPage struct {
	objects, deleted, weight, modified int64
	lastmod                            sql.NullInt64
	dirty                              bool
}

// pages is the Signmap of one repository, within a transaction.
type pages struct {
	limits Limits
	rows   map[int64]*signmapPage
	last   int64
}

func readPages(ctx context.Context, tx *sql.Tx, repository int64, limits Limits) (*pages, error) {
	p := &pages{limits: limits, rows: map[int64]*signmapPage{}}
	rows, err := tx.QueryContext(ctx, `SELECT page, objects, deleted, weight, modified, lastmod FROM signmap_pages WHERE repository = ?`, repository)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		r := &signmapPage{}
		if err := rows.Scan(&n, &r.objects, &r.deleted, &r.weight, &r.modified, &r.lastmod); err != nil {
			return nil, err
		}
		p.rows[n] = r
		p.last = max(p.last, n)
	}
	return p, rows.Err()
}

func (p *pages) page(n int64) *signmapPage {
	r := p.rows[n]
	if r == nil {
		r = &signmapPage{}
		p.rows[n] = r
		p.last = max(p.last, n)
	}
	return r
}

// leave takes an object, as it was, off its page.
func (p *pages) leave(o *objectRow) {
	r := p.page(o.page)
	if o.deleted {
		r.deleted--
	} else {
		r.objects--
		r.weight -= o.weight
	}
}

// join puts an object, as it is now, on its page, which thereby changes.
func (p *pages) join(o *objectRow) {
	r := p.page(o.page)
	if o.deleted {
		r.deleted++
	} else {
		r.objects++
		r.weight += o.weight
	}
	p.touch(o.page, o)
}

func (p *pages) touch(n int64, o *objectRow) {
	r := p.page(n)
	r.modified, r.dirty = o.modified, true
	if o.lastmod.Valid && (!r.lastmod.Valid || o.lastmod.Int64 > r.lastmod.Int64) {
		r.lastmod = o.lastmod
	}
}

// choose is the page for a live object of a weight that is now on page n,
// which it has left: the same, unless it does not fit there any more.
func (p *pages) choose(n, weight int64) int64 {
	switch {
	case n == 0:
		return p.open(weight)
	case p.fits(n, weight):
		return n
	case n == p.last:
		return n + 1
	}
	return p.open(weight)
}

// open is the last page while it takes further objects, else a new one.
func (p *pages) open(weight int64) int64 {
	if p.last == 0 {
		return 1
	}
	r := p.page(p.last)
	if r.objects+r.deleted >= p.limits.Objects || r.weight >= p.limits.Weight || !p.fits(p.last, weight) {
		return p.last + 1
	}
	return p.last
}

// fits tells whether an object can be on a page; alone it always can.
func (p *pages) fits(n, weight int64) bool {
	r := p.page(n)
	return r.weight+weight <= p.limits.MaxWeight || r.objects == 0
}

func (p *pages) write(ctx context.Context, tx *sql.Tx, repository int64) error {
	for n, r := range p.rows {
		if !r.dirty {
			continue
		}
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO signmap_pages
			(repository, page, objects, deleted, weight, modified, lastmod) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			repository, n, r.objects, r.deleted, r.weight, r.modified, r.lastmod)
		if err != nil {
			return fmt.Errorf("write page %d of the Signmap: %w", n, err)
		}
	}
	return nil
}

// SignmapPages returns the pages in order.
func (db *DB) SignmapPages(ctx context.Context, repository string) (out []store.SignmapPage, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT page, objects, modified, lastmod FROM signmap_pages
			WHERE repository = (SELECT id FROM repositories WHERE name = ?) AND page > 0 ORDER BY page`, repository)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p store.SignmapPage
			var lastmod sql.NullInt64
			if err := rows.Scan(&p.Number, &p.Objects, &p.Modified, &lastmod); err != nil {
				return err
			}
			p.LastMod = fromSeconds(lastmod)
			out = append(out, p)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read the Signmap pages of %s: %w", repository, err)
	}
	return out, nil
}

// SignmapObjects yields the live objects of a page in ascending ID.
func (db *DB) SignmapObjects(ctx context.Context, repository string, page int, from, to int64) iter.Seq2[store.Object, error] {
	return db.objects(ctx, repository, byID, from-1, `o.page = ? AND o.deleted = 0 AND o.id < ?`, int64(page), to)
}
