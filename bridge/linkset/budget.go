package linkset

// A Budget is the room that the Link headers of one response may take. What
// stands in front of repositories refuses more: nginx has 4 kB for all headers
// of a response by default, Apache 8 kB for one, Python's http.client 100
// lines. 0 is the default.
type Budget struct {
	Bytes int // default 4096
	Lines int // default 40
}

func (b Budget) holds(s LinkSet) bool {
	most := Budget{4096, 40}
	if b.Bytes > 0 {
		most.Bytes = b.Bytes
	}
	if b.Lines > 0 {
		most.Lines = b.Lines
	}
	return len(s) <= most.Lines && s.HeaderBytes() <= most.Bytes
}

// HeaderBytes is what the links take as header lines, "Link: " and the line
// ends included.
func (s LinkSet) HeaderBytes() int {
	total := 0
	b := make([]byte, 0, 512)
	for _, l := range s {
		b = headerForm.append(b[:0], l)
		total += len("Link: ") + len(b) + len("\r\n")
	}
	return total
}

// Fit returns the links that go into headers within the budget, and the
// relation types that were left out for it, in the order in which they went:
// every item, then every author, then every describedby but the first. A part
// of the items would tell a client that it knows them all.
//
// What is left after that is kept even if it is over the budget: without
// cite-as, type, license, one describedby and linkset the page is not
// signposted at all, and the link set behind the last has every link.
func (s LinkSet) Fit(b Budget) (kept LinkSet, dropped []string) {
	kept = s
	for _, rel := range []string{"item", "author", "describedby"} {
		if b.holds(kept) {
			break
		}
		less := kept.Except(rel)
		if rel == "describedby" {
			less = kept.onlyFirst(rel)
		}
		if len(less) < len(kept) {
			kept, dropped = less, append(dropped, rel)
		}
	}
	return kept, dropped
}

// onlyFirst returns the links without those of type rel that follow the first.
func (s LinkSet) onlyFirst(rel string) LinkSet {
	var out LinkSet
	seen := false
	for _, l := range s {
		if l.Rel == rel && seen {
			continue
		}
		seen = seen || l.Rel == rel
		out = append(out, l)
	}
	return out
}
