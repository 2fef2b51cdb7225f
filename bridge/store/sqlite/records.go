package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"

	"fingerpost/bridge/store"
)

func (s *saving) saveRecords(ctx context.Context, records []store.Record) error {
	for i := range records {
		if err := s.saveRecord(ctx, &records[i]); err != nil {
			return fmt.Errorf("save record %s in %s: %w", records[i].Identifier, records[i].Prefix, err)
		}
	}
	return nil
}

func (s *saving) saveRecord(ctx context.Context, r *store.Record) error {
	prefix, err := s.lexicon.number(ctx, r.Prefix)
	if err != nil {
		return err
	}
	row := s.rows[r.Identifier]
	is := recordRow{prefix: prefix, deleted: r.Deleted, datestamp: []byte(r.Datestamp), hash: r.Hash}
	if is.sets, err = s.lexicon.list(ctx, r.Sets); err != nil {
		return err
	}
	was := row.record(prefix)
	if was == nil {
		row.records = append(row.records, recordRow{})
		was = &row.records[len(row.records)-1]
	}
	is.place = was.place
	if r.Deleted || len(r.Metadata) > 0 && !unchanged(was, r) {
		s.packer.free(was.place)
		is.place = place{}
		if !r.Deleted {
			is.place, err = s.packer.add(ctx, row.id, prefix, r.Metadata)
		}
	}
	*was, row.recorded = is, true
	return err
}

// unchanged tells whether the metadata kept is that of r.
func unchanged(was *recordRow, r *store.Record) bool {
	return was.block != 0 && r.Hash == was.hash && r.Hash != [16]byte{}
}

// repack takes up what lives of blocks that are mostly dead, and writes the
// block being filled.
func (s *saving) repack(ctx context.Context) error {
	sparse, err := s.packer.settle(ctx)
	if err != nil {
		return err
	}
	if crumb, err := s.packer.crumb(ctx); err != nil {
		return err
	} else if crumb != 0 && len(s.packer.buf) > 0 && !slices.Contains(sparse, crumb) {
		sparse = append(sparse, crumb)
	}
	for _, block := range sparse {
		if err := s.takeUp(ctx, block); err != nil {
			return fmt.Errorf("repack block %d: %w", block, err)
		}
	}
	if err := s.packer.flush(ctx); err != nil {
		return err
	}
	_, err = s.packer.settle(ctx)
	return err
}

func (s *saving) takeUp(ctx context.Context, id int64) error {
	block, err := s.db.codec.read(ctx, s.tx, id, nil)
	if err != nil {
		return err
	}
	err = parts(block, func(p part) error {
		row, err := s.rowOf(ctx, p.object)
		if err != nil || row == nil {
			return err
		}
		r := row.record(p.prefix)
		if r == nil || r.block != id || r.offset != int64(p.offset) {
			return nil
		}
		r.place, err = s.packer.add(ctx, p.object, p.prefix, p.data)
		row.recorded = true
		return err
	})
	if err != nil {
		return err
	}
	return s.packer.drop(ctx, id)
}

// rowOf is the row of an object as it will be written; nil if there is none.
// It may be one that the page does not name, and of another repository.
func (s *saving) rowOf(ctx context.Context, object int64) (*objectRow, error) {
	if s.byID == nil {
		s.byID = make(map[int64]*objectRow, len(s.rows))
		for _, row := range s.rows {
			s.byID[row.id] = row
		}
	}
	if row := s.byID[object]; row != nil {
		return row, nil
	}
	rows, err := s.wholeRows(ctx, `objects o WHERE o.id = ?`, object)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	s.byID[object] = rows[0]
	return rows[0], nil
}

// Digests returns those of the records that are stored in one format.
func (db *DB) Digests(ctx context.Context, repository, prefix string, identifiers []string) (map[string]store.Digest, error) {
	out := make(map[string]store.Digest, len(identifiers))
	err := db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		word, err := db.words.number(ctx, conn, prefix)
		if err != nil {
			return err
		}
		return db.eachList(ctx, conn, repository, identifiers, func(identifier string, list []byte) error {
			for len(list) > 0 {
				var r recordRow
				if r, list, err = readRecord(list); err != nil {
					return err
				}
				if r.prefix == word {
					out[identifier] = store.Digest{Hash: r.hash, Deleted: r.deleted}
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("look up records of %s: %w", repository, err)
	}
	return out, nil
}

// eachList calls yield with each object that may have one of the identifiers,
// and the list of its records, which is yield's until it returns.
func (db *DB) eachList(ctx context.Context, q querier, repository string, identifiers []string, yield func(identifier string, list []byte) error) error {
	rows, err := q.QueryContext(ctx, `SELECT o.identifier, o.records FROM json_each(?) j
		CROSS JOIN objects o ON o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.key = j.value`,
		keys(identifiers), repository)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var identifier string
		var list sql.RawBytes
		if err := rows.Scan(&identifier, &list); err != nil {
			return err
		}
		if err := yield(identifier, list); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Records returns the records kept for the identifiers with their metadata.
func (db *DB) Records(ctx context.Context, repository string, identifiers ...string) (out []store.Record, err error) {
	err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		// One snapshot: a block read is the block that the record names.
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback()
		u := db.codec.unpacker()
		defer db.codec.spare.Store(u)
		for some := range slices.Chunk(identifiers, lookedUp) {
			rows, err := db.recordRows(ctx, tx, repository, some)
			if err != nil {
				return err
			}
			for _, identifier := range some {
				rs, err := db.unpacked(ctx, tx, u, identifier, rows[identifier])
				if err != nil {
					return err
				}
				out = append(out, rs...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read records of %s: %w", repository, err)
	}
	return out, nil
}

// lookedUp is how many identifiers one statement looks up.
const lookedUp = 500

// unpacked are the records of rows of one identifier, by prefix.
func (db *DB) unpacked(ctx context.Context, q querier, u *unpacker, identifier string, rows []recordRow) ([]store.Record, error) {
	var out []store.Record
	var err error
	for _, row := range rows {
		r := store.Record{Identifier: identifier, Datestamp: string(row.datestamp), Deleted: row.deleted, Hash: row.hash}
		if r.Prefix, err = db.words.readWord(ctx, q, row.prefix); err != nil {
			return nil, err
		}
		if r.Sets, err = db.words.readList(ctx, q, row.sets); err != nil {
			return nil, err
		}
		if r.Metadata, err = u.metadata(ctx, q, row.place); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b store.Record) int { return cmp.Compare(a.Prefix, b.Prefix) })
	return out, nil
}

// recordRows are those of identifiers, by identifier.
func (db *DB) recordRows(ctx context.Context, q querier, repository string, identifiers []string) (map[string][]recordRow, error) {
	out := make(map[string][]recordRow, len(identifiers))
	err := db.eachList(ctx, q, repository, identifiers, func(identifier string, list []byte) (err error) {
		out[identifier], err = readRecords(bytes.Clone(list))
		return err
	})
	return out, err
}

// unpacker keeps the blocks that were read last: records that were saved
// together are asked for together.
type unpacker struct {
	codec  *blockCodec
	blocks [4]openBlock
	next   int
}

// unpacker returns one that keeps no block, with the memory of one that was
// put back.
func (c *blockCodec) unpacker() *unpacker {
	u := c.spare.Swap(nil)
	if u == nil {
		return &unpacker{codec: c}
	}
	for i := range u.blocks {
		u.blocks[i].id = 0
	}
	return u
}

type openBlock struct {
	id    int64
	bytes []byte
}

func (u *unpacker) metadata(ctx context.Context, q querier, at place) ([]byte, error) {
	if at.block == 0 {
		return nil, nil
	}
	block, err := u.block(ctx, q, at.block)
	if err != nil {
		return nil, err
	}
	if at.offset+at.length > int64(len(block)) {
		return nil, errDamagedBlock
	}
	return slices.Clone(block[at.offset : at.offset+at.length]), nil
}

func (u *unpacker) block(ctx context.Context, q querier, id int64) ([]byte, error) {
	for _, b := range u.blocks {
		if b.id == id {
			return b.bytes, nil
		}
	}
	oldest := &u.blocks[u.next]
	bytes, err := u.codec.read(ctx, q, id, oldest.bytes)
	if err != nil {
		*oldest = openBlock{}
		return nil, err
	}
	*oldest = openBlock{id, bytes}
	u.next = (u.next + 1) % len(u.blocks)
	return bytes, nil
}

// Identifiers yields those of live records in the order of their first
// appearance.
func (db *DB) Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error] {
	read := func(last named) (out []named, full bool, err error) {
		err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
			if last.id == 0 && last.identifier != "" {
				if last.id, err = numberOf(ctx, conn, repository, last.identifier); err != nil {
					return err
				}
			}
			out, err = db.named(ctx, conn, repository, prefix, last.id)
			return err
		})
		return out, len(out) == chunk, err
	}
	rows := chunks(named{identifier: after}, read, func(r named) named { return r }, "read the identifiers of "+repository)
	return func(yield func(string, error) bool) {
		for r, err := range rows {
			if (r.live || err != nil) && !yield(r.identifier, err) {
				return
			}
		}
	}
}

// named is an identifier, and whether a record that was asked about is live.
type named struct {
	id         int64
	identifier string
	live       bool
}

// named reads a chunk of identifiers behind an ID.
func (db *DB) named(ctx context.Context, q querier, repository, prefix string, after int64) (out []named, err error) {
	word, err := db.words.number(ctx, q, prefix)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT o.id, o.identifier, o.records FROM objects o
		WHERE o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.id > ? ORDER BY o.id LIMIT ?`,
		repository, after, chunk)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r named
		var list sql.RawBytes
		if err := rows.Scan(&r.id, &r.identifier, &list); err != nil {
			return nil, err
		}
		if r.live, err = anyLive(list, func(r recordRow) bool { return prefix == "" || r.prefix == word }); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// numberOf is the ID that an identifier has, or will have as an object.
func numberOf(ctx context.Context, q querier, repository, identifier string) (id int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT id FROM objects WHERE key = ? AND identifier = ?
		AND repository = (SELECT id FROM repositories WHERE name = ?)`, hash64(identifier), identifier, repository).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return id, err
}
