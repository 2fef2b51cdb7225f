package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
)

func openBoth(t *testing.T) (*Engine, *store.DB) {
	t.Helper()
	e, err := OpenEngine(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.New(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return e, db
}

func TestFullDisk(t *testing.T) {
	e, db := openBoth(t)
	var pages int
	if err := e.writer.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		if _, err := e.writer.ExecContext(t.Context(), fmt.Sprint(`PRAGMA max_page_count = `, n)); err != nil {
			t.Fatal(err)
		}
	}
	big := make([]byte, 1<<20)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range big {
		big[i] = byte(random.Uint32())
	}
	b := store.Batch{
		Records: []store.Record{{Identifier: "oai:x:1", Prefix: "oai_dc", Metadata: big}},
		Objects: []store.Object{{Identifier: "oai:x:1"}},
	}
	limit(pages + 10)
	if err := db.Save(t.Context(), "main", b); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), e.file) {
		t.Errorf("got error %v, want store.ErrFull with the file's name", err)
	}
	if c, err := db.Counts(t.Context(), "main"); err != nil || c != (store.Counts{}) {
		t.Errorf("got counts %+v and error %v, want none", c, err)
	}
	limit(pages + 10_000)
	if err := db.Save(t.Context(), "main", b); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A file of which parts are overwritten is damaged, and says so: where it is
// checked, and where an object is asked for that is there.
func TestOverwrittenFile(t *testing.T) {
	const objects = 2000
	file := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	for i := range objects {
		id := fmt.Sprint("oai:x:", i)
		b.Objects = append(b.Objects, store.Object{Identifier: id, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://r.example/" + id}}})
	}
	err = errors.Join(db.Save(t.Context(), "main", b), db.Check(t.Context()), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, file)
	if db, err = Open(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var damage *store.DamagedError
	if err := db.Check(t.Context()); !errors.As(err, &damage) || !strings.Contains(err.Error(), file) {
		t.Errorf("checked: got error %v, want a *store.DamagedError with the file's name", err)
	}
	told := 0
	for i := range objects {
		_, err := db.ByIdentifier(context.WithoutCancel(t.Context()), "main", fmt.Sprint("oai:x:", i))
		switch {
		case errors.Is(err, store.ErrNotFound):
			t.Fatalf("object %d is there, and was not found", i)
		case errors.As(err, &damage):
			told++
		case err != nil:
			t.Fatal(err)
		}
	}
	if told == 0 {
		t.Error("no object was told to be damaged")
	}
}

// overwrite puts zeros into every third page behind those of the schema.
func overwrite(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := int64(40 * page); at < info.Size(); at += 3 * page {
		if _, err := f.WriteAt(make([]byte, page), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
