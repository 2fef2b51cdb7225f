package store

import (
	"cmp"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// deletedRank is added to the rank of the URLs of a deleted object.
const deletedRank = 8

// index notes by which URLs an object is found, and by which no more.
func (s *saving) index(was, is *engine.Object, object *bridge.Object) error {
	if was.State == is.State && slices.Equal(was.Value, is.Value) {
		return nil
	}
	if was.State != engine.Unmapped {
		old, err := objectValues.decode(was.Value)
		if err != nil {
			return err
		}
		s.lost = appendURLs(s.lost, old, was.State, is.ID)
	}
	s.found = appendURLs(s.found, object, is.State, is.ID)
	return nil
}

// appendURLs adds the rows by which an object is found: of those with the same
// hash the one with the best role.
func appendURLs(rows []engine.URL, o *bridge.Object, state engine.State, id int64) []engine.URL {
	others := len(rows)
	for role, uri := range o.URLs() {
		u := engine.URL{Hash: hash64(bridge.NormalURL(uri)), Rank: int64(role), Object: id}
		if state == engine.Deleted {
			u.Rank += deletedRank
		}
		rows = append(rows, u)
	}
	own := inOrder(rows[others:])
	return rows[:others+len(slices.CompactFunc(own, func(a, b engine.URL) bool { return a.Hash == b.Hash }))]
}

// inOrder are rows by hash, as they stand in the index.
func inOrder(rows []engine.URL) []engine.URL {
	slices.SortFunc(rows, compareURLs)
	return rows
}

func compareURLs(a, b engine.URL) int {
	return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Rank, b.Rank))
}

// apart takes from two lists, which are in order, in place, what is in both, row
// for row: an object that changes twice in a batch loses what it found.
func apart(a, b []engine.URL) (onlyA, onlyB []engine.URL) {
	onlyA, onlyB = a[:0], b[:0]
	for len(a) > 0 && len(b) > 0 {
		switch c := compareURLs(a[0], b[0]); {
		case c < 0:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case c > 0:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
}
