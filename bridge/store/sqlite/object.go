package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
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

const objectColumns = `o.id, o.identifier, o.deleted IS NOT NULL, coalesce(o.deleted, 0), o.lastmod,
	coalesce(o.modified, 0), coalesce(o.page, 0), coalesce(o.weight, 0), o.prefixes, o.sets, coalesce(o.value, '')`

func (r *objectRow) scan(rows interface{ Scan(...any) error }, more ...any) error {
	return rows.Scan(append([]any{&r.id, &r.identifier, &r.mapped, &r.deleted, &r.lastmod,
		&r.modified, &r.page, &r.weight, &r.prefixes, &r.sets, &r.value}, more...)...)
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

// object makes the published object of a row.
func (db *DB) object(ctx context.Context, q querier, repository string, r objectRow) (o store.Object, err error) {
	o = store.Object{
		ID: r.id, Repository: repository, Identifier: r.identifier, Key: store.KeyOf(r.identifier),
		Deleted: r.deleted, LastMod: fromSeconds(r.lastmod), Modified: r.modified,
	}
	if o.Object, err = decode(r.value); err != nil {
		return o, fmt.Errorf("read object %s of %s: %w", r.identifier, repository, err)
	}
	if o.Prefixes, err = db.words.readList(ctx, q, r.prefixes); err != nil {
		return o, err
	}
	o.Sets, err = db.words.readList(ctx, q, r.sets)
	return o, err
}

// hash64 is a number to find a text by. Two texts may have the same: whoever
// finds a row by it compares texts.
func hash64(text string) int64 {
	h := store.Hash(text)
	return int64(binary.BigEndian.Uint64(h[:]))
}

// deletedRank is added to the rank of the URLs of a deleted object.
const deletedRank = 8

// finder is a row of the table urls but for the object.
type finder struct{ hash, rank int64 }

// finders are the rows by which an object is found: for each URL the best role.
func finders(o bridge.Object, deleted bool) []finder {
	out := make([]finder, 0, 8)
	for role, uri := range o.URLs() {
		f := finder{hash64(bridge.NormalURL(uri)), int64(role)}
		if deleted {
			f.rank += deletedRank
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b finder) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.rank, b.rank)) })
	return slices.CompactFunc(out, func(a, b finder) bool { return a.hash == b.hash })
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

var keyEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// keyNumber is hash64 of the identifier that has key in URLs.
func keyNumber(key string) (int64, bool) {
	b, err := keyEncoding.DecodeString(strings.ToUpper(key))
	if err != nil || len(b) < 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(b)), true
}
