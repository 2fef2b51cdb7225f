package harvest

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"fingerpost/bridge/store"
	"fingerpost/oaipmh"
)

// sweepAtOnce is how many vanished records are marked in one transaction.
const sweepAtOnce = 500

// ShrinkError reports that more records are gone than may be marked unasked.
type ShrinkError struct {
	Gone, Kept int
}

func (e *ShrinkError) Error() string {
	return fmt.Sprintf("%d of %d records are no longer listed; that looks like a fault of the repository, so nothing was marked as deleted: if it is true, run it again with --allow-shrink", e.Gone, e.Kept)
}

// storeError is a failure on our side.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// identifierSet is a set of identifiers at eight bytes each. If two share a hash, a
// record that is gone may stay alive; a live record is never deleted.
type identifierSet struct {
	seed     maphash.Seed
	hashes   []uint64
	before   int  // of them, those of the lists before
	doubtful bool // some may be there that were not listed
}

func newIdentifierSet() *identifierSet { return &identifierSet{seed: maphash.MakeSeed()} }

func (s *identifierSet) add(id string) { s.hashes = append(s.hashes, maphash.String(s.seed, id)) }

func (s *identifierSet) has(id string) bool {
	_, found := slices.BinarySearch(s.hashes, maphash.String(s.seed, id))
	return found
}

// endList removes the duplicates among the identifiers of a list.
func (s *identifierSet) endList() {
	added := s.hashes[s.before:]
	slices.Sort(added)
	distinct := slices.Compact(added)
	// Where identifiers come twice pages overlap, and as many may have fallen
	// between them.
	s.doubtful = s.doubtful || len(distinct) < len(added)
	s.before += len(distinct)
	s.hashes = s.hashes[:s.before]
}

// compact prepares for has, after the last list.
func (s *identifierSet) compact() { slices.Sort(s.hashes) }

// marker marks as deleted what a repository no longer lists in one format.
type marker struct {
	store interface {
		Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error]
	}
	client *oaipmh.Client
	run    *activeRun
	mapper *mapper
	saver  *saver
}

// markGone marks the live records that are not listed, and returns their number.
func (m *marker) markGone(ctx context.Context, listed *identifierSet, allowShrink bool) (int, error) {
	gone, err := m.gone(ctx, listed, allowShrink)
	if err != nil {
		return 0, err
	}
	if listed.doubtful {
		if gone, err = m.confirmed(ctx, gone); err != nil {
			return 0, err
		}
	}
	return len(gone), m.mark(ctx, gone)
}

// gone returns the live records that are not listed.
func (m *marker) gone(ctx context.Context, listed *identifierSet, allowShrink bool) (gone []string, err error) {
	kept := 0
	for id, err := range m.store.Identifiers(ctx, m.run.Repository, m.run.Prefix, "") {
		if err != nil {
			return nil, &storeError{fmt.Errorf("read the identifiers of %s: %w", m.run.Repository, err)}
		}
		kept++
		if !listed.has(id) {
			gone = append(gone, id)
		}
	}
	if len(gone)*10 > kept && !allowShrink {
		return nil, &ShrinkError{Gone: len(gone), Kept: kept}
	}
	return gone, nil
}

// confirmed requests the records that seem gone, and returns those that the
// repository does not have.
func (m *marker) confirmed(ctx context.Context, gone []string) ([]string, error) {
	var out []string
	for _, id := range gone {
		r, err := m.client.GetRecord(ctx, id, m.run.Prefix)
		var protocol *oaipmh.Error
		var bad *oaipmh.BadRecord
		switch {
		case err == nil && r.Deleted:
			out = append(out, id)
		case err == nil, errors.As(err, &bad):
		case errors.As(err, &protocol) && (protocol.Code == oaipmh.IDDoesNotExist || protocol.Code == oaipmh.CannotDisseminateFormat):
			out = append(out, id)
		default:
			return nil, err
		}
	}
	return out, nil
}

// mark saves tombstones.
func (m *marker) mark(ctx context.Context, gone []string) error {
	for some := range slices.Chunk(gone, sweepAtOnce) {
		out := changes{counts: store.Run{Deleted: len(some)}}
		for _, id := range some {
			out.Records = append(out.Records, store.Record{Identifier: id, Prefix: m.run.Prefix, Deleted: true})
		}
		if err := m.mapper.objects(ctx, &out, ""); err != nil {
			return &storeError{err}
		}
		m.saver.add(out, store.Checkpoint{}, nil)
		m.saver.total, m.saver.read = -1, m.run.Records
		if err := m.saver.flush(ctx); err != nil {
			return &storeError{fmt.Errorf("mark what is gone from %s: %w", m.run.Repository, err)}
		}
	}
	return nil
}
