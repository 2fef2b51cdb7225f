// Package answers keeps finished answers in one file, in which each is found
// with one read: a table from the names of what is asked for to a few bytes.
// The file is made whole, put in place whole, and never changed. It is a copy
// of what the store can say at any time, so that it may be deleted; a file
// that is torn, or no such file at all, is refused.
//
// The file is a list of buckets, each with an equal part of all names there
// could be, in ascending order, and a checksum before them; then the lengths of
// the buckets, what its owner has to say about the whole, and a tail that says
// how long these two are. Numbers are big-endian.
package answers

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"slices"
)

// Name stands for a text that is asked for. Two texts of one table might have
// the same by chance alone, and that is less likely than a defect of the disk.
type Name uint64

// NameOf returns the name of a text, which may come in parts.
func NameOf(text ...string) Name {
	var memory [256]byte // enough for most: nothing is allocated
	whole := memory[:0]
	for _, part := range text {
		whole = append(whole, part...)
	}
	sum := sha256.Sum256(whole)
	return Name(binary.BigEndian.Uint64(sum[:]))
}

// ErrDamaged is returned for a file, or a part of one, that is not what was
// written: whoever meets it deletes the file.
var ErrDamaged = errors.New("the file of answers is damaged, or is none")

const (
	magic      = "fpstans2"
	tailSize   = int64(len(magic) + 3*4) // how many buckets there are, how much is said about the whole, a checksum of all but the buckets
	sumSize    = 4
	maxBuckets = 1 << 28
	// MaxValue is how long a value may be, in bytes.
	MaxValue = 1 << 16
	// maxBucket is far more than chance puts into one.
	maxBucket = 1 << 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// File is a table that can be asked. Its methods may be called at the same time.
type File struct {
	file   io.ReaderAt
	starts []uint32 // the last bits of where each bucket begins, and of where the last ends
	wraps  []uint64 // the buckets from which on the bits before them are one more
	about  []byte
}

// Open opens the table in a file. One that cannot be used is ErrDamaged.
func Open(name string) (*File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe might take forever
		return nil, ErrDamaged
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	t, err := open(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

func open(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return read(f, info.Size())
}

// read reads all but the buckets.
func read(f io.ReaderAt, size int64) (*File, error) {
	var tail [tailSize]byte
	if size < tailSize {
		return nil, ErrDamaged
	}
	if _, err := f.ReadAt(tail[:], size-tailSize); err != nil {
		return nil, err
	}
	buckets, about, sum := binary.BigEndian.Uint32(tail[8:]), binary.BigEndian.Uint32(tail[12:]), binary.BigEndian.Uint32(tail[16:])
	if string(tail[:len(magic)]) != magic || buckets == 0 || buckets > maxBuckets || int64(about)+4*int64(buckets) > size-tailSize {
		return nil, ErrDamaged
	}
	lengths := make([]byte, int64(about)+4*int64(buckets))
	end := size - tailSize - int64(len(lengths))
	if _, err := f.ReadAt(lengths, end); err != nil {
		return nil, err
	}
	if sum != crc32.Update(crc32.Checksum(lengths, castagnoli), castagnoli, tail[:16]) {
		return nil, ErrDamaged
	}
	t := &File{file: f, about: slices.Clone(lengths[4*buckets:])}
	return t, t.place(lengths[:4*buckets], end)
}

// place finds where the buckets are.
func (t *File) place(lengths []byte, end int64) error {
	t.starts = make([]uint32, 1, len(lengths)/4+1)
	at := int64(0)
	for ; len(lengths) > 0; lengths = lengths[4:] {
		n := binary.BigEndian.Uint32(lengths)
		if n > maxBucket {
			return ErrDamaged
		}
		if (at+int64(n))>>32 > at>>32 {
			t.wraps = append(t.wraps, uint64(len(t.starts)))
		}
		at += int64(n)
		t.starts = append(t.starts, uint32(at))
	}
	if at != end {
		return ErrDamaged
	}
	return nil
}

// bucketOf is the number of the bucket, of so many, in which a name is.
func bucketOf(n Name, buckets int) uint64 {
	number, _ := bits.Mul64(uint64(n), uint64(buckets))
	return number
}

// start is where a bucket begins: in a file of less than four gigabytes as it
// is kept.
func (t *File) start(bucket uint64) int64 {
	wraps := int64(0)
	for _, from := range t.wraps {
		if bucket >= from {
			wraps++
		}
	}
	return wraps<<32 | int64(t.starts[bucket])
}

// About is what was said about the table when it was published.
func (t *File) About() []byte { return t.about }

// Find returns what is kept under a name, in memory, which is made larger if
// need be: whoever asks often lends the same again. It is empty where there
// is something, but more than one.
func (t *File) Find(n Name, memory *[]byte) (value []byte, found bool, err error) {
	number := bucketOf(n, len(t.starts)-1)
	from, to := t.start(number), t.start(number+1)
	if from == to {
		return nil, false, nil
	}
	*memory = slices.Grow((*memory)[:0], int(to-from))[:to-from]
	if _, err := t.file.ReadAt(*memory, from); err != nil {
		return nil, false, err
	}
	return findIn(*memory, n)
}

func findIn(bucket []byte, n Name) (value []byte, found bool, err error) {
	if len(bucket) < sumSize {
		return nil, false, ErrDamaged
	}
	sum, rest := binary.BigEndian.Uint32(bucket), bucket[sumSize:]
	if sum != crc32.Checksum(rest, castagnoli) {
		return nil, false, ErrDamaged
	}
	for len(rest) > 0 {
		var e entry
		if e, rest, err = readEntry(rest); err != nil {
			return nil, false, err
		}
		if e.name >= n {
			return e.value, e.name == n, nil
		}
	}
	return nil, false, nil
}

// Close lets go of the file. A Find under way may fail.
func (t *File) Close() error {
	if c, ok := t.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// entry is a name and its value, as both stand in the file: the name, the
// length of the value as a uvarint, the value.
type entry struct {
	name  Name
	value []byte
}

func (e entry) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(e.name))
	b = binary.AppendUvarint(b, uint64(len(e.value)))
	return append(b, e.value...)
}

func readEntry(b []byte) (e entry, rest []byte, err error) {
	if len(b) < 9 {
		return e, nil, ErrDamaged
	}
	e.name, b = Name(binary.BigEndian.Uint64(b)), b[8:]
	n, digits := binary.Uvarint(b)
	if digits <= 0 || n > uint64(len(b)-digits) {
		return e, nil, ErrDamaged
	}
	b = b[digits:]
	e.value = b[:n:n]
	return e, b[n:], nil
}
