package store

import (
	"fmt"
	"slices"

	"fingerpost/bridge/store/engine"
)

// plan decides which object goes on which Signmap page, within one transaction.
type plan struct {
	limits  Limits
	pages   map[int64]*engine.Page
	changed map[int64]bool
	last    int64
}

// newPlan reads the last page and the pages of the objects that are saved.
func newPlan(tx engine.Tx, limits Limits, last engine.Page, rows []*engine.Object) (*plan, error) {
	p := &plan{limits: limits, pages: map[int64]*engine.Page{}, changed: map[int64]bool{}, last: last.Number}
	numbers := []int64{0, last.Number}
	for _, row := range rows {
		numbers = append(numbers, row.Page)
	}
	slices.Sort(numbers)
	pages, err := tx.Pages(slices.Compact(numbers))
	if err != nil {
		return nil, fmt.Errorf("read pages of the Signmap: %w", err)
	}
	for i := range pages {
		p.pages[pages[i].Number] = &pages[i]
	}
	return p, nil
}

func (p *plan) page(n int64) *engine.Page {
	r := p.pages[n]
	if r == nil {
		r = &engine.Page{Number: n, LastMod: noTime}
		p.pages[n] = r
		p.last = max(p.last, n)
	}
	return r
}

// move moves an object from the page it was on to the one that it belongs on.
func (p *plan) move(was, is *engine.Object) {
	if was.State != engine.Unmapped {
		p.count(was, -1)
	}
	if is.State == engine.Live {
		is.Page = p.choose(was.Page, is.Weight)
	}
	p.count(is, 1)
	p.touch(is.Page, is)
	if was.State != engine.Unmapped && was.Page != is.Page {
		p.touch(was.Page, is)
	}
}

// count adds n times an object to its page.
func (p *plan) count(o *engine.Object, n int64) {
	r := p.page(o.Page)
	if o.State == engine.Deleted {
		r.Deleted += n
	} else {
		r.Objects += n
		r.Weight += n * o.Weight
		for kind := range r.Linked {
			r.Linked[kind] += n * (o.Links >> kind & 1)
		}
	}
}

func (p *plan) touch(n int64, o *engine.Object) {
	r := p.page(n)
	r.Modified, r.LastMod = max(r.Modified, o.Modified), max(r.LastMod, o.LastMod)
	p.changed[n] = true
}

// choose returns the page for a live object that was on page n, or on none: the
// same page if it still fits there.
func (p *plan) choose(n, weight int64) int64 {
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

// open returns the last page if it has room for an object, else a new one.
func (p *plan) open(weight int64) int64 {
	if p.last == 0 {
		return 1
	}
	r := p.page(p.last)
	if r.Objects+r.Deleted >= p.limits.Objects || r.Weight >= p.limits.Weight || !p.fits(p.last, weight) {
		return p.last + 1
	}
	return p.last
}

// fits reports whether an object can be on a page. Alone on it, it always can.
func (p *plan) fits(n, weight int64) bool {
	r := p.page(n)
	return r.Weight+weight <= p.limits.MaxWeight || r.Objects == 0
}

func (p *plan) write(tx engine.Tx) error {
	var out []engine.Page
	for n := range p.changed {
		out = append(out, *p.pages[n])
	}
	if err := tx.PutPages(out); err != nil {
		return fmt.Errorf("write pages of the Signmap: %w", err)
	}
	return nil
}
