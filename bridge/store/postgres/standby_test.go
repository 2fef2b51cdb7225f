package postgres_test

import (
	"errors"
	"net/url"
	"path"
	"testing"
	"time"

	"fingerpost/bridge/store"
	"fingerpost/bridge/store/postgres"
)

// Who publishes may read a replica, to which nothing is written.
func TestAReplicaIsRead(t *testing.T) {
	address := server.Database(t)
	db := open(t, address)
	if err := db.Save(t.Context(), "main", page(0, 1)); err != nil {
		t.Fatal(err)
	}
	replica := open(t, server.Standby(t).Address(databaseOf(t, address)))
	if list, err := replica.Records(t.Context(), "main", "oai:x:0"); err != nil || len(list) != 1 || len(list[0].Metadata) == 0 {
		t.Errorf("got records %v and error %v, want one with its metadata", list, err)
	}
	if err := db.Save(t.Context(), "main", page(1, 1)); err != nil {
		t.Fatal(err)
	}
	clock, err := db.Modified(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		clocks, err := replica.Clocks(t.Context())
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("got clocks %v and error %v, want the change that was saved", clocks, err)
		}
		if clocks["main"].Modified == clock {
			break
		}
	}
	var refused *store.FileError
	if _, err := replica.Lock(t.Context(), "main"); !errors.As(err, &refused) {
		t.Errorf("lock: got error %v, want a *store.FileError", err)
	}
	if err := replica.Save(t.Context(), "main", page(2, 1)); !errors.As(err, &refused) {
		t.Errorf("save: got error %v, want a *store.FileError", err)
	}
}

func TestAReplicaWithoutTablesIsRefused(t *testing.T) {
	address := server.Database(t)
	_, err := postgres.Open(t.Context(), server.Standby(t).Address(databaseOf(t, address)), "")
	var refused *store.FileError
	if !errors.As(err, &refused) {
		t.Errorf("got error %v, want a *store.FileError", err)
	}
}

// databaseOf returns the name of the database at an address.
func databaseOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return path.Base(u.Path)
}
