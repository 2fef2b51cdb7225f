package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

// objectRow is a row of the table objects.
type objectRow struct {
	id         int64
	identifier string
	key        int64 // of a row that is to be made
	mapped     bool  // there is an object, not an identifier alone
	deleted    bool
	lastmod    sql.NullInt64
	modified   int64
	page       int64
	weight     int64
	prefixes   []byte
	sets       []byte
	value      string
	records    []recordRow // known to saving alone

	dirty    bool // but for records, not in the table as it is here
	recorded bool // records are not in the table as they are here
}

// record is that in one format; nil if there is none.
func (r *objectRow) record(prefix int64) *recordRow {
	for i := range r.records {
		if r.records[i].prefix == prefix {
			return &r.records[i]
		}
	}
	return nil
}

// list is the records as they stand in the table.
func (r *objectRow) list() []byte {
	list := make([]byte, 0, 64*len(r.records))
	for i := range r.records {
		list = appendRecord(list, &r.records[i])
	}
	return list
}

// appendColumns adds the values of the columns that may change, from records on.
func (r *objectRow) appendColumns(values []driver.Value) []driver.Value {
	values = append(values, r.list())
	if !r.mapped {
		return append(values, nil, nil, nil, nil, nil, nil, nil, nil)
	}
	return append(values, r.deleted, orNull(r.lastmod), r.modified, r.page, r.weight, r.prefixes, r.sets, r.value)
}

// keptObject is an object as it is published, but for two lists, which are
// still numbers of words.
type keptObject struct {
	store.Object
	prefixes, sets []byte
}

const keptColumns = `o.id, o.identifier, o.deleted, o.lastmod, o.modified, o.prefixes, o.sets, o.value`

// readObject reads keptColumns of an object. Its row is STRICT: the values have
// the types of their columns, but for NULL.
func readObject(repository string, v []driver.Value) (k keptObject, err error) {
	k.Repository = repository
	k.ID, _ = v[0].(int64)
	k.Identifier, _ = v[1].(string)
	k.Key = store.KeyOf(k.Identifier)
	deleted, _ := v[2].(int64)
	k.Deleted = deleted != 0
	if at, dated := v[3].(int64); dated {
		k.LastMod = time.Unix(at, 0).UTC()
	}
	k.Modified, _ = v[4].(int64)
	k.prefixes, _ = v[5].([]byte)
	k.sets, _ = v[6].([]byte)
	value, _ := v[7].(string)
	if k.Object.Object, err = decode(value); err != nil {
		return k, fmt.Errorf("read object %s of %s: %w", k.Identifier, repository, err)
	}
	return k, nil
}

// whole returns an object with its lists.
func (db *DB) whole(ctx context.Context, q querier, k keptObject) (o store.Object, err error) {
	o = k.Object
	if o.Prefixes, err = db.words.readList(ctx, q, k.prefixes); err != nil {
		return o, err
	}
	o.Sets, err = db.words.readList(ctx, q, k.sets)
	return o, err
}

// hash64 is a number to find a text by. Two texts may have the same: whoever
// finds a row by it compares texts.
func hash64(text string) int64 { return first64(store.Hash(text)) }

func first64(hash [10]byte) int64 { return int64(binary.BigEndian.Uint64(hash[:])) }

// deletedRank is added to the rank of the URLs of a deleted object.
const deletedRank = 8

// urlRow is a row of the table urls.
type urlRow struct{ hash, rank, object int64 }

// appendURLs adds the rows by which an object is found: of those with the same
// hash the one with the best role.
func appendURLs(rows []urlRow, o bridge.Object, deleted bool, id int64) []urlRow {
	others := len(rows)
	for role, uri := range o.URLs() {
		row := urlRow{hash64(bridge.NormalURL(uri)), int64(role), id}
		if deleted {
			row.rank += deletedRank
		}
		rows = append(rows, row)
	}
	own := inOrder(rows[others:])
	return rows[:others+len(slices.CompactFunc(own, func(a, b urlRow) bool { return a.hash == b.hash }))]
}

// inOrder are rows by hash, as they stand in the index.
func inOrder(rows []urlRow) []urlRow {
	slices.SortFunc(rows, compareURLs)
	return rows
}

func compareURLs(a, b urlRow) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.object, b.object), cmp.Compare(a.rank, b.rank))
}

// apart takes from two lists, which are in order, in place, what is in both, row
// for row: an object that changes twice in a page loses what it found.
func apart(a, b []urlRow) (onlyA, onlyB []urlRow) {
	onlyA, onlyB = a[:0], b[:0]
	for len(a) > 0 && len(b) > 0 {
		switch c := compareURLs(a[0], b[0]); {
		case c < 0:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case c > 0:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
}

// found tells whether an object has a URL with this normal form.
func found(o bridge.Object, normal string) bool {
	for _, uri := range o.URLs() {
		if bridge.NormalURL(uri) == normal {
			return true
		}
	}
	return false
}

func seconds(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.Unix(), Valid: !t.IsZero()}
}

// orNull is s as the driver takes it.
func orNull(s sql.NullInt64) any {
	if !s.Valid {
		return nil
	}
	return s.Int64
}

func fromSeconds(s sql.NullInt64) time.Time {
	if !s.Valid {
		return time.Time{}
	}
	return time.Unix(s.Int64, 0).UTC()
}
