package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"fingerpost/bridge/store"
)

// place is where metadata lies; the zero place is nowhere.
type place struct{ block, offset, length int64 }

type recordKey struct{ object, prefix int64 }

// recordRow is a row of the table records.
type recordRow struct {
	place
	deleted   bool
	sets      []byte
	datestamp string
	hash      [16]byte
	dirty     bool
}

const recordColumns = `r.object, r.prefix, coalesce(r.block, 0), coalesce(r.offset, 0), coalesce(r.length, 0),
	r.deleted, r.sets, r.datestamp, r.hash`

func (r *recordRow) scan(rows *sql.Rows, key *recordKey, more ...any) error {
	var hash []byte
	err := rows.Scan(append([]any{&key.object, &key.prefix, &r.block, &r.offset, &r.length,
		&r.deleted, &r.sets, &r.datestamp, &hash}, more...)...)
	copy(r.hash[:], hash)
	return err
}

// lookUpRecords reads all records of objects.
func (s *saving) lookUpRecords(ctx context.Context, objects []int64) error {
	if len(objects) == 0 {
		return nil
	}
	rows, err := s.tx.QueryContext(ctx, `SELECT `+recordColumns+` FROM json_each(?) j
		CROSS JOIN records r ON r.object = j.value`, jsonOf(objects))
	if err != nil {
		return fmt.Errorf("look up records: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var key recordKey
		r := &recordRow{}
		if err := r.scan(rows, &key); err != nil {
			return fmt.Errorf("look up records: %w", err)
		}
		s.records[key] = r
	}
	return rows.Err()
}

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
	key := recordKey{s.rows[r.Identifier].id, prefix}
	was := s.records[key]
	if was == nil {
		was = &recordRow{}
	}
	is := &recordRow{place: was.place, deleted: r.Deleted, datestamp: r.Datestamp, hash: r.Hash, dirty: true}
	if is.sets, err = s.lexicon.list(ctx, r.Sets); err != nil {
		return err
	}
	if r.Deleted || len(r.Metadata) > 0 && !unchanged(was, r) {
		s.packer.free(was.place)
		is.place = place{}
		if !r.Deleted {
			is.place, err = s.packer.add(ctx, key.object, prefix, r.Metadata)
		}
	}
	s.records[key] = is
	return err
}

// unchanged tells whether the metadata kept is that of r.
func unchanged(was *recordRow, r *store.Record) bool {
	return was.block != 0 && r.Hash == was.hash && r.Hash != [16]byte{}
}

func (s *saving) writeRecords(ctx context.Context) error {
	order := func(a, b recordKey) int {
		return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.prefix, b.prefix))
	}
	values := make([]any, 0, 9*len(s.records))
	for _, key := range slices.SortedFunc(maps.Keys(s.records), order) {
		r := s.records[key]
		if !r.dirty {
			continue
		}
		values = append(values, key.object, key.prefix, r.deleted)
		if r.block != 0 {
			values = append(values, r.block, r.offset, r.length)
		} else {
			values = append(values, nil, nil, nil)
		}
		values = append(values, r.sets, r.datestamp, r.hash[:])
	}
	err := insert(ctx, s.conn, `INSERT OR REPLACE INTO records
		(object, prefix, deleted, block, offset, length, sets, datestamp, hash) VALUES `, 9, values)
	if err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	return nil
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
	block, err := s.db.codec.read(ctx, s.tx, id)
	if err != nil {
		return err
	}
	err = parts(block, func(p part) error {
		key := recordKey{p.object, p.prefix}
		r, err := s.record(ctx, key)
		if err != nil || r == nil || r.block != id || r.offset != int64(p.offset) {
			return err
		}
		r.place, err = s.packer.add(ctx, p.object, p.prefix, p.data)
		r.dirty = true
		return err
	})
	if err != nil {
		return err
	}
	return s.packer.drop(ctx, id)
}

// record is a row as it will be written; nil if there is none.
func (s *saving) record(ctx context.Context, key recordKey) (*recordRow, error) {
	if r := s.records[key]; r != nil {
		return r, nil
	}
	if err := s.lookUpRecords(ctx, []int64{key.object}); err != nil {
		return nil, err
	}
	return s.records[key], nil
}

// Known returns what is kept of the identifiers in one format.
func (db *DB) Known(ctx context.Context, repository, prefix string, identifiers []string) (map[string]store.Known, error) {
	out := make(map[string]store.Known, len(identifiers))
	err := db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, `SELECT o.identifier, r.hash, r.deleted FROM json_each(?) j
			CROSS JOIN objects o ON o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.key = j.value
			CROSS JOIN records r ON r.object = o.id AND r.prefix = (SELECT id FROM words WHERE text = ?)`,
			keys(identifiers), repository, prefix)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var identifier string
			var hash sql.RawBytes
			var k store.Known
			if err := rows.Scan(&identifier, &hash, &k.Deleted); err != nil {
				return err
			}
			copy(k.Hash[:], hash)
			out[identifier] = k
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("look up records of %s: %w", repository, err)
	}
	return out, nil
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
		u := unpacker{codec: db.codec}
		for some := range slices.Chunk(identifiers, lookedUp) {
			rows, err := db.recordRows(ctx, tx, repository, some)
			if err != nil {
				return err
			}
			for _, identifier := range some {
				rs, err := db.unpacked(ctx, tx, &u, identifier, rows[identifier])
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

// keyedRow is a row of the table records with its key.
type keyedRow struct {
	recordKey
	recordRow
}

// unpacked are the records of rows of one identifier, by prefix.
func (db *DB) unpacked(ctx context.Context, q querier, u *unpacker, identifier string, rows []keyedRow) ([]store.Record, error) {
	var out []store.Record
	var err error
	for _, row := range rows {
		r := store.Record{Identifier: identifier, Datestamp: row.datestamp, Deleted: row.deleted, Hash: row.hash}
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

// recordRows are the rows of identifiers, which are compared: keys are hashes.
func (db *DB) recordRows(ctx context.Context, q querier, repository string, identifiers []string) (map[string][]keyedRow, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+recordColumns+`, o.identifier FROM json_each(?) j
		CROSS JOIN objects o ON o.repository = (SELECT id FROM repositories WHERE name = ?) AND o.key = j.value
		CROSS JOIN records r ON r.object = o.id`, keys(identifiers), repository)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[string][]keyedRow, len(identifiers))
	for rows.Next() {
		var row keyedRow
		var identifier string
		if err := row.scan(rows, &row.recordKey, &identifier); err != nil {
			return nil, err
		}
		out[identifier] = append(out[identifier], row)
	}
	return out, rows.Err()
}

// unpacker keeps the blocks that were read last: records that were saved
// together are asked for together.
type unpacker struct {
	codec  *blockCodec
	blocks [4]struct {
		id    int64
		bytes []byte
	}
	next int
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
	bytes, err := u.codec.read(ctx, q, id)
	if err != nil {
		return nil, err
	}
	u.blocks[u.next].id, u.blocks[u.next].bytes = id, bytes
	u.next = (u.next + 1) % len(u.blocks)
	return bytes, nil
}

// Identifiers yields those of live records in the order of their first
// appearance.
func (db *DB) Identifiers(ctx context.Context, repository, prefix, after string) iter.Seq2[string, error] {
	type row struct {
		id         int64
		identifier string
	}
	read := func(last row) (out []row, err error) {
		err = db.query(ctx, func(ctx context.Context, conn *sql.Conn) error {
			if last.id == 0 && last.identifier != "" {
				if last.id, err = numberOf(ctx, conn, repository, last.identifier); err != nil {
					return err
				}
			}
			rows, err := conn.QueryContext(ctx, `SELECT o.id, o.identifier FROM objects o
				WHERE o.repository = (SELECT id FROM repositories WHERE name = ?1) AND o.id > ?2 AND EXISTS (
					SELECT 1 FROM records r WHERE r.object = o.id AND r.deleted = 0
					AND (?3 = '' OR r.prefix = (SELECT id FROM words WHERE text = ?3)))
				ORDER BY o.id LIMIT ?4`, repository, last.id, prefix, chunk)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var r row
				if err := rows.Scan(&r.id, &r.identifier); err != nil {
					return err
				}
				out = append(out, r)
			}
			return rows.Err()
		})
		return out, err
	}
	rows := chunks(row{identifier: after}, read, func(r row) row { return r }, "read the identifiers of "+repository)
	return func(yield func(string, error) bool) {
		for r, err := range rows {
			if !yield(r.identifier, err) {
				return
			}
		}
	}
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
