package harvest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// atOnce is the number of bytes of metadata, or a little less than it takes to
// exceed it, that one transaction saves or one query reads. A record of Dublin Core
// has two thousand, a newspaper's METS may have millions.
const atOnce = 8 << 20

const (
	sampleSize     = 300               // records that a repository is judged by
	sampledObjects = 3 * unlikeRecords // among which records that differ are looked for
	unlikeRecords  = 20                // records that differ, by whose contents a format is judged
	fewAtOnce      = 5                 // records that are looked at one by one
)

// archive reads what the store keeps of a repository, in portions of bounded size.
type archive struct {
	store interface {
		Records(ctx context.Context, repository string, identifiers ...string) ([]store.Record, error)
		Sample(ctx context.Context, repository string, n int) ([]string, error)
		ByIdentifier(ctx context.Context, repository, identifier string) (store.Object, error)
		Quarantined(ctx context.Context, repository string) iter.Seq2[store.Quarantined, error]
		Probes(ctx context.Context, repository string, urls []string) (map[string]bridge.Probe, error)
	}
	repository string
	portion    int      // identifiers whose records are read at once; 0 before the first
	sampled    []string // nil until they are looked for
}

// records returns the records of the first n identifiers. It chooses n by the size
// of the records that it read before.
func (a *archive) records(ctx context.Context, identifiers []string) (records []store.Record, n int, err error) {
	const first, most = 16, 500
	if a.portion == 0 {
		a.portion = first
	}
	n = min(a.portion, len(identifiers))
	records, err = a.store.Records(ctx, a.repository, identifiers[:n]...)
	if err != nil {
		return nil, 0, fmt.Errorf("read what is kept of %s: %w", a.repository, err)
	}
	switch bytes := metadataIn(records); {
	case bytes > atOnce:
		a.portion = max(n*atOnce/bytes, 1)
	case bytes < atOnce/4 && n == a.portion:
		a.portion = min(2*n, most)
	}
	return records, n, nil
}

func metadataIn(records []store.Record) (bytes int) {
	for i := range records {
		bytes += len(records[i].Metadata)
	}
	return bytes
}

// sample returns the records of about sampleSize identifiers from all over the
// store, or of fewer if the records are large.
func (a *archive) sample(ctx context.Context) (out []store.Record, err error) {
	ids, err := a.identifiers(ctx)
	if err != nil {
		return nil, err
	}
	some, n, err := a.records(ctx, spread(ids)[:min(len(ids), fewAtOnce)])
	if err != nil {
		return nil, err
	}
	if most := max(n, n*atOnce/max(metadataIn(some), 1)); most < len(ids) {
		ids = spread(ids)[:most]
	}
	for left := ids; len(left) > 0; left = left[n:] {
		if some, n, err = a.records(ctx, left); err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// identifiers returns the identifiers of about sampleSize live records from all
// over the store. It queries the store once.
func (a *archive) identifiers(ctx context.Context) (ids []string, err error) {
	if a.sampled == nil {
		a.sampled, err = a.store.Sample(ctx, a.repository, sampleSize)
	}
	return a.sampled, err
}

// unlike are the identifiers of some live records that differ as much as can
// be: of every type in every set one, then a second, and from all over the store.
// A format may be for theses alone.
func (a *archive) unlike(ctx context.Context) ([]string, error) {
	sample, err := a.identifiers(ctx)
	if err != nil {
		return nil, err
	}
	met := map[string]int{}
	var rounds [sampledObjects][]string // the first of each type, the second …
	for _, id := range spread(sample)[:min(len(sample), sampledObjects)] {
		o, err := a.store.ByIdentifier(ctx, a.repository, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && o.Deleted { // in quarantine only
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", a.repository, err)
		}
		kind := o.Type + " " + strings.Join(o.Sets, " ")
		n := met[kind]
		met[kind]++
		rounds[n] = append(rounds[n], id)
	}
	var out []string
	for _, round := range rounds {
		out = append(out, round...)
	}
	return out[:min(len(out), unlikeRecords)], nil
}

// spread reorders identifiers so that the first ones come from all over the list.
func spread(ids []string) []string {
	out := make([]string, 0, len(ids))
	apart := max(1, len(ids)/fewAtOnce)
	for first := range apart {
		for i := first; i < len(ids); i += apart {
			out = append(out, ids[i])
		}
	}
	return out
}

// quarantined returns the identifiers of a format that are in quarantine, with a
// digest of the bytes that could not be read.
func (a *archive) quarantined(ctx context.Context, prefix string) (map[string][32]byte, error) {
	out := map[string][32]byte{}
	for q, err := range a.store.Quarantined(ctx, a.repository) {
		if err != nil {
			return nil, fmt.Errorf("read the quarantine of %s: %w", a.repository, err)
		}
		if q.Prefix == prefix && q.Identifier != "" {
			out[q.Identifier] = sha256.Sum256(q.Bytes)
		}
	}
	return out, nil
}
