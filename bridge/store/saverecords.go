package store

import (
	"slices"

	"fingerpost/bridge/store/engine"
)

func (s *saving) saveRecords(b Batch) error {
	for i := range b.Records {
		if err := s.saveRecord(&b.Records[i]); err != nil {
			return wrap(err, "save record %s in %s", b.Records[i].Identifier, b.Records[i].Prefix)
		}
	}
	return nil
}

func (s *saving) saveRecord(r *Record) (err error) {
	row := s.row(r.Identifier)
	is := recordRow{
		prefix: s.words[clean(r.Prefix)], deleted: r.Deleted, datestamp: []byte(r.Datestamp), hash: r.Hash, sets: s.list(r.Sets),
	}
	was := row.record(is.prefix)
	if was == nil {
		row.records = append(row.records, recordRow{})
		was = &row.records[len(row.records)-1]
	}
	is.place = was.place
	if r.Deleted || len(r.Metadata) > 0 && !unchanged(was, r) {
		s.packer.free(was.place)
		is.place = place{}
		if !r.Deleted {
			is.place, err = s.packer.add(row.ID, is.prefix, r.Metadata)
		}
	}
	*was, row.moved = is, true
	return err
}

// record is that in one format; nil if there is none.
func (r *row) record(prefix int64) *recordRow {
	for i := range r.records {
		if r.records[i].prefix == prefix {
			return &r.records[i]
		}
	}
	return nil
}

// unchanged reports whether the metadata stored is that of r.
func unchanged(was *recordRow, r *Record) bool {
	return was.block != 0 && r.Hash == was.hash && r.Hash != [16]byte{}
}

// repack takes up what lives of blocks that are mostly dead, and writes the
// block being filled.
func (s *saving) repack(Batch) error {
	sparse, err := s.packer.settle()
	if err != nil {
		return err
	}
	if newest := s.packer.newest.ID; s.packer.crumb() && !slices.Contains(sparse, newest) {
		sparse = append(sparse, newest)
	}
	for _, id := range sparse {
		if err := s.takeUp(id); err != nil {
			return wrap(err, "repack block %d", id)
		}
	}
	if err := s.packer.drop(sparse); err != nil {
		return err
	}
	if err := s.packer.flush(); err != nil {
		return err
	}
	_, err = s.packer.settle()
	return err
}

// takeUp puts what lives of a block into the one being filled.
func (s *saving) takeUp(id int64) error {
	m := s.blocks.take()
	defer s.blocks.put(m)
	return eachBlock(s.tx, []int64{id}, func(id int64, packed []byte) error {
		block, err := s.blocks.unpack(id, packed, m)
		if err != nil {
			return err
		}
		parts, err := partsOf(id, block)
		if err != nil {
			return err
		}
		if err := s.readOwners(parts); err != nil {
			return err
		}
		for _, p := range parts {
			if err := s.movePart(id, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// readOwners reads the rows of the objects that parts belong to.
func (s *saving) readOwners(parts []part) error {
	var missing []int64
	for _, p := range parts {
		if s.byID[p.object] == nil {
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
	return s.keep(found)
}

// movePart moves a part of a block, if it still belongs to a record.
func (s *saving) movePart(id int64, p part) (err error) {
	row := s.byID[p.object]
	if row == nil {
		return nil
	}
	r := row.record(p.prefix)
	if r == nil || r.block != id || r.offset != p.offset {
		return nil
	}
	r.place, err = s.packer.add(p.object, p.prefix, p.data)
	row.moved = true
	return err
}
