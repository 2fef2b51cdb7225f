package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// Save keeps a page in one transaction. Rows are read first, changed in
// memory, and written at the end, so that what stands on a page twice is
// written once.
func (db *DB) Save(ctx context.Context, repository string, p store.Batch) error {
	s := &saving{db: db, repositoryName: repository}
	err := db.update(ctx, func(ctx context.Context, conn *sql.Conn, tx *sql.Tx) error {
		s.conn = conn
		return s.page(ctx, tx, p)
	})
	if err != nil {
		return fmt.Errorf("save a page of %s: %w", repository, err)
	}
	s.lexicon.committed()
	for i := range p.Objects {
		s.tell(&p.Objects[i])
	}
	if p.Run != nil {
		p.Run.ID = s.run
	}
	return nil
}

// saving is one Save.
type saving struct {
	db             *DB
	conn           *sql.Conn // that of tx
	tx             *sql.Tx
	repositoryName string
	repository     int64
	others         int // formats in which records may be offered that are not held

	lexicon lexicon
	writer  writer
	packer  *packer
	pages   *pages
	rows    map[string]*objectRow // by identifier
	fresh   []*objectRow          // those of rows that are new, in order
	byID    map[int64]*objectRow  // rows and what rowOf read; nil until it is asked
	nextID  int64
	now     int64 // microseconds; of our clock when this began
	clock   int64 // the newest Object.Modified
	run     int64

	found, lost []urlRow

	// Memory for the statement at hand.
	values []driver.Value
	args   []driver.NamedValue
}

func (s *saving) page(outer context.Context, tx *sql.Tx, p store.Batch) error {
	ctx := context.WithoutCancel(outer)
	steps := []func() error{
		func() error { return s.begin(ctx, tx, p) },
		func() error { return s.lookUp(ctx, p) },
		func() error { return s.saveRecords(ctx, p.Records) },
		func() error { return s.saveObjects(ctx, p.Objects) },
		func() error { return s.saveQuarantine(ctx, p) },
		func() error { return s.saveProbes(ctx, p.Probes) },
		func() error { return s.saveProgress(ctx, p) },
		func() error { return s.repack(ctx) },
		func() error { return s.write(ctx) },
	}
	for _, step := range steps {
		if err := outer.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *saving) begin(ctx context.Context, tx *sql.Tx, p store.Batch) (err error) {
	s.tx = tx
	s.lexicon = lexicon{words: &s.db.words, tx: tx}
	s.rows = make(map[string]*objectRow, len(p.Records))
	s.now = s.db.now().UnixMicro()
	if s.repository, err = repositoryNumber(ctx, tx, s.repositoryName); err != nil {
		return err
	}
	if s.others, err = otherFormats(ctx, tx, s.repository); err != nil {
		return err
	}
	if s.packer, err = newPacker(ctx, s.db.codec, tx); err != nil {
		return err
	}
	if s.pages, err = readPages(ctx, tx, s.repository, s.db.limits); err != nil {
		return err
	}
	return tx.QueryRowContext(ctx, `SELECT modified, (SELECT coalesce(max(id), 0) + 1 FROM objects) FROM clock`).Scan(&s.clock, &s.nextID)
}

// lookUp reads the rows that a page names, and makes those that are missing.
func (s *saving) lookUp(ctx context.Context, p store.Batch) error {
	named := make([]objectRow, 0, len(p.Records))
	name := func(identifier string) {
		if _, met := s.rows[identifier]; !met {
			s.rows[identifier] = nil // until it is found
			named = append(named, objectRow{identifier: identifier, key: hash64(identifier)})
		}
	}
	for i := range p.Records {
		name(p.Records[i].Identifier)
	}
	for i := range p.Objects {
		name(p.Objects[i].Identifier)
	}
	for _, b := range p.Probes {
		name(b.Identifier)
	}
	numbers := make([]int64, len(named))
	for i := range named {
		numbers[i] = named[i].key
	}
	rows, err := s.wholeRows(ctx, `json_each(?) j CROSS JOIN objects o ON o.repository = ? AND o.key = j.value`,
		jsonOf(inOrderOnce(numbers)), s.repository)
	if err != nil {
		return err
	}
	for _, row := range rows {
		s.rows[row.identifier] = row
	}
	for i := range named {
		if row := &named[i]; s.rows[row.identifier] == nil {
			row.id = s.nextID
			s.nextID++
			s.rows[row.identifier], s.fresh = row, append(s.fresh, row)
		}
	}
	return nil
}

// wholeRows reads rows of objects o with all that is kept in them.
func (s *saving) wholeRows(ctx context.Context, from string, args ...any) (out []*objectRow, err error) {
	rows, err := s.tx.QueryContext(ctx, `SELECT o.id, o.identifier, o.deleted IS NOT NULL, coalesce(o.deleted, 0), o.lastmod,
		coalesce(o.modified, 0), coalesce(o.page, 0), coalesce(o.weight, 0), o.prefixes, o.sets, coalesce(o.value, ''), o.records
		FROM `+from, args...)
	if err != nil {
		return nil, fmt.Errorf("look up objects: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r := &objectRow{}
		var list []byte
		if err := rows.Scan(&r.id, &r.identifier, &r.mapped, &r.deleted, &r.lastmod,
			&r.modified, &r.page, &r.weight, &r.prefixes, &r.sets, &r.value, &list); err != nil {
			return nil, fmt.Errorf("look up objects: %w", err)
		}
		if r.records, err = readRecords(list); err != nil {
			return nil, fmt.Errorf("look up %s: %w", r.identifier, err)
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// keys is the JSON of the keys of identifiers, each once, in ascending order.
func keys(identifiers []string) string {
	numbers := make([]int64, len(identifiers))
	for i, identifier := range identifiers {
		numbers[i] = hash64(identifier)
	}
	return jsonOf(inOrderOnce(numbers))
}

func inOrderOnce(numbers []int64) []int64 {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// jsonOf is a list of numbers as JSON, which one statement can take whole.
func jsonOf(numbers []int64) string {
	const longest = len(",-9223372036854775808")
	b := append(make([]byte, 0, 2+longest*len(numbers)), '[')
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, ']'))
}

func (s *saving) saveObjects(ctx context.Context, objects []store.Object) error {
	for i := range objects {
		if err := s.saveObject(ctx, &objects[i]); err != nil {
			return fmt.Errorf("save object %s: %w", objects[i].Identifier, err)
		}
	}
	return nil
}

func (s *saving) saveObject(ctx context.Context, o *store.Object) error {
	was := s.rows[o.Identifier]
	is := *was
	is.mapped, is.deleted, is.lastmod, is.dirty = true, o.Deleted, seconds(o.LastMod), true
	object, err := s.value(&is, o)
	if err != nil {
		return err
	}
	if is.prefixes, err = s.lexicon.list(ctx, sorted(o.Prefixes)); err != nil {
		return err
	}
	if is.sets, err = s.lexicon.list(ctx, sorted(o.Sets)); err != nil {
		return err
	}
	if same(was, &is) {
		return nil
	}
	s.clock = max(s.now, s.clock+1)
	is.modified = s.clock
	is.weight = weigh(is.identifier, object, len(o.Prefixes)+s.others)
	if err := s.find(was, &is, object); err != nil {
		return err
	}
	s.turn(was, &is)
	*was = is
	return nil
}

// value sets a row's value and returns it as an object. A deleted object
// keeps what it was.
func (s *saving) value(is *objectRow, o *store.Object) (bridge.Object, error) {
	if is.deleted && is.value != "" {
		return decode(is.value)
	}
	value, err := s.writer.encode(o.Object)
	is.value = value
	return o.Object, err
}

// same tells whether two objects are published alike. When their records are
// dated is no difference: some repositories date every record today.
func same(was, is *objectRow) bool {
	return was.mapped && was.deleted == is.deleted && was.value == is.value &&
		bytes.Equal(was.prefixes, is.prefixes) && bytes.Equal(was.sets, is.sets)
}

// sorted is a list in order, each text once.
func sorted(texts []string) []string {
	ascending := true
	for i := 1; i < len(texts); i++ {
		ascending = ascending && texts[i-1] < texts[i]
	}
	if ascending {
		return texts
	}
	return slices.Compact(slices.Sorted(slices.Values(texts)))
}

// find notes by which URLs an object is found now, and by which no more.
func (s *saving) find(was, is *objectRow, object bridge.Object) error {
	if was.mapped && was.value == is.value && was.deleted == is.deleted {
		return nil
	}
	if was.mapped {
		old, err := decode(was.value)
		if err != nil {
			return err
		}
		s.lost = appendURLs(s.lost, old, was.deleted, is.id)
	}
	s.found = appendURLs(s.found, object, is.deleted, is.id)
	return nil
}

// turn moves an object from what it was to what it is in the Signmap.
func (s *saving) turn(was, is *objectRow) {
	if was.mapped {
		s.pages.leave(was)
	}
	if !is.deleted {
		is.page = s.pages.choose(was.page, is.weight)
	}
	s.pages.join(is)
	if was.mapped && was.page != is.page {
		s.pages.touch(was.page, is)
	}
}

// tell sets in an object what is kept of it.
func (s *saving) tell(o *store.Object) {
	row := s.rows[o.Identifier]
	o.Repository, o.ID, o.Key = s.repositoryName, row.id, store.KeyOf(row.identifier)
	o.LastMod, o.Modified = fromSeconds(row.lastmod), row.modified
}

// write writes every row that was made or changed.
func (s *saving) write(ctx context.Context) error {
	if err := s.writeObjects(ctx); err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	if err := s.writeURLs(ctx); err != nil {
		return fmt.Errorf("write the index of URLs: %w", err)
	}
	if err := s.pages.write(ctx, s.tx, s.repository); err != nil {
		return err
	}
	_, err := s.tx.ExecContext(ctx, `UPDATE clock SET modified = ?1 WHERE modified <> ?1`, s.clock)
	return err
}

func (s *saving) writeObjects(ctx context.Context) error {
	if err := s.writeFresh(ctx); err != nil {
		return err
	}
	for _, r := range s.changed() {
		var err error
		if r.dirty {
			err = s.exec(ctx, `UPDATE objects SET records = ?, deleted = ?, lastmod = ?, modified = ?, page = ?, weight = ?,
				prefixes = ?, sets = ?, value = ? WHERE id = ?`, append(r.appendColumns(s.values[:0]), r.id))
		} else { // no index has anything to do with it
			err = s.exec(ctx, `UPDATE objects SET records = ? WHERE id = ?`, append(s.values[:0], r.list(), r.id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *saving) writeFresh(ctx context.Context) error {
	// OR FAIL: an error undoes the transaction, so that SQLite need not keep
	// what it takes to undo the statement.
	return insert(ctx, s, `INSERT OR FAIL INTO objects
		(id, repository, key, identifier, records, deleted, lastmod, modified, page, weight, prefixes, sets, value) VALUES `,
		13, s.fresh, func(values []driver.Value, r *objectRow) []driver.Value {
			r.dirty, r.recorded = false, false
			return r.appendColumns(append(values, r.id, s.repository, r.key, r.identifier))
		})
}

// changed are the rows that are not in the table as they are here, by ID.
func (s *saving) changed() (out []*objectRow) {
	for _, rows := range []iter.Seq[*objectRow]{maps.Values(s.rows), maps.Values(s.byID)} {
		for r := range rows {
			if r.dirty || r.recorded {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b *objectRow) int { return cmp.Compare(a.id, b.id) })
	return slices.Compact(out)
}

// insert adds rows of so many columns, several with one statement: to call
// SQLite costs as much as a row. add appends the values of a row.
func insert[T any](ctx context.Context, s *saving, into string, columns int, rows []T, add func([]driver.Value, T) []driver.Value) error {
	const several = 16
	one := "(?" + strings.Repeat(",?", columns-1) + ")"
	many := into + one + strings.Repeat(","+one, several-1)
	for len(rows) > 0 {
		query, n := many, several
		if len(rows) < several {
			query, n = into+one, 1
		}
		s.values = s.values[:0]
		for _, row := range rows[:n] {
			s.values = add(s.values, row)
		}
		if err := s.exec(ctx, query, s.values); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// exec gives the driver a statement without database/sql in between, which
// would copy and convert each value: they are int64, bool, string, []byte and
// nil.
func (s *saving) exec(ctx context.Context, query string, values []driver.Value) error {
	s.args = s.args[:0]
	for i, v := range values {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return s.conn.Raw(func(c any) error {
		_, err := c.(driver.ExecerContext).ExecContext(ctx, query, s.args)
		return err
	})
}

// writeURLs takes rows away before it adds others, in the order of the index.
// An object that changed has most of its URLs still.
func (s *saving) writeURLs(ctx context.Context) error {
	lost, found := apart(inOrder(s.lost), inOrder(s.found))
	for _, u := range lost {
		err := s.exec(ctx, `DELETE FROM urls WHERE hash = ? AND rank = ? AND object = ?`, append(s.values[:0], u.hash, u.rank, u.object))
		if err != nil {
			return err
		}
	}
	return insert(ctx, s, `INSERT OR IGNORE INTO urls (hash, rank, object) VALUES `, 3, found,
		func(values []driver.Value, u urlRow) []driver.Value { return append(values, u.hash, u.rank, u.object) })
}

// saveProgress keeps how far the list was read and the state of its run.
func (s *saving) saveProgress(ctx context.Context, p store.Batch) error {
	if p.Checkpoint.Prefix != "" {
		if err := saveCheckpoint(ctx, s.tx, s.repository, s.repositoryName, p.Checkpoint); err != nil {
			return err
		}
	}
	if p.Run == nil {
		return nil
	}
	run := *p.Run
	err := saveRun(ctx, s.tx, s.repository, &run)
	s.run = run.ID
	return err
}
