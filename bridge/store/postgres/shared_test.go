package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"fingerpost/bridge"
	"fingerpost/bridge/store"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/postgres"
)

func open(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, "")
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

// page is a page of objects with a record each.
func page(first, n int) (b store.Batch) {
	for i := first; i < first+n; i++ {
		id := fmt.Sprint("oai:x:", i)
		b.Records = append(b.Records, store.Record{Identifier: id, Prefix: "oai_dc", Hash: [16]byte{byte(i), byte(i >> 8), 1}, Metadata: fmt.Appendf(nil, "<dc>%d</dc>", i)})
		b.Objects = append(b.Objects, store.Object{Identifier: id, Object: bridge.Object{LandingPage: bridge.LandingPage{URL: fmt.Sprint("https://x.example/", i)}}})
	}
	b.Checkpoint = store.Checkpoint{Prefix: "oai_dc", Token: fmt.Sprint(first + n)}
	return b
}

func TestAWorkerThatLostItsLockWritesNothing(t *testing.T) {
	address := server.Database(t)
	a, b := open(t, address), open(t, address)
	ctx := t.Context()
	unlock, err := a.Lock(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Save(ctx, "main", page(0, 1)); err != nil {
		t.Fatal(err)
	}
	// The worker stands still for longer than its lock lasts.
	pgtest.SQL(t, address, `UPDATE fingerpost.repositories SET lease = now() - interval '1 second' WHERE name = 'main'`)
	unlockB, err := b.Lock(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	var locked *store.LockedError
	if err := a.Save(ctx, "main", page(1, 1)); !errors.As(err, &locked) {
		t.Errorf("saved by the first worker: got error %v, want a *store.LockedError", err)
	}
	unlock() // is not the first worker's to give
	if _, err := a.Lock(ctx, "main"); !errors.As(err, &locked) {
		t.Errorf("locked by the first worker: got error %v, want a *store.LockedError", err)
	}
	if err := b.Save(ctx, "main", page(2, 1)); err != nil {
		t.Error(err)
	}
	unlockB()
	if c, err := b.Counts(ctx, "main"); err != nil || c.Objects != 2 {
		t.Errorf("got %v and error %v, want the two objects of those who had the lock", c, err)
	}
}

func TestTwoProcessesSaveSideBySide(t *testing.T) {
	address := server.Database(t)
	ctx := t.Context()
	var writers sync.WaitGroup
	for _, repository := range []string{"a", "b", "a", "b"} {
		db := open(t, address)
		writers.Go(func() {
			for i := range 20 {
				if err := db.Save(ctx, repository, page(i*5, 10)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	db := open(t, address)
	for _, repository := range []string{"a", "b"} {
		if c, err := db.Counts(ctx, repository); err != nil || c.Objects != 105 {
			t.Errorf("%s: got %v and error %v, want 105 objects, each once", repository, c, err)
		}
	}
}

// Every first harvest writes into tables without statistics: autovacuum has not
// come yet.
// A process that has read nothing of a repository finds its objects by a URL, with
// their formats and sets.
func TestAnotherProcessFindsAnObject(t *testing.T) {
	address := server.Database(t)
	b := page(0, 1)
	b.Objects[0].Prefixes, b.Objects[0].Sets = []string{"oai_dc"}, []string{"books"}
	if err := open(t, address).Save(t.Context(), "main", b); err != nil {
		t.Fatal(err)
	}
	o, err := open(t, address).Find(t.Context(), "https://x.example/0")
	if err != nil || o.Repository != "main" || len(o.Prefixes) != 1 || len(o.Sets) != 1 || o.Sets[0] != "books" {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestWithoutStatisticsKeysAreLookedUp(t *testing.T) {
	address := server.Database(t)
	db := open(t, address)
	const size, pages = 100, 40
	for range 2 {
		for i := range pages {
			if err := db.Save(t.Context(), "main", page(i*size, size)); err != nil {
				t.Fatal(err)
			}
		}
		pgtest.SQL(t, address, `UPDATE fingerpost.objects SET modified = modified`) // rows without a page that is all visible
	}
	// Of so many URLs, a hash seems to find a large part of the objects.
	pgtest.SQL(t, address, `UPDATE pg_class SET reltuples = 1e7, relpages = 100 WHERE oid = 'fingerpost.urls'::regclass`)
	for i := range 1000 {
		if _, err := db.Find(t.Context(), fmt.Sprint("https://x.example/", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil { // sends the figures
		t.Fatal(err)
	}
	var read int
	pgtest.SQL(t, address, `SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'fingerpost' AND relname IN ('objects', 'urls', 'words')`, &read)
	// The whole table, read for each page, would be 2 * pages * pages/2 * size.
	if whole := pages * pages * size; read > whole/10 {
		t.Errorf("%d rows were read without an index to save %d pages and find 1000 objects; to read the whole table for each page is %d", read, 2*pages, whole)
	}
}

func TestAServerThatRestartsLosesNothing(t *testing.T) {
	address := server.Database(t)
	db := open(t, address)
	some, done := make(chan bool), make(chan error, 1)
	go func() {
		for i := range 200 {
			if err := db.Save(t.Context(), "main", page(i*3, 3)); err != nil {
				done <- fmt.Errorf("page %d: %w", i, err)
				return
			}
			if i == 20 {
				close(some)
			}
		}
		done <- nil
	}()
	<-some
	if err := server.Stop("immediate"); err != nil {
		t.Error(err)
	}
	if err := server.Up(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if c, err := db.Counts(t.Context(), "main"); err != nil || c.Objects != 600 {
		t.Errorf("got %v and error %v, want 600 objects", c, err)
	}
}

// A COMMIT whose answer is lost was carried out: the run that it saved is not
// saved again.
func TestALostAnswerToACommit(t *testing.T) {
	address := server.Database(t)
	db := open(t, address)
	if err := db.Save(t.Context(), "main", page(0, 3)); err != nil {
		t.Fatal(err)
	}
	proxy := cutAfterCommit(t, address)
	far := open(t, proxy.address)
	proxy.cut.Store(true)
	run := store.Run{Repository: "main", Prefix: "oai_dc"}
	if err := far.Save(t.Context(), "main", store.Batch{Run: &run}); err != nil {
		t.Fatal(err)
	}
	if proxy.cut.Load() {
		t.Error("no COMMIT was lost")
	}
	if runs, err := db.Runs(t.Context(), "main", 9); err != nil || len(runs) != 1 {
		t.Errorf("got runs %v and error %v, want one", runs, err)
	}
}

// A COMMIT that never arrived was not carried out, even if PostgreSQL was killed
// and has given the transaction's number to another since.
func TestALostCommitWhoseNumberAnotherHas(t *testing.T) {
	address := server.Database(t)
	db := open(t, address)
	if err := db.Save(t.Context(), "main", page(0, 3)); err != nil {
		t.Fatal(err)
	}
	proxy := cutAfterCommit(t, address)
	far := open(t, proxy.address)
	proxy.lose = func() {
		if err := errors.Join(server.Kill(), server.Up()); err != nil {
			t.Error(err)
		}
		for range 20 {
			pgtest.SQL(t, address, `UPDATE fingerpost.repositories SET owner = owner WHERE id = 0`)
		}
	}
	proxy.cut.Store(true)
	if err := far.Save(t.Context(), "main", page(3, 3)); err != nil {
		t.Fatal(err)
	}
	if c, err := db.Counts(t.Context(), "main"); err != nil || c.Objects != 6 {
		t.Errorf("got %v and error %v, want 6 objects", c, err)
	}
}

// proxy stands between an engine and its server.
type proxy struct {
	address string
	cut     atomic.Bool // the next answer to a COMMIT is lost, with its connection
	lose    func()      // then the COMMIT itself is lost, and this is done; nil if not
}

func cutAfterCommit(t *testing.T, address string) *proxy {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	// The mode exec sends the text of each statement.
	p := &proxy{address: fmt.Sprintf("postgres://test@%s/%s?sslmode=disable&default_query_exec_mode=exec", listener.Addr(), config.Database)}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port))
			if err != nil {
				c.Close()
				continue
			}
			go p.serve(c, s)
		}
	}()
	return p
}

func (p *proxy) serve(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	var lost atomic.Bool
	go func() {
		for buf := make([]byte, 64<<10); ; {
			n, err := server.Read(buf)
			if err != nil || lost.Load() {
				client.Close()
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	for buf := make([]byte, 64<<10); ; {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte("COMMIT")) && p.cut.CompareAndSwap(true, false) {
			if p.lose != nil {
				p.lose()
				return
			}
			lost.Store(true)
		}
		if _, err := io.Copy(server, bytes.NewReader(buf[:n])); err != nil {
			return
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	address := server.Database(t)
	open(t, address)
	other := server.Database(t)
	pgtest.SQL(t, other, `CREATE SCHEMA fingerpost; CREATE TABLE fingerpost.objects (id int)`)
	newer := server.Database(t)
	open(t, newer)
	pgtest.SQL(t, newer, `COMMENT ON SCHEMA fingerpost IS 'fingerpost, schema 99'`)
	for _, c := range []struct{ name, address, says string }{
		{"a server that is not there", "postgres://u:secret@127.0.0.1:1/x", "start PostgreSQL"},
		{"a database that is not there", strings.Replace(address, "/test", "/none", 1), "createdb"},
		{"no address", "postgres://u:secret@[/x", "is no address"},
		{"another program's tables", other, "another program"},
		{"tables of another version", newer, "has schema 99"},
	} {
		_, err := postgres.Open(t.Context(), c.address, "")
		var refused *store.FileError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got error %v, want a *store.FileError in one line, without the password, that says %q", c.name, err, c.says)
		}
	}
}

func TestManyOpenAtOnce(t *testing.T) {
	address := server.Database(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if e, err := postgres.OpenEngine(t.Context(), address, ""); err != nil {
				t.Error(err)
			} else if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
