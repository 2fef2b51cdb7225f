package store

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"fingerpost/bridge/store/engine"
)

const (
	// fullBlock is the size at which a block is closed: large enough to
	// compress well, small enough to be unpacked for one record.
	fullBlock = 128 << 10
	// smallBlock is the size below which the newest block is merged with the
	// next: a harvest of few records at a time would make many small blocks.
	smallBlock = 32 << 10
	// maxBlock bounds what unpacking may cost: no record is nearly as large.
	maxBlock = 1 << 30
)

// blockCodec packs and unpacks blocks of metadata.
type blockCodec struct {
	enc   *zstd.Encoder
	dec   *zstd.Decoder
	spare atomic.Pointer[blockMemory]
}

// blockMemory is for a block, and for it packed.
type blockMemory struct{ plain, packed []byte }

func newBlockCodec() (*blockCodec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(fullBlock), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	return &blockCodec{enc: enc, dec: dec}, nil
}

func (c *blockCodec) close() {
	_ = c.enc.Close()
	c.dec.Close()
}

// take returns memory that put gave back, or new memory.
func (c *blockCodec) take() *blockMemory {
	if m := c.spare.Swap(nil); m != nil {
		return m
	}
	return new(blockMemory)
}

// put keeps memory for the next take, unless it is uncommonly large.
func (c *blockCodec) put(m *blockMemory) {
	if cap(m.plain) <= 4*fullBlock {
		c.spare.Store(m)
	}
}

// unpack returns the bytes of a packed block, in the memory of m.
func (c *blockCodec) unpack(id int64, packed []byte, m *blockMemory) (block []byte, err error) {
	if block, err = c.dec.DecodeAll(packed, m.plain[:0]); err != nil {
		return nil, damaged("block %d of metadata (%v)", id, err)
	}
	m.plain = block
	return block, nil
}

// metadata reads what lies at places. Each block is unpacked once.
func (c *blockCodec) metadata(rows engine.Rows, places []place, set func(i int, metadata []byte)) error {
	in := map[int64][]int{} // by block
	for i, p := range places {
		if p.block != 0 {
			in[p.block] = append(in[p.block], i)
		}
	}
	m := c.take()
	defer c.put(m)
	return eachBlock(rows, slices.Sorted(maps.Keys(in)), func(id int64, packed []byte) error {
		block, err := c.unpack(id, packed, m)
		if err != nil {
			return err
		}
		for _, i := range in[id] {
			from, to := places[i].offset, places[i].offset+places[i].length
			if to > int64(len(block)) {
				return damaged("block %d of metadata", id)
			}
			set(i, slices.Clone(block[from:to]))
		}
		return nil
	})
}

// eachBlock calls f with every one of these blocks.
func eachBlock(rows engine.Rows, ids []int64, f func(id int64, packed []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	met := 0
	err := rows.Blocks(ids, func(id int64, packed []byte) error {
		met++
		return f(id, packed)
	})
	if err == nil && met < len(ids) {
		err = damaged("a block of metadata")
	}
	return err
}

// A block is a series of parts: object, prefix and length as uvarints, then the
// metadata. So a block says what is in it, without an index.
type part struct {
	object, prefix int64
	offset         int64
	data           []byte
}

// partsOf returns the parts of an unpacked block, in its memory.
func partsOf(id int64, block []byte) (out []part, err error) {
	r := valueReader{rest: block}
	for len(r.rest) > 0 {
		p := part{object: int64(r.number()), prefix: int64(r.number())}
		n := r.number()
		p.offset = int64(len(block) - len(r.rest))
		p.data = r.bytes(n)
		out = append(out, p)
	}
	if r.damaged {
		return nil, damaged("block %d of metadata", id)
	}
	return out, nil
}

// packer fills blocks, within one transaction.
type packer struct {
	codec  *blockCodec
	tx     engine.Tx
	memory *blockMemory
	id     int64 // of the block being filled
	buf    []byte
	live   int
	newest engine.Block  // of those in the database
	freed  map[int64]int // bytes that lost their record, by block
}

func newPacker(c *blockCodec, tx engine.Tx, head engine.Head) *packer {
	m := c.take()
	return &packer{codec: c, tx: tx, memory: m, id: head.NextBlock, buf: m.plain[:0], newest: head.LastBlock, freed: map[int64]int{}}
}

func (p *packer) close() {
	p.memory.plain = p.buf
	p.codec.put(p.memory)
}

// add puts metadata and provenance into the block being filled and returns their
// place.
func (p *packer) add(object, prefix int64, metadata, provenance []byte) (place, error) {
	size := len(metadata) + len(provenance)
	for _, n := range [...]uint64{uint64(object), uint64(prefix), uint64(size)} {
		p.buf = binary.AppendUvarint(p.buf, n)
	}
	at := place{block: p.id, offset: int64(len(p.buf)), length: int64(size), provenance: int64(len(provenance))}
	p.buf = append(append(p.buf, metadata...), provenance...)
	p.live += size
	if len(p.buf) < fullBlock {
		return at, nil
	}
	return at, p.flush()
}

// flush writes the block being filled and begins another.
func (p *packer) flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	p.memory.packed = p.codec.enc.EncodeAll(p.buf, p.memory.packed[:0])
	err := p.tx.PutBlock(engine.Block{ID: p.id, Size: int64(p.live), Live: int64(p.live)}, p.memory.packed)
	p.id, p.buf, p.live = p.id+1, p.buf[:0], 0
	return wrap(err, "write block %d", p.id-1)
}

// free notes that what lies at a place has lost its record.
func (p *packer) free(at place) {
	if at.block != 0 {
		p.freed[at.block] += int(at.length)
	}
}

// settle counts what was freed. It returns the blocks of which less than half
// lives, and drops those in which nothing lives.
func (p *packer) settle() (sparse []int64, err error) {
	if len(p.freed) == 0 {
		return nil, nil
	}
	blocks, err := p.tx.FreeBlocks(p.freed)
	if err != nil {
		return nil, wrap(err, "count blocks")
	}
	var dead []int64
	for _, b := range blocks {
		delete(p.freed, b.ID) // what stays is in the block being filled
		switch {
		case b.Live <= 0:
			dead = append(dead, b.ID)
		case b.Live*2 < b.Size:
			sparse = append(sparse, b.ID)
		}
	}
	slices.Sort(sparse)
	return sparse, p.drop(dead)
}

// newestIsSmall reports whether the newest block is worth merging with the one
// being filled, and is still there.
func (p *packer) newestIsSmall() bool {
	return 0 < p.newest.Size && p.newest.Size < smallBlock && len(p.buf) > 0
}

func (p *packer) drop(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if slices.Contains(ids, p.newest.ID) {
		p.newest = engine.Block{}
	}
	return wrap(p.tx.DropBlocks(ids), "drop blocks")
}
