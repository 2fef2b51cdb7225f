package sqlite

import (
	"database/sql/driver"
	"strings"

	"fingerpost/bridge/store/engine"
)

// tx reads and writes the rows of a repository.
type tx struct {
	rows
	values []driver.Value // memory for the statement being run
}

func (t *tx) Head(keys []int64) (h engine.Head, found []*engine.Object, err error) {
	err = t.each(`SELECT (SELECT coalesce(max(id), 0) + 1 FROM objects), (SELECT coalesce(max(id), 0) + 1 FROM words),
			(SELECT coalesce(max(id), 0) + 1 FROM blocks), EXISTS (SELECT 1 FROM quarantine WHERE repository = ?1)`, func(c *columns) {
		h.NextID, h.NextWord, h.NextBlock, h.Quarantine = c.integer(), c.integer(), c.integer(), c.integer() != 0
	}, t.repository)
	if err == nil {
		h.Clock, err = t.Clock()
	}
	if err == nil {
		err = t.each(`SELECT id, size, live FROM blocks WHERE id = (SELECT max(id) FROM blocks WHERE repository = ?)`,
			func(c *columns) { h.LastBlock = readBlock(c) }, t.repository)
	}
	if err == nil {
		err = t.each(pageColumns+`FROM signmap_pages p WHERE p.repository = +? ORDER BY p.page DESC LIMIT 1`,
			func(c *columns) { h.LastPage = readPage(c) }, t.repository)
	}
	if err == nil {
		err = t.each(`SELECT d.value FROM documents d JOIN repositories r ON r.name = d.name WHERE d.kind = +? AND d.repository = 0 AND r.id = +?`,
			func(c *columns) { h.Repository = []byte(c.text()) }, int64(engine.Repository), t.repository)
	}
	if err == nil {
		found, err = t.ByKey(keys, engine.Published|engine.Records)
	}
	return h, found, err
}

func readBlock(c *columns) engine.Block {
	return engine.Block{ID: c.integer(), Size: c.integer(), Live: c.integer()}
}

func (t *tx) PutObjects(added, changed, recorded []*engine.Object) error {
	// OR FAIL: an error undoes the transaction, so SQLite need not be able to
	// undo the statement.
	err := insert(t, `INSERT OR FAIL INTO objects
		(id, repository, key, identifier, state, lastmod, modified, page, weight, links, prefixes, sets, value, records) VALUES `,
		14, added, func(v []driver.Value, o *engine.Object) []driver.Value {
			return appendColumns(append(v, o.ID, t.repository, o.Key, o.Identifier), o)
		})
	for i := 0; i < len(changed) && err == nil; i++ {
		t.values = append(appendColumns(t.values[:0], changed[i]), changed[i].ID)
		_, err = t.exec(`UPDATE objects SET state = ?, lastmod = ?, modified = ?, page = ?, weight = ?, links = ?, prefixes = ?, sets = ?, value = ?,
			records = ? WHERE id = ?`, t.values...)
	}
	for i := 0; i < len(recorded) && err == nil; i++ {
		_, err = t.exec(`UPDATE objects SET records = ? WHERE id = ?`, blob(recorded[i].Records), recorded[i].ID)
	}
	return err
}

// appendColumns adds the values of the columns that may change.
func appendColumns(v []driver.Value, o *engine.Object) []driver.Value {
	return append(v, int64(o.State), o.LastMod, o.Modified, o.Page, o.Weight, o.Links, blob(o.Prefixes), blob(o.Sets), blob(o.Value), blob(o.Records))
}

// blob returns b, but never nil, which would be NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// PutURLs writes in the order of the index.
func (t *tx) PutURLs(lost, found []engine.URL) error {
	for _, u := range lost {
		if _, err := t.exec(`DELETE FROM urls WHERE hash = ? AND rank = ? AND object = ?`, u.Hash, u.Rank, u.Object); err != nil {
			return err
		}
	}
	return insert(t, `INSERT OR IGNORE INTO urls (hash, rank, object) VALUES `, 3, found,
		func(v []driver.Value, u engine.URL) []driver.Value { return append(v, u.Hash, u.Rank, u.Object) })
}

func (t *tx) PutWords(added []engine.Word) error {
	return insert(t, `INSERT INTO words (id, repository, text) VALUES `, 3, added,
		func(v []driver.Value, w engine.Word) []driver.Value { return append(v, w.ID, t.repository, w.Text) })
}

func (t *tx) PutPages(pages []engine.Page) error {
	return insert(t, `INSERT OR REPLACE INTO signmap_pages (repository, page, objects, deleted, weight, modified, lastmod,
		linked1, linked2, linked3, linked4, linked5, linked6, linked7) VALUES `, 7+engine.Links, pages,
		func(v []driver.Value, p engine.Page) []driver.Value {
			v = append(v, t.repository, p.Number, p.Objects, p.Deleted, p.Weight, p.Modified, p.LastMod)
			for _, n := range p.Linked {
				v = append(v, n)
			}
			return v
		})
}

func (t *tx) PutBlock(b engine.Block, bytes []byte) error {
	if _, err := t.exec(`INSERT INTO blocks (id, repository, size, live) VALUES (?, ?, ?, ?)`, b.ID, t.repository, b.Size, b.Live); err != nil {
		return err
	}
	_, err := t.exec(`INSERT INTO block_bytes (id, bytes) VALUES (?, ?)`, b.ID, bytes)
	return err
}

func (t *tx) FreeBlocks(freed map[int64]int) (out []engine.Block, err error) {
	for id, n := range freed {
		err := t.each(`UPDATE blocks SET live = live - ? WHERE id = ? RETURNING id, size, live`,
			func(c *columns) { out = append(out, readBlock(c)) }, int64(n), id)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *tx) DropBlocks(ids []int64) error {
	return t.drop(ids, `DELETE FROM blocks WHERE id IN (SELECT value FROM json_each(?))`,
		`DELETE FROM block_bytes WHERE id IN (SELECT value FROM json_each(?))`)
}

func (t *tx) DropQuarantine(ids []int64) error {
	return t.drop(ids, `DELETE FROM quarantine WHERE id IN (SELECT value FROM json_each(?))`)
}

func (t *tx) drop(ids []int64, statements ...string) error {
	for _, s := range statements {
		if len(ids) == 0 {
			return nil
		}
		if _, err := t.exec(s, numbers(ids)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) PutQuarantine(added []engine.Bad) error {
	return insert(t, `INSERT INTO quarantine (repository, hash, identifier, prefix, stored, reason, page, bytes, at) VALUES `, 9, added,
		func(v []driver.Value, b engine.Bad) []driver.Value {
			return append(v, t.repository, b.Hash, b.Identifier, b.Prefix, b.Stored, b.Reason, b.Page, blob(b.Bytes), b.At)
		})
}

func (t *tx) DropUnread(prefix string, before int64) (int, error) {
	done, err := t.exec(`DELETE FROM quarantine WHERE repository = ? AND prefix = ? AND stored = 0 AND at < ?`, t.repository, prefix, before)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

func (t *tx) PutProbes(probes []engine.Probe) error {
	return insert(t, `INSERT OR REPLACE INTO probes (repository, hash, object, due, value) VALUES `, 5, probes,
		func(v []driver.Value, p engine.Probe) []driver.Value {
			return append(v, t.repository, p.Hash, p.Object, p.Due, p.Value)
		})
}

func (t *tx) PutDocument(kind engine.Kind, d engine.Document) error {
	_, err := t.exec(`INSERT INTO documents (kind, repository, name, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value`,
		int64(kind), t.of(kind), d.Name, string(d.Value))
	if err == nil && kind == engine.Repository {
		_, err = t.exec(`UPDATE repositories SET version = version + 1 WHERE id = ?`, t.repository)
	}
	return err
}

// insert adds rows of so many columns, several with one statement: a call of
// SQLite costs as much as a row. add appends the values of a row.
func insert[T any](t *tx, into string, columns int, list []T, add func([]driver.Value, T) []driver.Value) error {
	const several = 16
	one := "(?" + strings.Repeat(",?", columns-1) + ")"
	many := into + one + strings.Repeat(","+one, several-1)
	for len(list) > 0 {
		query, n := many, several
		if len(list) < several {
			query, n = into+one, 1
		}
		t.values = t.values[:0]
		for _, row := range list[:n] {
			t.values = add(t.values, row)
		}
		if _, err := t.exec(query, t.values...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
