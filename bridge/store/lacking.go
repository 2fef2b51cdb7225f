package store

import (
	"context"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// Place is a place in the order of Lacking. The zero Place is its begin, or its
// end where it says what comes next.
type Place struct{ Page, ID int64 }

// lackingPages is how many Signmap pages are looked through for objects that lack
// a link: each has some, though perhaps few.
const lackingPages = 10

// Lacking returns live objects that lack a link, by Signmap page and ID, behind a
// place: up to n, and perhaps fewer although there are more. next is where to go
// on. It costs about the same however many objects there are: only pages on which
// an object lacks the link are looked through.
func (s objects) Lacking(ctx context.Context, repository, column string, after Place, n int) (out []Object, next Place, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		out, next = nil, Place{}
		pages, err := lackingOn(rows, column, after.Page)
		for _, number := range pages[:min(len(pages), lackingPages)] {
			from := int64(engine.Start)
			if number == after.Page {
				from = after.ID
			}
			found, err := s.lackingOf(rows, repository, column, Place{number, from}, n-len(out))
			if err != nil {
				return err
			}
			if out = append(out, found...); len(out) == n {
				next = Place{number, out[n-1].ID}
				return nil
			}
		}
		if len(pages) > lackingPages {
			next = Place{pages[lackingPages], engine.Start}
		}
		return err
	})
	return out, next, wrap(err, "read the objects of %s without %s", repository, column)
}

// lackingOf returns up to n of one page.
func (s objects) lackingOf(rows engine.Rows, repository, column string, after Place, n int) (out []Object, err error) {
	among, has, _ := bridge.Lacking(column)
	found, err := rows.Scan(engine.Span{Page: after.Page, After: after.ID, Among: int64(among), Has: int64(has), Limit: n}, engine.Published)
	if err != nil {
		return nil, err
	}
	all, err := s.all(rows, repository, found)
	for _, v := range all {
		out = append(out, v.object)
	}
	return out, err
}

// lackingOn returns the numbers, from one on, of the Signmap pages on which an
// object lacks a link.
func lackingOn(rows engine.Rows, column string, from int64) (numbers []int64, err error) {
	pages, err := rows.Pages(nil)
	for _, p := range pages {
		c := bridge.CoverageOf(int(p.Objects), p.Linked)
		if p.Number >= max(from, 1) && c.Of(column) > c.Count(column) {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers, err
}
