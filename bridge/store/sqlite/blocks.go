package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

const (
	// fullBlock is the size at which a block is closed: large enough to
	// compress well, small enough to be unpacked for one record.
	fullBlock = 128 << 10
	// smallBlock is the size below which the newest block is taken up by the
	// next: a harvest of few records at a time would leave crumbs.
	smallBlock = 32 << 10
	// maxBlock bounds what unpacking may cost: no record is nearly as large.
	maxBlock = 1 << 30
)

// blockCodec packs and unpacks blocks, each one at a time.
type blockCodec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder

	// Memory for a block being filled, and for it packed. It is that of the
	// transaction under way: there is one at a time.
	filling, packed []byte

	spare atomic.Pointer[unpacker]
}

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

// A block is a row of parts: object, prefix and length as uvarints, then the
// metadata. So it can be asked what it holds without an index of its own.
type part struct {
	object, prefix int64
	offset         int
	data           []byte
}

var errDamagedBlock = errors.New("a block of metadata is damaged: restore a backup, or remove the store and harvest again")

// parts yields the parts of an unpacked block.
func parts(block []byte, yield func(part) error) error {
	for at := 0; at < len(block); {
		var head [3]uint64
		for i := range head {
			v, n := binary.Uvarint(block[at:])
			if n <= 0 {
				return errDamagedBlock
			}
			head[i], at = v, at+n
		}
		if head[2] > uint64(len(block)-at) {
			return errDamagedBlock
		}
		end := at + int(head[2])
		if err := yield(part{int64(head[0]), int64(head[1]), at, block[at:end]}); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// read returns the bytes of a block, in the memory of into if that is enough.
func (c *blockCodec) read(ctx context.Context, q querier, id int64, into []byte) ([]byte, error) {
	rows, err := q.QueryContext(ctx, `SELECT bytes FROM block_bytes WHERE id = ?`, id)
	if err != nil {
		return nil, fmt.Errorf("read block %d: %w", id, err)
	}
	defer rows.Close()
	var packed sql.RawBytes // no copy: it is unpacked before rows is closed
	if !rows.Next() {
		return nil, fmt.Errorf("read block %d: %w", id, cmp.Or(rows.Err(), sql.ErrNoRows))
	}
	if err := rows.Scan(&packed); err != nil {
		return nil, fmt.Errorf("read block %d: %w", id, err)
	}
	block, err := c.dec.DecodeAll(packed, into[:0])
	if err != nil {
		return nil, fmt.Errorf("unpack block %d: %w: %w", id, errDamagedBlock, err)
	}
	return block, nil
}

// packer fills blocks within a transaction.
type packer struct {
	codec *blockCodec
	tx    *sql.Tx
	id    int64 // of the block being filled
	buf   []byte
	live  int
	freed map[int64]int // bytes that lost their record, by block
}

func newPacker(ctx context.Context, codec *blockCodec, tx *sql.Tx) (*packer, error) {
	p := &packer{codec: codec, tx: tx, buf: codec.filling[:0], freed: map[int64]int{}}
	err := tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) + 1 FROM blocks`).Scan(&p.id)
	return p, err
}

// add puts metadata into the block being filled and says where it lies.
func (p *packer) add(ctx context.Context, object, prefix int64, data []byte) (place, error) {
	p.buf = binary.AppendUvarint(p.buf, uint64(object))
	p.buf = binary.AppendUvarint(p.buf, uint64(prefix))
	p.buf = binary.AppendUvarint(p.buf, uint64(len(data)))
	at := place{block: p.id, offset: int64(len(p.buf)), length: int64(len(data))}
	p.buf = append(p.buf, data...)
	p.live += len(data)
	if len(p.buf) < fullBlock {
		return at, nil
	}
	return at, p.flush(ctx)
}

// flush writes the block being filled and begins another.
func (p *packer) flush(ctx context.Context) error {
	if len(p.buf) == 0 {
		return nil
	}
	_, err := p.tx.ExecContext(ctx, `INSERT INTO blocks (id, size, live) VALUES (?1, ?2, ?2)`, p.id, p.live)
	if err == nil {
		p.codec.packed = p.codec.enc.EncodeAll(p.buf, p.codec.packed[:0])
		_, err = p.tx.ExecContext(ctx, `INSERT INTO block_bytes (id, bytes) VALUES (?, ?)`, p.id, p.codec.packed)
	}
	if err != nil {
		return fmt.Errorf("write block %d: %w", p.id, err)
	}
	p.codec.keep(p.buf)
	p.id, p.buf, p.live = p.id+1, p.codec.filling[:0], 0
	return nil
}

// keep has the memory of a block used again, unless it is uncommonly large.
func (c *blockCodec) keep(block []byte) {
	c.filling = block
	if cap(block) > 4*fullBlock {
		c.filling, c.packed = nil, nil
	}
}

// free says that what lies at a place has no record any more.
func (p *packer) free(at place) {
	if at.block != 0 {
		p.freed[at.block] += int(at.length)
	}
}

// settle counts what was freed. It returns the blocks of which less than half
// is left, for their living parts to be taken up; those in which nothing
// lives are gone.
func (p *packer) settle(ctx context.Context) (sparse []int64, err error) {
	for id, n := range p.freed {
		var size, live int
		err := p.tx.QueryRowContext(ctx, `UPDATE blocks SET live = live - ? WHERE id = ? RETURNING size, live`, n, id).Scan(&size, &live)
		if errors.Is(err, sql.ErrNoRows) && id == p.id {
			continue // not written yet
		}
		if err != nil {
			return nil, fmt.Errorf("count block %d: %w", id, err)
		}
		switch {
		case live <= 0:
			err = p.drop(ctx, id)
		case live*2 < size:
			sparse = append(sparse, id)
		}
		if err != nil {
			return nil, err
		}
		delete(p.freed, id)
	}
	return sparse, nil
}

func (p *packer) drop(ctx context.Context, id int64) error {
	for _, q := range []string{`DELETE FROM blocks WHERE id = ?`, `DELETE FROM block_bytes WHERE id = ?`} {
		if _, err := p.tx.ExecContext(ctx, q, id); err != nil {
			return fmt.Errorf("drop block %d: %w", id, err)
		}
	}
	return nil
}

// crumb is the newest block if it is worth taking up; 0 if not.
func (p *packer) crumb(ctx context.Context) (id int64, err error) {
	err = p.tx.QueryRowContext(ctx, `SELECT id FROM blocks WHERE id = (SELECT max(id) FROM blocks) AND size < ?`, smallBlock).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}
