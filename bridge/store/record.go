package store

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"fingerpost/bridge/store/engine"
	"fingerpost/oaipmh"
)

// Record is metadata as received, keyed (Repository, Identifier, Prefix).
type Record struct {
	Identifier string
	Prefix     string
	Datestamp  string // as received
	Sets       []string
	Deleted    bool
	Hash       [16]byte // its first half is of the metadata, its second of what that is mapped with
	Metadata   []byte   // a document that stands alone; nil if deleted
	Provenance []byte   // as oaipmh.Record has it; stored with the metadata
	// Without metadata, a record that is not deleted keeps what is stored under
	// its key: a remap changes Hash alone.
}

// Digest is what a harvest compares a record with when it comes again.
type Digest struct {
	Hash    [16]byte
	Deleted bool
}

type records struct{ *core }

// Digests returns those of the records that are stored in one format, by
// identifier.
func (s records) Digests(ctx context.Context, repository, prefix string, identifiers []string) (map[string]Digest, error) {
	out := make(map[string]Digest, len(identifiers))
	err := s.engine.View(ctx, repository, func(rows engine.Rows) error {
		word, err := s.words.one(rows, repository, clean(prefix))
		if err != nil {
			return err
		}
		found, err := rows.ByKey(hashesOf(identifiers), engine.Records)
		for _, row := range found {
			if err := addDigest(out, row, word); err != nil {
				return err
			}
		}
		return err
	})
	return out, wrap(err, "look up records of %s", repository)
}

func addDigest(out map[string]Digest, row *engine.Object, prefix int64) error {
	for list := row.Records; len(list) > 0; {
		r, rest, err := readRecord(list)
		if err != nil {
			return err
		}
		if r.prefix == prefix {
			out[row.Identifier] = Digest{Hash: r.hash, Deleted: r.deleted}
		}
		list = rest
	}
	return nil
}

// atOnce is how many identifiers records are read for at once.
const atOnce = 500

// Records returns the records stored for the identifiers, all formats, with
// their metadata, in the order of identifiers, then of prefix.
func (s records) Records(ctx context.Context, repository string, identifiers ...string) (out []Record, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		out = nil
		for some := range slices.Chunk(identifiers, atOnce) {
			list, err := s.some(rows, repository, some)
			if err != nil {
				return err
			}
			out = append(out, list...)
		}
		return nil
	})
	return out, wrap(err, "read records of %s", repository)
}

func (s records) some(rows engine.Rows, repository string, identifiers []string) (out []Record, err error) {
	found, err := rows.ByKey(hashesOf(identifiers), engine.Records)
	if err != nil {
		return nil, err
	}
	lists := make(map[string][]byte, len(found))
	for _, row := range found {
		lists[row.Identifier] = row.Records
	}
	var places []place
	for _, identifier := range identifiers {
		kept, err := readRecords(lists[clean(identifier)])
		if err != nil {
			return nil, err
		}
		own, err := s.whole(rows, repository, clean(identifier), kept)
		if err != nil {
			return nil, err
		}
		for _, r := range own {
			out, places = append(out, r.Record), append(places, r.place)
		}
	}
	return out, s.blocks.metadata(rows, places, func(i int, data []byte) { out[i].split(data, places[i]) })
}

// Origin is the base URL of the repository that a mirror had the record from; "" if
// that is the one that was harvested.
func (r *Record) Origin() string {
	origin, _ := oaipmh.OriginOf(r.Provenance, r.Identifier)
	return origin
}

// Changed is the datestamp of the record at its origin.
func (r *Record) Changed() string {
	_, datestamp := oaipmh.OriginOf(r.Provenance, r.Identifier)
	return cmp.Or(datestamp, r.Datestamp)
}

// split takes apart what is stored of a record at a place.
func (r *Record) split(data []byte, at place) {
	n := at.length - at.provenance
	r.Metadata = data[:n:n]
	if at.provenance > 0 {
		r.Provenance = data[n:]
	}
}

// placed is a record whose metadata is still to be read.
type placed struct {
	Record
	place
}

// whole returns the records of an identifier by prefix, without metadata.
func (s records) whole(rows engine.Rows, repository, identifier string, kept []recordRow) ([]placed, error) {
	out := make([]placed, len(kept))
	for i, r := range kept {
		prefix, err := s.words.read(rows, repository, appendWord(nil, r.prefix))
		if err != nil {
			return nil, err
		}
		sets, err := s.words.read(rows, repository, r.sets)
		if err != nil {
			return nil, err
		}
		out[i] = placed{Record{
			Identifier: identifier, Prefix: prefix[0], Datestamp: string(r.datestamp), Sets: sets, Deleted: r.deleted, Hash: r.hash,
		}, r.place}
	}
	slices.SortFunc(out, func(a, b placed) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return out, nil
}

// Identifiers yields the identifiers of live records in one format, or in any if
// prefix is "", in the order of their first appearance. It starts behind the
// identifier after, or at the first if that is "".
func (s records) Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		from, err := s.idOf(ctx, repository, after)
		if err != nil {
			yield("", wrap(err, "read the identifiers of %s", repository))
			return
		}
		for row, err := range s.liveRows(ctx, repository, prefix, from) {
			if err != nil {
				yield("", wrap(err, "read the identifiers of %s", repository))
				return
			}
			if !yield(row.Identifier, nil) {
				return
			}
		}
	}
}

// idOf returns the ID of an identifier's row; one before all others for "".
func (s records) idOf(ctx context.Context, repository, identifier string) (id int64, err error) {
	if identifier == "" {
		return engine.Start, nil
	}
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.ByKey(hashesOf([]string{identifier}), 0)
		for _, row := range found {
			if row.Identifier == clean(identifier) {
				id = row.ID
				return nil
			}
		}
		return cmp.Or(err, ErrNotFound)
	})
	return id, err
}

// liveRows yields the rows of live records in a format behind an ID.
func (s records) liveRows(ctx context.Context, repository, prefix string, after int64) iter.Seq2[*engine.Object, error] {
	var word int64
	read := func(rows engine.Rows, after int64) (found []*engine.Object, err error) {
		if word, err = s.words.one(rows, repository, clean(prefix)); err != nil {
			return nil, err
		}
		return rows.Scan(engine.Span{Order: engine.ByID, After: after, Limit: chunk}, engine.Records)
	}
	return func(yield func(*engine.Object, error) bool) {
		for row, err := range chunks(ctx, s.engine, repository, after, read, func(row *engine.Object) int64 { return row.ID }) {
			live := false
			if err == nil && (prefix == "" || word != 0) {
				live, err = anyLive(row.Records, word)
			}
			if (live || err != nil) && !yield(row, err) {
				return
			}
		}
	}
}
