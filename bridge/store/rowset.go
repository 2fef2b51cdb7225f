package store

import (
	"cmp"
	"slices"
	"time"

	"fingerpost/bridge/store/engine"
)

// rowSet is the rows of objects that a transaction has to do with.
type rowSet struct {
	byName map[string]*row
	byID   map[int64]*row
	added  []*engine.Object // in the order of their IDs
}

// row is an object as it will be written.
type row struct {
	engine.Object
	records  []recordRow
	added    bool // to the database
	changed  bool // in a column beside Records
	recorded bool // in Records
	reworded bool // a record of it has changed, and not in its date alone: Modified is to move
}

// noTime is the zero time in seconds since 1970.
var noTime = time.Time{}.Unix()

// newRowSet takes the rows that were found, and makes one for every other name.
func newRowSet(nextID int64, found []*engine.Object, names []string) (*rowSet, error) {
	s := &rowSet{byName: make(map[string]*row, len(names)), byID: make(map[int64]*row, len(names))}
	if err := s.take(found); err != nil {
		return nil, err
	}
	for _, name := range names {
		if s.byName[name] != nil {
			continue
		}
		r := &row{Object: engine.Object{ID: nextID, Key: hash64(name), Identifier: name, LastMod: noTime}, added: true}
		nextID++
		s.byName[name], s.byID[r.ID] = r, r
		s.added = append(s.added, &r.Object)
	}
	return s, nil
}

func (s *rowSet) take(found []*engine.Object) error {
	for _, o := range found {
		records, err := readRecords(o.Records)
		if err != nil {
			return wrap(err, "look up %s", o.Identifier)
		}
		r := &row{Object: *o, records: records}
		s.byName[o.Identifier], s.byID[o.ID] = r, r
	}
	return nil
}

// of returns the row of an identifier.
func (s *rowSet) of(identifier string) *row { return s.byName[clean(identifier)] }

// written returns what is to be written: the rows that are new, those that
// have changed, and those of which Records alone has, which is in no index.
func (s *rowSet) written() (added, changed, recorded []*engine.Object) {
	for _, r := range s.byID {
		if r.recorded {
			r.Records = appendRecords(make([]byte, 0, 64*len(r.records)), r.records)
		}
		switch {
		case r.added:
		case r.changed:
			changed = append(changed, &r.Object)
		case r.recorded:
			recorded = append(recorded, &r.Object)
		}
	}
	slices.SortFunc(changed, compareIDs)
	slices.SortFunc(recorded, compareIDs)
	return s.added, changed, recorded
}

func compareIDs(a, b *engine.Object) int { return cmp.Compare(a.ID, b.ID) }
