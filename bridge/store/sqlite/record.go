package sqlite

import (
	"encoding/binary"
	"errors"
	"math"
)

// place is where metadata lies; the zero place is nowhere.
type place struct{ block, offset, length int64 }

// recordRow is what is kept of a record beside its metadata. Those of an
// object stand in its row: to keep a record is to write one row.
type recordRow struct {
	prefix int64 // a word
	place
	deleted   bool
	sets      []byte // words, as uvarints
	datestamp []byte
	hash      [16]byte
}

var errDamagedRecords = errors.New("the records of an object are damaged: restore a backup, or remove the store and harvest again")

// appendRecord adds a record to the list in an object's row.
func appendRecord(list []byte, r *recordRow) []byte {
	head := uint64(r.prefix) << 1
	if r.deleted {
		head |= 1
	}
	for _, n := range [...]uint64{head, uint64(r.block), uint64(r.offset), uint64(r.length)} {
		list = binary.AppendUvarint(list, n)
	}
	for _, b := range [...][]byte{r.sets, r.datestamp} {
		list = append(binary.AppendUvarint(list, uint64(len(b))), b...)
	}
	return append(list, r.hash[:]...)
}

// readRecord reads the record that a list begins with, which it holds on to,
// and returns the rest of the list.
func readRecord(list []byte) (r recordRow, rest []byte, err error) {
	l := listReader{rest: list}
	head := l.number()
	r.prefix, r.deleted = int64(head>>1), head&1 != 0
	r.block, r.offset, r.length = int64(l.number()), int64(l.number()), int64(l.number())
	r.sets, r.datestamp = l.bytes(l.number()), l.bytes(l.number())
	copy(r.hash[:], l.bytes(uint64(len(r.hash))))
	if l.damaged {
		return recordRow{}, nil, errDamagedRecords
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

// anyLive tells whether one of the records of a list that count is not deleted.
func anyLive(list []byte, counts func(recordRow) bool) (bool, error) {
	for len(list) > 0 {
		r, rest, err := readRecord(list)
		if err != nil {
			return false, err
		}
		if !r.deleted && counts(r) {
			return true, nil
		}
		list = rest
	}
	return false, nil
}

// listReader reads a list part by part, and nothing more once it is damaged.
type listReader struct {
	rest    []byte
	damaged bool
}

func (l *listReader) number() uint64 {
	v, n := binary.Uvarint(l.rest)
	if n <= 0 || v > math.MaxInt64/2 { // two of them can be added
		l.damaged, l.rest = true, nil
		return 0
	}
	l.rest = l.rest[n:]
	return v
}

func (l *listReader) bytes(n uint64) []byte {
	if n > uint64(len(l.rest)) {
		l.damaged, l.rest = true, nil
		return nil
	}
	b := l.rest[:n:n]
	l.rest = l.rest[n:]
	return b
}
