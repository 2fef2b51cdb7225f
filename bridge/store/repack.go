package store

import (
	"slices"

	"fingerpost/bridge/store/engine"
)

// repack moves what lives of blocks that are mostly dead into the block being
// filled, and writes that.
func (s *saving) repack(Batch) error {
	old, err := s.packer.settle()
	if err != nil {
		return err
	}
	if newest := s.packer.newest.ID; s.packer.newestIsSmall() && !slices.Contains(old, newest) {
		old = append(old, newest)
	}
	for _, id := range old {
		if err := s.empty(id); err != nil {
			return wrap(err, "repack block %d", id)
		}
	}
	if err := s.packer.drop(old); err != nil {
		return err
	}
	if err := s.packer.flush(); err != nil {
		return err
	}
	_, err = s.packer.settle()
	return err
}

// empty moves what lives of a block.
func (s *saving) empty(id int64) error {
	m := s.blocks.take()
	defer s.blocks.put(m)
	var parts []part
	err := eachBlock(s.tx, []int64{id}, func(id int64, packed []byte) error {
		block, err := s.blocks.unpack(id, packed, m)
		if err == nil {
			parts, err = partsOf(id, block)
		}
		return err
	})
	if err == nil {
		err = s.readOwners(parts)
	}
	for i := 0; i < len(parts) && err == nil; i++ {
		err = s.move(id, parts[i])
	}
	return err
}

// readOwners reads the rows of the objects that parts belong to.
func (s *saving) readOwners(parts []part) error {
	var missing []int64
	for _, p := range parts {
		if s.rows.byID[p.object] == nil {
			missing = append(missing, p.object)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	found, err := s.tx.ByID(slices.Compact(missing), engine.Published|engine.Records)
	if err != nil {
		return err
	}
	return s.rows.take(found)
}

// move moves a part of a block, if it still belongs to a record.
func (s *saving) move(id int64, p part) (err error) {
	row := s.rows.byID[p.object]
	if row == nil {
		return nil
	}
	r := row.record(p.prefix)
	if r == nil || r.block != id || r.offset != p.offset {
		return nil
	}
	whole := len(p.data) - int(r.provenance)
	r.place, err = s.packer.add(p.object, p.prefix, p.data[:whole], p.data[whole:])
	row.recorded = true
	return err
}
