package store

import (
	"cmp"
	"slices"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

// deletedRank is added to the rank of the URLs of a deleted object.
const deletedRank = 8

// index notes which URLs find an object, and which have ceased to.
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

// appendURLs adds the rows that find an object: of those with the same hash the
// one with the best role.
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

// inOrder sorts rows by hash, as they are in the index.
func inOrder(rows []engine.URL) []engine.URL {
	slices.SortFunc(rows, compareURLs)
	return rows
}

func compareURLs(a, b engine.URL) int {
	return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Rank, b.Rank))
}

// apart removes from two sorted lists, in place, the rows that are in both. An
// object that changes twice in a batch loses rows that it gained.
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
