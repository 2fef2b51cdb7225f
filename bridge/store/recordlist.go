package store

import "encoding/binary"

// place is where the metadata of a record lies, with the provenance behind it; the
// zero place is nowhere.
type place struct {
	block, offset, length int64
	provenance            int64 // of the length
}

// recordRow is a record without its metadata. The records of an object are a
// list in its row: to save a record is to write one row.
type recordRow struct {
	prefix int64 // a word
	place
	deleted   bool
	sets      []byte // words
	datestamp []byte
	hash      [16]byte
}

// appendRecord adds a record to a list.
func appendRecord(list []byte, r *recordRow) []byte {
	head := uint64(r.prefix) << 2
	if r.deleted {
		head |= 1
	}
	if r.provenance > 0 {
		head |= 2
	}
	for _, n := range [...]uint64{head, uint64(r.block), uint64(r.offset), uint64(r.length)} {
		list = binary.AppendUvarint(list, n)
	}
	if r.provenance > 0 {
		list = binary.AppendUvarint(list, uint64(r.provenance))
	}
	for _, b := range [...][]byte{r.sets, r.datestamp} {
		list = append(binary.AppendUvarint(list, uint64(len(b))), b...)
	}
	return append(list, r.hash[:]...)
}

// readRecord reads the record that a list begins with, which uses the list's
// memory, and returns the rest of the list.
func readRecord(list []byte) (r recordRow, rest []byte, err error) {
	l := valueReader{rest: list}
	head := l.number()
	r.prefix, r.deleted = int64(head>>2), head&1 != 0
	r.block, r.offset, r.length = int64(l.number()), int64(l.number()), int64(l.number())
	if head&2 != 0 {
		r.provenance = int64(l.number())
	}
	if r.provenance > r.length {
		l.fail()
	}
	r.sets, r.datestamp = l.bytes(l.number()), l.bytes(l.number())
	copy(r.hash[:], l.bytes(uint64(len(r.hash))))
	if l.damaged {
		return recordRow{}, nil, damaged("the records of an object")
	}
	return r, l.rest, nil
}

// readRecords reads a whole list.
func readRecords(list []byte) (out []recordRow, err error) {
	for len(list) > 0 {
		var r recordRow
		if r, list, err = readRecord(list); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func appendRecords(list []byte, records []recordRow) []byte {
	for i := range records {
		list = appendRecord(list, &records[i])
	}
	return list
}

// anyLive reports whether a record of a list that is not deleted is in a
// format; in any if prefix is 0.
func anyLive(list []byte, prefix int64) (bool, error) {
	for len(list) > 0 {
		r, rest, err := readRecord(list)
		if err != nil {
			return false, err
		}
		if !r.deleted && (prefix == 0 || r.prefix == prefix) {
			return true, nil
		}
		list = rest
	}
	return false, nil
}
