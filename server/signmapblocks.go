package server

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
)

// blockSpan is how many consecutive IDs of objects share a block.
const blockSpan = 512

// A block is the part of a rendered page with the objects of a span of IDs. It
// depends on nothing else, and is compressed by itself: after a change its
// neighbours are copied as they are, and the page is what it would be if all
// of it had been rendered.
type block struct {
	Span    int64 // ID / blockSpan
	Bytes   int64 // in the page
	Zipped  int64 // in the compressed page
	URLs    int
	Omitted int
}

// pageIndex says where the blocks of a page lie, in both its files. It is kept
// beside them, in ascending order.
type pageIndex struct {
	Head, Tail int64 // what is before and behind the blocks in the compressed page
	Blocks     []block
}

// pageFiles are the files of a page being rendered: as it is, compressed, and
// the index of its blocks.
type pageFiles struct {
	files []newFile // compressed, index, and bare

	bare   counted
	sum    hash.Hash32 // of all of bare
	zipped counted
	packed *bufio.Writer // in front of the file
	zip    *flate.Writer // of the block at hand
	index  pageIndex

	bareAt, zippedAt int64 // where the block at hand begins
}

// counted counts what is written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// gzipHead is a gzip header that tells neither name nor time. RFC 1952, 2.3.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// createPage makes the files of a page, which appear when they are published,
// and writes its head.
func createPage(name string) (*pageFiles, error) {
	f := &pageFiles{sum: crc32.NewIEEE()}
	for _, n := range []string{name + ".gz", name + ".blocks", name} {
		file, err := createBeside(n)
		if err != nil {
			f.discard()
			return nil, err
		}
		f.files = append(f.files, file)
	}
	if err := f.begin(); err != nil {
		f.discard()
		return nil, err
	}
	return f, nil
}

func (f *pageFiles) begin() (err error) {
	f.packed = bufio.NewWriterSize(f.files[0], 64<<10)
	f.zipped.w, f.bare.w = f.packed, io.MultiWriter(f.files[2], f.sum)
	if f.zip, err = flate.NewWriter(&f.zipped, flate.DefaultCompression); err != nil {
		return err
	}
	_, err = io.WriteString(&f.zipped, gzipHead)
	if err == nil {
		_, err = io.WriteString(f, pageHead)
	}
	if err == nil {
		err = f.cut()
	}
	f.index.Head = f.zipped.n
	f.bareAt, f.zippedAt = f.bare.n, f.zipped.n
	return err
}

// Write writes to the block at hand.
func (f *pageFiles) Write(p []byte) (int, error) {
	if n, err := f.bare.Write(p); err != nil {
		return n, err
	}
	return f.zip.Write(p)
}

// cut brings the compressed page to a whole byte. What follows does not refer
// to what is before, as if it were a stream of its own.
func (f *pageFiles) cut() error {
	err := f.zip.Flush()
	f.zip.Reset(&f.zipped)
	return err
}

// endBlock ends the block at hand.
func (f *pageFiles) endBlock(b block) error {
	err := f.cut()
	f.add(b)
	return err
}

// add notes in the index what was written since the last block.
func (f *pageFiles) add(b block) {
	b.Bytes, b.Zipped = f.bare.n-f.bareAt, f.zipped.n-f.zippedAt
	f.index.Blocks = append(f.index.Blocks, b)
	f.bareAt, f.zippedAt = f.bare.n, f.zipped.n
}

// copyBlock takes a block over from an older page.
func (f *pageFiles) copyBlock(o *olderPage, b placedBlock) error {
	_, err := io.CopyBuffer(&f.bare, io.NewSectionReader(o.bare, b.bytesAt, b.Bytes), o.buffer)
	if err == nil {
		_, err = io.CopyBuffer(&f.zipped, io.NewSectionReader(o.zipped, b.zippedAt, b.Zipped), o.buffer)
	}
	f.add(b.block)
	return err
}

// publish writes the tail and puts the files under their names. Without index
// the page cannot be taken up by the next one.
func (f *pageFiles) publish(indexed bool) error {
	_, err := io.WriteString(f, pageTail)
	err = errors.Join(err, f.zip.Close())
	var trailer [8]byte // RFC 1952, 2.3.1
	binary.LittleEndian.PutUint32(trailer[:4], f.sum.Sum32())
	binary.LittleEndian.PutUint32(trailer[4:], uint32(f.bare.n))
	f.zipped.Write(trailer[:]) // an error comes again from Flush
	err = errors.Join(err, f.packed.Flush())
	f.index.Tail = f.zipped.n - f.zippedAt
	if indexed {
		err = errors.Join(err, json.NewEncoder(f.files[1]).Encode(f.index))
	}
	if err != nil {
		return err
	}
	// The bare one last: whoever finds it finds all.
	for i, file := range f.files {
		if i == 1 && !indexed {
			continue
		}
		if err := file.publish(); err != nil {
			return err
		}
	}
	return nil
}

func (f *pageFiles) discard() {
	for _, file := range f.files {
		file.discard()
	}
}

// olderPage is a rendered page of which blocks can be taken over.
type olderPage struct {
	modified     int64 // of the page when it was rendered, or earlier than that
	bare, zipped *os.File
	blocks       []placedBlock
	buffer       []byte
}

// placedBlock is a block and where it begins in both files.
type placedBlock struct {
	block
	bytesAt, zippedAt int64
}

// openOlder opens the page in the file name as it was when rendered.
func openOlder(name string, modified int64) (*olderPage, error) {
	text, err := os.ReadFile(name + ".blocks")
	if err != nil {
		return nil, err
	}
	var index pageIndex
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	bare, err := open(name)
	if err != nil {
		return nil, err
	}
	zipped, err := open(name + ".gz")
	if err != nil {
		bare.Close()
		return nil, err
	}
	o := &olderPage{modified: modified, bare: bare.File, zipped: zipped.File, buffer: make([]byte, 256<<10)}
	bytesAt, zippedAt := int64(len(pageHead)), index.Head
	for _, b := range index.Blocks {
		o.blocks = append(o.blocks, placedBlock{b, bytesAt, zippedAt})
		bytesAt, zippedAt = bytesAt+b.Bytes, zippedAt+b.Zipped
	}
	if bytesAt+int64(len(pageTail)) != bare.size || zippedAt+index.Tail != zipped.size {
		o.close()
		return nil, errors.New("the index of a Signmap page does not fit its files")
	}
	return o, nil
}

func (o *olderPage) close() {
	o.bare.Close()
	o.zipped.Close()
}
