package postgres

import (
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
)

// tx reads and writes the rows of a repository. What it writes is queued until
// the next question.
type tx struct {
	rows
	name  string // of the repository
	clock int64  // the newest Modified that was written
	begun bool   // the lock was seen
}

// begin locks the repository's row first: there is one Update of a repository
// at a time. epoch is that of this process' lock on the repository; 0 if it has
// none. If another process has taken the repository since, its epoch is another.
func (t *tx) begin(epoch int64) {
	t.queue(`BEGIN`)
	t.queued = append(t.queued, question{`SELECT epoch FROM fingerpost.repositories WHERE id = $1 FOR UPDATE`,
		[]any{t.repository}, func(row pgx.Rows) error {
			var has int64
			err := row.Scan(&has)
			t.begun = true
			if err == nil && epoch != 0 && has != epoch {
				err = &store.LockedError{Repository: t.name, Owner: "one that has taken over from this one"}
			}
			return err
		}})
}

// commit writes what is queued and ends the transaction. Nothing is committed
// before the lock was seen.
func (t *tx) commit() error {
	if !t.begun {
		if err := t.ask(); err != nil {
			return err
		}
	}
	t.transaction = transaction{t.repository, rand.Int64()}
	t.queue(`UPDATE fingerpost.repositories SET clock = greatest(clock, $2), saved = $3 WHERE id = $1`, t.repository, t.clock, t.transaction.number)
	t.queue(`COMMIT`)
	return t.ask()
}

func (t *tx) Head(keys []int64) (h engine.Head, found []*engine.Object, err error) {
	r := t.repository
	err = t.ask(
		question{`SELECT clock, (SELECT coalesce(max(id), 0) + 1 FROM fingerpost.objects WHERE repository = $1),
				(SELECT coalesce(max(id), 0) + 1 FROM fingerpost.words WHERE repository = $1),
				(SELECT coalesce(max(id), 0) + 1 FROM fingerpost.blocks WHERE repository = $1),
				EXISTS (SELECT 1 FROM fingerpost.quarantine WHERE repository = $1)
			FROM fingerpost.repositories WHERE id = $1`, []any{r}, func(row pgx.Rows) error {
			return row.Scan(&h.Clock, &h.NextID, &h.NextWord, &h.NextBlock, &h.Quarantine)
		}},
		question{`SELECT id, size, live FROM fingerpost.blocks WHERE repository = $1 ORDER BY repository DESC, id DESC LIMIT 1`, []any{r},
			func(row pgx.Rows) error { return scanBlock(row, &h.LastBlock) }},
		question{pageColumns + `fingerpost.signmap_pages p WHERE p.repository = $1 ORDER BY p.repository DESC, p.page DESC LIMIT 1`, []any{r},
			func(row pgx.Rows) error { return scanPage(row, &h.LastPage) }},
		question{`SELECT value FROM fingerpost.documents WHERE kind = $2 AND repository = 0 AND` + named, []any{t.name, engine.Repository},
			bytesInto(&h.Repository)},
		question{selected[engine.Published|engine.Records] + byKey, []any{r, keys},
			objectsInto(&found, engine.Published|engine.Records)},
	)
	return h, found, err
}

func scanBlock(row pgx.Rows, b *engine.Block) error { return row.Scan(&b.ID, &b.Size, &b.Live) }

// table collects the columns of rows, to be one array each.
type table struct {
	ints  [8][]int64
	texts []string
	bytes [4][][]byte
}

// objectTable returns the columns of objects in the order of their writing.
func objectTable(list []*engine.Object) (t table) {
	for _, o := range list {
		for i, n := range [...]int64{o.ID, o.Key, int64(o.State), o.LastMod, o.Modified, o.Page, o.Weight, o.Links} {
			t.ints[i] = append(t.ints[i], n)
		}
		t.texts = append(t.texts, o.Identifier)
		for i, b := range [...][]byte{o.Prefixes, o.Sets, o.Value, o.Records} {
			t.bytes[i] = append(t.bytes[i], blob(b))
		}
	}
	return t
}

// blob returns b, but never nil, which would be NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (t *tx) PutObjects(added, changed, recorded []*engine.Object) error {
	for _, o := range added {
		t.clock = max(t.clock, o.Modified)
	}
	for _, o := range changed {
		t.clock = max(t.clock, o.Modified)
	}
	t.add(objectTable(added))
	t.change(objectTable(changed))
	t.changeRecords(objectTable(recorded))
	return nil
}

func (t *tx) add(o table) {
	if len(o.texts) == 0 {
		return
	}
	t.queue(`INSERT INTO fingerpost.objects
			(repository, id, key, state, lastmod, modified, page, weight, links, identifier, prefixes, sets, value, records)
		SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
			$9::bigint[], $10::text[], $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[])`,
		t.repository, o.ints[0], o.ints[1], o.ints[2], o.ints[3], o.ints[4], o.ints[5], o.ints[6], o.ints[7],
		o.texts, o.bytes[0], o.bytes[1], o.bytes[2], o.bytes[3])
}

func (t *tx) change(o table) {
	if len(o.texts) == 0 {
		return
	}
	t.queue(`UPDATE fingerpost.objects o SET state = u.state, lastmod = u.lastmod, modified = u.modified, page = u.page, weight = u.weight,
			links = u.links, prefixes = u.prefixes, sets = u.sets, value = u.value, records = u.records
		FROM unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
			$9::bytea[], $10::bytea[], $11::bytea[], $12::bytea[]) u(id, state, lastmod, modified, page, weight, links, prefixes, sets, value, records)
		WHERE o.repository = $1 AND o.id = u.id`,
		t.repository, o.ints[0], o.ints[2], o.ints[3], o.ints[4], o.ints[5], o.ints[6], o.ints[7], o.bytes[0], o.bytes[1], o.bytes[2], o.bytes[3])
}

func (t *tx) changeRecords(o table) {
	if len(o.texts) == 0 {
		return
	}
	t.queue(`UPDATE fingerpost.objects o SET records = u.records FROM unnest($2::bigint[], $3::bytea[]) u(id, records)
		WHERE o.repository = $1 AND o.id = u.id`, t.repository, o.ints[0], o.bytes[3])
}

func (t *tx) PutURLs(lost, found []engine.URL) error {
	if hashes, ranks, objects := columnsOf(lost); len(hashes) > 0 {
		t.queue(`DELETE FROM fingerpost.urls u USING unnest($2::bigint[], $3::smallint[], $4::bigint[]) l(hash, rank, object)
			WHERE u.hash = l.hash AND u.rank = l.rank AND u.repository = $1 AND u.object = l.object`, t.repository, hashes, ranks, objects)
	}
	if hashes, ranks, objects := columnsOf(found); len(hashes) > 0 {
		t.queue(`INSERT INTO fingerpost.urls (repository, hash, rank, object)
			SELECT $1, * FROM unnest($2::bigint[], $3::smallint[], $4::bigint[]) ON CONFLICT DO NOTHING`, t.repository, hashes, ranks, objects)
	}
	return nil
}

func columnsOf(urls []engine.URL) (hashes, ranks, objects []int64) {
	for _, u := range urls {
		hashes, ranks, objects = append(hashes, u.Hash), append(ranks, u.Rank), append(objects, u.Object)
	}
	return hashes, ranks, objects
}

func (t *tx) PutWords(added []engine.Word) error {
	for _, w := range added {
		t.queue(`INSERT INTO fingerpost.words (repository, id, text) VALUES ($1, $2, $3)`, t.repository, w.ID, w.Text)
	}
	return nil
}

func (t *tx) PutPages(pages []engine.Page) error {
	for _, p := range pages {
		t.queue(`INSERT INTO fingerpost.signmap_pages (repository, page, objects, deleted, weight, modified, lastmod, linked)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (repository, page) DO UPDATE SET objects = excluded.objects,
			deleted = excluded.deleted, weight = excluded.weight, modified = excluded.modified, lastmod = excluded.lastmod, linked = excluded.linked`,
			t.repository, p.Number, p.Objects, p.Deleted, p.Weight, p.Modified, p.LastMod, p.Linked[:])
	}
	return nil
}

// PutBlock copies the bytes, which are sent later.
func (t *tx) PutBlock(b engine.Block, bytes []byte) error {
	t.queue(`INSERT INTO fingerpost.blocks (repository, id, size, live) VALUES ($1, $2, $3, $4)`, t.repository, b.ID, b.Size, b.Live)
	t.queue(`INSERT INTO fingerpost.block_bytes (repository, id, bytes) VALUES ($1, $2, $3)`, t.repository, b.ID, append([]byte(nil), bytes...))
	return nil
}

func (t *tx) FreeBlocks(freed map[int64]int) (out []engine.Block, err error) {
	if len(freed) == 0 {
		return nil, nil
	}
	var ids, sizes []int64
	for id, n := range freed {
		ids, sizes = append(ids, id), append(sizes, int64(n))
	}
	err = t.each(`UPDATE fingerpost.blocks b SET live = live - f.n FROM unnest($2::bigint[], $3::bigint[]) f(id, n)
		WHERE b.repository = $1 AND b.id = f.id RETURNING b.id, b.size, b.live`, func(row pgx.Rows) error {
		out = append(out, engine.Block{})
		return scanBlock(row, &out[len(out)-1])
	}, t.repository, ids, sizes)
	return out, err
}

func (t *tx) DropBlocks(ids []int64) error {
	if len(ids) > 0 {
		t.queue(`DELETE FROM fingerpost.blocks WHERE repository = $1 AND id = ANY($2::bigint[])`, t.repository, ids)
		t.queue(`DELETE FROM fingerpost.block_bytes WHERE repository = $1 AND id = ANY($2::bigint[])`, t.repository, ids)
	}
	return nil
}

func (t *tx) PutQuarantine(added []engine.Bad) error {
	for _, b := range added {
		t.queue(`INSERT INTO fingerpost.quarantine (repository, hash, identifier, prefix, stored, reason, page, bytes, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, t.repository, b.Hash, b.Identifier, b.Prefix, b.Stored, b.Reason, b.Page, blob(b.Bytes), b.At)
	}
	return nil
}

func (t *tx) DropQuarantine(ids []int64) error {
	if len(ids) > 0 {
		t.queue(`DELETE FROM fingerpost.quarantine WHERE id = ANY($1::bigint[])`, ids)
	}
	return nil
}

func (t *tx) DropUnread(prefix string, before int64) (n int, err error) {
	err = t.each(`WITH gone AS (DELETE FROM fingerpost.quarantine WHERE repository = $1 AND prefix = $2 AND NOT stored AND at < $3 RETURNING 1)
		SELECT count(*) FROM gone`, func(row pgx.Rows) error { return row.Scan(&n) }, t.repository, prefix, before)
	return n, err
}

func (t *tx) PutProbes(probes []engine.Probe) error {
	for _, p := range probes {
		t.queue(`INSERT INTO fingerpost.probes (repository, hash, object, due, value) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (repository, hash) DO UPDATE SET object = excluded.object, due = excluded.due, value = excluded.value`,
			t.repository, p.Hash, p.Object, p.Due, blob(p.Value))
	}
	return nil
}

func (t *tx) PutDocument(kind engine.Kind, d engine.Document) error {
	t.queue(`INSERT INTO fingerpost.documents (kind, repository, name, value) VALUES ($1, $2, $3, $4)
		ON CONFLICT (kind, repository, left(name, 200), hashtextextended(name, 0)) DO UPDATE SET value = excluded.value`,
		kind, t.of(kind), d.Name, string(d.Value))
	if kind == engine.Repository {
		t.queue(`UPDATE fingerpost.repositories SET version = version + 1 WHERE`+named, d.Name)
	}
	return nil
}
