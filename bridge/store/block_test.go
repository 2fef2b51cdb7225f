package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge/store"
)

// openFile opens a store, and its file behind the store's back.
func openFile(t *testing.T) (*store.DB, *sql.DB) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "store.db")
	db := open(t, file)
	raw, err := sql.Open("sqlite3", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	return db, raw
}

// What the tables say of blocks must be so after any number of batches.
func TestBlocksAreCounted(t *testing.T) {
	db, raw := openFile(t)
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 120 {
		var b store.Batch
		for range 1 + random.IntN(80) {
			id := fmt.Sprint("oai:x:", random.IntN(400))
			r := store.Record{Identifier: id, Prefix: "oai_dc", Deleted: random.IntN(5) == 0}
			if !r.Deleted {
				r.Metadata = fmt.Appendf(nil, "%s %d %s", id, round, strings.Repeat("x", random.IntN(4000)))
			}
			b.Records = append(b.Records, r)
		}
		if err := db.Save(t.Context(), fmt.Sprint(round%2), b); err != nil {
			t.Fatal(err)
		}
		blocksAreCounted(t, raw)
	}
}

func blocksAreCounted(t *testing.T, raw *sql.DB) {
	t.Helper()
	for what, query := range map[string]string{
		"blocks of which less than half lives": `SELECT count(*) FROM blocks b WHERE live * 2 < size AND id < (SELECT max(id) FROM blocks WHERE repository = b.repository)`,
		"blocks of nothing":                    `SELECT count(*) FROM blocks WHERE live = 0`,
		"blocks without bytes":                 `SELECT count(*) FROM blocks WHERE id NOT IN (SELECT id FROM block_bytes)`,
		"bytes without a block":                `SELECT count(*) FROM block_bytes WHERE id NOT IN (SELECT id FROM blocks)`,
	} {
		var n int
		if err := raw.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n != 0 {
			t.Fatalf("%s: got %d and error %v, want 0", what, n, err)
		}
	}
	type block struct{ id, live int64 }
	lives := map[int64]int64{}
	for _, list := range all(t, raw, `SELECT records FROM objects`, func(list *[]byte) []any { return []any{list} }) {
		own, err := store.LiveBytes(list)
		if err != nil {
			t.Fatal(err)
		}
		for id, n := range own {
			lives[id] += n
		}
	}
	for _, b := range all(t, raw, `SELECT id, live FROM blocks`, func(b *block) []any { return []any{&b.id, &b.live} }) {
		if lives[b.id] != b.live {
			t.Fatalf("block %d: got %d bytes that live, its records have %d", b.id, b.live, lives[b.id])
		}
		delete(lives, b.id)
	}
	if len(lives) > 0 {
		t.Fatalf("records lie in blocks that are not there: %v", lives)
	}
}

// all reads every row of a query.
func all[T any](t *testing.T, raw *sql.DB, query string, columns func(*T) []any) (out []T) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(columns(&v)...); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSmallBatchesShareBlocks(t *testing.T) {
	db, raw := openFile(t)
	for i := range 100 {
		save(t, db, store.Batch{Records: []store.Record{{Identifier: fmt.Sprint("oai:x:", i), Prefix: "oai_dc", Metadata: bytes.Repeat([]byte("<a/>"), 250)}}})
	}
	if n := all(t, raw, `SELECT count(*) FROM blocks`, func(n *int) []any { return []any{n} })[0]; n > 4 {
		t.Errorf("got %d blocks for 100 batches of 1 kB, want 4 at most", n)
	}
}

func isDamaged(t *testing.T, what string, err error) {
	t.Helper()
	var e *store.DamagedError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "restore a backup, or delete the data folder and harvest anew") {
		t.Errorf("%s: got error %v, want a *store.DamagedError with a remedy", what, err)
	}
	if errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: got %v, which is as if it was not stored", what, err)
	}
}

func TestMalformedBlocksAreDamage(t *testing.T) {
	for i, err := range store.MalformedBlocks("\x01", "\x01\x01\x05abc", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") {
		isDamaged(t, fmt.Sprint("block ", i), err)
	}
}

// What cannot be read is never told to be absent.
func TestDamageIsNotAbsence(t *testing.T) {
	const identifier, landing = "oai:x:1", "https://r.example/1"
	object := func(db *store.DB) error {
		_, err := db.ByIdentifier(t.Context(), "main", identifier)
		return err
	}
	key := func(db *store.DB) error {
		_, err := db.Object(t.Context(), "main", store.KeyOf(identifier))
		return err
	}
	find := func(db *store.DB) error {
		_, err := db.Find(t.Context(), landing)
		return err
	}
	records := func(db *store.DB) error {
		_, err := db.Records(t.Context(), "main", identifier)
		return err
	}
	repository := func(db *store.DB) error {
		_, err := db.Repository(t.Context(), "main")
		return err
	}
	for _, c := range []struct {
		change string
		read   func(*store.DB) error
	}{
		{`UPDATE objects SET value = x'ff'`, object},
		{`UPDATE objects SET value = x'ff'`, find},
		{`UPDATE objects SET value = x'00'`, find},
		{`UPDATE objects SET identifier = 'oai:y:1'`, object},
		{`UPDATE objects SET identifier = 'oai:y:1'`, key},
		{`DELETE FROM objects`, find},
		{`UPDATE objects SET sets = x'63'`, object},
		{`UPDATE objects SET sets = x'ff'`, object},
		{`DELETE FROM words`, object},
		{`DELETE FROM words`, records},
		{`UPDATE objects SET records = x'01'`, records},
		{`DELETE FROM block_bytes`, records},
		{`UPDATE block_bytes SET bytes = x'00'`, records},
		{`UPDATE documents SET value = '{'`, repository},
	} {
		file := filepath.Join(t.TempDir(), "store.db")
		db := open(t, file)
		o := sized(identifier, 0)
		o.LandingPage.URL, o.Sets = landing, []string{"a"}
		save(t, db, store.Batch{Objects: []store.Object{o}, Records: []store.Record{{Identifier: identifier, Prefix: "oai_dc", Metadata: []byte("<a/>")}}})
		if err := db.SaveRepository(t.Context(), store.Repository{ID: "main"}); err != nil {
			t.Fatal(err)
		}
		raw, err := sql.Open("sqlite3", file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := raw.ExecContext(t.Context(), c.change); err != nil {
			t.Fatal(err)
		}
		if err := raw.Close(); err != nil {
			t.Fatal(err)
		}
		isDamaged(t, c.change, c.read(open(t, file)))
	}
}
