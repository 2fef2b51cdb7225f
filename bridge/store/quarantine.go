package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
	"time"

	"fingerpost/bridge/store/engine"
)

// Quarantined is a record that could not be read or mapped.
type Quarantined struct {
	Identifier string // "" if even that could not be read
	Prefix     string
	Reason     string
	Page       string // the request whose answer it came in
	Bytes      []byte // as received
	At         time.Time
}

type quarantine struct{ *core }

// Quarantined yields what is in quarantine, oldest first.
func (s quarantine) Quarantined(ctx context.Context, repository string) iter.Seq2[Quarantined, error] {
	read := func(rows engine.Rows, after int64) ([]engine.Bad, error) { return rows.Quarantine(after, chunk) }
	return func(yield func(Quarantined, error) bool) {
		for b, err := range chunks(ctx, s.engine, repository, engine.Start, read, func(b engine.Bad) int64 { return b.ID }) {
			if err != nil {
				yield(Quarantined{}, wrap(err, "read the quarantine of %s", repository))
				return
			}
			if !yield(quarantinedOf(b), nil) {
				return
			}
		}
	}
}

// QuarantinePage returns up to n of what is in quarantine, oldest first, but ends
// early when it has a few MiB. It begins behind after, and next is where it goes
// on; 0 if there is no more.
func (s quarantine) QuarantinePage(ctx context.Context, repository string, after int64, n int) (out []Quarantined, next int64, err error) {
	err = s.engine.View(ctx, repository, func(rows engine.Rows) error {
		found, err := rows.Quarantine(after, n)
		out, next = nil, 0
		for _, b := range found {
			out, next = append(out, quarantinedOf(b)), b.ID
		}
		return err
	})
	return out, next, wrap(err, "read the quarantine of %s", repository)
}

func quarantinedOf(b engine.Bad) Quarantined {
	return Quarantined{b.Identifier, b.Prefix, b.Reason, b.Page, b.Bytes, time.UnixMicro(b.At).UTC()}
}

// Release ends the quarantine of records that came in one format before a time
// and could not be read. Call it when the whole list was read since, without
// them. Records that are stored and could not be mapped stay. It returns the
// number of entries that it removed.
func (s quarantine) Release(ctx context.Context, repository, prefix string, before time.Time) (n int, err error) {
	err = s.engine.Update(ctx, repository, func(tx engine.Tx) error {
		n, err = tx.DropUnread(clean(prefix), before.UnixMicro())
		return err
	})
	return n, wrap(err, "clear the quarantine of %s", repository)
}

// badKey identifies an entry of a quarantine.
type badKey struct {
	hash               int64
	identifier, prefix string
}

// saveQuarantine removes what a batch makes good and adds what is bad.
func (s *saving) saveQuarantine(b Batch) error {
	if !s.head.Quarantine && len(b.Quarantined) == 0 {
		return nil
	}
	there, err := s.quarantined(b)
	if err != nil {
		return wrap(err, "look into the quarantine")
	}
	stored := map[badKey]bool{}
	for i := range b.Records {
		stored[nameOf(&b.Records[i])] = true
	}
	added, keys := s.bad(b.Quarantined, stored)
	if err := s.tx.DropQuarantine(replaced(there, b.Objects, stored, keys)); err != nil {
		return wrap(err, "clear the quarantine")
	}
	return wrap(s.tx.PutQuarantine(added), "quarantine records")
}

// bad returns the entries for records, of those with the same key the last.
func (s *saving) bad(list []Quarantined, stored map[badKey]bool) (out []engine.Bad, keys map[badKey]bool) {
	keys = map[badKey]bool{}
	for i := range list {
		q := &list[len(list)-1-i]
		b := badOf(q)
		if keys[keyOf(b)] {
			continue
		}
		keys[keyOf(b)] = true
		// A remap has no request: what it could not map is stored.
		b.Stored = q.Page == "" || stored[keyOf(b)]
		out = append(out, b)
	}
	slices.Reverse(out)
	return out, keys
}

// quarantined returns the entries that a batch may remove or replace.
func (s *saving) quarantined(b Batch) ([]engine.Bad, error) {
	var hashes []int64
	for i := range b.Records {
		hashes = append(hashes, hash64(clean(b.Records[i].Identifier)))
	}
	for i := range b.Objects {
		hashes = append(hashes, hash64(clean(b.Objects[i].Identifier)))
	}
	for i := range b.Quarantined {
		hashes = append(hashes, badOf(&b.Quarantined[i]).Hash)
	}
	slices.Sort(hashes)
	return s.tx.QuarantineByHash(slices.Compact(hashes))
}

// replaced returns the IDs of entries that are made good or come again.
func replaced(there []engine.Bad, objects []Object, stored, again map[badKey]bool) (ids []int64) {
	mapped := map[string]bool{}
	for i := range objects {
		mapped[clean(objects[i].Identifier)] = true
	}
	for _, e := range there {
		if again[keyOf(e)] || stored[keyOf(e)] || e.Stored && mapped[e.Identifier] {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func badOf(q *Quarantined) engine.Bad {
	bad := engine.Bad{
		Identifier: clean(q.Identifier), Prefix: clean(q.Prefix), Reason: clean(q.Reason), Page: clean(q.Page), Bytes: q.Bytes, At: q.At.UnixMicro(),
	}
	if bad.Hash = hash64(bad.Identifier); bad.Identifier == "" {
		sum := sha256.Sum256(q.Bytes)
		bad.Hash = int64(binary.BigEndian.Uint64(sum[:]))
	}
	return bad
}

func keyOf(b engine.Bad) badKey { return badKey{b.Hash, b.Identifier, b.Prefix} }

func nameOf(r *Record) badKey {
	identifier := clean(r.Identifier)
	return badKey{hash64(identifier), identifier, clean(r.Prefix)}
}
