package store

import (
	"context"
	"slices"

	"fingerpost/bridge/store/engine"
)

// Listed is a record with when its object was last modified.
type Listed struct {
	Record
	Modified int64 // Object.Modified
}

// List selects the records in one format, or the first by prefix in any if that is
// "", whose objects were modified after one
// time and before another.
type List struct {
	Prefix   string
	After    int64                    // Modified of the last object before the list
	Before   int64                    // no object with this Modified or a later one; 0: no bound
	Sets     func(sets []string) bool // reports whether a record with these sets is selected; nil: all are
	Headers  bool                     // without metadata
	Records  int                      // most records
	Metadata int64                    // most bytes of their metadata, but for the first record
}

// Listing is what ListRecords returns.
type Listing struct {
	Records []Listed
	More    bool // the list goes on behind the last record
}

// ListRecords returns the first records of a list, in ascending order of Modified. The
// rest of the list is the List after the last record: it costs the same however
// far from the beginning that is. A record that changes meanwhile comes later
// in the list, or again.
func (s records) ListRecords(ctx context.Context, repository string, l List) (out Listing, err error) {
	r := lister{records: s, repository: repository, List: l}
	for more := true; more && err == nil; {
		begun := r
		err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
			r = begun
			more, err = r.read(rows)
			return err
		})
	}
	return r.out, wrap(err, "list the records of %s in %s", repository, l.Prefix)
}

// lister reads a list, some rows in each transaction.
type lister struct {
	records
	List
	repository string
	out        Listing
	metadata   int64 // bytes of those selected
}

// read adds the records of some rows, and reports whether to read on.
func (r *lister) read(rows engine.Rows) (more bool, err error) {
	word, err := r.words.one(rows, r.repository, clean(r.Prefix))
	if err != nil || word == 0 && r.Prefix != "" {
		return false, err
	}
	limit := r.List.Records + 1 // one more tells whether the list goes on
	found, err := rows.Scan(engine.Span{Order: engine.ByModified, After: max(r.After, 0), Limit: limit}, engine.Published|engine.Records)
	if err != nil {
		return false, err
	}
	before, places := len(r.out.Records), []place(nil)
	more = len(found) == limit
	for _, row := range found {
		if r.Before != 0 && row.Modified >= r.Before {
			more = false
			break
		}
		at, full, err := r.add(rows, row, word)
		if err != nil {
			return false, err
		}
		if full {
			r.out.More, more = true, false
			break
		}
		places = append(places, at...)
		r.After = row.Modified
	}
	if r.Headers {
		return more, nil
	}
	return more, r.blocks.metadata(rows, places, func(i int, data []byte) { r.out.Records[before+i].split(data, places[i]) })
}

// add selects the record of a row in the format with a word, any if that is 0,
// unless the list is full, and returns where its metadata is.
func (r *lister) add(rows engine.Rows, row *engine.Object, word int64) (at []place, full bool, err error) {
	kept, err := readRecords(row.Records)
	if err != nil {
		return nil, false, err
	}
	kept = slices.DeleteFunc(kept, func(k recordRow) bool { return k.prefix != word && word != 0 })
	own, err := r.whole(rows, r.repository, row.Identifier, kept)
	if err != nil || len(own) == 0 || r.Sets != nil && !r.Sets(own[0].Sets) {
		return nil, false, err
	}
	size := r.metadata + own[0].length
	if n := len(r.out.Records); n == r.List.Records || n > 0 && !r.Headers && size > r.Metadata {
		return nil, true, nil
	}
	r.metadata = size
	r.out.Records = append(r.out.Records, Listed{own[0].Record, row.Modified})
	return []place{own[0].place}, false, nil
}

// OfIdentifier returns the records of an identifier, all formats, by prefix.
func (s records) OfIdentifier(ctx context.Context, repository, identifier string) (out []Listed, err error) {
	identifier = clean(identifier)
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		out = nil
		found, err := rows.ByKey([]int64{hash64(identifier)}, engine.Published|engine.Records)
		for _, row := range found {
			if row.Identifier == identifier {
				out, err = s.listed(rows, repository, row)
			}
		}
		return err
	})
	return out, wrap(err, "read the records of %q in %s", identifier, repository)
}

func (s records) listed(rows engine.Rows, repository string, row *engine.Object) ([]Listed, error) {
	kept, err := readRecords(row.Records)
	if err != nil {
		return nil, err
	}
	own, err := s.whole(rows, repository, row.Identifier, kept)
	if err != nil {
		return nil, err
	}
	out, places := make([]Listed, len(own)), make([]place, len(own))
	for i, r := range own {
		out[i], places[i] = Listed{r.Record, row.Modified}, r.place
	}
	return out, s.blocks.metadata(rows, places, func(i int, data []byte) { out[i].split(data, places[i]) })
}

// Formats returns those of some metadata prefixes in which records of a repository
// are stored, or were.
func (s records) Formats(ctx context.Context, repository string, prefixes ...string) (out []string, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		numbers, err := s.words.find(rows, repository, prefixes...)
		out = slices.DeleteFunc(slices.Clone(prefixes), func(p string) bool { return numbers[p] == 0 })
		return err
	})
	return out, wrap(err, "read the formats of %s", repository)
}

// Word is a metadata prefix or a setSpec that records of a repository have, or had.
type Word struct {
	ID   int64
	Text string
}

// Words returns up to n words of a repository behind an ID, by ID.
func (s records) Words(ctx context.Context, repository string, after int64, n int) (out []Word, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.WordsAfter(after, n)
		out = make([]Word, len(found))
		for i, w := range found {
			out[i] = Word(w)
		}
		return err
	})
	return out, wrap(err, "read the sets of %s", repository)
}
