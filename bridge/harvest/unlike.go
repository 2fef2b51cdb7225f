package harvest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fingerpost/bridge/store"
)

// sampledObjects are those among which records that differ are looked for.
const sampledObjects = 12 * askedRecords

// unlikeIdentifiers are those of a few live records that differ as much as can
// be: of every type one, then a second, and from all over the store. A format
// may be for theses alone.
func (s *source) unlikeIdentifiers(ctx context.Context) ([]string, error) {
	sample, err := s.sampleIdentifiers(ctx)
	if err != nil {
		return nil, err
	}
	met := map[string]int{}
	var rounds [sampledObjects][]string // the first of each type, the second …
	for _, id := range spread(sample)[:min(len(sample), sampledObjects)] {
		o, err := s.Store.ByIdentifier(ctx, s.repository.ID, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && o.Deleted { // in quarantine only
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sample %s: %w", s.repository.ID, err)
		}
		n := met[o.Type]
		met[o.Type]++
		rounds[n] = append(rounds[n], id)
	}
	out := slices.Concat(rounds[:]...)
	return out[:min(len(out), askedRecords)], nil
}

// spread puts identifiers into such an order that those at its beginning are
// from all over the list.
func spread(ids []string) []string {
	out := make([]string, 0, len(ids))
	apart := max(1, len(ids)/askedRecords)
	for first := range apart {
		for i := first; i < len(ids); i += apart {
			out = append(out, ids[i])
		}
	}
	return out
}
