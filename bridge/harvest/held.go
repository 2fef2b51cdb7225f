package harvest

import (
	"context"
	"fmt"

	"fingerpost/bridge/store"
)

// atOnce is how many bytes of metadata, or a little more, are saved in one
// transaction or read of what is kept. A record of Dublin Core has two
// thousand, a newspaper's METS may have millions.
const atOnce = 8 << 20

// held returns what is kept for the first n of some identifiers: for as many
// as can be had at once, by the size of those before.
func (s *source) held(ctx context.Context, identifiers []string) (records []store.Record, n int, err error) {
	const first, most = 16, 500
	if s.heldAtOnce == 0 {
		s.heldAtOnce = first
	}
	n = min(s.heldAtOnce, len(identifiers))
	records, err = s.Store.Records(ctx, s.repository.ID, identifiers[:n]...)
	if err != nil {
		return nil, 0, fmt.Errorf("read what is kept of %s: %w", s.repository.ID, err)
	}
	switch bytes := metadataIn(records); {
	case bytes > atOnce:
		s.heldAtOnce = max(n*atOnce/bytes, 1)
	case bytes < atOnce/4 && n == s.heldAtOnce:
		s.heldAtOnce = min(2*n, most)
	}
	return records, n, nil
}

func metadataIn(records []store.Record) (bytes int) {
	for i := range records {
		bytes += len(records[i].Metadata)
	}
	return bytes
}
