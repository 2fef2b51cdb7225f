package harvest

import (
	"context"
	"slices"

	"fingerpost/bridge/store"
)

// released takes out of quarantine what could not be read and is not listed
// any more. What has no identifier can be missed in no other way: the record
// that comes in its place cannot say whose it takes.
func (s *source) released(ctx context.Context, sets []string, runs []store.Run) error {
	for _, prefix := range s.prefixes {
		var of []store.Run
		for _, r := range runs {
			if r.Prefix == prefix && s.whole[r.ID] && r.State == store.Complete {
				of = append(of, r)
			}
		}
		if len(of) < len(sets) {
			continue // what was not read may still list it
		}
		first := slices.MinFunc(of, func(a, b store.Run) int { return a.Started.Compare(b.Started) })
		n, err := s.Store.Release(ctx, s.repository.ID, prefix, first.Started)
		if err != nil {
			return err
		}
		if n > 0 {
			s.Log.Info("harvest: out of quarantine, since the whole list was read without them", "repository", s.repository.ID, "prefix", prefix, "records", n)
		}
	}
	return nil
}
