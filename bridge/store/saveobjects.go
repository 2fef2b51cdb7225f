package store

import (
	"bytes"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store/engine"
)

func (s *saving) saveObjects(b Batch) error {
	for i := range b.Objects {
		if err := s.saveObject(&b.Objects[i]); err != nil {
			return wrap(err, "save object %s", b.Objects[i].Identifier)
		}
	}
	for i := range b.Records { // of which some could not be mapped
		switch r := s.rows.of(b.Records[i].Identifier); {
		case r.reworded && r.State == engine.Unmapped: // it is on no Signmap page
			r.Modified, r.changed, r.reworded = s.unmapped[r.Identifier], true, false
			if !s.copies {
				r.Modified = s.tick()
			}
		case r.reworded:
			s.renew(r, r.Object, s.tick())
		}
	}
	return nil
}

func (s *saving) saveObject(o *Object) error {
	r := s.rows.of(o.Identifier)
	was, is := &r.Object, r.Object
	is.State, is.LastMod = engine.Live, o.LastMod.Unix()
	if o.Deleted {
		is.State = engine.Deleted
	}
	is.Prefixes, is.Sets = s.list(sorted(o.Prefixes)), s.list(sorted(o.Sets))
	object, err := s.value(&is, &o.Object)
	if err != nil || same(was, &is) && !r.reworded {
		return err
	}
	is.Links = int64(object.Linked())
	is.Weight = weigh(is.Identifier, object, len(o.Prefixes)+s.formats)
	if err := s.index(was, &is, object); err != nil {
		return err
	}
	if s.copies {
		s.renew(r, is, o.Modified)
	} else {
		s.renew(r, is, s.tick())
	}
	return nil
}

// tick returns the next time of the repository's clock.
func (s *saving) tick() int64 {
	s.head.Clock = max(s.now, s.head.Clock+1)
	return s.head.Clock
}

// renew makes a row what it is at a time.
func (s *saving) renew(r *row, is engine.Object, modified int64) {
	is.Modified = modified
	s.plan.move(&r.Object, &is)
	r.Object, r.changed, r.reworded = is, true, false
}

// value sets a row's value and returns it as an object. A deleted object
// keeps what it was.
func (s *saving) value(is *engine.Object, o *bridge.Object) (*bridge.Object, error) {
	if is.State == engine.Deleted && len(is.Value) > 0 {
		return objectValues.decode(is.Value)
	}
	s.memory = objectValues.encode(s.memory[:0], o)
	if !bytes.Equal(s.memory, is.Value) {
		is.Value = bytes.Clone(s.memory)
	}
	return o, nil
}

// same reports whether two rows are published in the same way. The dates of
// their records do not count: some repositories date every record today.
func same(was, is *engine.Object) bool {
	return was.State == is.State && bytes.Equal(was.Value, is.Value) &&
		bytes.Equal(was.Prefixes, is.Prefixes) && bytes.Equal(was.Sets, is.Sets)
}

// sorted returns a list in order, each text once.
func sorted(texts []string) []string {
	for i := 1; i < len(texts); i++ {
		if texts[i-1] >= texts[i] {
			return slices.Compact(slices.Sorted(slices.Values(texts)))
		}
	}
	return texts
}

// tell sets in an object what Save promises.
func (s *saving) tell(o *Object) {
	r := s.rows.of(o.Identifier)
	o.Repository, o.ID, o.Key = s.repository, r.ID, KeyOf(r.Identifier)
	o.LastMod, o.Modified = time.Unix(r.LastMod, 0).UTC(), r.Modified
}
