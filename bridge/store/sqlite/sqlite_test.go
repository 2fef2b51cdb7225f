package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/engine"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/bridge/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Engine {
		e, err := sqlite.OpenEngine(t.Context(), filepath.Join(t.TempDir(), "store.db"))
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func open(t testing.TB, file string, options ...store.Option) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), file, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// change runs SQL on a file behind the store's back.
func change(t *testing.T, file string, statements ...string) {
	t.Helper()
	raw, err := sql.Open("sqlite3", file)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, s := range statements {
		if _, err := raw.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, file string, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string) (file string)
		says    string
	}{
		{"a folder that is not there", func(_ *testing.T, dir string) string { return filepath.Join(dir, "no", "store.db") }, "make the folder"},
		{"a folder that is a file", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "file"), "")
			return filepath.Join(dir, "file", "store.db")
		}, "not a folder"},
		{"a file that is a folder", func(_ *testing.T, dir string) string { return dir }, "name a file in it"},
		{"a folder that cannot be written", func(*testing.T, string) string { return "/proc/store.db" }, "cannot be written"},
		{"a file that is not a database", func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "text"), strings.Repeat("not a database\n", 1000))
			return filepath.Join(dir, "text")
		}, "is not a database"},
		{"another program's database", func(t *testing.T, dir string) string {
			change(t, filepath.Join(dir, "other.db"), `PRAGMA journal_mode = DELETE`, `CREATE TABLE objects (id)`)
			return filepath.Join(dir, "other.db")
		}, "another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := c.prepare(t, t.TempDir())
			_, err := sqlite.Open(t.Context(), file)
			var e *store.FileError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %v, want a *FileError in one line that says %q", err, c.says)
			}
		})
	}
}

func TestOpenLeavesWhatItRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text")
	for name, prepare := range map[string]func(){
		"text":  func() { write(t, file, strings.Repeat("not a database\n", 1000)) },
		"other": func() { change(t, file, `PRAGMA journal_mode = DELETE`, `CREATE TABLE objects (id)`) },
	} {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		prepare()
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(t.Context(), file); err == nil {
			t.Errorf("%s: got no error", name)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the file was changed (error %v)", name, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("got files %v and error %v, want the one alone", files, err)
	}
}

func TestOpenRefusesOtherSchemas(t *testing.T) {
	for _, has := range []int{0, 2, 9999} {
		file := filepath.Join(t.TempDir(), "store.db")
		if err := open(t, file).Close(); err != nil {
			t.Fatal(err)
		}
		change(t, file, fmt.Sprint(`PRAGMA user_version = `, has))
		_, err := sqlite.Open(t.Context(), file)
		var e *store.FileError
		if !errors.As(err, &e) || e.File != file || !strings.Contains(err.Error(), fmt.Sprintf("has schema %d", has)) || !strings.Contains(e.Remedy, "another folder") {
			t.Errorf("schema %d: got error %v, want a *store.FileError that names it and a remedy", has, err)
		}
	}
}

func TestOpenAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ä ?#%& store.db")
	for i := range 3 {
		db := open(t, file)
		c, err := db.Counts(t.Context(), "main")
		if err != nil || c.Objects != i {
			t.Fatalf("got counts %+v and error %v, want %d objects", c, err, i)
		}
		save(t, db, store.Batch{Objects: storetest.Generated(i, 1, 0).Objects})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenAtTheSameTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			db, err := sqlite.Open(t.Context(), file)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if err := db.Save(t.Context(), fmt.Sprint(i), storetest.Generated(0, 10, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestClosedStore(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Save(t.Context(), "main", storetest.Generated(0, 1, 0)); err == nil {
		t.Error("save: got no error")
	}
	if _, err := db.Counts(t.Context(), "main"); err == nil {
		t.Error("counts: got no error")
	}
	var failed error
	for _, err := range db.Objects(t.Context(), "main", 0) {
		failed = err
	}
	if failed == nil {
		t.Error("objects: got no error")
	}
}

func TestTwoHandles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	a, b := open(t, file), open(t, file)
	save(t, a, storetest.Generated(0, 10, 0))
	p := storetest.Generated(5, 10, 1)
	save(t, b, p)
	for _, db := range []*store.DB{a, b} {
		for _, want := range p.Objects {
			got, err := db.Find(t.Context(), want.LandingPage.URL)
			if err != nil || got.ID != want.ID || strings.Join(got.Sets, " ") != strings.Join(want.Sets, " ") {
				t.Errorf("got object %+v and error %v, want %+v", got, err, want)
			}
		}
	}
	unlock, err := a.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	var locked *store.LockedError
	if _, err := b.Lock(t.Context(), "main"); !errors.As(err, &locked) || !strings.Contains(locked.Owner, fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("got error %v, want a *store.LockedError that names this process", err)
	}
	unlock()
	unlock, err = b.Lock(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A process that saves page after page is killed: what is found must be whole
// pages, each with its checkpoint, and the repository is not locked.
func TestKill(t *testing.T) {
	if file := os.Getenv("FINGERPOST_TEST_SAVE"); file != "" {
		saveUntilKilled(t, file)
		return
	}
	file := filepath.Join(t.TempDir(), "store.db")
	said := 0
	for round := 1; round <= 3; round++ {
		said = killed(t, file, said+5)
		db := open(t, file)
		at, err := db.Checkpoint(t.Context(), "main", "oai_dc", "")
		if err != nil {
			t.Fatal(err)
		}
		c, err := db.Counts(t.Context(), "main")
		if err != nil || c.Objects != at.Records || at.Pages < said || at.Records != at.Pages*50 {
			t.Errorf("round %d: got checkpoint %+v, counts %+v and error %v; page %d was said to be saved", round, at, c, err, said)
		}
		unlock, err := db.Lock(t.Context(), "main")
		if err != nil {
			t.Fatal(err)
		}
		unlock()
		if err := db.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err != nil {
			t.Error(err)
		}
	}
}

// killed starts a process that saves, and kills it after some pages. It
// returns the last page that the process said it had saved.
func killed(t *testing.T, file string, pages int) (said int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
	child.Env = append(os.Environ(), "FINGERPOST_TEST_SAVE="+file)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for said < pages && lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "saved %d", &said); err != nil {
			t.Errorf("the process said %q", lines.Text())
		}
	}
	var locked *store.LockedError
	if _, err := open(t, file).Lock(t.Context(), "main"); !errors.As(err, &locked) || !strings.Contains(locked.Owner, fmt.Sprint("process ", child.Process.Pid)) {
		t.Errorf("while it runs: got error %v, want a *store.LockedError that names process %d", err, child.Process.Pid)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "saved %d", &said); err != nil {
			break // cut off
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the process was not killed")
	}
	return said
}

func saveUntilKilled(t *testing.T, file string) {
	db := open(t, file)
	if _, err := db.Lock(t.Context(), "main"); err != nil { // until the end of the process
		t.Fatal(err)
	}
	at, err := db.Checkpoint(t.Context(), "main", "oai_dc", "")
	if err != nil {
		t.Fatal(err)
	}
	for {
		p := storetest.Generated(at.Records, 50, 0)
		at.Pages++
		at.Records += 50
		p.Checkpoint = at
		save(t, db, p)
		fmt.Println("saved", at.Pages)
	}
}

func TestOtherUsersAreKeptOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	db := open(t, file)
	save(t, db, storetest.Generated(0, 1, 0))
	if err := db.Backup(t.Context(), file+".copy"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + "-wal", file + "-shm", file + ".copy"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode&0o7 != 0 {
			t.Errorf("%s has mode %o, want nothing for others", name, mode)
		}
	}
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "store.db"))
	save(t, db, storetest.Generated(0, 500, 0))
	ctx, stop := context.WithCancel(t.Context())
	var saving sync.WaitGroup
	saving.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := db.Save(context.WithoutCancel(ctx), "main", storetest.Generated(500+i*100, 100, 0)); err != nil {
				t.Error(err)
			}
		}
	})
	file := filepath.Join(dir, "copy'.db")
	err := db.Backup(t.Context(), file)
	stop()
	saving.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(t.Context(), file); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("over a file that exists: got error %v", err)
	}
	if err := db.Backup(t.Context(), filepath.Join(dir, "no", "copy.db")); err == nil {
		t.Error("into a folder that is not there: got no error")
	}
	again := open(t, file)
	c, err := again.Counts(t.Context(), "main")
	if err != nil || c.Objects < 500 || c.Objects%100 != 0 {
		t.Errorf("got counts %+v and error %v, want whole pages", c, err)
	}
	want := storetest.Generated(0, 1, 0).Records[0]
	got, err := again.Records(t.Context(), "main", want.Identifier)
	if err != nil || len(got) != 1 || string(got[0].Metadata) != string(want.Metadata) {
		t.Errorf("got records %v and error %v", got, err)
	}
	save(t, again, storetest.Generated(0, 10, 1))
	if left, err := filepath.Glob(filepath.Join(dir, "*.part*")); err != nil || len(left) > 0 {
		t.Errorf("got %v left behind, error %v", left, err)
	}
}

// A loop over the quarantine has few of its bytes in memory at a time.
func TestLargeBadRecordsAreFewAtOnce(t *testing.T) {
	const n, size = 24, 1 << 20
	db := open(t, filepath.Join(t.TempDir(), "store.db"))
	for i := range n {
		bad := store.Quarantined{Identifier: fmt.Sprint(i), Prefix: "mets", Reason: "broken", Page: "page", Bytes: make([]byte, size)}
		if err := db.Save(t.Context(), "main", store.Batch{Quarantined: []store.Quarantined{bad}}); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range db.Quarantined(t.Context(), "main") {
		break
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > n/2*size {
		t.Errorf("the first of %d MiB took %d MiB to read", n, took>>20)
	}
	met := 0
	for _, err := range db.Quarantined(t.Context(), "main") {
		if met++; err != nil {
			t.Fatal(err)
		}
	}
	if met != n {
		t.Errorf("%d are told of, want %d", met, n)
	}
}
