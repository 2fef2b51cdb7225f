package answers

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

const (
	runSize    = 2 << 20 // of what is sorted in memory, in bytes
	readAhead  = 8 << 10 // of each run
	bucketSize = 1 << 10 // on average
)

// making is how the names of files end that are not finished.
const making = ".making"

// Writer makes a table, in any order and with little memory: what was added is
// sorted a few megabytes at a time, and these runs are merged in the end.
type Writer struct {
	name    string
	out     *os.File // under a name of its own until it is whole
	spill   *os.File // the runs, one after the other; it has no name any more
	run     []byte
	entries []int // where they begin in run
	runs    []int64
}

// Create begins a table that is to be in a file. It removes what a process
// that was killed left of an earlier one.
func Create(name string) (*Writer, error) {
	left, _ := filepath.Glob(name + ".*" + making) // fails on a bad pattern alone
	for _, l := range left {
		os.Remove(l)
	}
	w := &Writer{name: name, runs: []int64{0}, run: make([]byte, 0, runSize+MaxValue)}
	var err error
	if w.spill, err = beside(name); err != nil {
		return nil, err
	}
	if err = os.Remove(w.spill.Name()); err == nil {
		w.out, err = beside(name)
	}
	if err != nil {
		return nil, errors.Join(err, w.spill.Close())
	}
	return w, nil
}

func beside(name string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+making)
}

// Add adds a value, of at most MaxValue bytes, under a name. A name that is
// added more than once is kept without a value.
func (w *Writer) Add(n Name, value []byte) error {
	if len(value) > MaxValue {
		return fmt.Errorf("an answer of %d bytes: at most %d can be kept", len(value), MaxValue)
	}
	w.entries = append(w.entries, len(w.run))
	w.run = entry{n, value}.append(w.run)
	if len(w.run) < runSize {
		return nil
	}
	return w.flush()
}

// flush writes a sorted run.
func (w *Writer) flush() error {
	slices.SortFunc(w.entries, func(a, b int) int { return bytes.Compare(w.run[a:a+8], w.run[b:b+8]) })
	out := bufio.NewWriter(w.spill)
	for _, at := range w.entries {
		e, _, err := readEntry(w.run[at:])
		if err != nil {
			return err
		}
		out.Write(e.append(out.AvailableBuffer())) // its error comes with Flush
	}
	w.runs = append(w.runs, w.runs[len(w.runs)-1]+int64(len(w.run)))
	w.run, w.entries = w.run[:0], w.entries[:0]
	return out.Flush()
}

// Publish puts the table in its place, with what there is to say about it.
func (w *Writer) Publish(about []byte) error {
	if err := w.flush(); err != nil {
		return err
	}
	w.run, w.entries = nil, nil // their memory is needed for more
	out := bufio.NewWriterSize(w.out, 64<<10)
	if err := w.merge(out, about); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), w.out.Chmod(0o644), w.out.Close()); err != nil {
		return err
	}
	return os.Rename(w.out.Name(), w.name)
}

// Discard lets go of everything, and does nothing to a table that is published.
func (w *Writer) Discard() {
	w.spill.Close()
	w.out.Close()
	os.Remove(w.out.Name())
}

func (w *Writer) merge(out io.Writer, about []byte) error {
	m, err := w.cursors()
	if err != nil {
		return err
	}
	b := newBuckets(out, w.runs[len(w.runs)-1])
	var memory []byte
	for len(m) > 0 {
		memory = append(memory[:0], m[0].value...)
		e := entry{m[0].name, memory}
		if err := m.next(); err != nil {
			return err
		}
		for len(m) > 0 && m[0].name == e.name {
			e.value = nil
			if err := m.next(); err != nil {
				return err
			}
		}
		if err := b.add(e); err != nil {
			return err
		}
	}
	return b.end(about)
}

// merging has the runs in the order of their next names. It is a heap.
type merging []*cursor

// cursor is at an entry of a run.
type cursor struct {
	entry
	run *bufio.Reader
}

func (w *Writer) cursors() (m merging, err error) {
	for i, from := range w.runs[:len(w.runs)-1] {
		c := &cursor{run: bufio.NewReaderSize(io.NewSectionReader(w.spill, from, w.runs[i+1]-from), readAhead)}
		if err := c.next(); err == nil {
			m = append(m, c)
		} else if err != io.EOF {
			return nil, err
		}
	}
	heap.Init(&m)
	return m, nil
}

func (m *merging) next() error {
	err := (*m)[0].next()
	if err == io.EOF {
		heap.Pop(m)
		return nil
	}
	heap.Fix(m, 0)
	return err
}

func (m merging) Len() int           { return len(m) }
func (m merging) Less(i, j int) bool { return cmp.Less(m[i].name, m[j].name) }
func (m merging) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merging) Push(c any)        { *m = append(*m, c.(*cursor)) }
func (m *merging) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// next reads the next entry; io.EOF behind the last.
func (c *cursor) next() error {
	var head [8]byte
	if _, err := io.ReadFull(c.run, head[:]); err != nil {
		return err
	}
	n, err := binary.ReadUvarint(c.run)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	c.name = Name(binary.BigEndian.Uint64(head[:]))
	c.value = slices.Grow(c.value[:0], int(n))[:n]
	if _, err := io.ReadFull(c.run, c.value); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// buckets writes a table, of which the names come in ascending order.
type buckets struct {
	out     io.Writer
	count   int    // of the buckets
	number  uint64 // of the one that is being filled
	bucket  []byte
	lengths []byte
}

// newBuckets is for a table with so many bytes of entries.
func newBuckets(out io.Writer, size int64) *buckets {
	b := &buckets{out: out, count: int(min(size/bucketSize+1, maxBuckets)), bucket: make([]byte, sumSize)}
	b.lengths = make([]byte, 0, 4*b.count)
	return b
}

func (b *buckets) add(e entry) error {
	for bucketOf(e.name, b.count) != b.number {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.bucket = e.append(b.bucket)
	return nil
}

// flush writes a bucket; nothing for one that is empty.
func (b *buckets) flush() error {
	n := len(b.bucket)
	if n == sumSize {
		n = 0
	}
	binary.BigEndian.PutUint32(b.bucket, crc32.Checksum(b.bucket[sumSize:], castagnoli))
	b.lengths = binary.BigEndian.AppendUint32(b.lengths, uint32(n))
	_, err := b.out.Write(b.bucket[:n])
	b.bucket = b.bucket[:sumSize]
	b.number++
	return err
}

func (b *buckets) end(about []byte) error {
	for b.number < uint64(b.count) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	tail := append(b.lengths, about...)
	sum := crc32.Checksum(tail, castagnoli)
	begin := len(tail)
	tail = append(tail, magic...)
	tail = binary.BigEndian.AppendUint32(tail, uint32(b.count))
	tail = binary.BigEndian.AppendUint32(tail, uint32(len(about)))
	tail = binary.BigEndian.AppendUint32(tail, crc32.Update(sum, castagnoli, tail[begin:]))
	_, err := b.out.Write(tail)
	return err
}
