package store

import (
	"context"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// Place is a place in the order of Linked. The zero Place is its begin, or its
// end where it says what comes next.
type Place struct{ Page, ID int64 }

// linkedPages is how many Signmap pages are looked through for objects that have or
// lack a link: on each there are some, though perhaps few.
const linkedPages = 10

// Linked returns live objects that have a link, or that lack it, by Signmap page and
// ID, behind a place: up to n, and perhaps fewer although there are more. next is where
// to go on. It costs about the same however many objects there are: only pages with
// such objects are looked through.
func (s objects) Linked(ctx context.Context, repository, column string, has bool, after Place, n int) (out []Object, next Place, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		out, next = nil, Place{}
		pages, err := linkedOn(rows, column, has, after.Page)
		for _, number := range pages[:min(len(pages), linkedPages)] {
			from := int64(engine.Start)
			if number == after.Page {
				from = after.ID
			}
			found, err := s.linkedOf(rows, repository, column, has, Place{number, from}, n-len(out))
			if err != nil {
				return err
			}
			if out = append(out, found...); len(out) == n {
				next = Place{number, out[n-1].ID}
				return nil
			}
		}
		if len(pages) > linkedPages {
			next = Place{pages[linkedPages], engine.Start}
		}
		return err
	})
	return out, next, wrap(err, "read the objects of %s by their links", repository)
}

// linkedOf returns up to n of one page.
func (s objects) linkedOf(rows engine.Rows, repository, column string, has bool, after Place, n int) (out []Object, err error) {
	among, are, _ := bridge.LinkedBits(column, has)
	found, err := rows.Scan(engine.Span{Page: after.Page, After: after.ID, Among: int64(among), Has: int64(are), Limit: n}, engine.Published)
	if err != nil {
		return nil, err
	}
	all, err := s.all(rows, repository, found)
	for _, v := range all {
		out = append(out, v.object)
	}
	return out, err
}

// linkedOn returns the numbers, from one on, of the Signmap pages on which an
// object has a link, or lacks it.
func linkedOn(rows engine.Rows, column string, has bool, from int64) (numbers []int64, err error) {
	pages, err := rows.Pages(nil)
	for _, p := range pages {
		c := bridge.CoverageOf(int(p.Objects), p.Linked)
		n := c.Count(column)
		if !has {
			n = c.Of(column) - n
		}
		if p.Number >= max(from, 1) && n > 0 {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers, err
}
