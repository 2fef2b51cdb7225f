package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/bridge/store/storetest"
	"fingerpost/oaipmh"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, filepath.Join(t.TempDir(), "store.db")) })
}

func open(t testing.TB, file string, options ...sqlite.Option) *sqlite.DB {
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
			var e *sqlite.FileError
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

func TestOpenRefusesNewerSchema(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	if err := open(t, file).Close(); err != nil {
		t.Fatal(err)
	}
	change(t, file, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	_, err := sqlite.Open(t.Context(), file)
	var e *sqlite.NewerSchemaError
	if !errors.As(err, &e) || e.Have != 9999 || e.Know >= e.Have || e.File != file {
		t.Fatalf("got error %v, want a *NewerSchemaError for schema 9999", err)
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
		save(t, db, store.Batch{Objects: []store.Object{generatedObject(i, 0)}})
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
			if err := db.Save(t.Context(), fmt.Sprint(i), generated(0, 10, 0)); err != nil {
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
	if err := db.Save(t.Context(), "main", generated(0, 1, 0)); err == nil {
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

func TestModifiedAscendsWhenTheClockGoesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	now := time.UnixMicro(1_000_000)
	var last int64
	for i, at := range []int64{1_000_000, 5, -7, 1_000_000, 2_000_000, 1_999_999} {
		now = time.UnixMicro(at)
		// Another handle each time: the clock is kept in the file.
		db := open(t, file, sqlite.Now(func() time.Time { return now }))
		p := store.Batch{Objects: []store.Object{generatedObject(0, i), generatedObject(1, i)}}
		save(t, db, p)
		for _, o := range p.Objects {
			if o.Modified <= last || o.Modified < at {
				t.Errorf("at %d: got modified %d after %d", at, o.Modified, last)
			}
			last = o.Modified
		}
	}
}

func TestTwoHandles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store.db")
	a, b := open(t, file), open(t, file)
	save(t, a, generated(0, 10, 0))
	p := generated(5, 10, 1)
	save(t, b, p)
	for _, db := range []*sqlite.DB{a, b} {
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
// pages, each with its checkpoint, and nobody holds the repository any more.
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
		p := generated(at.Records, 50, 0)
		at.Pages++
		at.Records += 50
		p.Checkpoint = at
		save(t, db, p)
		fmt.Println("saved", at.Pages)
	}
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "store.db"))
	save(t, db, generated(0, 500, 0))
	ctx, stop := context.WithCancel(t.Context())
	var saving sync.WaitGroup
	saving.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := db.Save(context.WithoutCancel(ctx), "main", generated(500+i*100, 100, 0)); err != nil {
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
	want := generated(0, 1, 0).Records[0]
	got, err := again.Records(t.Context(), "main", want.Identifier)
	if err != nil || len(got) != 1 || string(got[0].Metadata) != string(want.Metadata) {
		t.Errorf("got records %v and error %v", got, err)
	}
	save(t, again, generated(0, 10, 1))
	if left, err := filepath.Glob(filepath.Join(dir, "*.part*")); err != nil || len(left) > 0 {
		t.Errorf("got %v left behind, error %v", left, err)
	}
}

// layout is the Signmap as "page: numbers of its objects".
func layout(t *testing.T, db *sqlite.DB) string {
	t.Helper()
	pages, err := db.SignmapPages(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&b, "%d:", p.Number)
		n := 0
		for o, err := range db.SignmapObjects(t.Context(), "main", p.Number, 0, math.MaxInt64) {
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(" " + o.Identifier)
			n++
		}
		if n != p.Objects {
			t.Errorf("page %d: got %d objects, said to be %d", p.Number, n, p.Objects)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// sized is an object whose entry in a Signmap weighs about so many bytes.
func sized(identifier string, bytes int) store.Object {
	return store.Object{Identifier: identifier, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: "https://r.example/" + strings.Repeat("x", bytes)}}}
}

func deleted(identifier string) store.Object {
	return store.Object{Identifier: identifier, Deleted: true}
}

func TestSignmapPagesByNumber(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.SignmapLimits(sqlite.Limits{Objects: 3, Weight: 1e6, MaxWeight: 2e6}))
	for _, step := range []struct {
		name    string
		objects []store.Object
		want    string
	}{
		{"three to a page", []store.Object{sized("a", 1), sized("b", 1), sized("c", 1), sized("d", 1)}, "1: a b c\n2: d"},
		{"a change moves nothing", []store.Object{sized("b", 2)}, "1: a b c\n2: d"},
		{"a place stays free for who was deleted", []store.Object{deleted("b"), sized("e", 1)}, "1: a c\n2: d e"},
		{"who comes back has the old place", []store.Object{sized("b", 1)}, "1: a b c\n2: d e"},
		{"who was never live has no place", []store.Object{deleted("f"), deleted("g")}, "1: a b c\n2: d e"},
		{"and gets one once live", []store.Object{sized("g", 1), sized("h", 1)}, "1: a b c\n2: d e g\n3: h"},
		{"a page may become empty", []store.Object{deleted("a"), deleted("b"), deleted("c")}, "1:\n2: d e g\n3: h"},
	} {
		save(t, db, store.Batch{Objects: step.objects})
		if got := layout(t, db); got != step.want {
			t.Errorf("%s: got\n%s\nwant\n%s", step.name, got, step.want)
		}
	}
	if c, err := db.Counts(t.Context(), "main"); err != nil || c != (store.Counts{Objects: 4, Deleted: 4}) {
		t.Errorf("got counts %+v and error %v, want 4 and 4 deleted", c, err)
	}
}

func TestSignmapPagesByWeight(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.SignmapLimits(sqlite.Limits{Objects: 100, Weight: 40_000, MaxWeight: 50_000}))
	for _, step := range []struct {
		name    string
		objects []store.Object
		want    string
	}{
		{"a page is closed when it is heavy", []store.Object{sized("a", 20_000), sized("b", 20_000), sized("c", 100)}, "1: a b\n2: c"},
		{"who grows stays while there is room", []store.Object{sized("b", 25_000)}, "1: a b\n2: c"},
		{"who grows over the edge goes to the last page", []store.Object{sized("a", 29_000)}, "1: b\n2: c a"},
		{"a closed page stays closed", []store.Object{sized("d", 100)}, "1: b\n2: c d a"},
		{"on the last page too: then there is another", []store.Object{sized("d", 30_000)}, "1: b\n2: c a\n3: d"},
		{"who is too heavy for any page has one alone", []store.Object{sized("e", 90_000)}, "1: b\n2: c a\n3: d\n4: e"},
		{"and stays there", []store.Object{sized("e", 95_000)}, "1: b\n2: c a\n3: d\n4: e"},
		{"who was deleted weighs nothing", []store.Object{deleted("a"), sized("c", 45_000)}, "1: b\n2: c\n3: d\n4: e"},
		{"and goes to the last page if the place is taken", []store.Object{sized("a", 29_000)}, "1: b\n2: c\n3: d\n4: e\n5: a"},
	} {
		save(t, db, store.Batch{Objects: step.objects})
		if got := ordered(layout(t, db)); got != ordered(step.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", step.name, got, step.want)
		}
	}
}

// Formats that are not held may be linked as well: there is room for them,
// before anybody knows whether they will be.
func TestSignmapPagesHaveRoomForOfferedFormats(t *testing.T) {
	for formats, want := range map[int]string{0: "1: a b c d\n2: e", 4: "1: a b\n2: c d\n3: e"} {
		db := open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.SignmapLimits(sqlite.Limits{Objects: 100, Weight: 4000, MaxWeight: 5000}))
		r := store.Repository{ID: "main", Offered: store.Offered{Of: make([]oaipmh.MetadataFormat, formats)}}
		if err := db.SaveRepository(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		save(t, db, store.Batch{Objects: []store.Object{sized("a", 500), sized("b", 500), sized("c", 500), sized("d", 500), sized("e", 500)}})
		if got := layout(t, db); got != want {
			t.Errorf("%d formats: got\n%s\nwant\n%s", formats, got, want)
		}
	}
}

// ordered leaves open the order on a page, which is that of first appearance.
func ordered(layout string) string {
	lines := strings.Split(layout, "\n")
	for i, line := range lines {
		words := strings.Fields(line)
		slices.Sort(words[1:])
		lines[i] = strings.Join(words, " ")
	}
	return strings.Join(lines, "\n")
}

func TestBothPagesOfAMoveAreModified(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.SignmapLimits(sqlite.Limits{Objects: 100, Weight: 40_000, MaxWeight: 50_000}))
	save(t, db, store.Batch{Objects: []store.Object{sized("a", 20_000), sized("b", 20_000), sized("c", 100)}})
	p := store.Batch{Objects: []store.Object{sized("a", 35_000)}}
	save(t, db, p)
	pages, err := db.SignmapPages(t.Context(), "main")
	if err != nil || len(pages) != 2 || pages[0].Modified != p.Objects[0].Modified || pages[1].Modified != p.Objects[0].Modified {
		t.Errorf("got pages %+v and error %v, want both modified at %d", pages, err, p.Objects[0].Modified)
	}
}

// TestLargeBadRecordsAreFewAtOnce: whoever asks what is in quarantine has not
// all of its bytes in memory, and is told of all of it.
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
