package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"fingerpost/bridge/store/engine"
	"fingerpost/bridge/store/pgtest"
	"fingerpost/bridge/store/postgres"
	"fingerpost/bridge/store/sqlite"
	"fingerpost/bridge/store/storetest"
)

var server *pgtest.Server

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, &server))
}

func TestContract(t *testing.T) {
	address := server.Database(t)
	storetest.Run(t, func(t *testing.T) engine.Engine { return openEngine(t, address) })
}

// openEngine opens an engine over an empty database.
func openEngine(t *testing.T, address string) engine.Engine {
	t.Helper()
	e, err := postgres.OpenEngine(t.Context(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	empty(t, address)
	return e
}

// empty removes all rows.
func empty(t testing.TB, address string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	if _, err := c.Exec(t.Context(), `DO $$ DECLARE t record; BEGIN
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'fingerpost' LOOP
			EXECUTE format('DELETE FROM fingerpost.%I', t.tablename);
		END LOOP;
		INSERT INTO fingerpost.repositories (id, name) OVERRIDING SYSTEM VALUE VALUES (0, '');
	END $$`); err != nil {
		t.Fatal(err)
	}
}

// A store that outgrows a file is moved, and may be moved back.
func TestCopies(t *testing.T) {
	address := server.Database(t)
	here := func(t *testing.T) engine.Engine { return openEngine(t, address) }
	file := func(t *testing.T) engine.Engine {
		e, err := sqlite.OpenEngine(t.Context(), filepath.Join(t.TempDir(), "store.db"))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	t.Run("from SQLite", func(t *testing.T) { storetest.RunCopy(t, file, here) })
	t.Run("to SQLite", func(t *testing.T) { storetest.RunCopy(t, here, file) })
}
