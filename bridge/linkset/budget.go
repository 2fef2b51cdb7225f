package linkset

import (
	"cmp"
	"iter"
	"slices"
)

// A Budget is the room that the Link headers of one response may take. What
// stands in front of repositories refuses more: nginx has 4 kB for all headers
// of a response by default, Apache 8 kB for one, Python's http.client 100
// lines. 0 is the default.
type Budget struct {
	Bytes int // default 4096
	Lines int // default 40
}

// limits are the budget with its defaults.
func (b Budget) limits() Budget {
	return Budget{Bytes: cmp.Or(b.Bytes, 4096), Lines: cmp.Or(b.Lines, 40)}
}

func (b Budget) fits(s LinkSet) bool {
	most := b.limits()
	return len(s) <= most.Lines && s.HeaderBytes() <= most.Bytes
}

// HeaderWithin returns what Fit keeps of the links, one Link field value per
// link.
func (s LinkSet) HeaderWithin(b Budget) []string {
	values, most, total := s.Header(), b.limits(), 0
	for _, v := range values {
		total += len("Link: ") + len(v) + len("\r\n")
	}
	if len(values) <= most.Lines && total <= most.Bytes {
		return values
	}
	kept, _ := s.Fit(b)
	return kept.Header()
}

// HeaderBytes is what the links take as header lines, "Link: " and the line
// ends included.
func (s LinkSet) HeaderBytes() int {
	total := 0
	for _, l := range s {
		total += len("Link: ") + headerForm.bytes(l) + len("\r\n")
	}
	return total
}

// fewDescriptions is how many describedby links are worth as much as files:
// two formats, each as the repository answers and as a copy.
const fewDescriptions = 4

// Fit returns the links that go into headers within the budget, and the
// relation types of those that were left out for it, in the order in which
// they went: that of Shorter.
//
// What is left after that is kept even if it is over the budget: without
// cite-as, type, license, one describedby and linkset the page is not
// signposted at all, and the link set behind the last has every link.
func (s LinkSet) Fit(b Budget) (kept LinkSet, dropped []string) {
	if b.fits(s) {
		return s, nil
	}
	kept = s
	for rel, less := range s.Shorter() {
		kept = less
		if !slices.Contains(dropped, rel) {
			dropped = append(dropped, rel)
		}
		if b.fits(kept) {
			break
		}
	}
	return kept, dropped
}

// Shorter yields what is left of the links where there is room for fewer and
// fewer, with the relation type of those that went last: every describedby but
// the first few, every item, every author, every describedby but the first. A
// part of the items would tell a client that it knows them all.
func (s LinkSet) Shorter() iter.Seq2[string, LinkSet] {
	return func(yield func(string, LinkSet) bool) {
		left := s
		for _, step := range [...]struct {
			rel  string
			most int
		}{{"describedby", fewDescriptions}, {"item", 0}, {"author", 0}, {"describedby", 1}} {
			less := left.onlyFirst(step.most, step.rel)
			if len(less) == len(left) {
				continue
			}
			if left = less; !yield(step.rel, less) {
				return
			}
		}
	}
}

// onlyFirst returns the links without those of type rel that follow the first
// n of them.
func (s LinkSet) onlyFirst(n int, rel string) LinkSet {
	var out LinkSet
	for _, l := range s {
		if l.Rel == rel {
			n--
		}
		if l.Rel != rel || n >= 0 {
			out = append(out, l)
		}
	}
	return out
}
