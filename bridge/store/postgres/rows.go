package postgres

import (
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"fingerpost/bridge/store/engine"
)

// rows reads the rows of a repository.
//
// Lists of keys are joined LATERAL, behind OFFSET 0, so that each key is looked
// up in the index: without statistics, as in a first harvest, the planner would
// read the whole repository. The list is behind a SELECT, so that no plan rests
// on its length: a statement is planned once, not each time. For the same reason
// a limit that is always the same is no parameter.
type rows struct {
	*conn
	repository int32
}

// forEach goes before a subquery with $1, a repository, and k, one of the keys $2.
const forEach = `unnest((SELECT $2::bigint[])) k CROSS JOIN LATERAL `

func (r rows) Totals() (t engine.Totals, err error) {
	err = r.each(`SELECT coalesce(sum(objects), 0)::bigint, coalesce(sum(deleted), 0)::bigint,
			(SELECT count(*) FROM fingerpost.quarantine WHERE repository = $1),
			(SELECT coalesce(min(id), 0) FROM fingerpost.objects WHERE repository = $1),
			(SELECT coalesce(max(id), 0) FROM fingerpost.objects WHERE repository = $1),
			(SELECT coalesce(array_agg(n ORDER BY i), $2::bigint[]) FROM (SELECT i, sum(n)::bigint AS n FROM fingerpost.signmap_pages,
				unnest(linked) WITH ORDINALITY l(n, i) WHERE repository = $1 GROUP BY i) s)
		FROM fingerpost.signmap_pages WHERE repository = $1`, func(row pgx.Rows) error {
		return row.Scan(&t.Objects, &t.Deleted, &t.Quarantined, &t.First, &t.Last, &t.Linked)
	}, r.repository, t.Linked[:])
	return t, err
}

func (r rows) Clock() (modified int64, err error) {
	err = r.each(`SELECT clock FROM fingerpost.repositories WHERE id = $1`,
		func(row pgx.Rows) error { return row.Scan(&modified) }, r.repository)
	return modified, err
}

func (r rows) Clocks() (out []engine.Clock, err error) {
	err = r.each(`SELECT name, clock, version FROM fingerpost.repositories WHERE id > 0`, func(row pgx.Rows) error {
		var c engine.Clock
		err := row.Scan(&c.Repository, &c.Modified, &c.Version)
		out = append(out, c)
		return err
	})
	return out, err
}

// selected are the columns of objects in each set of engine.Columns.
var selected = [...]string{
	0:                `SELECT o.id, o.identifier `,
	engine.Published: `SELECT o.id, o.identifier, o.state, o.lastmod, o.modified, o.page, o.weight, o.links, o.prefixes, o.sets, o.value `,
	engine.Records:   `SELECT o.id, o.identifier, o.records `,
	engine.Published | engine.Records: `SELECT o.id, o.identifier, o.state, o.lastmod, o.modified, o.page, o.weight, o.links, o.prefixes, o.sets, o.value,
		o.records `,
}

// places returns where the columns of a row are scanned into.
func places(o *engine.Object, columns engine.Columns) []any {
	list := []any{&o.ID, &o.Identifier}
	if columns&engine.Published != 0 {
		list = append(list, &o.State, &o.LastMod, &o.Modified, &o.Page, &o.Weight, &o.Links, &o.Prefixes, &o.Sets, &o.Value)
	}
	if columns&engine.Records != 0 {
		list = append(list, &o.Records)
	}
	return list
}

func objectsInto(out *[]*engine.Object, columns engine.Columns) func(pgx.Rows) error {
	return func(row pgx.Rows) error {
		o := &engine.Object{}
		*out = append(*out, o)
		return row.Scan(places(o, columns)...)
	}
}

func (r rows) objects(columns engine.Columns, from string, args ...any) (out []*engine.Object, err error) {
	if columns&engine.Records != 0 {
		r.begin() // records name blocks: another question follows
	}
	err = r.each(selected[columns]+from, objectsInto(&out, columns), args...)
	return out, err
}

const byKey = `FROM ` + forEach + `(SELECT * FROM fingerpost.objects WHERE repository = $1 AND key = k OFFSET 0) o`

func (r rows) ByKey(keys []int64, columns engine.Columns) ([]*engine.Object, error) {
	return r.objects(columns, byKey, r.repository, keys)
}

func (r rows) ByID(ids []int64, columns engine.Columns) ([]*engine.Object, error) {
	return r.objects(columns, `FROM `+forEach+`(SELECT * FROM fingerpost.objects WHERE repository = $1 AND id = k OFFSET 0) o`, r.repository, ids)
}

func (r rows) Near(ids []int64, columns engine.Columns) ([]*engine.Object, error) {
	return r.objects(columns, `FROM (SELECT DISTINCT
			(SELECT id FROM fingerpost.objects WHERE repository = $1 AND id >= k ORDER BY id LIMIT 1) AS id
		FROM unnest((SELECT $2::bigint[])) k) n CROSS JOIN LATERAL
		(SELECT * FROM fingerpost.objects WHERE repository = $1 AND id = n.id OFFSET 0) o ORDER BY o.id`, r.repository, ids)
}

func (r rows) Scan(s engine.Span, columns engine.Columns) ([]*engine.Object, error) {
	switch {
	case s.Page != 0:
		return r.objects(columns, `FROM fingerpost.objects o WHERE o.repository = $1 AND o.page = $2 AND o.state = 1 AND o.id > $3
			AND (o.links & $4) = $5 ORDER BY o.repository, o.page, o.id LIMIT $6`, r.repository, s.Page, s.After, s.Among, s.Has, s.Limit)
	case s.Order == engine.ByModified:
		return r.objects(columns, `FROM fingerpost.objects o WHERE o.repository = $1 AND o.modified > $2
			ORDER BY o.repository, o.modified LIMIT $3`, r.repository, s.After, s.Limit)
	}
	return r.objects(columns, `FROM fingerpost.objects o WHERE o.repository = $1 AND o.id > $2
		ORDER BY o.repository, o.id LIMIT $3`, r.repository, s.After, s.Limit)
}

func (r rows) ByURL(hash int64, in []string, n int) (out []engine.Found, err error) {
	err = r.each(selected[engine.Published]+`, r.name, u.rank FROM fingerpost.urls u CROSS JOIN LATERAL
		(SELECT * FROM fingerpost.objects WHERE repository = u.repository AND id = u.object OFFSET 0) o CROSS JOIN LATERAL
		(SELECT name FROM fingerpost.repositories WHERE id = u.repository OFFSET 0) r
		WHERE u.hash = $1 AND ($2::text[] IS NULL OR r.name = ANY ($2))
		ORDER BY u.rank, u.repository, u.object LIMIT `+strconv.Itoa(n), func(row pgx.Rows) error {
		out = append(out, engine.Found{})
		f := &out[len(out)-1]
		return row.Scan(append(places(&f.Object, engine.Published), &f.Repository, &f.Rank)...)
	}, hash, in)
	return out, err
}

func (r rows) Locations(keys []int64, n int) (out []engine.Location, err error) {
	err = r.each(`SELECT k, r.name FROM unnest((SELECT $1::bigint[])) k CROSS JOIN LATERAL
		(SELECT repository FROM fingerpost.objects WHERE key = k OFFSET 0) o CROSS JOIN LATERAL
		(SELECT name FROM fingerpost.repositories WHERE id = o.repository OFFSET 0) r LIMIT $2`, func(row pgx.Rows) error {
		out = append(out, engine.Location{})
		return row.Scan(&out[len(out)-1].Key, &out[len(out)-1].Repository)
	}, keys, n)
	return out, err
}

func (r rows) Blocks(ids []int64, f func(id int64, bytes []byte) error) error {
	return r.each(`SELECT b.id, b.bytes FROM `+forEach+`(SELECT * FROM fingerpost.block_bytes WHERE repository = $1 AND id = k OFFSET 0) b`, func(row pgx.Rows) error {
		var id int64
		var bytes pgtype.DriverBytes // valid until the next row
		if err := row.Scan(&id, &bytes); err != nil {
			return err
		}
		return f(id, bytes)
	}, r.repository, ids)
}

func (r rows) Words(ids []int64) (out []engine.Word, err error) {
	err = r.each(`SELECT w.id, w.text FROM `+forEach+`(SELECT * FROM fingerpost.words WHERE repository = $1 AND id = k OFFSET 0) w`, wordsInto(&out), r.repository, ids)
	return out, err
}

func (r rows) WordsByText(texts []string) (out []engine.Word, err error) {
	err = r.each(`SELECT w.id, w.text FROM unnest((SELECT $2::text[])) k CROSS JOIN LATERAL (SELECT * FROM fingerpost.words
		WHERE repository = $1 AND hashtextextended(text, 0) = hashtextextended(k, 0) AND text = k OFFSET 0) w`, wordsInto(&out), r.repository, texts)
	return out, err
}

func (r rows) WordsAfter(id int64, n int) (out []engine.Word, err error) {
	err = r.each(`SELECT w.id, w.text FROM fingerpost.words w WHERE w.repository = $1 AND w.id > $2 ORDER BY w.repository, w.id LIMIT $3`,
		wordsInto(&out), r.repository, id, n)
	return out, err
}

func wordsInto(out *[]engine.Word) func(pgx.Rows) error {
	return func(row pgx.Rows) error {
		var w engine.Word
		err := row.Scan(&w.ID, &w.Text)
		*out = append(*out, w)
		return err
	}
}

const pageColumns = `SELECT p.page, p.objects, p.deleted, p.weight, p.modified, p.lastmod, p.linked FROM `

func (r rows) Pages(only []int64) (out []engine.Page, err error) {
	into := func(row pgx.Rows) error {
		out = append(out, engine.Page{})
		return scanPage(row, &out[len(out)-1])
	}
	if only == nil {
		return out, r.each(pageColumns+`fingerpost.signmap_pages p WHERE p.repository = $1 ORDER BY p.page`, into, r.repository)
	}
	err = r.each(pageColumns+forEach+`(SELECT * FROM fingerpost.signmap_pages WHERE repository = $1 AND page = k OFFSET 0) p ORDER BY p.page`, into, r.repository, only)
	return out, err
}

func scanPage(row pgx.Rows, p *engine.Page) error {
	return row.Scan(&p.Number, &p.Objects, &p.Deleted, &p.Weight, &p.Modified, &p.LastMod, &p.Linked)
}

// atOnce bounds the bytes of a chunk of the quarantine, but for its last entry:
// records are in it as they came, however large.
const atOnce = 4 << 20

func (r rows) Quarantine(after int64, n int) (out []engine.Bad, err error) {
	err = r.each(`SELECT id, hash, identifier, prefix, stored, reason, page, bytes, at FROM (
		SELECT *, sum(octet_length(bytes)) OVER (ORDER BY id) - octet_length(bytes) AS before FROM
			(SELECT * FROM fingerpost.quarantine WHERE repository = $1 AND id > $2 ORDER BY repository, id LIMIT $3) q) q
		WHERE before < $4 ORDER BY id`, func(row pgx.Rows) error {
		var b engine.Bad
		err := row.Scan(&b.ID, &b.Hash, &b.Identifier, &b.Prefix, &b.Stored, &b.Reason, &b.Page, &b.Bytes, &b.At)
		out = append(out, b)
		return err
	}, r.repository, after, n, atOnce)
	return out, err
}

func (r rows) QuarantineByHash(hashes []int64) (out []engine.Bad, err error) {
	err = r.each(`SELECT q.id, q.hash, q.identifier, q.prefix, q.stored FROM `+forEach+`(SELECT * FROM fingerpost.quarantine WHERE repository = $1 AND hash = k OFFSET 0) q`, func(row pgx.Rows) error {
		var b engine.Bad
		err := row.Scan(&b.ID, &b.Hash, &b.Identifier, &b.Prefix, &b.Stored)
		out = append(out, b)
		return err
	}, r.repository, hashes)
	return out, err
}

const probeColumns = `SELECT p.hash, p.object, o.identifier, p.due, p.value FROM `

const objectOfProbe = ` CROSS JOIN LATERAL (SELECT identifier FROM fingerpost.objects WHERE repository = $1 AND id = p.object OFFSET 0) o`

func (r rows) Probes(hashes []int64) (out []engine.Probe, err error) {
	err = r.each(probeColumns+forEach+`(SELECT * FROM fingerpost.probes WHERE repository = $1 AND hash = k OFFSET 0) p`+objectOfProbe, probesInto(&out), r.repository, hashes)
	return out, err
}

func (r rows) DueProbes(before int64, n int) (out []engine.Probe, err error) {
	err = r.each(probeColumns+`(SELECT * FROM fingerpost.probes WHERE repository = $1 AND due < $2
		ORDER BY repository, due, hash LIMIT $3) p`+objectOfProbe+` ORDER BY p.due, p.hash`, probesInto(&out), r.repository, before, n)
	return out, err
}

func probesInto(out *[]engine.Probe) func(pgx.Rows) error {
	return func(row pgx.Rows) error {
		var p engine.Probe
		err := row.Scan(&p.Hash, &p.Object, &p.Identifier, &p.Due, &p.Value)
		*out = append(*out, p)
		return err
	}
}

// of returns the number of the repository that documents of a kind belong to.
func (r rows) of(kind engine.Kind) int32 {
	if kind.Global() {
		return 0
	}
	return r.repository
}

func (r rows) Document(kind engine.Kind, name string) (value []byte, err error) {
	err = r.each(`SELECT value FROM fingerpost.documents WHERE kind = $2 AND repository = $3 AND`+named,
		bytesInto(&value), name, kind, r.of(kind))
	return value, err
}

func bytesInto(value *[]byte) func(pgx.Rows) error {
	return func(row pgx.Rows) error { return row.Scan(value) }
}

func (r rows) Documents(kind engine.Kind, n int) (out []engine.Document, err error) {
	err = r.each(`SELECT name, value FROM fingerpost.documents WHERE kind = $1 AND repository = $2
		ORDER BY left(name, 200) DESC, name DESC LIMIT $3`, func(row pgx.Rows) error {
		var d engine.Document
		err := row.Scan(&d.Name, &d.Value)
		out = append(out, d)
		return err
	}, kind, r.of(kind), n)
	return out, err
}
