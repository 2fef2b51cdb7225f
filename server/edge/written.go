package edge

import (
	"hash/maphash"
	"sync/atomic"

	"fingerpost/bridge/linkset"
)

// written are the links of a page as they are written into its answers.
type written struct {
	links linkset.LinkSet
	lines []string // of the header, within the budget
	page  *page    // nil if they are not written into the page
}

// writings are those of pages that were asked for of late. Who has links in
// memory returns the same LinkSet as before, and what a Lookup returned is not
// changed: as long as it is the same, so is what is written.
type writings struct {
	seed   maphash.Seed
	places [256]atomic.Pointer[written] // each for the last of several pages
}

// mostKept is how many links may be kept as they are written.
const mostKept = 64

// written returns the links of the page at uri as they are written.
func (p *Proxy) written(uri string, links linkset.LinkSet) *written {
	place := &p.writings.places[maphash.String(p.writings.seed, uri)%uint64(len(p.writings.places))]
	if w := place.Load(); w != nil && isSame(w.links, links) {
		return w
	}
	w := &written{links: links, lines: links.HeaderWithin(p.Budget)}
	if p.HTML && isLandingPage(links) {
		w.page = newPage(links)
	}
	if len(links) <= mostKept {
		place.Store(w)
	}
	return w
}

// isSame tells whether two sets are one in memory.
func isSame(a, b linkset.LinkSet) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
