package store

import "bytes"

func (s *saving) saveRecords(b Batch) error {
	for i := range b.Records {
		if err := s.saveRecord(&b.Records[i]); err != nil {
			return wrap(err, "save record %s in %s", b.Records[i].Identifier, b.Records[i].Prefix)
		}
	}
	return nil
}

func (s *saving) saveRecord(r *Record) (err error) {
	row := s.rows.of(r.Identifier)
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
			is.place, err = s.packer.add(row.ID, is.prefix, r.Metadata, r.Provenance)
			row.reworded = true
		}
	}
	row.reworded = row.reworded || was.deleted != is.deleted || !bytes.Equal(was.sets, is.sets)
	*was, row.recorded = is, true
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
	return was.block != 0 && [8]byte(r.Hash[:8]) == [8]byte(was.hash[:8]) && r.Hash != [16]byte{}
}
