package harvest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// errNoMetadata is a record that is neither deleted nor described.
var errNoMetadata = errors.New("the record is not deleted but has no metadata")

// kept is what is to be saved of a page, and what happened on it.
type kept struct {
	store.Batch
	counts store.Run
}

// keep makes of a page what is to be saved: what is new on it, mapped.
// A record that is known and unchanged costs one hash.
func (l *list) keep(ctx context.Context, page oaipmh.Page) (kept, error) {
	var out kept
	out.counts = store.Run{Pages: 1, Repairs: page.Repairs, Records: len(page.Records) + len(page.Bad)}
	for _, b := range page.Bad {
		l.quarantine(&out, page.URL, b.Identifier, b.Bytes, b.Err)
	}
	records := lastOfEach(page.Records)
	known, err := l.Store.Digests(ctx, l.repository.ID, l.prefix, identifiersOf(records))
	if err != nil {
		return out, fmt.Errorf("look up a page of %s: %w", l.repository.ID, err)
	}
	out.Records = make([]store.Record, 0, max(len(records)-len(known), 0))
	for _, r := range records {
		was, met := known[r.Identifier]
		l.sort(&out, page.URL, r, was, met)
	}
	return out, l.mapInto(ctx, &out, page.URL)
}

// sort puts a record where it belongs: unchanged, deleted, to be mapped, or
// in quarantine.
func (l *list) sort(out *kept, url string, r oaipmh.Record, was store.Digest, met bool) {
	rec := store.Record{Identifier: r.Identifier, Prefix: l.prefix, Datestamp: r.Datestamp, Sets: r.Sets, Deleted: r.Deleted}
	switch {
	case r.Deleted && met && was.Deleted:
		out.counts.Unchanged++
		return
	case r.Deleted:
		// A tombstone is obeyed whatever Identify declares (OAI-PMH 2.5.1).
		out.counts.Deleted++
	case len(r.Metadata) == 0:
		l.quarantine(out, url, r.Identifier, nil, errNoMetadata)
		return
	default:
		rec.Metadata = r.Metadata
		rec.Hash = hash(l.mapping, r.Sets, r.Metadata)
		switch {
		case met && !was.Deleted && was.Hash == rec.Hash:
			out.counts.Unchanged++
			if !l.recovered(r) {
				return
			}
		case met:
			out.counts.Changed++
		default:
			out.counts.New++
		}
	}
	out.Records = append(out.Records, rec)
}

// hash is of the metadata, of the sets, in any order, and of the mapping they
// go through: a record is unchanged only if all are. Every record that is read
// is hashed, so that it is not a cryptographic hash: who could make two
// versions of a record alike for it would hide nothing but his own change.
func hash(m bridge.Mapping, sets []string, metadata []byte) (h [16]byte) {
	rest := xxhash.Sum64String(m.Version())
	for _, s := range sets {
		rest += xxhash.Sum64String(s)
	}
	binary.BigEndian.PutUint64(h[:8], xxhash.Sum64(metadata))
	binary.BigEndian.PutUint64(h[8:], rest)
	return h
}

// recovered tells whether a record that was kept is in quarantine for other
// bytes than these: a version that could not be read came in between.
func (l *list) recovered(r oaipmh.Record) bool {
	bytes, bad := l.unread[r.Identifier]
	return bad && bytes != sha256.Sum256(r.Metadata)
}

// inQuarantine are the identifiers of a list that are, with a digest of the
// bytes that brought them there.
func (s *source) inQuarantine(ctx context.Context, prefix string) (map[string][32]byte, error) {
	out := map[string][32]byte{}
	for q, err := range s.Store.Quarantined(ctx, s.repository.ID) {
		if err != nil {
			return nil, fmt.Errorf("read the quarantine of %s: %w", s.repository.ID, err)
		}
		if q.Prefix == prefix && q.Identifier != "" {
			out[q.Identifier] = sha256.Sum256(q.Bytes)
		}
	}
	return out, nil
}

// longestReason bounds the reasons that are kept: some name what a hostile
// record is made of.
const longestReason = 500

func (l *list) quarantine(out *kept, url, identifier string, bytes []byte, why error) {
	out.counts.Quarantined++
	out.Quarantined = append(out.Quarantined, store.Quarantined{
		Identifier: identifier, Prefix: l.prefix, Reason: outbound.Printable(why.Error(), longestReason), Page: url, Bytes: bytes, At: l.Clock.Now(),
	})
}

// mapInto maps the records of a page, each together with what is held of the
// same identifier in other formats.
func (l *list) mapInto(ctx context.Context, out *kept, url string) error {
	mapper := l.mapping.Mapper()
	out.Objects = make([]store.Object, 0, len(out.Records))
	for left := out.Records; len(left) > 0; {
		others, n, err := l.others(ctx, left)
		if err != nil {
			return err
		}
		for _, r := range left[:n] {
			object, err := makeObject(mapper, r.Identifier, append(others[r.Identifier], r))
			if err != nil {
				l.quarantine(out, url, r.Identifier, r.Metadata, err)
				continue
			}
			out.Objects = append(out.Objects, object)
		}
		left = left[n:]
	}
	return l.probed(ctx, out.Objects)
}

// others are the records held for the identifiers of the first n records in
// other formats.
func (s *source) others(ctx context.Context, records []store.Record) (out map[string][]store.Record, n int, err error) {
	if len(s.prefixes) < 2 && len(s.known.Prefixes) < 2 {
		return nil, len(records), nil
	}
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.Identifier
	}
	held, n, err := s.held(ctx, ids)
	out = map[string][]store.Record{}
	for _, r := range held {
		if r.Prefix != records[0].Prefix && s.uses(r.Prefix) {
			out[r.Identifier] = append(out[r.Identifier], r)
		}
	}
	return out, n, err
}

// makeObject makes the object of all records held for one identifier. It is
// deleted when none of them is alive.
func makeObject(m *bridge.Mapper, identifier string, records []store.Record) (store.Object, error) {
	o := store.Object{Identifier: identifier, Deleted: true}
	var live []bridge.Record
	for _, r := range records {
		o.LastMod = later(o.LastMod, r.Datestamp)
		o.Sets = union(o.Sets, r.Sets)
		if r.Deleted {
			continue
		}
		o.Deleted = false
		o.Prefixes = append(o.Prefixes, r.Prefix)
		live = append(live, bridge.Record{Prefix: r.Prefix, Sets: r.Sets, Metadata: r.Metadata})
	}
	slices.Sort(o.Prefixes)
	if o.Deleted {
		return o, nil
	}
	var err error
	o.Object, err = m.Map(identifier, live, nil)
	return o, err
}

// later is the newer of t and what a datestamp says, if it says anything.
func later(t time.Time, datestamp string) time.Time {
	if d, err := oaipmh.ParseDatestamp(datestamp); err == nil && d.After(t) {
		return d
	}
	return t
}

func union(a, b []string) []string {
	a = slices.Grow(a, len(b))
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// lastOfEach keeps one record of those with the same identifier: the newest
// datestamp wins, then the later place on the page. It does so in place.
func lastOfEach(records []oaipmh.Record) []oaipmh.Record {
	at := make(map[string]int, len(records))
	out := records[:0]
	for _, r := range records {
		i, seen := at[r.Identifier]
		if !seen {
			at[r.Identifier] = len(out)
			out = append(out, r)
		} else if !newer(out[i], r) {
			out[i] = r
		}
	}
	return out
}

// newer tells whether a's datestamp is after b's.
func newer(a, b oaipmh.Record) bool {
	ta, errA := oaipmh.ParseDatestamp(a.Datestamp)
	tb, errB := oaipmh.ParseDatestamp(b.Datestamp)
	return errA == nil && errB == nil && ta.After(tb)
}

func identifiersOf(records []oaipmh.Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.Identifier
	}
	return out
}
