package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"errors"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
)

// rows reads the rows of a repository. Its statements compare columns with +?,
// where there is a join or an order: with ?, SQLite 3.54 compiles a statement
// again whenever a value is bound, which takes longer than to run it.
type rows struct {
	*conn
	repository int64
}

func (r rows) Totals() (t engine.Totals, err error) {
	err = r.each(`SELECT coalesce(sum(objects), 0), coalesce(sum(deleted), 0),
			(SELECT count(*) FROM quarantine WHERE repository = ?1),
			(SELECT coalesce(min(id), 0) FROM objects WHERE repository = ?1), (SELECT coalesce(max(id), 0) FROM objects WHERE repository = ?1),
			coalesce(sum(linked1), 0), coalesce(sum(linked2), 0), coalesce(sum(linked3), 0), coalesce(sum(linked4), 0), coalesce(sum(linked5), 0),
			coalesce(sum(linked6), 0), coalesce(sum(linked7), 0)
		FROM signmap_pages WHERE repository = ?1`, func(c *columns) {
		t = engine.Totals{Objects: c.integer(), Deleted: c.integer(), Quarantined: c.integer(), First: c.integer(), Last: c.integer(), Linked: linked(c)}
	}, r.repository)
	return t, err
}

func (r rows) Clock() (modified int64, err error) {
	err = r.each(`SELECT coalesce(max(modified), 0) FROM objects WHERE repository = ?`, func(c *columns) { modified = c.integer() }, r.repository)
	return modified, err
}

func (r rows) Clocks() (out []engine.Clock, err error) {
	err = r.each(`SELECT r.name, coalesce((SELECT max(modified) FROM objects WHERE repository = r.id), 0), version FROM repositories r`, func(c *columns) {
		out = append(out, engine.Clock{Repository: c.text(), Modified: c.integer(), Version: c.integer()})
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

func (r rows) objects(columns engine.Columns, from string, values ...driver.Value) (out []*engine.Object, err error) {
	err = r.each(selected[columns]+from, objectsInto(&out, columns), values...)
	return out, err
}

func objectsInto(out *[]*engine.Object, want engine.Columns) func(*columns) {
	return func(c *columns) {
		o := &engine.Object{}
		readObject(c, o, want)
		*out = append(*out, o)
	}
}

func readObject(c *columns, o *engine.Object, want engine.Columns) {
	o.ID, o.Identifier = c.integer(), c.text()
	if want&engine.Published != 0 {
		o.State, o.LastMod, o.Modified = engine.State(c.integer()), c.integer(), c.integer()
		o.Page, o.Weight, o.Links = c.integer(), c.integer(), c.integer()
		o.Prefixes, o.Sets, o.Value = c.bytes(), c.bytes(), c.bytes()
	}
	if want&engine.Records != 0 {
		o.Records = c.bytes()
	}
}

func (r rows) ByKey(keys []int64, columns engine.Columns) ([]*engine.Object, error) {
	if len(keys) == 1 {
		return r.objects(columns, `FROM objects o WHERE o.repository = ? AND o.key = ?`, r.repository, keys[0])
	}
	return r.objects(columns, `FROM json_each(?) j CROSS JOIN objects o ON o.repository = +? AND o.key = j.value`, numbers(keys), r.repository)
}

func (r rows) ByID(ids []int64, columns engine.Columns) ([]*engine.Object, error) {
	return r.objects(columns, `FROM json_each(?) j CROSS JOIN objects o ON o.id = j.value AND o.repository = +?`, numbers(ids), r.repository)
}

func (r rows) Near(ids []int64, columns engine.Columns) ([]*engine.Object, error) {
	return r.objects(columns, `FROM (SELECT DISTINCT (SELECT id FROM objects WHERE repository = ?2 AND id >= j.value ORDER BY id LIMIT 1) AS id
		FROM json_each(?1) j) p CROSS JOIN objects o ON o.id = p.id ORDER BY o.id`, numbers(ids), r.repository)
}

func (r rows) Scan(s engine.Span, columns engine.Columns) ([]*engine.Object, error) {
	switch {
	case s.Page != 0:
		return r.objects(columns, `FROM objects o WHERE o.repository = +? AND o.page = +? AND o.state = 1 AND o.id > ? AND (o.links & ?) = ? ORDER BY o.id LIMIT ?`,
			r.repository, s.Page, s.After, s.Among, s.Has, int64(s.Limit))
	case s.Order == engine.ByModified:
		return r.objects(columns, `FROM objects o WHERE o.repository = +? AND o.modified > ? ORDER BY o.modified LIMIT ?`,
			r.repository, s.After, int64(s.Limit))
	}
	return r.objects(columns, `FROM objects o WHERE o.repository = +? AND o.id > ? ORDER BY o.id LIMIT ?`, r.repository, s.After, int64(s.Limit))
}

// ByURL takes an object that is not there for damage: objects are never removed.
func (r rows) ByURL(hash int64, in []string, n int) (out []engine.Found, err error) {
	only, values := "", []driver.Value{hash, int64(n)}
	switch len(in) {
	case 0:
	case 1: // most often, and json_each takes longer than all the rest
		only, values = `AND (r.name = +?3 OR o.id IS NULL)`, append(values, in[0])
	default:
		named, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		only, values = `AND (r.name IN (SELECT value FROM json_each(+?3)) OR o.id IS NULL)`, append(values, string(named))
	}
	err = r.while(selected[engine.Published]+`, coalesce(r.name, ''), u.rank FROM urls u
		LEFT JOIN objects o ON o.id = u.object
		LEFT JOIN repositories r ON r.id = o.repository
		WHERE u.hash = +?1 `+only+` ORDER BY u.rank, u.object LIMIT +?2`, func(c *columns) (bool, error) {
		if c.row[0] == nil {
			return false, &store.DamagedError{Err: errors.New("an object that a URL finds is not there")}
		}
		var f engine.Found
		readObject(c, &f.Object, engine.Published)
		f.Repository, f.Rank = c.text(), c.integer()
		out = append(out, f)
		return true, nil
	}, values...)
	return out, err
}

func (r rows) Locations(keys []int64, n int) (out []engine.Location, err error) {
	err = r.each(`SELECT o.key, r.name FROM json_each(?) j CROSS JOIN objects o ON o.key = j.value
		CROSS JOIN repositories r ON r.id = o.repository LIMIT +?`,
		func(c *columns) { out = append(out, engine.Location{Key: c.integer(), Repository: c.text()}) }, numbers(keys), int64(n))
	return out, err
}

func (r rows) Blocks(ids []int64, f func(id int64, bytes []byte) error) error {
	return r.while(`SELECT b.id, b.bytes FROM json_each(?) j CROSS JOIN block_bytes b ON b.id = j.value`, func(c *columns) (bool, error) {
		id, bytes := c.integer(), c.bytes()
		if c.broken {
			return false, nil
		}
		return true, f(id, bytes)
	}, numbers(ids))
}

func (r rows) Words(ids []int64) (out []engine.Word, err error) {
	err = r.each(`SELECT w.id, w.text FROM json_each(?) j CROSS JOIN words w ON w.id = j.value`, wordsInto(&out), numbers(ids))
	return out, err
}

func (r rows) WordsByText(texts []string) (out []engine.Word, err error) {
	list, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	err = r.each(`SELECT w.id, w.text FROM json_each(?) j CROSS JOIN words w ON w.repository = +? AND w.text = j.value`,
		wordsInto(&out), string(list), r.repository)
	return out, err
}

func (r rows) WordsAfter(id int64, n int) (out []engine.Word, err error) {
	err = r.each(`SELECT w.id, w.text FROM words w WHERE w.repository = +? AND w.id > ? ORDER BY w.id LIMIT ?`, wordsInto(&out), r.repository, id, int64(n))
	return out, err
}

func wordsInto(out *[]engine.Word) func(*columns) {
	return func(c *columns) { *out = append(*out, engine.Word{ID: c.integer(), Text: c.text()}) }
}

const pageColumns = `SELECT p.page, p.objects, p.deleted, p.weight, p.modified, p.lastmod,
	p.linked1, p.linked2, p.linked3, p.linked4, p.linked5, p.linked6, p.linked7 `

func (r rows) Pages(only []int64) (out []engine.Page, err error) {
	into := func(c *columns) { out = append(out, readPage(c)) }
	if only == nil {
		return out, r.each(pageColumns+`FROM signmap_pages p WHERE p.repository = +? ORDER BY p.page`, into, r.repository)
	}
	err = r.each(pageColumns+`FROM json_each(?) j CROSS JOIN signmap_pages p ON p.repository = +? AND p.page = j.value ORDER BY p.page`,
		into, numbers(only), r.repository)
	return out, err
}

func readPage(c *columns) engine.Page {
	return engine.Page{
		Number: c.integer(), Objects: c.integer(), Deleted: c.integer(), Weight: c.integer(), Modified: c.integer(), LastMod: c.integer(),
		Linked: linked(c),
	}
}

func linked(c *columns) (counts [engine.Links]int64) {
	for i := range counts {
		counts[i] = c.integer()
	}
	return counts
}

// atOnce bounds the bytes of a chunk of the quarantine, but for its last entry:
// records are in it as they came, however large.
const atOnce = 4 << 20

func (r rows) Quarantine(after int64, n int) (out []engine.Bad, err error) {
	size := 0
	err = r.while(`SELECT id, hash, identifier, prefix, stored, reason, page, bytes, at FROM quarantine
		WHERE repository = +? AND id > ? ORDER BY id LIMIT ?`, func(c *columns) (bool, error) {
		b := engine.Bad{ID: c.integer(), Hash: c.integer(), Identifier: c.text(), Prefix: c.text(), Stored: c.integer() != 0,
			Reason: c.text(), Page: c.text(), Bytes: c.bytes(), At: c.integer()}
		out = append(out, b)
		size += len(b.Bytes)
		return size < atOnce, nil
	}, r.repository, after, int64(n))
	return out, err
}

func (r rows) QuarantineByHash(hashes []int64) (out []engine.Bad, err error) {
	err = r.each(`SELECT q.id, q.hash, q.identifier, q.prefix, q.stored FROM json_each(?) j
		CROSS JOIN quarantine q ON q.repository = +? AND q.hash = j.value`, func(c *columns) {
		out = append(out, engine.Bad{ID: c.integer(), Hash: c.integer(), Identifier: c.text(), Prefix: c.text(), Stored: c.integer() != 0})
	}, numbers(hashes), r.repository)
	return out, err
}

const probeColumns = `SELECT p.hash, p.object, o.identifier, p.due, p.value `

func (r rows) Probes(hashes []int64) (out []engine.Probe, err error) {
	err = r.each(probeColumns+`FROM json_each(?) j CROSS JOIN probes p ON p.repository = +? AND p.hash = j.value
		CROSS JOIN objects o ON o.id = p.object`, probesInto(&out), numbers(hashes), r.repository)
	return out, err
}

func (r rows) DueProbes(before int64, n int) (out []engine.Probe, err error) {
	err = r.each(probeColumns+`FROM probes p CROSS JOIN objects o ON o.id = p.object
		WHERE p.repository = +? AND p.due < ? ORDER BY p.due, p.hash LIMIT ?`, probesInto(&out), r.repository, before, int64(n))
	return out, err
}

func probesInto(out *[]engine.Probe) func(*columns) {
	return func(c *columns) {
		*out = append(*out, engine.Probe{Hash: c.integer(), Object: c.integer(), Identifier: c.text(), Due: c.integer(), Value: c.bytes()})
	}
}

// of returns the number of the repository that documents of a kind belong to.
func (r rows) of(kind engine.Kind) int64 {
	if kind.Global() {
		return 0
	}
	return r.repository
}

func (r rows) Document(kind engine.Kind, name string) (value []byte, err error) {
	err = r.each(`SELECT value FROM documents WHERE kind = ? AND repository = ? AND name = ?`,
		func(c *columns) { value = []byte(c.text()) }, int64(kind), r.of(kind), name)
	return value, err
}

func (r rows) Documents(kind engine.Kind, n int) (out []engine.Document, err error) {
	err = r.each(`SELECT name, value FROM documents WHERE kind = +? AND repository = +? ORDER BY name DESC LIMIT ?`,
		func(c *columns) { out = append(out, engine.Document{Name: c.text(), Value: []byte(c.text())}) }, int64(kind), r.of(kind), int64(n))
	return out, err
}
