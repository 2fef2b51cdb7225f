package oaipmh

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

const (
	// maxGuess bounds what is allocated before the bytes are seen.
	maxGuess = 1 << 20
	// maxSpare is the largest answer whose memory is used again.
	maxSpare = 8 << 20
)

// errTooLong is a body beyond the limit.
var errTooLong = errors.New("too long")

// A buffer is the body of one answer. A page of a list has hundreds of
// kilobytes: to use their memory again costs less than to collect and clear it.
type buffer struct {
	bytes    []byte
	spare    *sync.Pool // where its bytes go when it is released
	released atomic.Bool
}

// buffer returns one with released memory, or with new memory. The pages of a
// list have about the same size.
func (w *wire) buffer() *buffer {
	if b, ok := w.spare.Get().(*[]byte); ok {
		return &buffer{bytes: (*b)[:0], spare: &w.spare}
	}
	last := w.lastSize.Load()
	return &buffer{bytes: make([]byte, 0, min(last+last/8, maxGuess)+4096), spare: &w.spare}
}

// release gives the memory back. It may be called on nil, and twice.
func (b *buffer) release() {
	if b != nil && !b.released.Swap(true) && cap(b.bytes) <= maxSpare {
		b.spare.Put(&b.bytes)
	}
}

// fill reads r to its end, which is an error beyond limit. With an error, the
// buffer has what came before it.
func (b *buffer) fill(r io.Reader, limit int64) error {
	for {
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > limit:
			return errTooLong
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(b.bytes) == cap(b.bytes):
			b.bytes = append(b.bytes, 0)[:len(b.bytes)]
		}
	}
}
