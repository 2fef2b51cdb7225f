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
	"fingerpost/bridge/landingpage"
	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
	"fingerpost/oaipmh/outbound"
)

// errNoMetadata is a record that is neither deleted nor described.
var errNoMetadata = errors.New("the record is not deleted but has no metadata")

// changes are what is to be saved of a page, and what happened on it.
type changes struct {
	store.Batch
	counts store.Run
	first  int // records of which nothing was kept before
}

// mapper finds the records that are new or changed, and maps them. It reads the
// store and sends no request.
type mapper struct {
	store interface {
		Digests(ctx context.Context, repository, prefix string, identifiers []string) (map[string]store.Digest, error)
	}
	archive    *archive
	now        func() time.Time
	repository string
	prefix     string
	formats    []string // whose records make an object together
	mapping    bridge.Mapping
	probes     bool                // objects are corrected by what servers answered about their files
	unread     map[string][32]byte // in quarantine, with a digest of their bytes
}

// mapper returns a mapper for the records of one format.
func (s *source) mapper(ctx context.Context, prefix string) (*mapper, error) {
	unread, err := s.archive.quarantined(ctx, prefix)
	return &mapper{
		store: s.h.Store, archive: s.archive, now: s.h.Clock.Now, repository: s.repository.ID, prefix: prefix,
		formats: s.formats(), mapping: s.mapping, probes: s.repository.Settings.Probe, unread: unread,
	}, err
}

// page returns what has changed with a page. An unchanged record costs one hash.
func (m *mapper) page(ctx context.Context, page oaipmh.Page) (changes, error) {
	var out changes
	out.counts = store.Run{Pages: 1, Repairs: page.Repairs, Records: recordsOf(page)}
	for _, b := range page.Bad {
		m.quarantine(&out, page.URL, b.Identifier, b.Bytes, b.Err)
	}
	records := lastOfEach(page.Records)
	before, err := m.store.Digests(ctx, m.repository, m.prefix, identifiersOf(records))
	if err != nil {
		return out, fmt.Errorf("look up a page of %s: %w", m.repository, err)
	}
	out.Records = make([]store.Record, 0, max(len(records)-len(before), 0))
	for _, r := range records {
		was, met := before[r.Identifier]
		m.sort(&out, page.URL, r, was, met)
	}
	return out, m.objects(ctx, &out, page.URL)
}

// sort counts a record as unchanged, deleted, changed or new, or quarantines it.
func (m *mapper) sort(out *changes, url string, r oaipmh.Record, was store.Digest, met bool) {
	rec := store.Record{Identifier: r.Identifier, Prefix: m.prefix, Datestamp: r.Datestamp, Sets: r.Sets, Deleted: r.Deleted}
	switch {
	case r.Deleted && met && was.Deleted:
		out.counts.Unchanged++
		return
	case r.Deleted:
		// A tombstone is obeyed whatever Identify declares (OAI-PMH 2.5.1).
		out.counts.Deleted++
	case len(r.Metadata) == 0:
		m.quarantine(out, url, r.Identifier, nil, errNoMetadata)
		return
	default:
		rec.Metadata, rec.Provenance = r.Metadata, r.Provenance
		rec.Hash = hash(m.mapping, rec)
		switch {
		case met && !was.Deleted && was.Hash == rec.Hash:
			out.counts.Unchanged++
			if !m.readable(r) {
				return
			}
		case met:
			out.counts.Changed++
		default:
			out.counts.New++
		}
	}
	if !met {
		out.first++
	}
	out.Records = append(out.Records, rec)
}

// hash covers the metadata, the sets in any order, the origin and the mapping: a record
// is unchanged only if all are. Every record is hashed, so the hash is fast and
// not cryptographic: the author of two versions with the same hash hides nothing
// but his own change.
func hash(m bridge.Mapping, r store.Record) (h [16]byte) {
	rest := xxhash.Sum64String(m.Version())
	for _, s := range r.Sets {
		rest += xxhash.Sum64String(s)
	}
	binary.BigEndian.PutUint64(h[:8], xxhash.Sum64(r.Metadata)+xxhash.Sum64String(r.Origin()))
	binary.BigEndian.PutUint64(h[8:], rest)
	return h
}

// readable reports whether a record that has not changed is in quarantine because
// a version of it could not be read.
func (m *mapper) readable(r oaipmh.Record) bool {
	bytes, bad := m.unread[r.Identifier]
	return bad && bytes != sha256.Sum256(r.Metadata)
}

// missing returns up to n identifiers of records that were listed and never came.
func (m *mapper) missing(n int) (out []string) {
	nothing := sha256.Sum256(nil)
	for id, bytes := range m.unread {
		if bytes == nothing && len(out) < n {
			out = append(out, id)
		}
	}
	return out
}

// longestReason bounds the reasons that are kept: some name what a hostile
// record is made of.
const longestReason = 500

func (m *mapper) quarantine(out *changes, url, identifier string, bytes []byte, why error) {
	out.counts.Quarantined++
	out.Quarantined = append(out.Quarantined, store.Quarantined{
		Identifier: identifier, Prefix: m.prefix, Reason: outbound.Printable(why.Error(), longestReason), Page: url, Bytes: bytes, At: m.now(),
	})
}

// objects maps records, each together with the records of the same identifier in
// other formats.
func (m *mapper) objects(ctx context.Context, out *changes, url string) error {
	mapper := m.mapping.Mapper()
	out.Objects = make([]store.Object, 0, len(out.Records))
	for left := out.Records; len(left) > 0; {
		others, n, err := m.others(ctx, left)
		if err != nil {
			return err
		}
		for _, r := range left[:n] {
			object, err := makeObject(mapper, r.Identifier, append(others[r.Identifier], r))
			if err != nil {
				m.quarantine(out, url, r.Identifier, r.Metadata, err)
				continue
			}
			out.Objects = append(out.Objects, object)
			if page, ok := pageRecord(others[r.Identifier]); ok && object.Deleted {
				out.Records = append(out.Records, store.Record{Identifier: page.Identifier, Prefix: page.Prefix, Deleted: true})
			}
		}
		left = left[n:]
	}
	return m.correct(ctx, out.Objects)
}

// others returns the records in other formats for the identifiers of the first n
// records.
func (m *mapper) others(ctx context.Context, records []store.Record) (out map[string][]store.Record, n int, err error) {
	if !slices.ContainsFunc(m.formats, func(f string) bool { return f != m.prefix }) {
		return nil, len(records), nil
	}
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.Identifier
	}
	kept, n, err := m.archive.records(ctx, ids)
	out = map[string][]store.Record{}
	for _, r := range kept {
		if r.Prefix != m.prefix && slices.Contains(m.formats, r.Prefix) {
			out[r.Identifier] = append(out[r.Identifier], r)
		}
	}
	return out, n, err
}

// correct applies earlier answers about the files of objects. It sends no request.
func (m *mapper) correct(ctx context.Context, objects []store.Object) error {
	if !m.probes {
		return nil
	}
	probes, err := m.archive.store.Probes(ctx, m.repository, unproven(objects))
	if err != nil {
		return err
	}
	for i := range objects {
		o := &objects[i]
		o.Object = m.mapping.Probed(o.Identifier, o.Object, probes, nil)
	}
	return nil
}

// makeObject makes the object of all records kept for one identifier. It is
// deleted when none of them is alive; what its landing page states keeps nothing
// alive. An empty record is no format of it.
func makeObject(m *bridge.Mapper, identifier string, records []store.Record) (store.Object, error) {
	o := store.Object{Identifier: identifier, Deleted: true}
	var live []bridge.Record
	for _, r := range records {
		o.LastMod = later(o.LastMod, r.Changed())
		o.Sets = union(o.Sets, r.Sets)
		if r.Deleted {
			continue
		}
		if r.Prefix != landingpage.Prefix { // which is not the repository's own metadata
			o.Deleted = false
			o.Prefixes = append(o.Prefixes, r.Prefix)
		}
		live = append(live, bridge.Record{Prefix: r.Prefix, Sets: r.Sets, Metadata: r.Metadata, Origin: r.Origin()})
	}
	slices.Sort(o.Prefixes)
	if o.Deleted {
		return o, nil
	}
	var err error
	o.Object, err = m.Map(identifier, live, nil)
	empty := m.Empty()
	o.Prefixes = slices.DeleteFunc(o.Prefixes, func(p string) bool { return slices.Contains(empty, p) })
	return o, err
}

// pageRecord is what the landing page of an object states, if it is kept.
func pageRecord(records []store.Record) (store.Record, bool) {
	for _, r := range records {
		if r.Prefix == landingpage.Prefix && !r.Deleted {
			return r, true
		}
	}
	return store.Record{}, false
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

// newer reports whether a's datestamp is after b's.
func newer(a, b oaipmh.Record) bool {
	ta, errA := a.Time()
	tb, errB := b.Time()
	return errA == nil && errB == nil && ta.After(tb)
}

func identifiersOf(records []oaipmh.Record) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = r.Identifier
	}
	return out
}
